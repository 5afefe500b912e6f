//! Strict forms beyond the original calculus. Their operands lie on the stack, where the collector
//! finds them: whoever makes room reads them again. What a form costs is charged before the work
//! is done (for a `join` of short texts right behind it), and stands at the head of its group's
//! module in units of work; the price of a unit stands in the rows of the forms.
//!
//! The methods that all builtins use are calls (`inline(never)`): copied into each of them they would
//! take 40 kB of the component and save nothing that counts.

mod codec;
mod dates;
mod describe;
mod format;
mod general;
mod letters;
mod lists;
mod many;
mod numbers;
mod options;
mod pattern;
mod reading;
mod records;
mod statistics;
mod table;
mod terms;
mod text;

use super::context::Context;
use super::state::{Exit, State};
use crate::code::{Image, Slot};
use crate::fault::{Code, Fault};
use crate::form::table::Table;
use crate::form::{Evaluation, Form};
use crate::heap::{Full, Heap};
use crate::limits;
use crate::output;
use crate::primitive::Trouble;
use crate::primitive::arithmetic::Number;
use crate::value::{Word, as_small, is_integer, is_list};
use std::cell::Cell;

/// Bytes that a message shows of an operand.
pub(super) const OPERAND_BYTES: usize = 60;

/// A form with its operands, being evaluated.
pub(super) struct Call<'a> {
    pub(super) image: &'a Image,
    pub(super) s: &'a mut State,
    /// The operation.
    at: usize,
    pub(super) form: Form,
    /// Where the operands begin on the stack.
    base: usize,
    /// How many there are; none: they are in the list at `base`.
    n: usize,
    /// Bytes that are taken beside the heap.
    aside: Cell<u64>,
}

