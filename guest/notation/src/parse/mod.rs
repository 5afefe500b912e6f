//! Tokens to terms. What is begun and not finished stands on a stack of frames; nothing is read
//! twice: whether a parenthesis begins the parameters of a function is told by what stands behind
//! the one that closes it.

pub(crate) mod call;
pub(crate) mod container;
pub(crate) mod forms;
pub(crate) mod function;
pub(crate) mod operand;
pub(crate) mod operator;
pub(crate) mod pattern;
pub(crate) mod record;
pub(crate) mod scope;
pub(crate) mod statement;
pub(crate) mod target;
pub(crate) mod template;
pub(crate) mod wrong;

use crate::lexer::{Kind, Token, Wrong, tokens};
use crate::table::Operator;
use crate::tree::{Id, Tree, Words};
use pif_core::limits::to_u32;
use pif_core::numbers::Numbers;
use pif_language::form::Form;
use scope::Scope;
use target::{Binding, Group, Pattern, Then};

/// The callee of a call.
#[derive(Debug)]
pub(super) enum Callee<'s> {
    /// A value.
    Value(Id),
    /// A form by its name or an alias.
    Name(&'s str),
    /// A member, which may be a form's name.
    Member { subject: Id, name: &'s str, is_optional: bool },
}

/// A part of a list, or of a call: whether its elements are spread.
pub(super) type Part = (Id, bool);

/// A member of a record.
#[derive(Debug)]
pub(super) enum Field<'s> {
    Named(Words<'s>, Id),
    Computed(Id, Id),
    Spread(Id),
}

/// The kind of the next value in a record.
#[derive(Debug)]
pub(super) enum Key<'s> {
    Named(Words<'s>),
    /// The key itself is what is read.
    Open,
    Computed(Id),
    Spread,
}

/// A construct that has begun and waits for a value.
#[derive(Debug)]
pub(super) enum Frame<'s> {
    /// An operator and its left operand; whether a pipe was open there.
    Infix {
        row: &'static Operator,
        operands: Vec<Id>,
        in_pipe: bool,
    },
    /// `!`, or `-`.
    Prefix {
        form: Form,
        start: u32,
    },
    /// Between `?` and `:`.
    Middle {
        test: Id,
    },
    /// Behind `:`.
    Choice {
        test: Id,
        then: Id,
    },
    /// Behind `=>`.
    Arrow {
        names: Vec<Words<'s>>,
        bindings: Vec<Binding<'s>>,
        start: u32,
        in_pipe: bool,
    },
    Group {
        open: u32,
    },
    List {
        open: u32,
        parts: Vec<Part>,
        is_spread: bool,
    },
    Record {
        open: u32,
        fields: Vec<Field<'s>>,
        key: Key<'s>,
    },
    Call {
        open: u32,
        start: u32,
        callee: Callee<'s>,
        parts: Vec<Part>,
        is_spread: bool,
    },
    Index {
        open: u32,
        target: Id,
        is_optional: bool,
    },
    Template {
        open: u32,
        parts: Vec<Id>,
    },
    /// The condition of an `if`; whether it begins a statement.
    Test {
        start: u32,
        is_statement: bool,
    },
    /// The branch for a true condition.
    Then {
        start: u32,
        is_statement: bool,
        test: Id,
    },
    /// The other branch; whether the first one returned.
    Else {
        start: u32,
        is_statement: bool,
        test: Id,
        then: Id,
        returns: bool,
    },
    /// Statements: between braces, or all.
    Block(Block<'s>),
    /// The value of a `const`.
    Value {
        start: u32,
        names: Vec<Words<'s>>,
        pattern: Pattern<'s>,
        before: Vec<Binding<'s>>,
        group: Option<Group>,
    },
    /// The value that a statement returns or has.
    Result {
        returns: bool,
    },
    /// The default of a name of a pattern.
    Default {
        pattern: Pattern<'s>,
        next: usize,
        then: Then<'s>,
    },
}

/// Statements as far as they have been read.
#[derive(Debug)]
pub(super) struct Block<'s> {
    /// The brace; none around the whole.
    pub(super) open: Option<u32>,
    pub(super) done: Vec<Statement<'s>>,
    /// The value, and whether it was returned.
    pub(super) value: Option<(Id, bool)>,
    pub(super) scope: usize,
    /// The token at which the last statement began.
    pub(super) last: usize,
}

/// A statement before the last.
#[derive(Debug)]
pub(super) enum Statement<'s> {
    Let {
        start: u32,
        bindings: Vec<Binding<'s>>,
        is_recursive: bool,
    },
    /// `if (test) return then;`
    If {
        start: u32,
        test: Id,
        then: Id,
    },
}

