//! Statements: names that are bound, choices that return, and the value.

use crate::lexer::{Kind, Wrong};
use crate::mistakes::{HABITS, find};
use crate::parse::target::{Binding, Group, Pattern, Then};
use crate::parse::{Block, Frame, Next, Parser, Statement};
use crate::table::RESERVED;
use crate::tree::{Id, Words};

/// Functions that may see each other.
const MOST_FUNCTIONS: usize = 64;
use pif_language::form::Form;

impl<'s> Parser<'s> {
    /// Begins statements after a brace, or at the beginning.
    pub(super) fn begin_block(&mut self, open: Option<u32>) {
        let (scope, last) = (self.scope.mark(), self.at);
        self.enter(Frame::Block(Block { open, done: Vec::new(), value: None, scope, last }));
    }

    /// Reads the next statement, or ends the block.
    pub(super) fn statement(&mut self) -> Result<Next, Wrong> {
        while self.take(";") {}
        let here = self.at;
        let Some(Frame::Block(block)) = self.frames.last_mut() else { return self.unexpected() };
        let is_value = block.value.is_some();
        let last = std::mem::replace(&mut block.last, here);
        let open = block.open;
        let is_end = match open {
            Some(open) => self.is_end_of(open),
            None => self.token(0).kind == Kind::End,
        };
        if is_end {
            return self.end_block();
        }
        let token = self.token(0);
        if is_value {
            return self.lost(last);
        }
        let word = if token.kind == Kind::Name { self.spelling(token) } else { "" };
        match word {
            "const" | "let" | "var" if self.token(1).kind != Kind::Mark => {
                self.at += 1;
                let group = self.functions();
                self.declare(token.start, Vec::new(), group)
            }
            "return" => {
                self.at += 1;
                self.frames.push(Frame::Result { returns: true });
                if self.is(0, ";")
                    || self.token(0).kind == Kind::Close
                    || self.token(0).kind == Kind::End
                {
                    let hint = "write return null";
                    return self.unparsable(token.start, "`return` lacks a value", hint);
                }
                Ok(Next::Operand)
            }
            "if" => self.begin_if(true),
            _ => {
                self.frames.push(Frame::Result { returns: false });
                Ok(Next::Operand)
            }
        }
    }

    /// Something follows a value that nothing takes.
    fn lost(&self, last: usize) -> Result<Next, Wrong> {
        let token = self.token_at(last);
        let word = if token.kind == Kind::Name { self.spelling(token) } else { "" };
        if let Some(habit) = find(HABITS, word).filter(|_| word != "if") {
            return self.habit(token, habit);
        }
        let (message, hint) = if matches!(word, "return" | "if") {
            (
                "the code after `return` is never reached",
                "take it away, or write it before the `return`",
            )
        } else {
            (
                "the value of this statement is not used",
                "bind it, const a = 1; or join the two with an operator",
            )
        };
        self.unparsable(token.start, message, hint)
    }

    /// Looks ahead whether a `const` has functions only, and binds their names, which they see.
    fn functions(&mut self) -> Option<Group> {
        let (mut at, mut names) = (self.at, Vec::new());
        while at > 0 {
            let name = self.spelling(self.token_at(at));
            let is_function = self.token_at(at).kind == Kind::Name
                && self.spelling(self.token_at(at + 1)) == "="
                && self.is_function_at(at + 2)
                && !RESERVED.contains(&name)
                && !names.contains(&name)
                && names.len() < MOST_FUNCTIONS;
            if !is_function {
                return None;
            }
            names.push(name);
            at = self.behind_comma(at + 2);
        }
        let binding = self.scope.mark();
        for name in names {
            self.scope.bind(name);
        }
        Some(Group { binding, is_recursive: false })
    }

    /// Whether a function with its arrow begins at a token.
    fn is_function_at(&self, at: usize) -> bool {
        let token = self.token_at(at);
        let behind = match token.kind {
            Kind::Name => at,
            Kind::Open if self.spelling(token) == "(" => token.mate as usize,
            _ => return false,
        };
        self.spelling(self.token_at(behind + 1)) == "=>"
    }

    /// The token after the next comma of a statement; 0 if the statement ends before.
    fn behind_comma(&self, from: usize) -> usize {
        let mut at = from;
        loop {
            let token = self.token_at(at);
            at = match (token.kind, self.spelling(token)) {
                (Kind::Open, _) => token.mate as usize + 1,
                (Kind::Mark, ",") => return at + 1,
                (Kind::Close | Kind::End, _) | (Kind::Mark, ";") => return 0,
                (Kind::Name, "const" | "let" | "var" | "return" | "if") if token.on_new_line => {
                    return 0;
                }
                _ => at + 1,
            };
        }
    }

