//! Finding a data folder.

use std::io;
use std::path::{Path, PathBuf};

use crate::fs;

/// A folder with `chats/`, `worlds/` and the rest of one user's data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserFolder {
    /// SillyTavern's name for the user.
    pub handle: String,
    pub path: PathBuf,
    /// The data root it must be in; `None` if it was itself pointed at.
    pub(crate) root: Option<PathBuf>,
}

impl UserFolder {
    /// The user folder at a path, whatever is in it.
    pub fn at(path: &Path) -> Self {
        let real = fs::real_path(path).unwrap_or_else(|_| path.to_owned());
        let name = real.file_name().unwrap_or_default();
        Self { handle: name.to_string_lossy().into(), path: path.to_owned(), root: None }
    }
}

/// A data folder: one user's, or that of all users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    path: PathBuf,
    users: Vec<UserFolder>,
}

/// Why no data folder was found.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    #[error("there is no folder {0}")]
    Absent(PathBuf),
    #[error("{0} is a file, not a folder")]
    NotAFolder(PathBuf),
    #[error("{0} cannot be opened: symbolic links lead in a circle")]
    Circle(PathBuf),
    #[error("{0} is not a SillyTavern data folder")]
    NotData(PathBuf),
    #[error("{tavern} is a SillyTavern folder, but its data folder {data} holds no data")]
    NoDataYet { tavern: PathBuf, data: PathBuf },
    #[error("no SillyTavern data folder was found in {0} or above it")]
    NothingAbove(PathBuf),
    #[error("there is no user “{handle}”")]
    UnknownUser { handle: String, known: Vec<String> },
    #[error("{path} cannot be opened: {error}")]
    Disk { path: PathBuf, error: io::Error },
}

impl FindError {
    /// What can be done about it.
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownUser { known, .. } => format!("the users are: {}", known.join(", ")),
            Self::NoDataYet { .. } => {
                "start SillyTavern once, so that it creates its data, or give the folder with \
                 --root"
                    .into()
            }
            Self::Circle(_) => "remove the link, or give another folder with --root".into(),
            Self::Disk { .. } => "look who owns the folder and whether you may read it".into(),
            Self::Absent(_) | Self::NotAFolder(_) | Self::NotData(_) | Self::NothingAbove(_) => {
                "give one with --root: the SillyTavern folder, its `data` folder, or a user's \
                 folder (it has `chats` and `worlds` in it)"
                    .into()
            }
        }
    }
}

impl Root {
    /// The data folder at `start`, else the first one found from `cwd` upwards.
    pub fn find(start: Option<&Path>, cwd: &Path) -> Result<Self, FindError> {
        let Some(start) = start else {
            let mut nothing = FindError::NothingAbove(cwd.to_owned());
            for path in cwd.ancestors() {
                match Self::at(path) {
                    Ok(root) => return Ok(root),
                    Err(error @ FindError::NoDataYet { .. }) => nothing = error,
                    Err(_) => {}
                }
            }
            return Err(nothing);
        };
        Self::at(&cwd.join(start))
    }

