//! The state of lowering, and the place in the program where it is. All other modules of the
//! lowering use it.

use crate::ast::{Ast, ExprId, FunctionId, PatternId, Span, StmtId};
use crate::lexer::Wrong;
use crate::lower::builder::Builder;
use crate::lower::control::{End, Jump};
use crate::lower::flow::{Alias, Flow};
use crate::lower::nested::Nested;
use crate::lower::plan::Plan;
use crate::lower::resolve::{Exits, Resolved, VarId};
use crate::tree::{self, Id, Tree, Words};
use pif_core::fault::Code;
use pif_core::stack::Stack;
use std::cell::{Cell, RefCell, RefMut};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::rc::Rc;

/// Most faults that are reported at once.
const MOST_FAULTS: usize = 8;

/// How many statements may be lowered a second time.
const MOST_AGAIN: u32 = 20_000;

static NO_PLAN: Plan = Plan { takes: Vec::new(), gives: Vec::new() };

/// The state of lowering.
pub(crate) struct Lower<'s> {
    pub(super) ast: Ast<'s>,
    pub(super) known: Resolved<'s>,
    pub(super) plans: Vec<Plan>,
    pub(super) builder: RefCell<Builder<'s>>,
    /// For each open term the bindings before it, the innermost last.
    pub(super) chains: RefCell<Vec<Vec<Step<'s>>>>,
    /// Names of variables in terms, where these differ from the names in the program.
    pub(super) names: RefCell<BTreeMap<VarId, Words<'s>>>,
    /// The number of terms that were open where each variable was bound.
    pub(super) levels: RefCell<Vec<usize>>,
    /// Variables with companions, each as the alias of its element.
    pub(super) followed: RefCell<BTreeMap<VarId, Alias>>,
    pub(super) flow: RefCell<Flow>,
    /// Whether each function is bound already.
    pub(super) bound: RefCell<Vec<bool>>,
    pub(super) faults: RefCell<Vec<Wrong>>,
    /// Lists that a loop gathers backwards, and the names of what they were before it.
    pub(super) gathers: RefCell<BTreeMap<VarId, Words<'s>>>,
    /// How many levels below each variable its value changes.
    pub(super) depths: RefCell<Vec<usize>>,
    /// Whether each expression is a chain with a `?.` in it.
    pub(super) optionals: Vec<bool>,
    /// The functions that are declared in one statement with each function. It is empty for a
    /// function that is declared alone.
    pub(super) units: Vec<Vec<FunctionId>>,
    /// How many statements may still be lowered a second time.
    pub(super) again: Cell<u32>,
}

/// Bindings before a term.
#[derive(Debug)]
pub(super) struct Step<'s> {
    is_recursive: bool,
    bindings: Vec<(Words<'s>, Id)>,
    span: Span,
}

/// The surroundings of an expression or a statement.
#[derive(Clone, Debug, Default)]
pub(super) struct Around<'s> {
    /// The function around; the program itself has none.
    pub(super) function: Option<FunctionId>,
    /// Whether the caller uses the value of the function as a condition.
    pub(super) tests: bool,
    /// Variables that a `return` gives beside its value.
    pub(super) returned: Vec<VarId>,
    /// The end of a round, which a `return` leads to in a callback that has become a loop.
    pub(super) ends: Option<Rc<End<'s>>>,
    /// Targets of `break` and `continue`, the innermost last.
    pub(super) jumps: Nested<Rc<Jump<'s>>>,
    /// Loops and callbacks around, the innermost last.
    pub(super) repeats: Nested<Span>,
}

/// A place in the program: the state of lowering, the stack, and the surroundings.
#[derive(Clone)]
pub(crate) struct Cx<'a, 's> {
    pub(super) lower: &'a Lower<'s>,
    pub(super) stack: Stack<'a>,
    pub(super) around: Rc<Around<'s>>,
}

impl<'s> Deref for Cx<'_, 's> {
    type Target = Lower<'s>;

    fn deref(&self) -> &Lower<'s> {
        self.lower
    }
}

/// The term of a lowered part, or a fault behind which nothing can be read.
pub(super) type Lowered = Result<Id, Wrong>;

impl<'s> Lower<'s> {
    /// Begins the lowering of a program.
    pub(super) fn new(
        source: &'s str,
        ast: Ast<'s>,
        known: Resolved<'s>,
        plans: Vec<Plan>,
        units: Vec<Vec<FunctionId>>,
        optionals: Vec<bool>,
    ) -> Self {
        let mut builder = Builder::new(source);
        let companions = known.companions.values();
        let names = companions.map(|it| (it.index, builder.make_name())).collect();
        Self {
            builder: RefCell::new(builder),
            levels: RefCell::new(vec![0; known.vars.len()]),
            followed: RefCell::default(),
            chains: RefCell::default(),
            names: RefCell::new(names),
            flow: RefCell::default(),
            bound: RefCell::new(vec![false; ast.functions.len()]),
            faults: RefCell::default(),
            gathers: RefCell::default(),
            depths: RefCell::new(vec![0; known.vars.len()]),
            again: Cell::new(MOST_AGAIN),
            ast,
            known,
            plans,
            units,
            optionals,
        }
    }

    /// Ends the lowering with the terms and the root, or with the faults.
    pub(super) fn finish(self, result: Option<Lowered>) -> Result<(Tree<'s>, Id), Vec<Wrong>> {
        let mut faults = self.faults.into_inner();
        let builder = self.builder.into_inner();
        let root = match result {
            Some(Ok(root)) => root,
            Some(Err(wrong)) => {
                faults.push(wrong);
                0
            }
            None => {
                let message = "the program was not read to its end";
                faults.push(builder.wrong(0, Code::Internal, message, ""));
                0
            }
        };
        if faults.is_empty() {
            return Ok((builder.tree, root));
        }
        faults.truncate(MOST_FAULTS);
        Err(faults)
    }