/// The part to read next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    Operand,
    /// An operator or an end, after a value.
    Operator(Id),
    /// The rest after a value that no operator follows.
    Deliver(Id),
    Statement,
    /// The rest after the value of a statement; whether it returns.
    Settled(Id, bool),
    Done(Id),
}

pub(crate) struct Parser<'s> {
    pub(super) source: &'s str,
    pub(super) tokens: Vec<Token>,
    /// The next token.
    pub(super) at: usize,
    pub(super) tree: Tree<'s>,
    pub(super) frames: Vec<Frame<'s>>,
    pub(super) scope: Scope,
    /// Whether an arrow that begins here ends at the next `|>`; and that around each bracket.
    pub(super) in_pipe: bool,
    pub(super) pipes: Vec<bool>,
    pub(super) made: u32,
    /// Numbers of names that the text has.
    numbered: Numbers,
}

/// Reads a text in which some names are variables already.
pub(crate) fn parse<'s>(source: &'s str, free: &[&'s str]) -> Result<(Tree<'s>, Id), Wrong> {
    let tokens = tokens(source)?;
    let mut parser = Parser {
        source,
        tokens,
        at: 0,
        tree: Tree::default(),
        frames: Vec::new(),
        scope: Scope::of(free),
        in_pipe: false,
        pipes: Vec::new(),
        made: 0,
        numbered: numbered(source),
    };
    parser.begin_block(None);
    let mut next = Next::Statement;
    loop {
        next = match next {
            Next::Operand => parser.operand()?,
            Next::Operator(value) => parser.operator(value)?,
            Next::Deliver(value) => parser.deliver(value)?,
            Next::Statement => parser.statement()?,
            Next::Settled(value, returns) => parser.settled(value, returns)?,
            Next::Done(root) => return Ok((parser.tree, root)),
        };
    }
}

impl<'s> Parser<'s> {
    pub(super) fn token(&self, ahead: usize) -> Token {
        self.token_at(self.at + ahead)
    }

    pub(super) fn token_at(&self, at: usize) -> Token {
        let last = self.tokens.last().copied();
        self.tokens.get(at).copied().or(last).unwrap_or(Token {
            kind: Kind::End,
            on_new_line: false,
            start: 0,
            end: 0,
            mate: 0,
        })
    }

    /// The characters of a token.
    pub(super) fn spelling(&self, token: Token) -> &'s str {
        self.source.get(token.start as usize..token.end as usize).unwrap_or_default()
    }

    /// Whether a token is this mark, word or bracket.
    pub(super) fn is(&self, ahead: usize, text: &str) -> bool {
        let token = self.token(ahead);
        !matches!(token.kind, Kind::Text | Kind::Piece | Kind::End) && self.spelling(token) == text
    }

    /// Passes a token if it is this one.
    pub(super) fn take(&mut self, text: &str) -> bool {
        let is_here = self.is(0, text);
        self.at += usize::from(is_here);
        is_here
    }

    /// Where the token before the next one ends.
    pub(super) fn end(&self) -> u32 {
        self.token_at(self.at.saturating_sub(1)).end
    }

    /// From a byte to the end of the last token.
    pub(super) fn since(&self, start: u32) -> (u32, u32) {
        (start, self.end())
    }

    /// Begins what ends with a bracket.
    pub(super) fn enter(&mut self, frame: Frame<'s>) {
        self.pipes.push(std::mem::take(&mut self.in_pipe));
        self.frames.push(frame);
    }

    /// Ends it.
    pub(super) fn leave(&mut self) {
        self.in_pipe = self.pipes.pop().unwrap_or_default();
    }

    /// Whether the next token is the bracket that matches the one at `open`.
    pub(super) fn is_end_of(&self, open: u32) -> bool {
        self.at == self.token_at(open as usize).mate as usize
    }

    /// The token that is next, as brackets remember it.
    pub(super) fn here(&self) -> u32 {
        to_u32(self.at)
    }

    /// Makes a name that the text does not have.
    pub(super) fn make_name(&mut self) -> Words<'s> {
        loop {
            self.made += 1;
            if !self.numbered.has(self.made) {
                return format!("_{}", self.made).into();
            }
        }
    }
}

/// The numbers after a `_` in a text.
fn numbered(text: &str) -> Numbers {
    let mut numbers = Numbers::default();
    for rest in text.split('_').skip(1) {
        let end = rest.bytes().take_while(u8::is_ascii_digit).count();
        if let Some(number) = rest.get(..end).and_then(|digits| digits.parse().ok()) {
            numbers.add(number);
        }
    }
    numbers
}
