//! Where the lines of a chat stand, found in one pass over the file.
//!
//! The same pass checks every line, because reading is most of the work, and whoever opens a chat
//! wants to know both. Nothing of the text is kept. Memory: eight bytes per line, and for each
//! thread a buffer that grows to the longest line it meets.

use std::fs::File;
use std::io;
use std::ops::Range;

use lorefork::limits::LONGEST_LINE;

use crate::{check, fs, parallel};

/// How a file is cut for reading.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cut {
    /// How much is read at once. It fits the processor's cache.
    pub(crate) buffer: usize,
    /// What one thread takes before it asks for more.
    pub(crate) segment: u64,
    /// The longest line that is read.
    pub(crate) longest: usize,
}

impl Default for Cut {
    fn default() -> Self {
        Self { buffer: 256 * 1024, segment: 4 * 1024 * 1024, longest: LONGEST_LINE }
    }
}

/// The lines of a chat that are not blank.
#[derive(Debug, Default)]
pub(crate) struct Index {
    starts: Vec<u64>,
    /// Where the last line ends.
    end: u64,
    gaps: Vec<Gap>,
    /// Lines that are not JSON objects in UTF-8.
    damaged: Vec<usize>,
}

/// Blank lines before a line. SillyTavern writes none, so there are few.
#[derive(Debug)]
struct Gap {
    before: usize,
    bytes: u64,
    /// Blank lines up to here, those of earlier gaps included.
    lines: usize,
}

/// What one segment of the file gave.
#[derive(Default)]
struct Found {
    starts: Vec<u64>,
    end: u64,
    damaged: Vec<u64>,
    blank: Vec<Range<u64>>,
}

impl Index {
    /// Reads the first `size` bytes of the file. `progress` hears how far it got.
    pub(crate) fn build(
        file: &File,
        size: u64,
        cut: Cut,
        progress: &dyn Fn(u64),
    ) -> io::Result<Self> {
        let segments = size.div_ceil(cut.segment) as usize;
        let found = parallel::spread(
            segments,
            || vec![0; cut.buffer],
            |buffer, n| {
                let start = n as u64 * cut.segment;
                let segment = start..(start + cut.segment).min(size);
                Found::in_segment(file, segment, size, cut.longest, buffer)
            },
            &|n| progress(n as u64 * cut.segment),
        )?;
        Ok(Self::join(found))
    }

    fn join(found: Vec<Found>) -> Self {
        let mut index = Self::default();
        index.starts.reserve_exact(found.iter().map(|found| found.starts.len()).sum());
        for found in found {
            for blank in found.blank {
                index.add_gap(
                    blank.end - blank.start,
                    found.starts.partition_point(|start| *start < blank.start),
                );
            }
            for start in found.damaged {
                let within = found.starts.partition_point(|other| *other < start);
                index.damaged.push(index.starts.len() + within);
            }
            if !found.starts.is_empty() {
                index.end = found.end;
            }
            index.starts.extend(found.starts);
        }
        index
    }

    /// Adds a blank line, `within` lines behind those that are already known.
    fn add_gap(&mut self, bytes: u64, within: usize) {
        let before = self.starts.len() + within;
        match self.gaps.last_mut() {
            Some(gap) if gap.before == before => {
                gap.bytes += bytes;
                gap.lines += 1;
            }
            last => {
                let lines = last.map_or(0, |gap| gap.lines) + 1;
                self.gaps.push(Gap { before, bytes, lines });
            }
        }
    }

    pub(crate) fn lines(&self) -> usize {
        self.starts.len()
    }

    /// Where a line stands, without its line break. A CR before it belongs to the line.
    pub(crate) fn line(&self, line: usize) -> Range<u64> {
        let end = match self.starts.get(line + 1) {
            Some(next) => next - 1 - self.gap(line + 1).map_or(0, |gap| gap.bytes),
            None => self.end,
        };
        self.starts[line]..end
    }

    /// The number a text editor shows for a line, counted from 1.
    pub(crate) fn number(&self, line: usize) -> usize {
        let gaps = self.gaps.partition_point(|gap| gap.before <= line);
        line + 1 + gaps.checked_sub(1).map_or(0, |last| self.gaps[last].lines)
    }