    /// Reads a name or a pattern of a `const`, and its value.
    fn declare(
        &mut self,
        start: u32,
        before: Vec<Binding<'s>>,
        group: Option<Group>,
    ) -> Result<Next, Wrong> {
        let mut pattern = Vec::new();
        let name = self.target(&mut pattern)?;
        if !self.take("=") {
            if self.is(0, "of") || self.is(0, "in") {
                return self.unexpected();
            }
            let hint = "write const x = 1; x + 1";
            return self.unparsable(self.token(0).start, "a name lacks its value", hint);
        }
        let at = self.at;
        self.defaults(pattern, 0, Then::Value { start, name, before, at, group })
    }

    /// `if (`, at the beginning of a statement or of an operand.
    pub(super) fn begin_if(&mut self, is_statement: bool) -> Result<Next, Wrong> {
        let start = self.token(0).start;
        self.at += 1;
        if !self.is(0, "(") {
            let hint = "write if (a > 1) b else c, or a > 1 ? b : c";
            return self.unparsable(start, "the condition of `if` stands in parentheses", hint);
        }
        self.at += 1;
        self.enter(Frame::Test { start, is_statement });
        Ok(Next::Operand)
    }

    /// Begins one side of a choice.
    pub(super) fn branch(&mut self) -> Result<Next, Wrong> {
        let is_statement = matches!(
            self.frames.last(),
            Some(Frame::Then { is_statement: true, .. } | Frame::Else { is_statement: true, .. })
        );
        if self.is(0, "{") && !self.is_record() {
            let open = self.here();
            self.at += 1;
            self.begin_block(Some(open));
            return Ok(Next::Statement);
        }
        if self.is(0, "if") && is_statement {
            return self.begin_if(true);
        }
        if self.is(0, "return") {
            if !is_statement {
                let start = self.token(0).start;
                let hint = "write const y = a > 1 ? b : c; y";
                return self.unparsable(start, "`return` must be a statement of its own", hint);
            }
            self.at += 1;
            self.frames.push(Frame::Result { returns: true });
        } else if is_statement {
            self.frames.push(Frame::Result { returns: false });
        }
        Ok(Next::Operand)
    }

    /// Whether a brace begins a record where statements could stand.
    pub(super) fn is_record(&self) -> bool {
        let (first, second) = (self.token(1), self.token(2));
        match first.kind {
            Kind::Name | Kind::Text | Kind::Number => {
                second.kind == Kind::Mark && matches!(self.spelling(second), ":")
                    || first.kind == Kind::Name && self.is(2, ",")
            }
            Kind::Mark => self.is(1, "..."),
            Kind::Open => {
                let behind = self.token_at(first.mate as usize + 1);
                self.is(1, "[") && behind.kind == Kind::Mark && self.spelling(behind) == ":"
            }
            _ => false,
        }
    }

    /// The value of a statement, or of a side of a choice, has been read; whether it returns.
    pub(super) fn settled(&mut self, value: Id, returns: bool) -> Result<Next, Wrong> {
        let Some(frame) = self.frames.pop() else { return Ok(Next::Done(value)) };
        match frame {
            Frame::Result { returns } => self.settle_statement(value, returns),
            Frame::Value { start, names, pattern, before, group } => {
                self.end_declaration(start, names, pattern, (before, value, group))
            }
            Frame::Default { pattern, next, then } => self.end_default(pattern, next, then, value),
            Frame::Then { start, is_statement, test } => {
                if is_statement && self.is(0, ";") && self.is(1, "else") {
                    self.at += 1;
                }
                if self.take("else") {
                    self.frames.push(Frame::Else {
                        start,
                        is_statement,
                        test,
                        then: value,
                        returns,
                    });
                    return self.branch();
                }
                if !is_statement {
                    let hint = "write if (a > 1) b else c, or a > 1 ? b : c";
                    return self.malformed(start, "an `if` without `else` has no value", hint);
                }
                self.end_if(start, test, value, returns)
            }
            Frame::Else { start, is_statement, test, then, returns: before } => {
                let span = self.since(start);
                let id = self.tree.form(Form::If, &[test, then, value], span);
                if is_statement {
                    return Ok(Next::Settled(id, returns && before));
                }
                Ok(Next::Operator(id))
            }
            Frame::Block(block) => {
                self.frames.push(Frame::Block(block));
                self.settle_statement(value, returns)
            }
            frame => {
                self.frames.push(frame);
                self.unexpected()
            }
        }
    }

    /// A statement ends here, if it can.
    fn settle_statement(&mut self, value: Id, returns: bool) -> Result<Next, Wrong> {
        let token = self.token(0);
        let ends = token.kind == Kind::End
            || token.kind == Kind::Close
            || token.on_new_line
            || self.is(0, ";")
            || self.is(0, "else")
            || self.end_is_brace();
        if !ends {
            return self.unexpected();
        }
        let Some(Frame::Block(block)) = self.frames.last_mut() else {
            return Ok(Next::Settled(value, returns));
        };
        if token.kind == Kind::Close
            && block.open.is_none_or(|open| {
                self.tokens.get(open as usize).is_none_or(|it| it.mate as usize != self.at)
            })
        {
            return self.unexpected();
        }
        block.value = Some((value, returns));
        Ok(Next::Statement)
    }

