//! A program as JavaScript: expressions, statements and patterns in arenas, each with its place in
//! the text. What it means as a term is not known here.

use crate::tree::Words;
use pif_core::limits::to_u32;

/// An expression in the arena.
pub(crate) type ExprId = u32;
/// A statement in the arena.
pub(crate) type StmtId = u32;
/// A pattern in the arena.
pub(crate) type PatternId = u32;
/// A function in the arena.
pub(crate) type FunctionId = u32;

/// Where something is in the text: its first byte, and the one behind its last.
pub(crate) type Span = (u32, u32);

/// An expression.
#[derive(Debug)]
pub(crate) struct Expr<'s> {
    pub(crate) what: What<'s>,
    pub(crate) span: Span,
    /// Whether parentheses stand around it.
    pub(crate) in_parentheses: bool,
}

/// The content of an expression.
#[derive(Debug)]
pub(crate) enum What<'s> {
    /// `null`, `undefined`, `void 0`.
    Null,
    Boolean(bool),
    /// A number as JSON writes it.
    Number(Words<'s>),
    Text(Words<'s>),
    /// `/pattern/flags`
    Regex {
        pattern: &'s str,
        flags: &'s str,
    },
    /// Texts and holes of a template, in order; empty texts are left out.
    Template(Vec<ExprId>),
    Name(&'s str),
    /// `@tool`
    Tool(Words<'s>),
    /// `self`, as a value or as a function.
    List(Vec<Item>),
    Record(Vec<Member<'s>>),
    Function(FunctionId),
    Unary {
        operator: Unary,
        operand: ExprId,
    },
    /// An operator between two operands; `a + b + c` is `(a + b) + c`.
    Binary {
        operator: Binary,
        left: ExprId,
        right: ExprId,
    },
    /// `test ? then : otherwise`, and `if (test) then else otherwise` as an operand.
    Conditional {
        test: ExprId,
        then: ExprId,
        otherwise: ExprId,
    },
    /// `target = value`, or with an operator before the `=`.
    Assign {
        target: PatternId,
        operator: Option<Binary>,
        value: ExprId,
    },
    /// `++x`, `x--`.
    Update {
        target: PatternId,
        increases: bool,
        is_prefix: bool,
    },
    /// `object.name`, `object?.name`
    Member {
        object: ExprId,
        name: &'s str,
        name_at: u32,
        is_optional: bool,
    },
    /// `object[index]`, `object?.[index]`
    Index {
        object: ExprId,
        index: ExprId,
        is_optional: bool,
    },
    /// `callee(…)`, `callee?.(…)`
    Call {
        callee: ExprId,
        arguments: Vec<Item>,
        is_optional: bool,
    },
    /// `new Name(…)`
    New {
        name: &'s str,
        arguments: Vec<Item>,
    },
    /// `a, b`
    Sequence(Vec<ExprId>),
    Await(ExprId),
    /// `x |> f |> g`
    Pipe(Vec<ExprId>),
    /// `json(…)`: JSON from one byte to another.
    Json(u32, u32),
    /// `if(test, then, else)`: the strict form of the calculus.
    StrictIf([ExprId; 3]),
}

/// An element of a list, or an argument; nothing for a hole in `[, x]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Item {
    pub(crate) value: ExprId,
    /// Behind `...`.
    pub(crate) is_spread: bool,
}

/// A member of a record.
#[derive(Debug)]
pub(crate) enum Member<'s> {
    /// `k: t`, `"k": t`, `k`, `k(…) { … }`
    Named { name: Words<'s>, value: ExprId },
    /// `[k]: t`
    Computed { key: ExprId, value: ExprId },
    /// `...t`
    Spread(ExprId),
}

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unary {
    Not,
    Minus,
    Plus,
    BitNot,
    Typeof,
    Void,
    Delete,
}

/// An operator between operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
    Eq,
    NotEq,
    Lt,
    Lte,
    Gt,
    Gte,
    And,
    Or,
    Nullish,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    ShiftRightUnsigned,
    In,
    Instanceof,
}

/// A function: an arrow, `function`, or a method of a record.
#[derive(Debug)]
pub(crate) struct Function<'s> {
    /// The name behind `function`, if there is one.
    pub(crate) name: Option<&'s str>,
    pub(crate) parameters: Vec<Element>,
    /// Behind `...`.
    pub(crate) rest: Option<PatternId>,
    pub(crate) body: Body,
    pub(crate) span: Span,
}

/// The body of a function.
#[derive(Debug)]
pub(crate) enum Body {
    Expression(ExprId),
    Block(Vec<StmtId>),
}

/// A pattern, and the default for what is absent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub(crate) pattern: PatternId,
    pub(crate) default: Option<ExprId>,
}

