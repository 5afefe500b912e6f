//! Texts of values as JavaScript writes them: `String(x)` and `JSON.stringify(x)`. A stack on the
//! heap walks lists and records.

use crate::algorithm::date::script;
use crate::algorithm::number::value::Number;
use crate::algorithm::regex;
use crate::algorithm::weight::{TEXT_UNIT, digits_work};
use crate::memory::heap::Heap;
use crate::memory::tagged::REGEX;
use crate::memory::word::{
    CONS, FALSE, KIND_RECORD, KIND_TAGGED, NIL, PAIR, TRUE, UNIT, Word, tag,
};
use pif_core::figures;
use pif_core::json::decimal::Powers;
use pif_core::json::escape;
use pif_core::json::number::write_integer;
use pif_language::prices::units;
use std::borrow::Cow;

/// Returns the work of writing a number, a boolean, null, a date or what is not a number. Returns nothing
/// for another value.
pub(crate) fn scalar_work(heap: &Heap, v: Word) -> Option<u64> {
    match v {
        TRUE | FALSE | UNIT => Some(0),
        _ if heap.as_no_number(v).is_some() => Some(0),
        _ if heap.date(v).is_some() => Some(units::WRITTEN_FLOAT),
        _ => match Number::of(heap, v)? {
            Number::Float(_) => Some(units::WRITTEN_FLOAT),
            n => Some(digits_work(n.limbs())),
        },
    }
}

/// Returns the text of a value that has a `scalar_work`.
pub(crate) fn scalar_text(heap: &Heap, v: Word) -> String {
    match v {
        TRUE => "true".to_owned(),
        FALSE => "false".to_owned(),
        UNIT => "null".to_owned(),
        _ => match Number::of(heap, v) {
            Some(Number::Float(n)) => figures::text(n),
            Some(n) => {
                let mut digits = String::new();
                write_integer(&n.into_big(), &mut Powers::default(), &mut digits);
                digits
            }
            None => heap.date(v).map_or_else(|| "NaN".to_owned(), script::spoken),
        },
    }
}

/// The text of a value.
pub(crate) struct Written {
    pub(crate) text: Vec<u8>,
    /// The work of writing.
    pub(crate) work: u64,
    pub(crate) end: End,
}

/// The reason why writing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Complete,
    /// The text is longer than the limit.
    TooLong,
    /// The work exceeds the budget.
    Spent,
    /// A value without a text.
    Wrong(Word),
}

/// Pieces left to write; the next one is last. Each is that many levels deep.
enum Work<'h> {
    Value(Word, usize),
    /// The other elements of a list.
    Rest(Word, usize),
    /// The second half of a pair, which is a list of two.
    Half(Word, usize),
    /// The members of a record from a place on, and whether one has been written.
    Members(Cow<'h, [Word]>, usize, bool, usize),
}

struct Writer<'h> {
    heap: &'h Heap,
    limit: usize,
    work: Vec<Work<'h>>,
    out: Vec<u8>,
    effort: u64,
    /// What stands before each level of JSON; none for `String`.
    indent: Option<&'h str>,
    /// What stands between the elements of the list itself.
    separator: &'h str,
    end: End,
}

/// Writes a value as `String` does, within limits of bytes and work.
pub(crate) fn text(heap: &Heap, v: Word, limits: (usize, u64)) -> Written {
    write(heap, v, (None, ","), limits)
}

/// Writes the elements of a list as `join` does, within limits of bytes and work.
pub(crate) fn joined(heap: &Heap, list: Word, separator: &str, limits: (usize, u64)) -> Written {
    write(heap, list, (None, separator), limits)
}

/// Writes a value as `JSON.stringify` does, with an indent of the lines, within limits of bytes and
/// work.
pub(crate) fn json(heap: &Heap, v: Word, indent: &str, limits: (usize, u64)) -> Written {
    write(heap, v, (Some(indent), ","), limits)
}

fn write(
    heap: &Heap,
    v: Word,
    (indent, separator): (Option<&str>, &str),
    (limit, budget): (usize, u64),
) -> Written {
    let (work, out) = (vec![Work::Value(v, 0)], Vec::new());
    let mut writer =
        Writer { heap, limit, work, out, effort: 0, indent, separator, end: End::Complete };
    while writer.end == End::Complete
        && let Some(work) = writer.work.pop()
    {
        match work {
            Work::Value(v, level) => writer.value(v, level),
            Work::Rest(list, level) => writer.rest(list, level),
            Work::Half(second, level) => writer.next(second, NIL, level),
            Work::Members(members, at, any, level) => writer.members(members, at, any, level),
        }
        writer.end = match writer.end {
            _ if writer.out.len() > limit => End::TooLong,
            _ if writer.used() > budget => End::Spent,
            end => end,
        };
    }
    Written { work: writer.used(), text: writer.out, end: writer.end }
}