    /// The line that holds the byte at `offset`.
    pub(crate) fn line_at(&self, offset: u64) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// The bytes of some lines, in runs that have no blank line within.
    pub(crate) fn runs(&self, lines: Range<usize>) -> impl Iterator<Item = Range<u64>> {
        let mut rest = lines;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let next_gap = self.gaps.partition_point(|gap| gap.before <= rest.start);
            let stop = self.gaps.get(next_gap).map_or(rest.end, |gap| gap.before.min(rest.end));
            let run = self.starts[rest.start]..self.line(stop - 1).end;
            rest.start = stop;
            Some(run)
        })
    }

    /// The first of some lines that is not a JSON object in UTF-8.
    pub(crate) fn damaged(&self, lines: Range<usize>) -> Option<usize> {
        let first = self.damaged.partition_point(|line| *line < lines.start);
        self.damaged.get(first).copied().filter(|line| *line < lines.end)
    }

    fn gap(&self, before: usize) -> Option<&Gap> {
        let at = self.gaps.binary_search_by_key(&before, |gap| gap.before).ok()?;
        Some(&self.gaps[at])
    }
}

impl Found {
    /// Looks at the lines that begin within `segment`; the last one may end behind it.
    fn in_segment(
        file: &File,
        segment: Range<u64>,
        size: u64,
        longest: usize,
        buffer: &mut Vec<u8>,
    ) -> io::Result<Self> {
        let mut found = Self::default();
        let Some(mut base) = first_start(file, &segment, buffer)? else { return Ok(found) };
        let mut filled = 0;
        loop {
            if filled > longest {
                // A line that is longer than any that is read.
                let end = line_end(file, base + filled as u64, size, buffer)?;
                found.add_damaged(base..end);
                (base, filled) = (end + 1, 0);
                if base >= segment.end.min(size) {
                    return Ok(found);
                }
            } else if filled == buffer.len() {
                // A line longer than the buffer.
                buffer.resize((buffer.len() * 2).min(longest + 1), 0);
            }
            let known = filled;
            let room = buffer.len().min((size - base) as usize);
            filled += fs::read_at(file, &mut buffer[known..room], base + known as u64)?;
            let is_last = filled == known || base + filled as u64 >= size;

            let mut from = 0;
            for at in memchr::memchr_iter(b'\n', &buffer[known..filled]) {
                let at = known + at;
                if base + from as u64 >= segment.end {
                    return Ok(found);
                }
                found.add(base + from as u64, &buffer[from..at], longest);
                from = at + 1;
            }
            if base + from as u64 >= segment.end {
                return Ok(found);
            }
            if is_last {
                if from < filled {
                    found.add(base + from as u64, &buffer[from..filled], longest);
                }
                return Ok(found);
            }
            buffer.copy_within(from..filled, 0);
            base += from as u64;
            filled -= from;
        }
    }

    fn add(&mut self, start: u64, line: &[u8], longest: usize) {
        let end = start + line.len() as u64;
        if line.iter().all(u8::is_ascii_whitespace) {
            // With its line break.
            self.blank.push(start..end + 1);
            return;
        }
        if line.len() <= longest && check::is_sound(line) {
            self.starts.push(start);
            self.end = end;
        } else {
            self.add_damaged(start..end);
        }
    }

    fn add_damaged(&mut self, line: Range<u64>) {
        self.starts.push(line.start);
        self.end = line.end;
        self.damaged.push(line.start);
    }
}

/// Where the line ends that holds the byte at `at`.
fn line_end(file: &File, mut at: u64, size: u64, buffer: &mut [u8]) -> io::Result<u64> {
    while at < size {
        let filled = fs::read_at(file, buffer, at)?;
        if let Some(end) = memchr::memchr(b'\n', &buffer[..filled]) {
            return Ok((at + end as u64).min(size));
        }
        if filled == 0 {
            break;
        }
        at += filled as u64;
    }
    Ok(size)
}

