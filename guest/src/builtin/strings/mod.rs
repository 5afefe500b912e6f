//! Texts.

mod codec;
mod csv;
mod format;
mod found;
mod letters;
mod pattern;
pub(super) mod reading;
mod script;
mod search;
mod spoken;
pub(super) mod text;

use crate::builtin::call::Function;
use crate::builtin::many;
use pif_language::form::Form;

/// The functions of its forms.
pub(super) const FUNCTIONS: &[(Form, Function)] = &[
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
    (Form::CsvParse, csv::csv_parse),
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
    (Form::AsText, spoken::as_text),
    (Form::Stringify, spoken::stringify),
    (Form::LastIndexOf, search::index_of),
    (Form::LocaleCompare, spoken::locale_compare),
    (Form::Regex, pattern::regex),
    (Form::RegexMatch, script::regex_match),
    (Form::RegexMatchAll, script::regex_match_all),
    (Form::RegexParts, script::regex_parts),
    (Form::Substitute, script::substitute),
    (Form::Normalize, letters::normalize),
    (Form::Concat, many::concat),
];