    /// Borrows what makes terms.
    pub(super) fn b(&self) -> RefMut<'_, Builder<'s>> {
        self.builder.borrow_mut()
    }

    /// Notes a fault, and goes on with null.
    pub(super) fn refuse(&self, at: u32, message: &str, hint: &str) -> Id {
        let mut builder = self.b();
        let mut faults = self.faults.borrow_mut();
        // To find a place takes time in proportion to the text.
        if faults.len() < MOST_FAULTS {
            faults.push(builder.wrong(at, Code::Malformed, message, hint));
        }
        builder.null((at, at))
    }

    /// Notes a fault that the library has found, and goes on with null.
    pub(super) fn noted(&self, result: Lowered, span: Span) -> Id {
        match result {
            Ok(id) => id,
            Err(wrong) => {
                self.faults.borrow_mut().push(wrong);
                self.b().null(span)
            }
        }
    }

    /// Opens a term.
    pub(super) fn open(&self) {
        self.chains.borrow_mut().push(Vec::new());
    }

    /// Closes a term: puts the bindings that it needs before it.
    pub(super) fn close(&self, body: Id, span: Span) -> Id {
        let chain = self.chains.borrow_mut().pop().unwrap_or_default();
        self.flow.borrow_mut().leave(self.chains.borrow().len());
        let mut builder = self.b();
        chain.into_iter().rev().fold(body, |body, step| {
            let span = if step.span == (0, 0) { span } else { step.span };
            if step.is_recursive {
                builder.bind_functions(step.bindings, body, span)
            } else {
                builder.bind(step.bindings, body, span)
            }
        })
    }

    /// Binds names before the innermost open term.
    pub(super) fn step(&self, bindings: Vec<(Words<'s>, Id)>, is_recursive: bool, span: Span) {
        if bindings.is_empty() {
            return;
        }
        if let Some(chain) = self.chains.borrow_mut().last_mut() {
            chain.push(Step { is_recursive, bindings, span });
        }
    }

    /// Binds a made name to a term.
    pub(super) fn temporary(&self, value: Id, span: Span) -> Words<'s> {
        let name = self.b().make_name();
        self.step(vec![(name.clone(), value)], false, span);
        name
    }

    /// Makes a term that may be used more than once, and after changes: a literal, or a made name.
    pub(super) fn fixed(&self, value: Id, span: Span) -> Id {
        if self.is_constant(value) {
            return value;
        }
        let name = self.temporary(value, span);
        self.b().variable(&name, span)
    }

    /// Tells whether a term is a literal.
    pub(super) fn is_constant(&self, value: Id) -> bool {
        let builder = self.b();
        !matches!(builder.tree.node(value).what, tree::What::Form { .. })
    }

    /// Gives the name of a variable in terms.
    pub(super) fn name_of(&self, var: VarId) -> Words<'s> {
        let renamed = self.names.borrow().get(&var).cloned();
        renamed.unwrap_or_else(|| self.known.var(var).name.into())
    }

    /// Makes the term of a variable.
    pub(super) fn variable(&self, var: VarId, span: Span) -> Id {
        let name = self.name_of(var);
        self.b().variable(&name, span)
    }

    /// Gives the span of an expression.
    pub(super) fn span(&self, id: ExprId) -> Span {
        self.ast.expr(id).span
    }

    /// Gives the span of a statement.
    pub(super) fn stmt_span(&self, id: StmtId) -> Span {
        self.ast.stmt(id).span
    }

    /// Finds the variable of an expression that is a name.
    pub(super) fn var_of(&self, id: ExprId) -> Option<VarId> {
        self.known.names.get(id as usize).copied().flatten()
    }

    /// Finds the variable of a pattern that is a name.
    pub(super) fn target(&self, pattern: PatternId) -> Option<VarId> {
        self.known.targets.get(pattern as usize).copied().flatten()
    }

    /// Tells how a statement may be left.
    pub(super) fn exits_of(&self, id: StmtId) -> Exits {
        self.known
            .exits
            .get(id as usize)
            .copied()
            .unwrap_or(Exits { falls: true, ..Exits::default() })
    }

    /// Gives the plan of a function.
    pub(super) fn plan(&self, function: FunctionId) -> &Plan {
        self.plans.get(function as usize).unwrap_or(&NO_PLAN)
    }

    /// Tells whether a function is called at once where it stands.
    pub(super) fn is_inline(&self, function: FunctionId) -> bool {
        self.known.is_inline.get(function as usize).copied().unwrap_or_default()
    }

    /// Tells whether a function is bound already.
    pub(super) fn is_bound(&self, function: FunctionId) -> bool {
        self.bound.borrow().get(function as usize).copied().unwrap_or_default()
    }

    /// Notes that a function is bound from here on. Tells whether it was not bound before.
    pub(super) fn set_bound(&self, function: FunctionId) -> bool {
        let mut bound = self.bound.borrow_mut();
        bound.get_mut(function as usize).is_some_and(|is_bound| !std::mem::replace(is_bound, true))
    }
}

impl<'a, 's> Cx<'a, 's> {
    /// Makes the place at the beginning of a program.
    pub(super) fn new(lower: &'a Lower<'s>, stack: &Stack<'a>) -> Self {
        Self { lower, stack: stack.clone(), around: Rc::default() }
    }

    /// Changes the surroundings of this place.
    pub(super) fn with(&self, change: impl FnOnce(&mut Around<'s>)) -> Self {
        let mut around = (*self.around).clone();
        change(&mut around);
        Self { around: Rc::new(around), ..self.clone() }
    }
}
