//! Writes values as canonical JSON, up to the limit `output`, with a stack on the heap.

use crate::algorithm::date::script;
use crate::algorithm::entries;
use crate::algorithm::number::value::Number;
use crate::algorithm::regex;
use crate::algorithm::weight::TEXT_UNIT;
use crate::memory::heap::Heap;
use crate::memory::tagged::{DATE, MAP, MATCH, NOT_A_NUMBER, REGEX, SET};
use pif_core::figures;
use pif_core::json::decimal::Powers;
use pif_core::json::escape;

use crate::algorithm::weight;
use crate::memory::word::{
    CLOSURE, CONS, FALSE, KIND_CONTINUATION, KIND_QUOTED, KIND_RECORD, KIND_TAGGED, KIND_TEXT, NIL,
    OBJECT, PAIR, PARTIAL, ROPE, TRUE, UNIT, Word, as_small, aux, index, is_integer, kind, tag,
};
use pif_core::json::escape::Sink;
use pif_core::text::quote;
use pif_language::print;
use pif_language::term::Terms;
use std::borrow::Cow;

/// Bytes of an operand in a message.
pub(crate) const OPERAND_BYTES: usize = 60;

/// Why a value has no JSON text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unwritten {
    /// The text is longer than the limit.
    TooLong,
    /// This part is infinite or not a number.
    NotFinite(Word),
}

/// Returns the canonical JSON of a value, of at most `limit` bytes, and the first function in it.
/// `tools` are the tools that continuations refer to.
pub(crate) fn json(
    heap: &Heap,
    terms: &Terms,
    tools: &[&str],
    value: Word,
    limit: usize,
) -> Result<(String, Option<Word>), Unwritten> {
    let mut writer = Writer::new(heap, terms, tools, value, limit);
    writer.run()?;
    Ok((text(writer.out), writer.function))
}

/// JSON of a value for the program itself.
pub(crate) struct Written {
    /// The bytes written.
    pub(crate) text: Vec<u8>,
    /// The work of writing.
    pub(crate) work: u64,
    pub(crate) end: End,
}

/// The reason why writing ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Complete,
    /// The value holds a function.
    Function,
    /// The text is longer than the limit.
    TooLong,
    /// The work exceeds the budget.
    Spent,
    /// This part is infinite or not a number.
    NotFinite(Word),
}

/// Writes the canonical JSON of a value without functions, of at most `limit` bytes. Stops if the
/// work exceeds the budget.
pub(crate) fn exact(
    heap: &Heap,
    terms: &Terms,
    tools: &[&str],
    value: Word,
    (limit, budget): (usize, u64),
) -> Written {
    let mut writer = Writer::new(heap, terms, tools, value, limit);
    (writer.is_exact, writer.budget) = (true, budget);
    let mut end = End::Complete;
    while end == End::Complete
        && let Some(work) = writer.work.pop()
    {
        writer.write(work);
        end = match writer.effort() {
            _ if writer.is_cut || writer.out.len() > limit => End::TooLong,
            effort if effort > budget => End::Spent,
            _ if writer.function.is_some() => End::Function,
            _ => End::Complete,
        };
        if let Some(odd) = writer.odd {
            end = End::NotFinite(odd);
        }
    }
    Written { work: writer.effort(), text: writer.out, end }
}

/// Returns the bytes of a writer, which are text.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_default()
}

/// More bytes than a simple value has.
const SHORT: usize = 160;

/// Returns the beginning of a value's JSON, without hidden characters.
pub(crate) fn excerpt(
    heap: &Heap,
    terms: &Terms,
    tools: &[&str],
    value: Word,
    limit: usize,
) -> String {
    let mut writer = Writer::new(heap, terms, tools, value, limit);
    writer.is_excerpt = true;
    let cut = writer.run().is_err() || writer.out.len() > limit;
    let mut out = text(writer.out);
    if cut {
        let end = (0..=limit).rev().find(|at| out.is_char_boundary(*at)).unwrap_or(0);
        out.truncate(end);
        out.push('…');
    }
    quote::visible(&out)
}