/// Evaluates a form; the collector may move all values that are on no stack.
type Function = fn(&mut Call<'_>) -> Result<Word, Exit>;

/// What evaluates each form.
static FUNCTIONS: Table<Function> = Table::of(
    Evaluation::Builtin,
    &[
        (Form::Fail, general::fail),
        (Form::TypeOf, general::type_of),
        (Form::Describe, describe::describe),
        (Form::Min, many::extreme),
        (Form::Max, many::extreme),
        (Form::Fdiv, numbers::fdiv),
        (Form::Neg, numbers::neg),
        (Form::Abs, numbers::abs),
        (Form::Sqrt, numbers::sqrt),
        (Form::Exp, numbers::exp),
        (Form::Ln, numbers::ln),
        (Form::Log10, numbers::log10),
        (Form::Floor, numbers::floor),
        (Form::Ceil, numbers::ceil),
        (Form::ToInt, numbers::to_int),
        (Form::ToFloat, numbers::to_float),
        (Form::Pow, numbers::pow),
        (Form::Round, numbers::round),
        (Form::Upper, letters::recase),
        (Form::Lower, letters::recase),
        (Form::Trim, letters::trim),
        (Form::Chars, text::chars),
        (Form::Lines, text::lines),
        (Form::Split, text::split),
        (Form::Join, text::join),
        (Form::Slice, text::slice),
        (Form::Contains, text::contains),
        (Form::StartsWith, text::starts_with),
        (Form::EndsWith, text::ends_with),
        (Form::IndexOf, text::index_of),
        (Form::Replace, text::replace),
        (Form::Repeat, text::repeat),
        (Form::PadLeft, text::pad),
        (Form::PadRight, text::pad),
        (Form::ToString, reading::to_string),
        (Form::ParseInt, reading::parse_int),
        (Form::ParseFloat, reading::parse_float),
        (Form::JsonParse, reading::json_parse),
        (Form::JsonText, reading::json_text),
        (Form::CsvParse, table::csv_parse),
        (Form::Matches, pattern::matches),
        (Form::FindAll, pattern::find_all),
        (Form::RegexReplace, pattern::regex_replace),
        (Form::RegexSplit, pattern::regex_split),
        (Form::Captures, pattern::captures),
        (Form::Encode, codec::encode),
        (Form::Decode, codec::decode),
        (Form::CharCode, codec::char_code),
        (Form::FromCharCode, codec::from_char_code),
        (Form::FormatNumber, format::format_number),
        (Form::Sort, lists::sort),
        (Form::Reverse, lists::reverse),
        (Form::Distinct, lists::distinct),
        (Form::Flatten, lists::flatten),
        (Form::Last, lists::last),
        (Form::Enumerate, lists::enumerate),
        (Form::Append, lists::append),
        (Form::Nth, lists::nth),
        (Form::Take, lists::take),
        (Form::Drop, lists::drop),
        (Form::Range, lists::range),
        (Form::Zip, lists::zip),
        (Form::Chunk, lists::chunk),
        (Form::Sum, statistics::sum),
        (Form::Product, statistics::product),
        (Form::Mean, statistics::mean),
        (Form::Median, statistics::median),
        (Form::Percentile, statistics::percentile),
        (Form::Get, records::get),
        (Form::GetIn, records::get_in),
        (Form::Has, records::has),
        (Form::Put, records::put),
        (Form::PutIn, records::put_in),
        (Form::Remove, records::remove),
        (Form::Merge, records::merge),
        (Form::Keys, records::keys),
        (Form::Values, records::values),
        (Form::Entries, records::entries),
        (Form::FromEntries, records::from_entries),
        (Form::Pick, records::choose),
        (Form::Omit, records::choose),
        (Form::DateParse, dates::date_parse),
        (Form::DateFormat, dates::date_format),
        (Form::DateParts, dates::date_parts),
        (Form::DateAdd, dates::date_add),
        (Form::DateDiff, dates::date_diff),
        (Form::TermToData, terms::term_to_data),
        (Form::DataToTerm, terms::data_to_term),
        // Operations of more than two operands.
        (Form::Add, many::arithmetic),
        (Form::Mul, many::arithmetic),
        (Form::Concat, many::concat),
        // A quote with holes.
        (Form::Quote, terms::fill),
    ],
);

/// Evaluates a form of the `n` operands from slot `d` on; the value goes to `d`.
pub(super) fn call(c: &mut Context<'_>, form: Form, [d, n]: [Slot; 2]) -> Result<(), Exit> {
    let base = c.s.base + usize::from(d);
    let Context { image, s, at } = c;
    let (n, aside) = (usize::from(n), Cell::new(0));
    let mut call = Call { image, s, at: *at, form, base, n, aside };
    let value = call.evaluate()?;
    s.set(base, value);
    Ok(())
}

impl Call<'_> {
    fn evaluate(&mut self) -> Result<Word, Exit> {
        let Some(function) = FUNCTIONS.get(self.form) else {
            let fault = Fault::new(Code::Internal, "the evaluator does not know this form");
            return Err(Trouble::Here(Box::new(fault)).into());
        };
        function(self)
    }

    /// The operation, for whatever is not done by builtins alone.
    pub(super) fn context(&mut self) -> Context<'_> {
        Context { image: self.image, s: self.s, at: self.at }
    }

    /// How many operands there are.
    pub(super) fn len(&self) -> usize {
        self.n
    }

    /// An operand. Read it again after making room.
    pub(super) fn operand(&self, i: usize) -> Word {
        self.s.at(self.base + i)
    }

    /// An operand as messages show it.
    #[inline(never)]
    pub(super) fn shown(&self, i: usize) -> String {
        let State { heap, terms, .. } = &*self.s;
        output::excerpt(heap, terms, &self.s.names(), self.operand(i), OPERAND_BYTES)
    }

    /// Spends fuel on bulk work.
    #[inline(never)]
    pub(super) fn charge(&mut self, work: u64) -> Result<(), Exit> {
        self.context().bulk(work)
    }

    /// Warns of the form: a message, and what to write instead. One warning of each code shows.
    pub(super) fn warn(&mut self, code: &'static str, tell: impl FnOnce() -> (String, String)) {
        self.s.warn(self.image, self.at, code, tell);
    }

    /// The most work that can be paid.
    pub(super) fn budget(&mut self) -> u64 {
        self.context().budget()
    }

    /// Makes room for `n` words. Values that are on no stack move.
    #[inline(never)]
    pub(super) fn room(&mut self, n: usize) -> Result<(), Exit> {
        let live = self.base + self.n.max(1);
        self.s.make_room(n, live)
    }

    /// Makes room for `n` words, and follows these to where they move.
    pub(super) fn room_keeping(&mut self, n: usize, words: &mut [Word]) -> Result<(), Exit> {
        let live = self.base + self.n.max(1);
        self.s.make_room_keeping(n, live, words)
    }

    /// Makes room for lists that take as many words at most. How many they really take, since integers
    /// take fewer, is only asked where that matters.
    pub(super) fn list_room(
        &mut self,
        most: usize,
        exact: impl FnOnce(&Self) -> usize,
    ) -> Result<(), Exit> {
        let words = if self.s.heap.could_have(most) { most } else { exact(self) };
        self.room(words)
    }

    /// The fault of an operand of the wrong type.
    #[inline(never)]
    pub(super) fn wrong(&self, i: usize, wanted: &'static str) -> Exit {
        self.s.wrong_type(i, self.operand(i), wanted)
    }

    /// Faults unless an operand is a list.
    pub(super) fn must_be_list(&self, i: usize) -> Result<(), Exit> {
        if is_list(self.operand(i)) { Ok(()) } else { Err(self.wrong(i, "a list")) }
    }

    /// The elements of an operand that must be a list; nothing is charged for it.
    #[inline(never)]
    pub(super) fn list(&self, i: usize) -> Result<Vec<Word>, Exit> {
        self.must_be_list(i)?;
        Ok(self.elements(self.operand(i)))
    }

    /// The elements of a list.
    #[inline(never)]
    pub(super) fn elements(&self, list: Word) -> Vec<Word> {
        self.s.heap.elements(list)
    }

    /// A list of these elements, which lie on the heap as they are now: there must be room for two
    /// words each.
    #[inline(never)]
    pub(super) fn make_list(&mut self, elements: &[Word]) -> Word {
        self.s.heap.list(elements.iter().copied())
    }

    /// An operand that must be an integer: the number, if it is one of a word, else whether it is
    /// negative.
    #[inline(never)]
    pub(super) fn integer(&self, i: usize) -> Result<Result<i64, bool>, Exit> {
        let v = self.operand(i);
        match self.s.heap.limbs(v) {
            Some((_, negative)) => Ok(Err(negative)),
            None if is_integer(v) => Ok(Ok(as_small(v))),
            None => Err(self.wrong(i, "an integer")),
        }
    }

    /// The characters of an operand that must be a text; nothing is charged for it.
    #[inline(never)]
    pub(super) fn text(&self, i: usize) -> Result<String, Exit> {
        let v = self.operand(i);
        let Some((bytes, _)) = self.s.heap.text_size(v) else {
            return Err(self.wrong(i, "a string"));
        };
        self.set_aside(bytes)?;
        Ok(self.s.heap.string(v))
    }

    /// Notes so many bytes taken beside the heap until the form has its value. They are within
    /// the memory limit too, which hosts set twice as high for it, with some to spare.
    pub(super) fn set_aside(&self, bytes: u64) -> Result<(), Full> {
        let all = self.aside.get().saturating_add(bytes);
        self.aside.set(all);
        if all > limits::aside(self.s.heap.limit) { Err(Full) } else { Ok(()) }
    }

    /// An operand that must be a number.
    #[inline(never)]
    pub(super) fn number(&self, i: usize) -> Result<Number, Exit> {
        Number::of(&self.s.heap, self.operand(i)).ok_or_else(|| self.wrong(i, "a number"))
    }

    /// A new number.
    #[inline(never)]
    pub(super) fn make_number(&mut self, n: &Number) -> Result<Word, Exit> {
        self.room(n.words())?;
        Ok(n.put(&mut self.s.heap))
    }

    /// A new text.
    pub(super) fn make_text(&mut self, text: &str) -> Result<Word, Exit> {
        self.make_text_of(text.as_bytes())
    }

    /// The same of bytes that are a text.
    #[inline(never)]
    pub(super) fn make_text_of(&mut self, bytes: &[u8]) -> Result<Word, Exit> {
        self.room(Heap::text_words(bytes.len()))?;
        Ok(self.s.heap.text_of(bytes)?)
    }
}
