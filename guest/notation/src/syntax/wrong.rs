//! Faults of the parser: each names the token that is wrong and shows what to write.

use crate::hint::in_notation;
use crate::lexer::{Wrong, wrong};
use crate::syntax::braces::Braces;
use crate::syntax::lexer::{Kind, Token};
use crate::syntax::operator::INFIX;
use crate::syntax::parser::{Parser, Read};
use pif_core::fault::{Code, Fault, Place};
use pif_core::text::quote::shorten;
use pif_language::mistakes::words::{AFTER, BEFORE, FUNCTION, Places, REFUSED, Word, find};

/// Each gives a result of any type; its fault is made in one place.
impl Parser<'_> {
    pub(super) fn wrong<T>(&self, start: u32, message: &str, hint: &str) -> Read<T> {
        Err(self.fault(start, message, hint))
    }

    pub(super) fn no_operand<T>(&self) -> Read<T> {
        Err(self.fault_of_no_operand())
    }

    pub(super) fn unexpected<T>(&self) -> Read<T> {
        Err(self.fault_of_unexpected())
    }

    /// A word of JavaScript that nothing here stands for.
    pub(super) fn refused<T>(&self, token: Token) -> Read<T> {
        Err(match find(REFUSED, self.spelling(token)) {
            Some(word) => self.fault_of_word(token, word),
            None => self.fault_of_no_operand(),
        })
    }

    /// The fault of an assignment to something other than a name or a member.
    pub(super) fn no_target<T>(&self, mark: Token) -> Read<T> {
        let shown = shorten(self.spelling(mark));
        let message = format!("`{shown}` changes a name or a member, and this is none");
        let hint = match self.spelling(mark) {
            "=" => "write const a = 1 to bind a name, a == b to compare",
            _ => "write x += 1, r.k += 1 or xs[0]++",
        };
        self.wrong(mark.start, &message, hint)
    }

    #[inline(never)]
    fn fault(&self, start: u32, message: &str, hint: &str) -> Wrong {
        if self.is_full() {
            // It is not reported, and to find its line would take time.
            return Box::new(Fault::new(Code::Unparsable, message));
        }
        let mut fault = wrong((self.source, start), Code::Unparsable, message, hint);
        let next = self.token(0);
        fault.is_incomplete = next.kind == Kind::End && next.start == start;
        fault
    }

    #[inline(never)]
    fn fault_of_word(&self, token: Token, word: &Word) -> Wrong {
        let shown = shorten(self.spelling(token));
        let message = format!("`{shown}`: {}", word.reason);
        self.fault(token.start, &message, &in_notation(word.hint.into()).to_string())
    }

    /// A token, as messages name it.
    fn shown(&self, token: Token) -> String {
        match token.kind {
            Kind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", shorten(self.spelling(token))),
        }
    }

    fn previous(&self) -> Option<Token> {
        self.at.get().checked_sub(1).map(|at| self.token_at(at))
    }

    fn misplaced(&self, token: Token, places: Places) -> Option<Wrong> {
        let is_word = matches!(token.kind, Kind::Mark | Kind::Name);
        let word = find(places, self.spelling(token)).filter(|_| is_word)?;
        Some(self.fault_of_word(token, word))
    }

    /// An operator first and a blank behind it, as in `(+ 1 2)`.
    pub(super) fn is_lisp(&self) -> bool {
        let token = self.token(0);
        let operands = (self.token(1), self.token(2));
        self.previous()
            .is_some_and(|before| before.kind == Kind::Open && self.spelling(before) == "(")
            && token.kind == Kind::Mark
            && token.end != operands.0.start
            && matches!(operands.0.kind, Kind::Number | Kind::Name | Kind::Text)
            && matches!(operands.1.kind, Kind::Number | Kind::Name | Kind::Text)
            && INFIX.iter().any(|row| row.mark == self.spelling(token))
    }

    /// An operand is missing.
    #[inline(never)]
    fn fault_of_no_operand(&self) -> Wrong {
        let token = self.token(0);
        let before = self.previous();
        let is_lisp = self.is_lisp();
        let found = self.misplaced(token, REFUSED).or_else(|| self.misplaced(token, BEFORE));
        if let Some(fault) = found.filter(|_| !is_lisp) {
            return fault;
        }
        let (message, hint) = match before {
            _ if is_lisp => (
                format!("the operator {} stands between its operands", self.shown(token)),
                "write (a * b), f(a, b), and x => x + 1 for a function".to_owned(),
            ),
            None if token.kind != Kind::End => (
                format!("an operand is missing before {}", self.shown(token)),
                "write a value before it, such as 1, \"a\", x or f(x)".to_owned(),
            ),
            None => ("the text is empty".to_owned(), "write a term, such as 1 + 2".to_owned()),
            Some(before) => {
                let before = self.shown(before);
                let here = self.shown(token);
                (
                    format!("an operand is missing between {before} and {here}"),
                    format!("write a value after {before}, such as 1, \"a\", x or f(x)"),
                )
            }
        };
        self.fault(token.start, &message, &hint)
    }

    /// Something stands after what cannot go on with it.
    #[inline(never)]
    fn fault_of_unexpected(&self) -> Wrong {
        let token = self.token(0);
        let before = self.previous().unwrap_or(self.token(0));
        let is_member = self.at.get() > 1 && self.is_at(self.at.get() - 2, ".");
        if !is_member
            && before.kind == Kind::Name
            && let Some(fault) = self.misplaced(before, AFTER)
        {
            return fault;
        }
        if let Some(fault) = self.misplaced_function(before) {
            return fault;
        }
        if let Some(fault) = self.misplaced(token, AFTER).or_else(|| self.misplaced(token, REFUSED))
        {
            return fault;
        }
        let joined = before.end == token.start && token.kind == Kind::Text;
        if joined && before.kind == Kind::Name {
            let message = format!("a text has no prefix {}", self.shown(before));
            let hint = "write `${a}: ${b}`: a template has backquotes";
            return self.fault(before.start, &message, hint);
        }
        if joined && before.kind == Kind::Text {
            let hint = "write a text of several lines in backquotes";
            return self.fault(before.start, "two texts stand side by side", hint);
        }
        if token.kind == Kind::Number && self.spelling(token).starts_with('.') {
            return self.fault(token.start, "an index stands in brackets", "write xs[0]");
        }
        let before = self.shown(before);
        let here = self.shown(token);
        let message = format!("an operator is missing between {before} and {here}");
        let hint = match self.bracket_around() {
            Some(bracket) => {
                let Place { line, column, .. } = Place::of(self.source, bracket.start as usize);
                let shown = self.spelling(bracket);
                format!(
                    "write a comma or an operator between them, \
                     or close the `{shown}` of line {line}, column {column}"
                )
            }
            None => "write an operator between them, or `;` between two statements".to_owned(),
        };
        self.fault(token.start, &message, &hint)
    }

    /// `lambda (x) x`, `fn f(x) { … }`
    fn misplaced_function(&self, close: Token) -> Option<Wrong> {
        let open = (close.kind == Kind::Close).then_some(close.mate as usize)?;
        let words = [1, 2].into_iter().filter_map(|back| open.checked_sub(back));
        let word = words.map(|at| self.token_at(at)).find(|word| {
            let spelling = self.spelling(*word);
            word.kind == Kind::Name && find(FUNCTION, spelling).is_some()
        })?;
        self.misplaced(word, FUNCTION)
    }

    /// The bracket around the next token, unless statements stand in it.
    fn bracket_around(&self) -> Option<Token> {
        if self.is_full() {
            return None;
        }
        let mut at = self.at.get();
        while at > 0 {
            at -= 1;
            let token = self.token_at(at);
            match token.kind {
                Kind::Close => at = token.mate as usize,
                Kind::Open => {
                    let is_block =
                        self.spelling(token) == "{" && self.braces_at(at) != Braces::Record;
                    return (!is_block).then_some(token);
                }
                _ => {}
            }
        }
        None
    }
}