/// Pieces left to write; the next one is last.
pub(super) enum Work<'h> {
    Value(Word),
    /// The other elements of a list.
    Rest(Word),
    /// The members of a record from a place on.
    Members(Cow<'h, [Word]>, usize),
    /// The other entries of a map, or of a set; whether some come before.
    Entries(std::vec::IntoIter<[Word; 2]>, u32, bool),
    /// What follows the key of a map.
    Under(Word),
    Str(&'static str),
    Quoted(String),
}

pub(super) struct Writer<'h> {
    pub(super) heap: &'h Heap,
    pub(super) terms: &'h Terms,
    pub(super) tools: &'h [&'h str],
    pub(super) limit: usize,
    pub(super) work: Vec<Work<'h>>,
    pub(super) powers: Powers,
    /// The text, as bytes, since appending a few bytes is faster than appending text.
    pub(super) out: Vec<u8>,
    /// Whether some of the value is missing.
    pub(super) is_cut: bool,
    /// Whether a function is a fault.
    pub(super) is_exact: bool,
    /// The first function in the value.
    pub(super) function: Option<Word>,
    /// Whether the text is for people, and takes what JSON does not have.
    pub(super) is_excerpt: bool,
    /// A part that is infinite or not a number.
    pub(super) odd: Option<Word>,
    /// Work besides that of appending bytes.
    pub(super) effort: u64,
    /// Work after which writing may stop.
    pub(super) budget: u64,
}