/// Where the first line begins that begins within a segment.
fn first_start(file: &File, segment: &Range<u64>, buffer: &mut [u8]) -> io::Result<Option<u64>> {
    if segment.start == 0 {
        return Ok(Some(0));
    }
    // The line break before the segment makes its first byte the beginning of a line.
    let mut at = segment.start - 1;
    while at < segment.end - 1 {
        let room = buffer.len().min((segment.end - 1 - at) as usize);
        let n = fs::read_at(file, &mut buffer[..room], at)?;
        if n == 0 {
            break;
        }
        if let Some(newline) = memchr::memchr(b'\n', &buffer[..n]) {
            return Ok(Some(at + newline as u64 + 1));
        }
        at += n as u64;
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use proptest::prelude::*;

    use super::*;

    fn index(text: &[u8], buffer: usize, segment: u64) -> Index {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(text).unwrap();
        Index::build(&file, text.len() as u64, Cut { buffer, segment, longest: 1000 }, &|_| ())
            .unwrap()
    }

    fn texts(index: &Index, text: &[u8]) -> Vec<String> {
        let slice = |range: Range<u64>| &text[range.start as usize..range.end as usize];
        (0..index.lines()).map(|i| String::from_utf8_lossy(slice(index.line(i))).into()).collect()
    }

    #[test]
    fn blank_lines_and_a_final_line_break_are_normal_and_cr_stays() {
        let text = b"\r\n{\"h\":1}\r\n\n  \n{\"a\":1}\r\n{\"b\":2}\n\n";
        let index = index(text, 4, 7);
        assert_eq!(texts(&index, text), ["{\"h\":1}\r", "{\"a\":1}\r", "{\"b\":2}"]);
        assert_eq!([0, 1, 2].map(|line| index.number(line)), [2, 5, 6]);
        assert_eq!(index.damaged(0..3), None);
    }

    #[test]
    fn nothing_is_no_line() {
        for text in [&b""[..], b"\n", b" \r\n\n"] {
            assert_eq!(index(text, 4, 5).lines(), 0);
        }
    }

    #[test]
    fn a_damaged_line_is_found_by_its_number() {
        let text = b"{}\n\n{}\n{\"a\":\n{}\n\xff\n{}";
        let index = index(text, 3, 6);
        assert_eq!(index.damaged(0..6), Some(2));
        assert_eq!(index.number(2), 4);
        assert_eq!(index.damaged(3..6), Some(4));
        assert_eq!(index.number(4), 6);
        assert_eq!(index.damaged(0..2), None);
        assert_eq!(index.damaged(5..6), None);
    }

    proptest! {
        /// However the file is cut, the lines are those of a simple split.
        #[test]
        fn lines_are_those_of_a_simple_split(
            text in r"(\{\}|x|\r|é| |\n|\n\n){0,40}",
            buffer in 1..20_usize,
            segment in 1..20_u64,
        ) {
            let index = index(text.as_bytes(), buffer, segment);
            let expected: Vec<_> = text
                .split('\n')
                .enumerate()
                .filter(|(_, line)| !line.bytes().all(|b| b.is_ascii_whitespace()))
                .collect();
            let lines: Vec<_> = expected.iter().map(|(_, line)| (*line).to_owned()).collect();
            prop_assert_eq!(texts(&index, text.as_bytes()), lines);
            for (i, (number, line)) in expected.iter().enumerate() {
                prop_assert_eq!(index.number(i), number + 1);
                prop_assert_eq!(index.damaged(i..i + 1).is_none(), check::is_sound(line.as_bytes()));
                prop_assert_eq!(index.line_at(index.line(i).start), i);
                prop_assert_eq!(index.line_at(index.line(i).end - 1), i);
            }
        }

        /// Runs hold exactly the lines, and break only where a blank line is.
        #[test]
        fn runs_are_as_long_as_they_can_be(text in r"(\{\}|\n|\n\n){0,40}", from: usize, to: usize) {
            let bytes = text.as_bytes();
            let index = index(bytes, 8, 8);
            let to = to % (index.lines() + 1);
            let from = from % (to + 1);
            let runs: Vec<_> = index.runs(from..to).collect();
            let joined: Vec<_> = runs
                .iter()
                .map(|run| String::from_utf8_lossy(&bytes[run.start as usize..run.end as usize]))
                .collect();
            prop_assert_eq!(joined.join("\n"), texts(&index, bytes)[from..to].join("\n"));
            for pair in runs.windows(2) {
                prop_assert!(pair[1].start - pair[0].end > 1);
            }
        }
    }
}
