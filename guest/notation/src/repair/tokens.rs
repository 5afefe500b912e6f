//! The tokens of a text that is being repaired.

use crate::syntax::{ASSIGNMENTS, INFIX, Kind, Token, tokens_before_fault};

/// The tokens up to the first that is wrong.
pub(super) struct Tokens<'s> {
    pub(super) source: &'s str,
    tokens: Vec<Token>,
    /// Brackets that are not closed.
    pub(super) open: Vec<usize>,
    /// Whether these are all tokens of the text, and each bracket is closed.
    pub(super) is_whole: bool,
}

impl<'s> Tokens<'s> {
    pub(super) fn of(source: &'s str) -> Self {
        let (mut tokens, open, is_whole) = tokens_before_fault(source);
        tokens.pop();
        let open = open.into_iter().map(|at| at as usize).collect();
        Self { source, tokens, open, is_whole }
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn get(&self, index: usize) -> Option<Token> {
        self.tokens.get(index).copied()
    }

    pub(super) fn kind(&self, index: usize) -> Kind {
        self.get(index).map_or(Kind::End, |token| token.kind)
    }

    /// The characters of a token; nothing beyond the last.
    pub(super) fn text(&self, index: usize) -> &'s str {
        let span = self.get(index).map(|token| token.start as usize..token.end as usize);
        span.and_then(|span| self.source.get(span)).unwrap_or_default()
    }

    /// The word, mark or bracket at an index; nothing for texts and numbers.
    pub(super) fn mark(&self, index: usize) -> &'s str {
        match self.kind(index) {
            Kind::Name | Kind::Mark | Kind::Open | Kind::Close => self.text(index),
            _ => "",
        }
    }

    pub(super) fn is_name(&self, index: usize) -> bool {
        self.kind(index) == Kind::Name
    }

    pub(super) fn is_on_new_line(&self, index: usize) -> bool {
        self.get(index).is_some_and(|token| token.on_new_line)
    }

    /// The bracket that matches one.
    pub(super) fn mate(&self, index: usize) -> usize {
        self.get(index).map_or(index, |token| token.mate as usize)
    }

    /// The first byte of a token; that behind the last one, of none.
    pub(super) fn start(&self, index: usize) -> usize {
        self.get(index).map_or_else(|| self.end(self.len()), |token| token.start as usize)
    }

    /// The byte behind the token before an index.
    pub(super) fn end(&self, index: usize) -> usize {
        let before = index.checked_sub(1).and_then(|at| self.get(at));
        before.map_or(0, |token| token.end as usize)
    }

    /// The bytes of the tokens from an index up to another.
    pub(super) fn span(&self, from: usize, to: usize) -> (usize, usize) {
        (self.start(from), self.end(to).max(self.start(from)))
    }

    /// The text of the tokens from an index up to another.
    pub(super) fn part(&self, from: usize, to: usize) -> &'s str {
        let (start, end) = self.span(from, to);
        if from >= to { "" } else { self.source.get(start..end).unwrap_or_default() }
    }

    /// The token that begins at a byte or is the first behind it.
    pub(super) fn at(&self, byte: usize) -> Option<usize> {
        let index = self.tokens.partition_point(|token| (token.start as usize) < byte);
        (index < self.len()).then_some(index)
    }

    /// The index of the bracket around a token.
    pub(super) fn around(&self, index: usize) -> Option<usize> {
        let mut at = index;
        while at > 0 {
            at -= 1;
            match self.kind(at) {
                Kind::Close => at = self.mate(at),
                Kind::Open => return Some(at),
                _ => {}
            }
        }
        None
    }

    /// Tells whether the lines end statements here: outside of brackets, or in braces.
    pub(super) fn has_lines(&self, index: usize) -> bool {
        self.around(index).is_none_or(|open| self.text(open) == "{")
    }

    /// Tells whether a token is an operator between operands.
    pub(super) fn is_operator(&self, index: usize) -> bool {
        let mark = self.mark(index);
        let is_word = matches!(mark, "and" | "or" | "not" | "is" | "?" | ":" | "=>" | "|>");
        is_word
            || INFIX.iter().any(|row| row.mark == mark)
            || ASSIGNMENTS.iter().any(|(it, _)| *it == mark)
    }

    /// Tells whether a statement may begin at a token that is the first of its line.
    pub(super) fn begins_line(&self, index: usize) -> bool {
        let goes_on = self.is_operator(index) || matches!(self.mark(index), "." | "?." | "," | ";");
        let before = index.checked_sub(1);
        let is_open = before.is_some_and(|at| {
            self.is_operator(at)
                || self.kind(at) == Kind::Open
                || matches!(self.mark(at), "." | "?." | ",")
        });
        self.is_on_new_line(index) && !goes_on && !is_open
    }

    /// Tells whether a statement begins at a token.
    pub(super) fn begins_statement(&self, index: usize) -> bool {
        let Some(before) = index.checked_sub(1) else { return true };
        let mark = self.mark(before);
        matches!(mark, ";" | "}" | "else") || mark == "{" || self.begins_line(index)
    }
}
