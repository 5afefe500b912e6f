//! What begins an operand.

use crate::lexer::{Kind, Token, Wrong};
use crate::mistakes::{CALLS, HABITS, find};
use crate::parse::{Callee, Frame, Key, Next, Parser};
use crate::table::{self, How, RESERVED};
use crate::tree::{Id, Manner, Tree, What};
use pif_language::form::Form;

/// Names before a point that are no variables.
const SPACES: [&str; 8] = ["Math", "JSON", "Object", "Array", "Number", "String", "math", "json"];

impl<'s> Parser<'s> {
    pub(super) fn operand(&mut self) -> Result<Next, Wrong> {
        let token = self.token(0);
        let span = (token.start, token.end);
        match token.kind {
            Kind::Number => {
                self.at += 1;
                let number = number(self.spelling(token), false);
                Ok(Next::Operator(self.tree.number(number, span)))
            }
            Kind::Text => {
                self.at += 1;
                let text = self.unquote(token.start + 1, token.end - 1)?;
                Ok(Next::Operator(self.tree.text(text, span)))
            }
            Kind::Name => self.name(token),
            Kind::Open => self.bracket(token),
            Kind::Mark => self.prefix(token),
            _ => self.no_operand(),
        }
    }

    fn prefix(&mut self, token: Token) -> Result<Next, Wrong> {
        let start = token.start;
        match self.spelling(token) {
            "-" if self.token(1).kind == Kind::Number => {
                let digits = self.token(1);
                self.at += 2;
                let number = number(self.spelling(digits), true);
                let id = self.tree.number(number, (start, digits.end));
                self.tree.set_manner(id, Manner::Negative);
                return Ok(Next::Operator(id));
            }
            "-" => self.frames.push(Frame::Prefix { form: Form::Neg, start }),
            "!" | "!!" => {
                self.frames.push(Frame::Prefix { form: Form::Not, start });
                if self.spelling(token) == "!!" {
                    self.frames.push(Frame::Prefix { form: Form::Not, start: start + 1 });
                }
            }
            "@" => return self.tool(token),
            _ => return self.no_operand(),
        }
        self.at += 1;
        Ok(Next::Operand)
    }

    /// `@name` or `@"name"`.
    fn tool(&mut self, token: Token) -> Result<Next, Wrong> {
        let name = self.token(1);
        let text = match name.kind {
            Kind::Name => self.spelling(name).into(),
            Kind::Text => self.unquote(name.start + 1, name.end - 1)?,
            _ => return self.no_operand_at(token),
        };
        self.at += 2;
        let dash = self.token(0);
        if name.kind == Kind::Name
            && self.is(0, "-")
            && dash.start == name.end
            && self.token(1).kind == Kind::Name
            && self.token(1).start == dash.end
        {
            let hint =
                format!("write @\"{}-{}\"", self.spelling(name), self.spelling(self.token(1)));
            return self.unparsable(token.start, "a tool's name with `-` stands in quotes", &hint);
        }
        let text = self.tree.text(text, (name.start, name.end));
        Ok(Next::Operator(self.tree.form(Form::Tool, &[text], (token.start, name.end))))
    }

    fn no_operand_at(&self, token: Token) -> Result<Next, Wrong> {
        match find(HABITS, self.spelling(token)) {
            Some(habit) => self.habit(token, habit),
            None => self.no_operand(),
        }
    }

    fn bracket(&mut self, token: Token) -> Result<Next, Wrong> {
        let open = self.here();
        let is_empty = token.mate == open + 1;
        match self.spelling(token) {
            "(" => {
                let behind = self.token_at(token.mate as usize + 1);
                if behind.kind == Kind::Mark && self.spelling(behind) == "=>" {
                    return self.parameters();
                }
                if is_empty {
                    let hint = "write () => 1 for a function of nothing, null for no value";
                    return self.unparsable(token.start, "the parentheses are empty", hint);
                }
                self.at += 1;
                self.enter(Frame::Group { open });
                Ok(Next::Operand)
            }
            "[" => {
                self.at += 1;
                self.enter(Frame::List { open, parts: Vec::new(), is_spread: false });
                self.next_part(open)
            }
            "{" if self.is_block() => {
                self.at += 1;
                self.begin_block(Some(open));
                Ok(Next::Statement)
            }
            "{" => {
                self.at += 1;
                self.enter(Frame::Record { open, fields: Vec::new(), key: Key::Open });
                self.next_field()
            }
            _ => {
                self.at += 1;
                self.enter(Frame::Template { open, parts: Vec::new() });
                self.pieces()
            }
        }
    }

    /// Whether a brace begins statements and no record: a word that begins one stands after it.
    pub(super) fn is_block(&self) -> bool {
        let word = self.token(1);
        let behind = self.token(2);
        let is_statement = word.kind == Kind::Name
            && matches!(self.spelling(word), "const" | "let" | "var" | "return" | "if")
            && !matches!(self.spelling(behind), ":" | "," | "}");
        is_statement || word.kind == Kind::Open && self.spelling(word) == "{"
    }

