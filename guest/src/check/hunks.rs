//! The edits of a text together: which parts of the original have become what.

use pif_notation::repair::Edit;

/// A part of the original, and what stands there now.
#[derive(Clone, Debug)]
struct Hunk {
    start: usize,
    end: usize,
    now: String,
    /// The bytes of the original at which the faults were that led to it.
    faults: Vec<usize>,
}

/// All changed parts, in order. None touches another.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hunks {
    hunks: Vec<Hunk>,
    steps: Vec<Edit>,
}

impl Hunks {
    pub(crate) fn is_empty(&self) -> bool {
        self.hunks.is_empty()
    }

    /// Counts the edits.
    pub(crate) fn edits(&self) -> usize {
        self.steps.len()
    }

    /// Iterates over the edits, each of the text with those before it.
    pub(crate) fn steps(&self) -> impl Iterator<Item = &Edit> {
        self.steps.iter()
    }

    /// The byte of the original that has become one; the first of a changed part within that.
    pub(crate) fn original(&self, byte: usize) -> usize {
        let mut before = (0, 0);
        for hunk in &self.hunks {
            let begin = before.1 + (hunk.start - before.0);
            if byte < begin {
                break;
            }
            if byte < begin + hunk.now.len() {
                return hunk.start;
            }
            before = (hunk.end, begin + hunk.now.len());
        }
        before.0 + byte.saturating_sub(before.1)
    }

    /// Adds an edit of the text as it is now, for a fault at a byte of the original.
    pub(crate) fn add(&mut self, text: &str, edit: &Edit, fault: usize) {
        self.steps.push(edit.clone());
        // Of the text as it is now: where the new part begins and ends.
        let (mut begin, mut end) = (edit.start, edit.end);
        let (mut start, mut stop) = (None, None);
        let mut faults = vec![fault];
        let (mut kept, mut before) = (Vec::new(), (0, 0));
        let mut edges = (None, None);
        for hunk in std::mem::take(&mut self.hunks) {
            let from = before.1 + (hunk.start - before.0);
            let to = from + hunk.now.len();
            if edges.0.is_none() && edit.start < from {
                edges.0 = Some(before.0 + edit.start.saturating_sub(before.1));
            }
            if edges.1.is_none() && edit.end < from {
                edges.1 = Some(before.0 + edit.end.saturating_sub(before.1));
            }
            before = (hunk.end, to);
            if to < edit.start || edit.end < from {
                kept.push(hunk);
                continue;
            }
            faults.extend(&hunk.faults);
            if from <= begin {
                begin = from;
                start = start.or(Some(hunk.start));
            }
            if to >= end {
                end = to;
                stop = Some(hunk.end);
            }
        }
        let behind = |byte: usize| before.0 + byte.saturating_sub(before.1);
        let start = start.or(edges.0).unwrap_or_else(|| behind(edit.start));
        let stop = stop.or(edges.1).unwrap_or_else(|| behind(edit.end));
        let part = |from, to| text.get(from..to).unwrap_or_default();
        let now = [part(begin, edit.start), &edit.now, part(edit.end, end)].concat();
        kept.push(Hunk { start, end: stop, now, faults });
        kept.sort_by_key(|hunk| hunk.start);
        self.hunks = kept;
    }

    /// The changed part for a fault at a byte of the original.
    pub(crate) fn of(&self, fault: usize) -> Option<(usize, usize, &str)> {
        let is_led = |hunk: &&Hunk| hunk.faults.contains(&fault);
        let is_around = |hunk: &&Hunk| (hunk.start..hunk.end).contains(&fault);
        let found = self.hunks.iter().find(is_led).or_else(|| self.hunks.iter().find(is_around))?;
        Some((found.start, found.end, &found.now))
    }
}

#[cfg(test)]
mod tests {
    use super::Hunks;
    use pif_notation::repair::Edit;

    /// The original with all parts changed is the text with all edits.
    #[test]
    fn parts_add_up_to_the_edits() -> Result<(), &'static str> {
        let original = "abcdefghij";
        let mut seed = 7_usize;
        let mut next = |n: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % n
        };
        for _ in 0..2_000 {
            let (mut hunks, mut text) = (Hunks::default(), original.to_owned());
            for _ in 0..next(6) {
                let start = next(text.len() + 1);
                let end = start + next(text.len() - start + 1);
                let edit = Edit { start, end, now: "XYZ"[..next(4)].to_owned() };
                hunks.add(&text, &edit, 0);
                text = edit.apply(&text).ok_or("no edit")?;
            }
            let (mut made, mut at) = (String::new(), 0);
            for hunk in &hunks.hunks {
                made.push_str(&original[at..hunk.start]);
                made.push_str(&hunk.now);
                at = hunk.end;
            }
            made.push_str(&original[at..]);
            assert_eq!(made, text);
        }
        Ok(())
    }
}
