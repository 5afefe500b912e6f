//! The canonical text of a value as a term.

use super::function::{Function, Functions, Held, KEPT, tool_of};
use super::knot::{Knot, Knots};
use super::share::Shared;
use crate::algorithm::entries;
use crate::algorithm::number::value::Number;
use crate::memory::tagged::{MAP, REGEX};
use crate::memory::word::{
    CONS, FALSE, IMMEDIATE, KIND_QUOTED, NIL, PAIR, TRUE, Word, as_small, aux, index, is_integer,
    kind, tag,
};
use crate::run::state::State;
use pif_core::figures;
use pif_core::json::decimal::Powers;
use pif_core::json::escape;
use pif_core::json::number::write_integer;
use pif_language::print;
use pif_language::term::{NameId, TermId};
use std::fmt::Write as _;

/// Pieces left to write; the next one is last.
#[derive(Clone, Copy)]
enum Work {
    /// The value itself, even if it is bound.
    Bound(Word),
    Held(Held),
    /// The other elements of a list.
    Rest(Word),
    /// The members of a record from an index on.
    Members(Word, usize),
    /// The other entries of the innermost map or set; whether some come before.
    Entries(bool),
    Lambda(TermId),
    Name(NameId),
    /// The name of a bound value.
    Kept(u32),
    Str(&'static str),
}

/// Writes a value. Returns nothing if the text is longer than the limit.
pub(super) fn text(
    s: &State,
    (functions, knots, shared): (&Functions, &Knots, &Shared),
    value: Word,
    limit: usize,
) -> Option<String> {
    let prefix = functions.prefix(&s.terms, KEPT);
    let (work, powers, maps, out) = (Vec::new(), Powers::default(), Vec::new(), String::new());
    let mut writer = Writer { s, functions, knots, shared, prefix, limit, work, powers, maps, out };
    writer.whole(value);
    while let Some(work) = writer.work.pop() {
        writer.write(work)?;
        if writer.out.len() > limit {
            return None;
        }
    }
    Some(writer.out)
}

fn word(v: Word) -> Work {
    Work::Held(Held::Word(v))
}

struct Writer<'s> {
    s: &'s State,
    functions: &'s Functions,
    knots: &'s Knots,
    shared: &'s Shared,
    prefix: String,
    limit: usize,
    work: Vec<Work>,
    powers: Powers,
    /// Maps and sets that are being written: which it is, and the entries left.
    maps: Vec<(u32, std::vec::IntoIter<[Word; 2]>)>,
    out: String,
}

