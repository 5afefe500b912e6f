//! Texts as canonical JSON.

use super::show::{Work, Writer};
use crate::memory::word::Word;
use pif_core::json::escape;
use pif_core::text::lanes;
use std::borrow::Cow;
use std::io::Write as _;

impl Writer<'_> {
    /// Writes a text in quotes, unless the whole becomes too long.
    fn whole_text(&mut self, v: Word) {
        let bytes = self.heap.text_size(v).map_or(0, |(bytes, _)| bytes);
        self.is_cut = self.out.len() as u64 + bytes > self.limit as u64;
        if self.is_cut {
            return;
        }
        let flat = self.heap.flat_text(v);
        if let Some(flat) = flat
            && lanes::plain_end(flat, 0) == flat.len()
        {
            self.is_cut = self.out.len() + flat.len() + 2 > self.limit;
            if !self.is_cut {
                self.out.push(b'"');
                self.heap.write_flat(v, &mut self.out);
                self.out.push(b'"');
            }
            return;
        }
        let text = flat
            .and_then(|bytes| std::str::from_utf8(bytes).ok())
            .map_or_else(|| self.heap.string(v).into(), Cow::Borrowed);
        let is_plain = lanes::plain_end(text.as_bytes(), 0) == text.len();
        let escaped =
            if is_plain { text.len() } else { text.bytes().map(escape::escaped).sum::<usize>() };
        let escaped = escaped + 2;
        self.is_cut = self.out.len() + escaped > self.limit;
        if !self.is_cut {
            self.out.reserve(escaped);
            escape::string(&text, &mut self.out);
        }
    }

    pub(super) fn text(&mut self, v: Word) {
        if self.is_exact {
            return self.whole_text(v);
        }
        let bytes = self.heap.text_size(v).map_or(0, |(bytes, _)| bytes);
        if bytes > self.limit as u64 {
            // The text is too long in any case. Its beginning is enough for an excerpt.
            let Some(chars) = self.heap.beginning(v, self.limit.saturating_mul(4)) else {
                let _ = write!(self.out, "(a text of {bytes} bytes)");
                return self.work.clear();
            };
            let end = chars.char_indices().nth(self.limit).map_or(chars.len(), |(at, _)| at);
            escape::string(chars.get(..end).unwrap_or_default(), &mut self.out);
            self.work.clear();
            self.work.push(Work::Str("…"));
            return;
        }
        escape::string(&self.heap.string(v), &mut self.out);
    }
}