/// The target of a binding or an assignment.
#[derive(Debug)]
pub(crate) struct Pattern<'s> {
    pub(crate) what: Target<'s>,
    pub(crate) span: Span,
}

/// The content of a pattern.
#[derive(Debug)]
pub(crate) enum Target<'s> {
    Name(&'s str),
    /// `[a, , b = 1, ...rest]`
    List {
        elements: Vec<Option<Element>>,
        rest: Option<PatternId>,
    },
    /// `{a, b: c = 1, [k]: d, ...rest}`
    Record {
        members: Vec<(Key<'s>, Element)>,
        rest: Option<PatternId>,
    },
    /// A member or an index, which only an assignment has: a `Member` or an `Index` expression.
    Path(ExprId),
}

/// The key of a member of a pattern.
#[derive(Debug)]
pub(crate) enum Key<'s> {
    Named(Words<'s>),
    Computed(ExprId),
}

/// A statement.
#[derive(Debug)]
pub(crate) struct Stmt<'s> {
    pub(crate) what: Statement<'s>,
    pub(crate) span: Span,
}

/// A case of a `switch`, without a test the default, and its statements.
pub(crate) type Case = (Option<ExprId>, Vec<StmtId>);

/// The content of a statement.
#[derive(Debug)]
pub(crate) enum Statement<'s> {
    Empty,
    Expression(ExprId),
    /// `const`, `let`, `var`: each name with its value.
    Declare {
        kind: Kind,
        names: Vec<(PatternId, Option<ExprId>)>,
    },
    /// `function f(…) { … }`
    Function(FunctionId),
    Return(Option<ExprId>),
    If {
        test: ExprId,
        then: StmtId,
        otherwise: Option<StmtId>,
    },
    /// `for (begin; test; update) body`; `begin` is a declaration or an expression.
    For {
        begin: Option<StmtId>,
        test: Option<ExprId>,
        update: Option<ExprId>,
        body: StmtId,
    },
    /// `for (pattern of list) body`; whether the pattern is declared here, and how.
    ForOf {
        kind: Option<Kind>,
        pattern: PatternId,
        list: ExprId,
        body: StmtId,
    },
    ForIn {
        kind: Option<Kind>,
        pattern: PatternId,
        record: ExprId,
        body: StmtId,
    },
    While {
        test: ExprId,
        body: StmtId,
    },
    DoWhile {
        body: StmtId,
        test: ExprId,
    },
    Break(Option<&'s str>),
    Continue(Option<&'s str>),
    Throw(ExprId),
    Try {
        body: Vec<StmtId>,
        handler: Option<(Option<PatternId>, Vec<StmtId>)>,
        finally: Option<Vec<StmtId>>,
    },
    /// The value, and each case with its test, or none for `default`.
    Switch {
        value: ExprId,
        cases: Vec<Case>,
    },
    Block(Vec<StmtId>),
    Labeled(&'s str, StmtId),
}

impl Statement<'_> {
    /// Tells whether the statement is a loop.
    pub(crate) fn is_loop(&self) -> bool {
        matches!(
            self,
            Self::For { .. }
                | Self::ForOf { .. }
                | Self::ForIn { .. }
                | Self::While { .. }
                | Self::DoWhile { .. }
        )
    }
}

/// The word of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Const,
    Let,
    Var,
}

/// The arenas of a program.
#[derive(Debug, Default)]
pub(crate) struct Ast<'s> {
    pub(crate) exprs: Vec<Expr<'s>>,
    pub(crate) stmts: Vec<Stmt<'s>>,
    pub(crate) patterns: Vec<Pattern<'s>>,
    pub(crate) functions: Vec<Function<'s>>,
    /// The statements of the program. One that is an expression alone is its value.
    pub(crate) program: Vec<StmtId>,
}

