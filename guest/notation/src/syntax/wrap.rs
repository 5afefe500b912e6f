//! What models put around a program, and whether braces hold a record or statements.

use crate::lexer::{Wrong, wrong};
use crate::syntax::Parser;
use crate::syntax::lexer::Kind;
use pif_core::fault::Code;
use pif_core::limits::to_u32;

/// Bytes of a text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

const FENCE: &str = "```";
/// What may stand behind a fence in its line.
const LANGUAGES: [&str; 9] =
    ["javascript", "typescript", "jsx", "tsx", "mjs", "js", "ts", "json", "pif"];

/// The program in a text: what stands between the fences, if there are any.
pub(crate) fn part(source: &str) -> Result<Range, Wrong> {
    let whole = Range { start: 0, end: source.len() };
    let fault = |at: usize, message| {
        let hint = "give the program alone, or in one code fence";
        Err(wrong((source, to_u32(at)), Code::Unparsable, message, hint))
    };
    let text = source.trim_start();
    let start = source.len() - text.len();
    let Some(text) = text.strip_prefix(FENCE) else {
        let mut at = 0;
        for line in source.split_inclusive('\n') {
            if line.trim_start().starts_with(FENCE) {
                return fault(start, "text stands before the code fence");
            }
            at += line.len();
        }
        return Ok(Range { end: at, ..whole });
    };
    let first = text.lines().next().unwrap_or_default();
    let language = LANGUAGES.iter().find(|language| first.trim_start().starts_with(**language));
    let is_word = !first.trim().contains(|c: char| !c.is_alphanumeric() && !"_-+".contains(c));
    let passed = match language {
        _ if is_word && text.len() > first.len() => first.len(),
        Some(language) => first.len() - first.trim_start().len() + language.len(),
        None => 0,
    };
    let start = start + FENCE.len() + passed;
    let body = source.get(start..).unwrap_or_default();
    let Some(length) = body.find(FENCE) else { return Ok(Range { start, ..whole }) };
    let behind = start + length + FENCE.len();
    let rest = source.get(behind..).unwrap_or_default();
    if !rest.trim().is_empty() {
        let at = behind + rest.len() - rest.trim_start().len();
        return fault(at, "text stands behind the code fence");
    }
    Ok(Range { start, end: start + length })
}

/// What braces hold, by what stands in them first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Braces {
    Record,
    Statements,
    /// `{}` and `{a}` can be both.
    Either,
}

impl Parser<'_> {
    /// What the braces hold that begin here.
    pub(super) fn braces(&self) -> Braces {
        self.braces_at(self.at.get())
    }

    pub(super) fn braces_at(&self, open: usize) -> Braces {
        let close = self.token_at(open).mate as usize;
        let (first, second) = (self.token_at(open + 1), open + 2);
        let is_at = |at: usize, text| at < close && self.is_at(at, text);
        let is_record = match first.kind {
            _ if close == open + 1 => return Braces::Either,
            Kind::Text | Kind::Number => is_at(second, ":"),
            Kind::Mark => self.is_at(open + 1, "..."),
            Kind::Open if self.is_at(open + 1, "[") => {
                let behind = first.mate as usize + 1;
                is_at(behind, ":") || is_at(behind, "(") && self.is_method(behind)
            }
            Kind::Name if second == close => return Braces::Either,
            Kind::Name if is_at(second, ":") => !self.is_labeled(second + 1),
            Kind::Name if is_at(second, ",") => true,
            Kind::Name if is_at(second, "(") => {
                let word = self.spelling(first);
                self.is_method(second)
                    && !matches!(word, "if" | "for" | "while" | "switch" | "with" | "catch")
            }
            Kind::Name if matches!(self.spelling(first), "get" | "set" | "async") => {
                let is_key = self.token_at(second).kind == Kind::Name;
                is_key && is_at(open + 3, "(") && self.is_method(open + 3)
            }
            _ => false,
        };
        if is_record { Braces::Record } else { Braces::Statements }
    }

    /// Whether a block stands behind parameters.
    fn is_method(&self, open: usize) -> bool {
        self.is_at(self.token_at(open).mate as usize + 1, "{")
    }

    /// Whether a statement begins here that can have a label.
    pub(super) fn is_labeled(&self, at: usize) -> bool {
        let has = |text| self.is_at(at + 1, text);
        match self.spelling(self.token_at(at)) {
            "for" | "while" | "switch" => has("("),
            "do" => has("{"),
            _ => false,
        }
    }

    /// Whether a brace where a statement begins is a record: at the beginning of the program and as
    /// its last statement, if it reads as one.
    pub(super) fn is_record_statement(&self, is_first: bool) -> bool {
        if !self.is(0, "{") {
            return false;
        }
        let mut behind = self.behind(0);
        if self.is_at(behind, "=") {
            return true;
        }
        let goes_on = self.token_at(behind);
        let goes_on = goes_on.kind == Kind::Mark
            && !goes_on.on_new_line
            && !matches!(self.spelling(goes_on), ";" | "@" | "!" | "~" | "++" | "--");
        while self.is_at(behind, ";") {
            behind += 1;
        }
        let is_last = goes_on || self.token_at(behind).kind == Kind::End;
        match self.braces() {
            Braces::Record => is_first || is_last,
            Braces::Either => is_last,
            Braces::Statements => false,
        }
    }
}
