//! Reads the story texts: blocks of `Speaker: text`, other swipes after `~ `, scene ends as `===`.

/// One message as it was written.
#[derive(Clone)]
pub(super) struct Line {
    pub(super) speaker: &'static str,
    /// All swipes; the last one is shown.
    pub(super) swipes: Vec<&'static str>,
    pub(super) ends_scene: bool,
}

impl Line {
    pub(super) fn shown(&self) -> &'static str {
        self.swipes[self.swipes.len() - 1]
    }
}

/// The messages of a text. Panics if the text breaks its own layout, which a test would notice
/// first.
pub(super) fn read(text: &'static str) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for block in text.split("\n\n").map(str::trim).filter(|block| !block.starts_with('#')) {
        if block == "===" {
            lines.last_mut().expect("a scene has messages").ends_scene = true;
            continue;
        }
        let (speaker, said) = block.split_once(": ").expect("a message names its speaker");
        lines.push(Line { speaker, swipes: said.split("\n~ ").collect(), ends_scene: false });
    }
    lines
}

/// First and last message of each finished scene.
pub(super) fn scenes(lines: &[Line]) -> Vec<(usize, usize)> {
    let mut start = 0;
    let mut scenes = Vec::new();
    for (end, _) in lines.iter().enumerate().filter(|(_, line)| line.ends_scene) {
        scenes.push((start, end));
        start = end + 1;
    }
    scenes
}
