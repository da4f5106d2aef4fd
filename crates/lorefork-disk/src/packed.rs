//! What we keep for ourselves in `lorefork/index`: numbers and texts behind each other, sealed with a
//! hash, so that what is not whole is as good as nothing.

use crate::inside::Inside;
use crate::{fs, operations, write};

const FOLDER: &str = "lorefork/index";

/// What is in a file; nothing if it cannot be read.
pub(crate) fn read(inside: &Inside, file: &str) -> Vec<u8> {
    let path = inside.if_existing(file).ok().flatten();
    path.and_then(|path| fs::read(&path).ok()).unwrap_or_default()
}

/// Puts it in the place of what is there.
pub(crate) fn put(inside: &Inside, file: &str, bytes: &[u8]) {
    // Nothing follows from it: without it all is read anew.
    let _ = try_put(inside, file, bytes);
}

fn try_put(inside: &Inside, file: &str, bytes: &[u8]) -> Option<()> {
    operations::make_folder(inside, FOLDER).ok()?;
    let path = inside.new_file(file).ok()?;
    let temporary = write::Temporary::beside(&path).ok()?;
    fs::write(temporary.file(), bytes).ok()?;
    temporary.put(&path).ok().map(drop)
}

pub(crate) fn seal(bytes: &mut Vec<u8>) {
    let hash = blake3::hash(bytes);
    bytes.extend_from_slice(hash.as_bytes());
}

/// What is sealed, behind the words that it begins with.
pub(crate) fn opened<'b>(bytes: &'b [u8], mark: &[u8]) -> Option<&'b [u8]> {
    let (content, hash) = bytes.split_last_chunk::<32>()?;
    content.strip_prefix(mark).filter(|_| blake3::hash(content) == *hash)
}

pub(crate) fn short(hash: &blake3::Hash) -> u64 {
    let mut short = [0; 8];
    short.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(short)
}

pub(crate) fn put_number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(&number.to_le_bytes());
}

pub(crate) fn put_count(out: &mut Vec<u8>, count: usize) {
    out.extend_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
}

pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_count(out, text.len());
    out.extend_from_slice(text.as_bytes());
}

/// What is not taken yet. `None` wherever it ends too early.
pub(crate) struct Rest<'b>(pub(crate) &'b [u8]);

impl<'b> Rest<'b> {
    pub(crate) fn bytes(&mut self, length: usize) -> Option<&'b [u8]> {
        let (bytes, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes(8)?.try_into().ok()?))
    }

    pub(crate) fn count(&mut self) -> Option<usize> {
        Some(u32::from_le_bytes(self.bytes(4)?.try_into().ok()?) as usize)
    }

    pub(crate) fn str(&mut self) -> Option<&'b str> {
        let length = self.count()?;
        std::str::from_utf8(self.bytes(length)?).ok()
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        self.str().map(str::to_owned)
    }

    pub(crate) fn numbers(&mut self) -> Option<Vec<u64>> {
        let length = self.count()?.checked_mul(8)?;
        let (numbers, _) = self.bytes(length)?.as_chunks::<8>();
        Some(numbers.iter().map(|number| u64::from_le_bytes(*number)).collect())
    }

    pub(crate) fn texts(&mut self) -> Option<Vec<(usize, String)>> {
        (0..self.count()?).map(|_| Some((self.count()?, self.text()?))).collect()
    }
}
