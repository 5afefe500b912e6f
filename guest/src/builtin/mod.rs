//! Strict forms beyond the original calculus. Their operands are on the stack, where the collector
//! finds them: a function that makes room reads them again. Fuel is charged before the work (for a
//! `join` of short texts, right after it). The head of each module lists the units of work of its
//! forms; the rows of the forms hold the price of a unit.

mod bytes;
mod call;
mod codec;
mod dates;
mod describe;
mod effects;
mod figures;
mod format;
mod found;
mod general;
pub(crate) mod keys;
mod letters;
mod lists;
mod many;
mod mapping;
mod moments;
mod numbers;
mod numerals;
mod options;
pub(crate) mod path;
mod pattern;
mod reading;
mod records;
mod script;
mod search;
mod spoken;
mod statistics;
mod table;
mod terms;
mod text;

use crate::algorithm::trouble::Trouble;
use crate::builtin::call::Call;
use crate::code::Slot;
use crate::run::context::Context;
use crate::run::state::Exit;
use pif_core::fault::{Code, Fault};
use pif_language::form::{Evaluation, Form};
use pif_language::table::Table;

use crate::memory::word::Word;
use std::cell::Cell;

/// Evaluates a form. The collector may move all values that are not on the stack.
type Function = fn(&mut Call<'_>) -> Result<Word, Exit>;

/// The function of each form.
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
        (Form::Split, script::split),
        (Form::Join, text::join),
        (Form::Slice, text::slice),
        (Form::Contains, search::contains),
        (Form::StartsWith, text::starts_with),
        (Form::EndsWith, text::ends_with),
        (Form::IndexOf, script::index_of),
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
        (Form::RegexSplit, script::split),
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
        (Form::Call, effects::call),
        (Form::Calls, effects::calls),
        (Form::Perform, effects::call),
        (Form::TermToData, terms::term_to_data),
        (Form::DataToTerm, terms::data_to_term),
        (Form::Divide, figures::divide),
        (Form::Math, figures::math),
        (Form::Bits, figures::bits),
        (Form::ToNumber, numerals::to_number),
        (Form::LeadingNumber, numerals::leading_number),
        (Form::NumberText, numerals::number_text),
        (Form::NumberIs, numerals::number_is),
        (Form::Typeof, spoken::type_of),
        (Form::AsText, spoken::as_text),
        (Form::Stringify, spoken::stringify),
        (Form::LastIndexOf, search::index_of),
        (Form::LocaleCompare, spoken::locale_compare),
        (Form::Regex, pattern::regex),
        (Form::RegexMatch, script::regex_match),
        (Form::RegexMatchAll, script::regex_match_all),
        (Form::RegexParts, script::regex_parts),
        (Form::Substitute, script::substitute),
        (Form::Elements, mapping::elements),
        (Form::ToMap, mapping::to_map),
        (Form::ToSet, mapping::to_set),
        (Form::Lookup, mapping::lookup),
        (Form::Insert, mapping::insert),
        (Form::Moment, moments::moment),
        (Form::MomentPart, moments::moment_part),
        (Form::Normalize, letters::normalize),
        // Operations of more than two operands.
        (Form::Add, many::arithmetic),
        (Form::Mul, many::arithmetic),
        (Form::Concat, many::concat),
        (Form::Plus, many::plus),
        // A quote with holes.
        (Form::Quote, terms::fill),
    ],
);

/// Evaluates a form of the `n` operands from slot `d` on. The value goes to `d`.
pub(crate) fn call(c: &mut Context<'_>, form: Form, [d, n]: [Slot; 2]) -> Result<(), Exit> {
    let base = c.s.base + usize::from(d);
    let Context { image, s, at } = c;
    let (n, aside) = (usize::from(n), Cell::new(0));
    let mut call = Call { image, s, at: *at, form, base, n, aside };
    call.take_lists_of_matches();
    let value = evaluate(&mut call)?;
    s.set(base, value);
    Ok(())
}

fn evaluate(call: &mut Call<'_>) -> Result<Word, Exit> {
    let Some(function) = FUNCTIONS.get(call.form) else {
        let fault = Fault::new(Code::Internal, "the evaluator does not know this form");
        return Err(Trouble::Here(Box::new(fault)).into());
    };
    function(call)
}