impl<'h> Writer<'h> {
    fn new(
        heap: &'h Heap,
        terms: &'h Terms,
        tools: &'h [&'h str],
        value: Word,
        limit: usize,
    ) -> Self {
        Self {
            heap,
            terms,
            tools,
            limit,
            work: vec![Work::Value(value)],
            powers: Powers::default(),
            out: Vec::new(),
            is_cut: false,
            is_exact: false,
            function: None,
            is_excerpt: false,
            odd: None,
            effort: 0,
            budget: u64::MAX,
        }
    }

    fn run(&mut self) -> Result<(), Unwritten> {
        while let Some(work) = self.work.pop() {
            self.write(work);
            if let Some(odd) = self.odd {
                return Err(Unwritten::NotFinite(odd));
            }
            if self.is_cut || self.out.len() > self.limit {
                return Err(Unwritten::TooLong);
            }
        }
        Ok(())
    }

    fn write(&mut self, work: Work<'h>) {
        match work {
            Work::Value(v) => self.value(v),
            Work::Rest(list) => self.rest(list),
            Work::Members(members, at) => self.members(members, at),
            Work::Entries(entries, kind, is_after) => self.entries(entries, kind, is_after),
            Work::Under(value) => {
                self.out.push(b',');
                self.effort += 1;
                self.work.extend([Work::Str("]"), Work::Value(value)]);
            }
            Work::Str(text) => self.out.push_text(text),
            Work::Quoted(text) => self.out.push_text(&text),
        }
    }

    /// Returns the work so far, as fuel counts it.
    fn effort(&self) -> u64 {
        self.effort + self.out.len() as u64 / TEXT_UNIT
    }

    fn value(&mut self, v: Word) {
        if is_integer(v) {
            return self.integer(as_small(v));
        }
        match tag(v) {
            CONS => {
                self.out.push(b'[');
                self.effort += 1;
                let [first, rest] = self.heap.next(v);
                self.work.extend([Work::Rest(rest), Work::Value(first)]);
            }
            PAIR => {
                let [first, second] = self.heap.cell(index(v));
                self.effort += 1;
                self.out.push_text("{\"pair\":[");
                let comma = Work::Str(",");
                self.work.extend([Work::Str("]}"), Work::Value(second), comma, Work::Value(first)]);
            }
            CLOSURE | PARTIAL => {
                self.function = self.function.or(Some(v));
                if !self.is_exact {
                    self.out.push_text("\"<function>\"");
                }
            }
            ROPE => self.text(v),
            OBJECT => self.object(v),
            _ => self.immediate(v),
        }
    }

    fn immediate(&mut self, v: Word) {
        let text = match v {
            NIL => "[]",
            TRUE => "true",
            FALSE => "false",
            UNIT => "null",
            _ if kind(v) == KIND_QUOTED => {
                if self.is_exact {
                    self.effort += weight::of_term(self.terms, aux(v), u64::MAX);
                }
                let room = self.limit.saturating_sub(self.out.len());
                match print::term_within(self.terms, aux(v), room) {
                    Ok(text) => self.out.push_text(&text),
                    Err(beginning) => {
                        self.out.push_text(&beginning);
                        self.is_cut = true;
                    }
                }
                return;
            }
            _ => "null",
        };
        self.out.push_text(text);
    }

    /// Writes a common value, if there is ample room: a short integer, a float, a short text
    /// without escapes, a boolean, null. Writes nothing of another value.
    #[inline(always)]
    fn scalar(&mut self, v: Word) -> bool {
        if self.out.len() + SHORT > self.limit || self.effort() > self.budget {
            return false;
        }
        match v {
            _ if is_integer(v) => self.integer(as_small(v)),
            TRUE | FALSE | UNIT => self.immediate(v),
            _ if self.heap.is_flat(v) => return self.heap.write_plain(v, &mut self.out),
            _ => {
                let Some(n) = self.heap.as_float(v).filter(|n| n.is_finite()) else { return false };
                self.float(n);
            }
        }
        true
    }

    fn rest(&mut self, list: Word) {
        let mut list = list;
        while tag(list) == CONS {
            self.out.push(b',');
            self.effort += 1;
            let [first, rest] = self.heap.next(list);
            if !self.scalar(first) {
                self.work.extend([Work::Rest(rest), Work::Value(first)]);
                return;
            }
            list = rest;
        }
        self.out.push(b']');
    }

    fn members(&mut self, members: Cow<'h, [Word]>, at: usize) {
        let rest = members.get(at..).unwrap_or_default();
        for (at, member) in (at..).step_by(2).zip(rest.chunks_exact(2)) {
            let [key, value] = member else { break };
            if at > 0 {
                self.out.push(b',');
            }
            self.effort += 1;
            if !self.scalar(*key) {
                self.text(*key);
            }
            self.out.push(b':');
            if !self.scalar(*value) {
                let value = Work::Value(*value);
                return self.work.extend([Work::Members(members, at + 2), value]);
            }
        }
        self.out.push(b'}');
    }

    fn object(&mut self, v: Word) {
        match self.heap.object_kind(v) {
            KIND_TEXT => self.text(v),
            KIND_RECORD => {
                self.out.push(b'{');
                self.work.push(Work::Members(self.heap.members(v), 0));
            }
            KIND_CONTINUATION => self.continuation(v),
            KIND_TAGGED => self.tagged(v),
            _ => match Number::of(self.heap, v) {
                Some(Number::Float(n)) if n.is_infinite() => self.odd(v, n),
                Some(Number::Float(n)) => self.float(n),
                Some(n) => self.large(&n.big()),
                None => self.out.push_text("null"),
            },
        }
    }

    /// Writes an object that is told apart by a number.
    fn tagged(&mut self, v: Word) {
        match self.heap.tagged(v) {
            MAP | SET => {
                self.out.push(b'[');
                let entries = entries::of(self.heap, v).into_iter();
                self.work.push(Work::Entries(entries, self.heap.tagged(v), false));
            }
            MATCH => self.value(self.heap.without_match(v)),
            DATE => {
                let text = script::text(self.heap.date(v).unwrap_or_default());
                escape::string(&text, &mut self.out);
            }
            REGEX => {
                let [pattern, flags] = self.heap.tagged_words(v);
                let [pattern, flags] = [pattern, flags].map(|text| self.heap.string(text));
                escape::string(&regex::literal(&pattern, &flags), &mut self.out);
            }
            NOT_A_NUMBER => self.odd(v, f64::NAN),
            _ => self.out.push_text("null"),
        }
    }

    /// Writes the entries of a map as a list of lists, those of a set as a list.
    fn entries(&mut self, mut entries: std::vec::IntoIter<[Word; 2]>, kind: u32, is_after: bool) {
        let Some([key, value]) = entries.next() else { return self.out.push(b']') };
        self.effort += 1;
        if is_after {
            self.out.push(b',');
        }
        self.work.push(Work::Entries(entries, kind, true));
        if kind == MAP {
            self.out.push(b'[');
            self.effort += 1;
            self.work.push(Work::Under(value));
        }
        self.work.push(Work::Value(key));
    }

    /// Notes a part that JSON does not have.
    fn odd(&mut self, v: Word, n: f64) {
        if self.is_excerpt {
            self.out.push_text(&figures::text(n));
        } else {
            self.odd = Some(v);
        }
    }

    fn continuation(&mut self, v: Word) {
        let [input, step] = self.heap.cell(index(v) + 1);
        let tool =
            self.tools.get(aux(self.heap.header(v)) as usize - 1).copied().unwrap_or_default();
        let mut name = String::new();
        escape::string(tool, &mut name);
        self.out.push_text("{\"continuation\":true,\"input\":");
        self.work.extend([
            Work::Str("}"),
            Work::Quoted(name),
            Work::Str(",\"tool\":"),
            Work::Value(step),
            Work::Str(",\"step\":"),
            Work::Value(input),
        ]);
    }
}