/// Tells whether JSON leaves a value out.
pub(crate) fn is_left_out(heap: &Heap, v: Word) -> bool {
    !is_compound(heap, v) && !heap.is_text(v) && scalar_work(heap, v).is_none()
}

fn is_compound(heap: &Heap, v: Word) -> bool {
    v == NIL
        || matches!(tag(v), CONS | PAIR)
        || matches!(heap.object_kind(v), KIND_RECORD | KIND_TAGGED)
}

impl<'h> Writer<'h> {
    fn used(&self) -> u64 {
        self.effort + self.out.len() as u64 / TEXT_UNIT
    }

    fn put(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    /// Begins a line of JSON.
    fn line(&mut self, level: usize) {
        let Some(indent) = self.indent.filter(|indent| !indent.is_empty()) else { return };
        self.out.push(b'\n');
        if level.saturating_mul(indent.len()) > self.limit {
            self.end = End::TooLong;
            return;
        }
        (0..level).for_each(|_| self.out.extend_from_slice(indent.as_bytes()));
    }

    fn value(&mut self, v: Word, level: usize) {
        let is_json = self.indent.is_some();
        if let Some((bytes, _)) = self.heap.text_size(v) {
            if self.out.len() as u64 + bytes > self.limit as u64 {
                self.end = End::TooLong;
            } else if is_json {
                escape::string(&self.heap.string(v), &mut self.out);
            } else {
                self.heap.write_text(v, usize::MAX, &mut self.out);
            }
            return;
        }
        if let Some(work) = scalar_work(self.heap, v) {
            self.effort += work;
            if is_json && let Some(ms) = self.heap.date(v) {
                return escape::string(&script::text(ms), &mut self.out);
            }
            let is_odd = self.heap.as_infinity(v).is_some() || self.heap.as_no_number(v).is_some();
            if is_json && is_odd {
                return self.put("null");
            }
            let text = scalar_text(self.heap, v);
            return self.put(&text);
        }
        let v = self.heap.without_match(v);
        match tag(v) {
            _ if v == NIL => self.put(if is_json { "[]" } else { "" }),
            CONS | PAIR => {
                let [first, rest] = self.heap.next(v);
                let rest =
                    if tag(v) == PAIR { Work::Half(rest, level) } else { Work::Rest(rest, level) };
                self.begin();
                self.work.push(rest);
                self.element(first, level);
            }
            _ if is_json && self.heap.object_kind(v) == KIND_RECORD => {
                self.put("{");
                self.work.push(Work::Members(self.heap.members(v), 0, false, level));
            }
            _ if is_json && self.heap.object_kind(v) == KIND_TAGGED => self.put("{}"),
            _ if self.heap.tagged(v) == REGEX => {
                let [pattern, flags] = self.heap.tagged_words(v).map(|text| self.heap.string(text));
                self.put(&regex::literal(&pattern, &flags));
            }
            _ if is_json && level > 0 => self.put("null"),
            _ => self.end = End::Wrong(v),
        }
    }

    fn begin(&mut self) {
        if self.indent.is_some() {
            self.put("[");
        }
    }

    /// Schedules an element of a list.
    fn element(&mut self, v: Word, level: usize) {
        self.effort += 1;
        self.line(level + 1);
        if self.indent.is_some() || v != UNIT {
            self.work.push(Work::Value(v, level + 1));
        }
    }

    fn rest(&mut self, list: Word, level: usize) {
        if tag(list) != CONS {
            self.line(level);
            if self.indent.is_some() {
                self.put("]");
            }
            return;
        }
        let [first, rest] = self.heap.next(list);
        self.next(first, rest, level);
    }

    /// Writes an element that follows another one.
    fn next(&mut self, element: Word, rest: Word, level: usize) {
        self.put(if level == 0 { self.separator } else { "," });
        self.work.push(Work::Rest(rest, level));
        self.element(element, level);
    }

    fn members(&mut self, members: Cow<'h, [Word]>, at: usize, any: bool, level: usize) {
        let Some([key, value]) = members.get(at..).and_then(<[Word]>::first_chunk).copied() else {
            if any {
                self.line(level);
            }
            return self.put("}");
        };
        self.effort += 1;
        let is_written = !is_left_out(self.heap, value);
        self.work.push(Work::Members(members, at + 2, any || is_written, level));
        if is_written {
            if any {
                self.put(",");
            }
            self.line(level + 1);
            escape::string(&self.heap.string(key), &mut self.out);
            self.put(if self.indent.is_some_and(str::is_empty) { ":" } else { ": " });
            self.work.push(Work::Value(value, level + 1));
        }
    }
}
