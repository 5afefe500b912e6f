//! Whether braces hold a record or statements.

use crate::syntax::lexer::Kind;
use crate::syntax::parser::Parser;

/// The content of braces, known by its first tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Braces {
    Record,
    Statements,
    /// `{}` and `{a}` can be both.
    Either,
}

impl Parser<'_> {
    /// Finds the content of the braces that begin here.
    pub(super) fn braces(&self) -> Braces {
        self.braces_at(self.at.get())
    }

    pub(super) fn braces_at(&self, open: usize) -> Braces {
        let close = self.token_at(open).mate as usize;
        let first = self.token_at(open + 1);
        let second = open + 2;
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

    /// Tells whether a block stands behind parameters.
    fn is_method(&self, open: usize) -> bool {
        self.is_at(self.token_at(open).mate as usize + 1, "{")
    }

    /// Tells whether a statement begins here that can have a label.
    pub(super) fn is_labeled(&self, at: usize) -> bool {
        let has = |text| self.is_at(at + 1, text);
        match self.spelling(self.token_at(at)) {
            "for" | "while" | "switch" => has("("),
            "do" => has("{"),
            _ => false,
        }
    }

    /// Tells whether a brace where a statement begins is a record: at the beginning of the program and as
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