impl<'s> Ast<'s> {
    pub(crate) fn expr(&self, id: ExprId) -> &Expr<'s> {
        self.exprs.get(id as usize).unwrap_or(&NOTHING)
    }

    pub(crate) fn stmt(&self, id: StmtId) -> &Stmt<'s> {
        self.stmts.get(id as usize).unwrap_or(&EMPTY)
    }

    pub(crate) fn pattern(&self, id: PatternId) -> &Pattern<'s> {
        self.patterns.get(id as usize).unwrap_or(&UNNAMED)
    }

    pub(crate) fn function(&self, id: FunctionId) -> &Function<'s> {
        self.functions.get(id as usize).unwrap_or(&NOBODY)
    }

    /// Lists a pattern and all patterns within it. Each comes before its parts, and the last part
    /// comes first.
    fn with_parts(&self, pattern: PatternId) -> Vec<PatternId> {
        let mut found = Vec::new();
        let mut open = vec![pattern];
        while let Some(id) = open.pop() {
            found.push(id);
            match &self.pattern(id).what {
                Target::Name(_) | Target::Path(_) => {}
                Target::List { elements, rest } => {
                    open.extend(elements.iter().flatten().map(|element| element.pattern));
                    open.extend(rest);
                }
                Target::Record { members, rest } => {
                    open.extend(members.iter().map(|(_, element)| element.pattern));
                    open.extend(rest);
                }
            }
        }
        found
    }

    /// Lists the names and the paths of a pattern, from the last to the first.
    pub(crate) fn leaves(&self, pattern: PatternId) -> impl Iterator<Item = PatternId> {
        self.with_parts(pattern)
            .into_iter()
            .filter(|id| matches!(self.pattern(*id).what, Target::Name(_) | Target::Path(_)))
    }

    /// Lists the expressions in a pattern: defaults, computed keys, and paths. The expressions of a
    /// pattern come before those of its parts, and the last part comes first.
    pub(crate) fn expressions_in(&self, pattern: PatternId) -> Vec<ExprId> {
        let mut found = Vec::new();
        for id in self.with_parts(pattern) {
            match &self.pattern(id).what {
                Target::Name(_) => {}
                Target::Path(path) => found.push(*path),
                Target::List { elements, .. } => {
                    found.extend(elements.iter().flatten().filter_map(|element| element.default));
                }
                Target::Record { members, .. } => {
                    for (key, element) in members {
                        if let Key::Computed(key) = key {
                            found.push(*key);
                        }
                        found.extend(element.default);
                    }
                }
            }
        }
        found
    }

    pub(crate) fn add_expr(&mut self, what: What<'s>, span: Span) -> ExprId {
        self.exprs.push(Expr { what, span, in_parentheses: false });
        to_u32(self.exprs.len() - 1)
    }

    pub(crate) fn add_stmt(&mut self, what: Statement<'s>, span: Span) -> StmtId {
        self.stmts.push(Stmt { what, span });
        to_u32(self.stmts.len() - 1)
    }

    pub(crate) fn add_pattern(&mut self, what: Target<'s>, span: Span) -> PatternId {
        self.patterns.push(Pattern { what, span });
        to_u32(self.patterns.len() - 1)
    }

    pub(crate) fn add_function(&mut self, function: Function<'s>) -> FunctionId {
        self.functions.push(function);
        to_u32(self.functions.len() - 1)
    }
}

/// The stand-in for an id that no arena has; no program has one.
static NOTHING: Expr<'static> = Expr { what: What::Null, span: (0, 0), in_parentheses: false };
static EMPTY: Stmt<'static> = Stmt { what: Statement::Empty, span: (0, 0) };
static UNNAMED: Pattern<'static> = Pattern { what: Target::Name(""), span: (0, 0) };
static NOBODY: Function<'static> = Function {
    name: None,
    parameters: Vec::new(),
    rest: None,
    body: Body::Block(Vec::new()),
    span: (0, 0),
};