    fn name(&mut self, token: Token) -> Result<Next, Wrong> {
        let (name, span) = (self.spelling(token), (token.start, token.end));
        if self.is(1, "=>") {
            return self.arrow();
        }
        let what = match name {
            "true" => What::Boolean(true),
            "false" => What::Boolean(false),
            "null" | "undefined" => What::Null,
            "if" => return self.begin_if(false),
            _ if RESERVED.contains(&name) => {
                let hint = "write const x = 1; x + 1: a statement stands at the beginning, or in braces after an arrow";
                return self.unparsable(token.start, &format!("`{name}` begins no value"), hint);
            }
            _ => return self.word(token, name),
        };
        self.at += 1;
        Ok(Next::Operator(self.tree.add(what, span)))
    }

    /// A variable, or the name of a form.
    fn word(&mut self, token: Token, name: &'s str) -> Result<Next, Wrong> {
        let span = (token.start, token.end);
        let is_called = self.is(1, "(") && self.token(1).kind == Kind::Open;
        if name == "json" && is_called && matches!(self.spelling(self.token(2)), "{" | "[") {
            return Ok(self.json());
        }
        let is_variable = self.scope.uses(name);
        if !is_variable {
            if let Some(next) = self.space(token, name)? {
                return Ok(next);
            }
            if is_called {
                self.at += 2;
                if !is_known(name) {
                    return self.no_function(token, name);
                }
                return self.begin_call(token.start, Callee::Name(name));
            }
            if self.token(1).kind == Kind::Name && !self.token(1).on_new_line {
                // A habit such as `new Date`, `for x in xs`, `lambda x: x`.
                self.at += 1;
                return self.unexpected();
            }
            if let Some(function) = self.function_of(name, span) {
                self.at += 1;
                return Ok(Next::Operator(function));
            }
            if matches!(
                name,
                "None"
                    | "True"
                    | "False"
                    | "NaN"
                    | "Infinity"
                    | "NULL"
                    | "TRUE"
                    | "FALSE"
                    | "lambda"
                    | "function"
                    | "this"
            ) && let Some(habit) = find(HABITS, name)
            {
                return self.habit(token, habit);
            }
        }
        self.at += 1;
        Ok(Next::Operator(self.tree.variable(name.into(), span)))
    }

    /// `Math.max`, `JSON.parse` and the like.
    fn space(&mut self, token: Token, name: &'s str) -> Result<Option<Next>, Wrong> {
        let member = self.token(2);
        if !self.is(1, ".") || member.kind != Kind::Name {
            return Ok(None);
        }
        let whole = self.source.get(token.start as usize..member.end as usize).unwrap_or_default();
        let span = (token.start, member.end);
        if !SPACES.contains(&name) && find(CALLS, whole).or(find(HABITS, whole)).is_none() {
            return Ok(None);
        }
        if self.is(3, "(") {
            if table::alias(whole).is_none() {
                return self.no_function(Token { end: member.end, ..token }, whole);
            }
            self.at += 4;
            return self.begin_call(token.start, Callee::Name(whole)).map(Some);
        }
        self.at += 3;
        if let Some(How::Number(digits)) = table::alias(whole) {
            return Ok(Some(Next::Operator(self.tree.number(digits, span))));
        }
        match self.function_of(whole, span) {
            Some(function) => Ok(Some(Next::Operator(function))),
            None => self.no_function(Token { end: member.end, ..token }, whole),
        }
    }

    /// `json({…})`: what stands between the parentheses is JSON, and nothing else looks at it.
    fn json(&mut self) -> Next {
        let (word, open) = (self.token(0), self.token(1));
        let close = self.token_at(open.mate as usize);
        self.at = open.mate as usize + 1;
        Next::Operator(self.tree.add(What::Json(open.end, close.start), (word.start, close.end)))
    }

    /// Begins a call whose opening parenthesis has been passed.
    pub(super) fn begin_call(&mut self, start: u32, callee: Callee<'s>) -> Result<Next, Wrong> {
        let open = self.here() - 1;
        self.enter(Frame::Call { open, start, callee, parts: Vec::new(), is_spread: false });
        self.next_part(open)
    }
}

/// A number as JSON writes it.
fn number(text: &str, is_negative: bool) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    if is_negative {
        out.push('-');
    }
    if text.starts_with('.') {
        out.push('0');
    }
    out.extend(text.chars().filter(|c| *c != '_'));
    out
}

impl<'s> Parser<'s> {
    /// The term, as one that closes itself.
    pub(super) fn closed(tree: &mut Tree<'s>, id: Id) -> Id {
        tree.set_manner(id, Manner::Closed);
        id
    }
}

/// Tells whether a form or a name of another language is called so.
fn is_known(name: &str) -> bool {
    table::form(name).is_some_and(table::is_called) || table::alias(name).is_some()
}