    fn end_is_brace(&self) -> bool {
        let before = self.token_at(self.at.saturating_sub(1));
        before.kind == Kind::Close
            && self.spelling(before) == "}"
            && matches!(self.frames.last(), Some(Frame::Block(_)))
    }

    /// An `if` without `else`: the next statements are its other branch.
    fn end_if(&mut self, start: u32, test: Id, then: Id, returns: bool) -> Result<Next, Wrong> {
        let is_last = self.is_last();
        let Some(Frame::Block(block)) = self.frames.last_mut() else {
            let hint = "write if (a > 1) b else c";
            return self.malformed(start, "an `if` without `else` has no value", hint);
        };
        if is_last || !returns {
            let hint = "write if (a > 1) return b; c, or a > 1 ? b : c";
            let message = if is_last {
                "an `if` without `else` has no value"
            } else {
                "the value of this `if` is not used"
            };
            return self.malformed(start, message, hint);
        }
        block.done.push(Statement::If { start, test, then });
        Ok(Next::Statement)
    }

    /// Whether nothing follows in this block.
    fn is_last(&self) -> bool {
        let mut at = self.at;
        while self.spelling(self.token_at(at)) == ";" && self.token_at(at).kind == Kind::Mark {
            at += 1;
        }
        matches!(self.token_at(at).kind, Kind::Close | Kind::End)
    }

    fn end_declaration(
        &mut self,
        start: u32,
        names: Vec<Words<'s>>,
        pattern: Pattern<'s>,
        (mut before, value, mut group): (Vec<Binding<'s>>, Id, Option<Group>),
    ) -> Result<Next, Wrong> {
        self.leave();
        for name in names {
            match &mut group {
                Some(group) => {
                    group.is_recursive |= self.scope.is_used_from(group.binding);
                    group.binding += 1;
                }
                None => self.scope.bind(&name),
            }
            before.push((name, value));
        }
        self.bind_targets(&pattern);
        let bindings = self.bindings(pattern);
        before.extend(bindings);
        if self.take(",") {
            return self.declare(start, before, group);
        }
        let token = self.token(0);
        if !(self.is(0, ";") || token.on_new_line || matches!(token.kind, Kind::End | Kind::Close))
        {
            return self.unexpected();
        }
        if let Some(Frame::Block(block)) = self.frames.last_mut() {
            let is_recursive = group.is_some_and(|group| group.is_recursive);
            block.done.push(Statement::Let { start, bindings: before, is_recursive });
        }
        Ok(Next::Statement)
    }

    fn end_block(&mut self) -> Result<Next, Wrong> {
        let Some(Frame::Block(block)) = self.frames.pop() else { return self.unexpected() };
        self.leave();
        self.scope.cut(block.scope);
        let end = self.end();
        let start = block.open.map_or(0, |open| self.token_at(open as usize).start);
        self.at += usize::from(block.open.is_some());
        let Some((mut value, returns)) = block.value else {
            let (message, hint) = match block.done.last() {
                Some(Statement::Let { .. }) => {
                    ("a value is missing after the names", "write const x = 1; x + 1")
                }
                Some(Statement::If { .. }) => (
                    "an `if` without `else` has no value",
                    "write if (a > 1) return b; c, or a > 1 ? b : c",
                ),
                None if block.open.is_some() => {
                    ("the braces are empty", "write ({}) for the empty record")
                }
                None => ("the text is empty", "write a term, such as 1 + 2"),
            };
            if block.done.is_empty() {
                return self.unparsable(start, message, hint);
            }
            return self.malformed(start, message, hint);
        };
        for statement in block.done.into_iter().rev() {
            value = match statement {
                Statement::Let { start, bindings, is_recursive } => {
                    let form = if is_recursive { Form::Letrec } else { Form::Let };
                    self.binding(form, bindings, value, (start, end))
                }
                Statement::If { start, test, then } => {
                    self.tree.form(Form::If, &[test, then, value], (start, end))
                }
            };
        }
        if block.open.is_none() {
            return Ok(Next::Done(value));
        }
        let is_side = matches!(
            self.frames.last(),
            Some(Frame::Then { .. } | Frame::Else { .. } | Frame::Block(_))
        );
        if is_side { Ok(Next::Settled(value, returns)) } else { Ok(Next::Operator(value)) }
    }

    /// A body in which names are bound.
    pub(super) fn bound(&mut self, bindings: Vec<Binding<'s>>, body: Id, span: (u32, u32)) -> Id {
        self.binding(Form::Let, bindings, body, span)
    }

    fn binding(
        &mut self,
        form: Form,
        bindings: Vec<Binding<'s>>,
        body: Id,
        span: (u32, u32),
    ) -> Id {
        let (names, mut operands): (Vec<Words<'s>>, Vec<Id>) = bindings.into_iter().unzip();
        operands.push(body);
        self.tree.named(form, &operands, names.into(), span)
    }
}