    fn at(path: &Path) -> Result<Self, FindError> {
        let path = path.to_owned();
        match path.metadata() {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Err(FindError::NotAFolder(path)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(FindError::Absent(path));
            }
            Err(error) if fs::is_loop(&error) => return Err(FindError::Circle(path)),
            Err(error) => return Err(FindError::Disk { path, error }),
        }
        if let Some(users) = users_at(&path)? {
            return Ok(Self { path, users });
        }
        let data = path.join(data_root(&path).unwrap_or_else(|| "data".into()));
        if data.is_dir()
            && let Some(users) = users_at(&data)?
        {
            return Ok(Self { path: data, users });
        }
        if is_tavern(&path) {
            return Err(FindError::NoDataYet { tavern: path, data });
        }
        Err(FindError::NotData(path))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All users, by handle.
    pub fn users(&self) -> &[UserFolder] {
        &self.users
    }

    pub fn user(&self, handle: &str) -> Result<&UserFolder, FindError> {
        self.users.iter().find(|user| user.handle == handle).ok_or_else(|| {
            let known = self.users.iter().map(|user| user.handle.clone()).collect();
            FindError::UnknownUser { handle: handle.to_owned(), known }
        })
    }
}

/// The user or users whose data is directly here.
fn users_at(path: &Path) -> Result<Option<Vec<UserFolder>>, FindError> {
    if is_user_folder(path) {
        return Ok(Some(vec![UserFolder::at(path)]));
    }
    // Its own folders could be mistaken for users: old versions kept chats in `public`.
    if is_tavern(path) {
        return Ok(None);
    }
    let names = fs::names(path).map_err(|error| FindError::Disk { path: path.into(), error })?;
    let users: Vec<_> = names
        .into_iter()
        // SillyTavern's own begin with `_`; hidden ones are nobody's.
        .filter(|name| !name.starts_with(['_', '.']))
        .map(|handle| UserFolder { path: path.join(&handle), handle, root: Some(path.into()) })
        .filter(|user| is_user_folder(&user.path))
        .collect();
    Ok((!users.is_empty()).then_some(users))
}

/// Whether chats and lorebooks are here. A link counts wherever it leads, so that one that leads in
/// a circle gets an error that says so.
fn is_user_folder(path: &Path) -> bool {
    ["chats", "worlds"].iter().all(|name| {
        let part = path.join(name);
        part.is_dir() || part.is_symlink()
    })
}

fn is_tavern(path: &Path) -> bool {
    path.join("config.yaml").is_file() || path.join("server.js").is_file()
}

/// `dataRoot` in a SillyTavern's `config.yaml`, which is taken relative to it.
///
/// One key at the top level with a plain or quoted text: that needs no reader for all of YAML.
fn data_root(tavern: &Path) -> Option<PathBuf> {
    let config = fs::read(&tavern.join("config.yaml")).ok()?;
    let config = String::from_utf8_lossy(&config);
    let value = config.lines().find_map(|line| {
        let (key, value) = line.trim_start_matches('\u{feff}').split_once(':')?;
        matches!(key.trim_end(), "dataRoot" | "\"dataRoot\"" | "'dataRoot'").then_some(value.trim())
    })?;
    let value = match value.chars().next()? {
        quote @ ('"' | '\'') => value[1..].split(quote).next()?,
        _ => value.split(" #").next()?.trim_end(),
    };
    (!value.is_empty() && !value.starts_with('#')).then(|| value.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn make(place: &Path, folders: &[&str]) {
        for folder in folders {
            std::fs::create_dir_all(place.join(folder)).unwrap();
        }
    }

    fn handles(root: &Root) -> Vec<&str> {
        root.users().iter().map(|user| user.handle.as_str()).collect()
    }

    #[test]
    fn every_shape_is_found() {
        let place = tempfile::tempdir().unwrap();
        let tavern = place.path();
        make(
            tavern,
            &[
                "data/default-user/chats/Mia",
                "data/default-user/worlds",
                "data/bob/chats",
                "data/bob/worlds",
                "data/_storage/chats",
                "data/_storage/worlds",
                "data/nobody",
                "public/chats",
                "public/worlds",
            ],
        );
        std::fs::write(tavern.join("server.js"), "").unwrap();
        let both = ["bob", "default-user"];
        let find = |start: &str| Root::find(Some(Path::new(start)), tavern).unwrap();
        assert_eq!(handles(&find("data")), both);
        assert_eq!(handles(&find("data/bob")), ["bob"]);
        assert_eq!(handles(&find("data/bob/.")), ["bob"]);
        assert_eq!(handles(&find(".")), both);
        assert_eq!(find(".").path(), tavern.join(".").join("data"));

        // From inside, without being told.
        let above = |from: &str| Root::find(None, &tavern.join(from)).unwrap();
        assert_eq!(handles(&above("data/default-user/chats/Mia")), ["default-user"]);
        assert_eq!(handles(&above("data/nobody")), both);
        assert_eq!(handles(&above("")), both);

        let error = find(".").user("eve").unwrap_err();
        assert!(error.hint().contains("bob, default-user"));
        assert_eq!(find(".").user("bob").unwrap().path, tavern.join("./data/bob"));
    }

    #[test]
    fn a_tavern_says_where_its_data_is() {
        for line in [
            "dataRoot: ./my data",
            "dataRoot: \"./my data\" # here",
            "dataRoot: './my data'",
            "dataRoot: ./my data   # here",
        ] {
            let place = tempfile::tempdir().unwrap();
            make(place.path(), &["my data/bob/chats", "my data/bob/worlds"]);
            let config =
                format!("# dataRoot: x\nother:\n  dataRoot: wrong\n{line}\r\nport: 8000\n");
            std::fs::write(place.path().join("config.yaml"), config).unwrap();
            let root = Root::find(Some(place.path()), Path::new("/")).unwrap();
            assert_eq!(handles(&root), ["bob"], "{line}");
        }
    }

    #[test]
    fn what_is_not_found_says_what_to_do() {
        let place = tempfile::tempdir().unwrap();
        let find = |start: &str| Root::find(Some(Path::new(start)), place.path()).unwrap_err();
        assert!(matches!(find("absent"), FindError::Absent(_)));
        assert!(matches!(find("."), FindError::NotData(_)));
        assert!(find(".").hint().contains("--root"));
        std::fs::write(place.path().join("file"), "").unwrap();
        assert!(matches!(find("file"), FindError::NotAFolder(_)));
        std::fs::write(place.path().join("config.yaml"), "port: 8000").unwrap();
        assert!(matches!(find("."), FindError::NoDataYet { .. }));
        let nothing = Root::find(None, Path::new("/nonexistent/at/all")).unwrap_err();
        assert!(matches!(nothing, FindError::NothingAbove(_)));
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_circle_are_named() {
        use std::os::unix::fs::symlink;
        let place = tempfile::tempdir().unwrap();
        symlink("loop", place.path().join("loop")).unwrap();
        let error = Root::find(Some(Path::new("loop")), place.path()).unwrap_err();
        assert!(matches!(error, FindError::Circle(_)));
        // Within the folder it is found, and the host will say what is wrong with it.
        make(place.path(), &["user/worlds"]);
        symlink("chats", place.path().join("user/chats")).unwrap();
        assert!(Root::find(Some(Path::new("user")), place.path()).is_ok());
    }
}