impl Writer<'_> {
    /// Schedules pieces in reverse, so that the first is written first.
    fn schedule(&mut self, pieces: Vec<Work>) {
        self.work.extend(pieces.into_iter().rev());
    }

    /// Schedules the value in a `let` of what it shares.
    fn whole(&mut self, value: Word) {
        if self.shared.order.is_empty() {
            return self.work.push(word(value));
        }
        let mut pieces = vec![Work::Str("{\"in\":"), word(value)];
        for (bound, number) in self.shared.order.iter().zip(1..) {
            let before = if number == 1 { ",\"let\":[[" } else { ",[" };
            let kept = [Work::Str(before), Work::Kept(number), Work::Str(",")];
            pieces.extend(kept);
            pieces.extend([Work::Bound(*bound), Work::Str("]")]);
        }
        pieces.push(Work::Str("]}"));
        self.schedule(pieces);
    }

    fn write(&mut self, work: Work) -> Option<()> {
        match work {
            Work::Str(text) => self.out.push_str(text),
            Work::Name(name) => escape::string(self.s.terms.name(name), &mut self.out),
            Work::Kept(number) => _ = write!(self.out, "\"{}{number}\"", self.prefix),
            Work::Rest(list) => self.rest(list),
            Work::Members(record, at) => self.members(record, at),
            Work::Entries(is_after) => self.entries(is_after),
            Work::Lambda(term) => self.lambda(term)?,
            Work::Held(Held::Word(v)) => self.value(v)?,
            Work::Held(Held::Tool(index)) => self.tool("tool", index),
            Work::Bound(v) => self.definition(v)?,
        }
        Some(())
    }

    fn value(&mut self, v: Word) -> Option<()> {
        if is_integer(v) {
            let _ = write!(self.out, "{}", as_small(v));
            return Some(());
        }
        if tag(v) != IMMEDIATE
            && let Some(number) = self.shared.number(v)
        {
            let _ = write!(self.out, "{{\"var\":\"{}{number}\"}}", self.prefix);
            return Some(());
        }
        self.definition(v)
    }

    fn definition(&mut self, v: Word) -> Option<()> {
        let heap = &self.s.heap;
        match tag(v) {
            IMMEDIATE => self.immediate(v)?,
            CONS => {
                self.out.push('[');
                let [first, rest] = heap.next(v);
                self.work.extend([Work::Rest(rest), word(first)]);
            }
            PAIR => {
                let [first, second] = heap.cell(index(v));
                self.out.push_str("{\"pair\":[");
                self.work.push(Work::Str("]}"));
                self.schedule(vec![word(first), Work::Str(","), word(second)]);
            }
            _ if heap.is_text(v) => {
                let bytes = heap.text_size(v).map_or(0, |(bytes, _)| bytes);
                if bytes > self.limit as u64 {
                    return None;
                }
                escape::string(&heap.string(v), &mut self.out);
            }
            _ => {
                if let Some((number, function)) = self.functions.get(v) {
                    self.function(number, function);
                } else if entries::is_one(heap, v) {
                    let kind = heap.tagged(v);
                    self.out.push_str(if kind == MAP { "{\"to_map\":[" } else { "{\"to_set\":[" });
                    self.maps.push((kind, entries::of(heap, v).into_iter()));
                    self.work.push(Work::Entries(false));
                } else if let Some(list) = heap.list_of_match(v) {
                    self.value(list)?;
                } else if let Some(n) = heap.date(v) {
                    let _ = write!(self.out, "{{\"moment\":[{n}]}}");
                } else if heap.tagged(v) == REGEX {
                    let [pattern, flags] = heap.tagged_words(v).map(|text| heap.string(text));
                    self.out.push_str("{\"regex\":[");
                    escape::string(&pattern, &mut self.out);
                    self.out.push(',');
                    escape::string(&flags, &mut self.out);
                    self.out.push_str("]}");
                } else if let Some(n) = Number::of(heap, v) {
                    self.number(&n)?;
                } else if heap.as_no_number(v).is_some() {
                    self.out.push_str("{\"float\":\"NaN\"}");
                } else {
                    self.out.push_str("{\"record\":{");
                    self.work.push(Work::Members(v, 0));
                }
            }
        }
        Some(())
    }

    fn immediate(&mut self, v: Word) -> Option<()> {
        match v {
            NIL => self.out.push_str("[]"),
            TRUE => self.out.push_str("true"),
            FALSE => self.out.push_str("false"),
            _ if kind(v) != KIND_QUOTED => self.out.push_str("null"),
            _ => {
                if let Some(tool) = tool_of(v) {
                    self.tool("code_of", tool);
                    return Some(());
                }
                self.out.push_str("{\"quote\":");
                self.lambda(aux(v))?;
                self.out.push('}');
            }
        }
        Some(())
    }

    /// Writes a term of the run.
    fn lambda(&mut self, term: TermId) -> Option<()> {
        let room = self.limit.saturating_sub(self.out.len());
        let text = print::term_within(&self.s.terms, term, room).ok()?;
        self.out.push_str(&text);
        Some(())
    }

    /// Writes a form with the name of a tool.
    fn tool(&mut self, form: &str, index: u32) {
        let _ = write!(self.out, "{{\"{form}\":");
        escape::string(self.functions.tool_name(index), &mut self.out);
        self.out.push('}');
    }

    fn number(&mut self, n: &Number) -> Option<()> {
        match n {
            Number::Float(n) if n.is_infinite() => {
                _ = write!(self.out, "{{\"float\":\"{}\"}}", figures::text(*n));
            }
            // INVARIANT: canonical terms write floats as `print` does.
            Number::Float(n) => _ = write!(self.out, "{{\"float\":{n:?}}}"),
            Number::Small(n) => _ = write!(self.out, "{n}"),
            // Finding the digits of a longer one is a waste.
            Number::Big(n) if n.bits() / 4 > self.limit as u64 => return None,
            Number::Big(n) => write_integer(n, &mut self.powers, &mut self.out),
        }
        Some(())
    }

    fn rest(&mut self, list: Word) {
        if tag(list) != CONS {
            return self.out.push(']');
        }
        self.out.push(',');
        let [first, rest] = self.s.heap.next(list);
        self.work.extend([Work::Rest(rest), word(first)]);
    }

    fn members(&mut self, record: Word, at: usize) {
        let Some([key, value]) = self.s.heap.members(record).get(at..at + 2) else {
            return self.out.push_str("}}");
        };
        if at > 0 {
            self.out.push(',');
        }
        escape::string(&self.s.heap.string(*key), &mut self.out);
        self.out.push(':');
        self.work.extend([Work::Members(record, at + 2), word(*value)]);
    }

    fn entries(&mut self, is_after: bool) {
        let Some((kind, entries)) = self.maps.last_mut() else { return };
        let Some([key, value]) = entries.next() else {
            self.maps.pop();
            return self.out.push_str("]}");
        };
        let is_map = *kind == MAP;
        self.out.push_str(if is_after { "," } else { "" });
        self.work.push(Work::Entries(true));
        if is_map {
            self.out.push('[');
            self.schedule(vec![word(key), Work::Str(","), word(value), Work::Str("]")]);
        } else {
            self.work.push(word(key));
        }
    }

    fn function(&mut self, number: u32, function: &Function) {
        if let Some(tool) = function.tool {
            return self.tool("tool", tool);
        }
        let knot = self.knots.of(number);
        let variables = knot.map_or(&function.variables, |knot| &knot.variables);
        let mut pieces = Vec::new();
        let (open, close) = match *function.taken {
            [] => ("", ""),
            [_] => ("{\"app\":{\"arg\":", ",\"func\":"),
            _ => ("{\"app\":{\"args\":[", "],\"func\":"),
        };
        pieces.push(Work::Str(open));
        for (at, argument) in function.taken.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            pieces.extend([Work::Str(comma), Work::Held(*argument)]);
        }
        pieces.push(Work::Str(close));
        if !variables.is_empty() {
            pieces.push(Work::Str("{\"in\":"));
        }
        match knot {
            Some(knot) => letrec(number, knot, &mut pieces, self),
            None => pieces.push(Work::Lambda(function.lambda)),
        }
        if !variables.is_empty() {
            let bound = variables.iter().map(|(name, held)| (*name, Work::Held(*held)));
            bindings(",\"let\":[", bound, &mut pieces);
        }
        if !function.taken.is_empty() {
            pieces.push(Work::Str("}}"));
        }
        self.schedule(pieces);
    }
}

/// Schedules a knot, with one of its functions as the value.
fn letrec(number: u32, knot: &Knot, pieces: &mut Vec<Work>, writer: &Writer<'_>) {
    let own = knot.functions.iter().find(|(_, function)| *function == number);
    pieces.push(Work::Str("{\"in\":{\"var\":"));
    pieces.extend(own.map(|(name, _)| Work::Name(*name)));
    let all = &writer.functions.all;
    let bound = knot.functions.iter().filter_map(|(name, function)| {
        Some((*name, Work::Lambda(all.get(*function as usize)?.lambda)))
    });
    bindings("},\"letrec\":[", bound, pieces);
}

/// Schedules bindings and the end of their form.
fn bindings(
    open: &'static str,
    bound: impl Iterator<Item = (NameId, Work)>,
    pieces: &mut Vec<Work>,
) {
    pieces.push(Work::Str(open));
    for (at, (name, value)) in bound.enumerate() {
        let before = if at == 0 { "[" } else { ",[" };
        let binding = [Work::Str(before), Work::Name(name), Work::Str(","), value, Work::Str("]")];
        pieces.extend(binding);
    }
    pieces.push(Work::Str("]}"));
}
