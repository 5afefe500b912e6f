//! Control flow: lists of statements, their continuations, loops with their rounds, and join
//! points.

use crate::ast::{Ast, ExprId, Kind, PatternId, Span, StmtId};
use crate::lower::flow::{Flow, Key};
use crate::lower::resolve::VarId;
use crate::tree::{Id, Words};
use std::cell::RefCell;
use std::rc::Rc;

/// Statements in order.
#[derive(Clone, Debug)]
pub(super) struct List(Rc<[StmtId]>);

impl From<Vec<StmtId>> for List {
    fn from(list: Vec<StmtId>) -> Self {
        Self(list.into())
    }
}

impl List {
    pub(super) fn one(id: StmtId) -> Self {
        Self([id].into())
    }

    pub(super) fn none() -> Self {
        Self([].into())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn stmt(&self, at: usize) -> StmtId {
        self.0.get(at).copied().unwrap_or(StmtId::MAX)
    }

    pub(super) fn to_vec(&self) -> Vec<StmtId> {
        self.0.to_vec()
    }

    pub(super) fn iter_from(&self, at: usize) -> impl Iterator<Item = StmtId> {
        self.0.iter().skip(at).copied()
    }

    /// Gives the span from the beginning of a statement to the end of the last.
    pub(super) fn rest_span(&self, at: usize, ast: &Ast<'_>) -> Option<Span> {
        let first = self.0.get(at)?;
        let last = self.0.last()?;
        Some((ast.stmt(*first).span.0, ast.stmt(*last).span.1))
    }
}

/// A continuation: where control goes behind the last statement of a list.
#[derive(Clone, Debug)]
pub(super) enum After<'s> {
    /// The end of the program: the last expression is its value.
    Value,
    /// The end of a function: null.
    Null,
    /// The end of a part, which gives the variables that it has changed.
    State(Rc<[VarId]>),
    /// Other statements.
    Rest(List, usize, Rc<After<'s>>),
    /// A join point.
    Join(Rc<Join<'s>>),
    /// The continuation of a loop that gathers lists.
    Gathered(Gathered, Rc<After<'s>>),
    /// The end of a round that has changed its element.
    Changed(Elements, Rc<After<'s>>),
    /// The next round of a loop.
    Next(Rc<Round<'s>>),
}

impl After<'_> {
    /// Tells whether its term is small enough to be written twice.
    pub(super) fn is_small(&self) -> bool {
        match self {
            Self::Value | Self::Null | Self::State(_) | Self::Join(_) => true,
            Self::Next(round) => round.is_small,
            Self::Changed(_, after) => after.is_small(),
            Self::Rest(..) | Self::Gathered(..) => false,
        }
    }
}

/// A join point: a function that several branches call with the variables that they change.
#[derive(Debug)]
pub(super) struct Join<'s> {
    pub(super) name: Words<'s>,
    pub(super) vars: Rc<[VarId]>,
    /// The flow at the ends of all branches that lead here.
    pub(super) flow: RefCell<Option<Flow>>,
}

/// The continuation of branches, and the statements behind the join point that are still to be
/// lowered.
pub(super) struct Joined<'s> {
    pub(super) after: After<'s>,
    pub(super) rest: Option<(Rc<Join<'s>>, List, usize, After<'s>)>,
}

/// The targets of `break` and `continue` in a loop or a `switch`.
#[derive(Clone, Debug)]
pub(super) struct Jump<'s> {
    pub(super) label: Option<&'s str>,
    /// The target of `break`.
    pub(super) end: After<'s>,
    /// The target of `continue`; a `switch` has none.
    pub(super) next: Option<After<'s>>,
}

impl<'s> Jump<'s> {
    /// Makes the targets in a `switch`.
    pub(super) fn of_switch(end: After<'s>) -> Self {
        Self { label: None, end, next: None }
    }
}

/// The next round of a loop.
#[derive(Debug)]
pub(super) struct Round<'s> {
    pub(super) name: Words<'s>,
    /// The elements that are left.
    pub(super) rest: Option<Words<'s>>,
    /// The index of the element.
    pub(super) index: Option<Words<'s>>,
    /// The result of the elements so far.
    pub(super) given: Option<Words<'s>>,
    pub(super) vars: Rc<[VarId]>,
    pub(super) update: Option<ExprId>,
    /// The test behind a round, and the continuation if it fails.
    pub(super) test: Option<(ExprId, After<'s>)>,
    /// The flow at the end of a round.
    pub(super) flow: RefCell<Option<Flow>>,
    /// Whether the call of the next round is small enough to be written twice.
    pub(super) is_small: bool,
}

/// The end of a function that a member of a list calls for each element, where the call is a loop.
#[derive(Debug)]
pub(super) struct End<'s> {
    /// The name of the member.
    pub(super) what: &'static str,
    pub(super) round: Rc<Round<'s>>,
    pub(super) item: Words<'s>,
    pub(super) vars: Rc<[VarId]>,
    pub(super) elements: Option<Elements>,
}

/// Lists that a loop gathers.
pub(super) type Gathered = Rc<[VarId]>;

/// A list whose elements a loop changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements {
    pub(super) list: VarId,
    pub(super) item: VarId,
    /// Levels of an element that nobody else sees.
    pub(super) own: u8,
}

/// A record, a map or a list whose members a loop changes, where the loop goes over its keys.
#[derive(Clone, Debug)]
pub(super) struct Members {
    pub(super) root: VarId,
    /// The path to it from the variable.
    pub(super) path: Vec<Key>,
    pub(super) kind: MembersKind,
    /// The variable of the key, if the loop has one.
    pub(super) key: Option<VarId>,
    pub(super) value: VarId,
}

/// The kind of a value with members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MembersKind {
    Record,
    Map,
    List,
}

/// The parts of a loop statement.
pub(super) struct Parts {
    pub(super) begin: Option<StmtId>,
    pub(super) test: Option<ExprId>,
    pub(super) update: Option<ExprId>,
    /// The list or the record of a loop over elements or keys, the kind of its declaration, its
    /// pattern, and whether it goes over keys.
    pub(super) over: Option<(ExprId, Option<Kind>, PatternId, bool)>,
    pub(super) body: StmtId,
    /// Whether the test stands behind the body.
    pub(super) tests_last: bool,
    /// The list whose elements the loop changes.
    pub(super) elements: Option<Elements>,
    /// The members that the loop changes.
    pub(super) members: Option<Members>,
}

/// The first values of a loop: its list, and its counters.
#[derive(Debug, Default)]
pub(super) struct Begun {
    pub(super) list: Option<Id>,
    /// Each counter with its first value, and the levels of that which nobody else sees.
    pub(super) counters: Vec<(VarId, Id, u8)>,
}

/// A branch of a choice between values.
#[derive(Clone, Copy)]
pub(super) enum Arm {
    Value(Id),
    Expr {
        id: ExprId,
        lenient: bool,
    },
    /// The call `id` with another object before the point.
    Member {
        id: ExprId,
        object: ExprId,
        is_wanted: bool,
    },
}
