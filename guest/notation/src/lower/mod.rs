//! A program as JavaScript, to a term.
//!
//! Values of terms never change, and locals of JavaScript do. So each change of a local binds its
//! name anew, branches hand on the locals that they change, and a loop is a function that calls
//! itself with them (as in A. Appel, "SSA is functional programming", 1998). What could be seen to
//! change by another name is refused (`owned`).

mod access;
mod assign;
mod binary;
mod branch;
pub(crate) mod builder;
mod call;
mod expression;
mod function;
mod gather;
mod hoist;
pub(crate) mod library;
mod loops;
pub(crate) mod names;
mod owned;
mod pattern;
mod place;
mod plan;
pub(crate) mod resolve;
mod statement;
mod test;

use crate::ast::{Ast, ExprId, FunctionId, Span, Statement, StmtId, What};
use crate::lexer::Wrong;
use crate::stack::{Stack, run};
use crate::tree::{Id, Tree, Words};
use builder::Builder;
use owned::Flow;
use pif_core::fault::Code;
use plan::Plan;
use resolve::{Origin, Resolved, VarId};
use std::cell::{RefCell, RefMut};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::rc::Rc;

/// Faults that are told at once.
const MOST_FAULTS: usize = 8;

/// What lowering knows and makes, whatever it is at.
pub(crate) struct Lower<'s> {
    ast: Ast<'s>,
    known: Resolved<'s>,
    plans: Vec<Plan>,
    builder: RefCell<Builder<'s>>,
    /// Bindings that stand before the term that is being made, for each term that is open.
    chains: RefCell<Vec<Vec<Step<'s>>>>,
    /// Names of variables in terms, where they are not those of the program.
    names: RefCell<BTreeMap<VarId, Words<'s>>>,
    flow: RefCell<Flow>,
    /// Functions that are bound before their line.
    bound: RefCell<BTreeSet<FunctionId>>,
    faults: RefCell<Vec<Wrong>>,
    /// Lists that a loop gathers backwards, and the names of what they were before it.
    gathers: RefCell<BTreeMap<VarId, Words<'s>>>,
    /// How deep below a variable its value changes.
    depths: RefCell<BTreeMap<VarId, usize>>,
    /// Of each expression whether it is a chain with a `?.` in it.
    optionals: Vec<bool>,
    /// Functions that are declared in one statement.
    units: BTreeMap<FunctionId, Vec<FunctionId>>,
    /// How many statements may still be lowered a second time.
    again: std::cell::Cell<u32>,
}

/// Bindings before a term.
#[derive(Debug)]
struct Step<'s> {
    is_recursive: bool,
    bindings: Vec<(Words<'s>, Id)>,
    span: Span,
}

/// What is around an expression or a statement.
#[derive(Clone, Debug, Default)]
struct Around<'s> {
    /// The function that runs: nothing in the program itself.
    function: Option<FunctionId>,
    /// Whether the value of the function is a test.
    tests: bool,
    /// What a `return` gives beside its value.
    returned: Vec<VarId>,
    /// What a `return` does, in a callback that has become a loop.
    ends: Option<Rc<loops::End<'s>>>,
    /// Where `break` and `continue` lead, the innermost last.
    jumps: Vec<Rc<loops::Jump<'s>>>,
    /// Loops and callbacks around, the innermost last.
    repeats: Vec<Span>,
}

/// A place in the program: what lowering knows, the stack, and what is around.
#[derive(Clone)]
pub(crate) struct Cx<'a, 's> {
    lower: &'a Lower<'s>,
    stack: Stack<'a>,
    around: Rc<Around<'s>>,
}

impl<'s> Deref for Cx<'_, 's> {
    type Target = Lower<'s>;

    fn deref(&self) -> &Lower<'s> {
        self.lower
    }
}

/// The term of a lowered part, or a fault behind which nothing can be read.
type Lowered = Result<Id, Wrong>;

/// Lowers a program in which some names are variables.
pub(crate) fn lower<'s>(
    source: &'s str,
    ast: Ast<'s>,
    free: &[&'s str],
) -> Result<(Tree<'s>, Id), Vec<Wrong>> {
    let mut known = resolve::resolve(&ast, free);
    let plans = plan::plans(&ast, &known);
    known.effects = plan::effects(&known, &plans);
    let units = hoist::units(&ast, &known);
    let optionals = access::optionals(&ast);
    let lower = Lower {
        ast,
        known,
        plans,
        builder: RefCell::new(Builder::new(source)),
        chains: RefCell::new(Vec::new()),
        names: RefCell::new(BTreeMap::new()),
        flow: RefCell::new(Flow::default()),
        bound: RefCell::new(BTreeSet::new()),
        faults: RefCell::new(Vec::new()),
        gathers: RefCell::new(BTreeMap::new()),
        depths: RefCell::new(BTreeMap::new()),
        units,
        optionals,
        again: std::cell::Cell::new(20_000),
    };
    let result = {
        let stack = Stack::default();
        let cx = Cx { lower: &lower, stack: stack.clone(), around: Rc::default() };
        run(&stack, cx.program())
    };
    let mut faults = lower.faults.into_inner();
    let root = match result {
        Some(Ok(root)) => root,
        Some(Err(wrong)) => {
            faults.push(wrong);
            0
        }
        None => {
            let builder = lower.builder.borrow();
            faults.push(builder.wrong(
                0,
                Code::Internal,
                "the program was not read to its end",
                "",
            ));
            0
        }
    };
    if faults.is_empty() {
        return Ok((lower.builder.into_inner().tree, root));
    }
    faults.truncate(MOST_FAULTS);
    Err(faults)
}

impl<'s> Lower<'s> {
    fn b(&self) -> RefMut<'_, Builder<'s>> {
        self.builder.borrow_mut()
    }

    /// Notes a fault, and goes on with null.
    fn refuse(&self, at: u32, message: &str, hint: &str) -> Id {
        let mut builder = self.b();
        let wrong = builder.wrong(at, Code::Malformed, message, hint);
        let mut faults = self.faults.borrow_mut();
        if faults.len() < MOST_FAULTS {
            faults.push(wrong);
        }
        builder.null((at, at))
    }

    /// Notes a fault that the library has found, and goes on with null.
    fn noted(&self, result: Lowered, span: Span) -> Id {
        match result {
            Ok(id) => id,
            Err(wrong) => {
                self.faults.borrow_mut().push(wrong);
                self.b().null(span)
            }
        }
    }

    /// Begins a term.
    fn open(&self) {
        self.chains.borrow_mut().push(Vec::new());
    }

    /// Ends a term: the bindings that it needs stand before it.
    fn close(&self, body: Id, span: Span) -> Id {
        let chain = self.chains.borrow_mut().pop().unwrap_or_default();
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

    /// Binds names before the term that is being made.
    fn step(&self, bindings: Vec<(Words<'s>, Id)>, is_recursive: bool, span: Span) {
        if bindings.is_empty() {
            return;
        }
        if let Some(chain) = self.chains.borrow_mut().last_mut() {
            chain.push(Step { is_recursive, bindings, span });
        }
    }

    /// Binds a made name to a term; the name is its value from here on.
    fn temporary(&self, value: Id, span: Span) -> Words<'s> {
        let name = self.b().make_name();
        self.step(vec![(name.clone(), value)], false, span);
        name
    }

    /// A term that may be used more than once, and after changes: a literal, or a made name.
    fn fixed(&self, value: Id, span: Span) -> Id {
        if self.is_constant(value) {
            return value;
        }
        let name = self.temporary(value, span);
        self.b().variable(&name, span)
    }

    /// Whether a term is a literal.
    fn is_constant(&self, value: Id) -> bool {
        let builder = self.b();
        !matches!(builder.tree.node(value).what, crate::tree::What::Form { .. })
    }

    /// The name of a variable in terms.
    fn name_of(&self, var: VarId) -> Words<'s> {
        let renamed = self.names.borrow().get(&var).cloned();
        renamed.unwrap_or_else(|| self.known.var(var).name.into())
    }

    /// A variable as a term.
    fn variable(&self, var: VarId, span: Span) -> Id {
        let name = self.name_of(var);
        self.b().variable(&name, span)
    }

    fn span(&self, id: ExprId) -> Span {
        self.ast.expr(id).span
    }

    fn stmt_span(&self, id: StmtId) -> Span {
        self.ast.stmt(id).span
    }
}

impl<'a, 's> Cx<'a, 's> {
    /// The same place with other things around it.
    fn with(&self, change: impl FnOnce(&mut Around<'s>)) -> Self {
        let mut around = (*self.around).clone();
        change(&mut around);
        Self { around: Rc::new(around), ..self.clone() }
    }

    /// A program that is a function of nothing and names what it finds bound is called.
    fn called(&self, value: Id) -> Id {
        let [only] = *self.ast.program else { return value };
        let Statement::Expression(id) = self.ast.stmt(only).what else { return value };
        let What::Function(function) = self.ast.expr(id).what else { return value };
        let takes_nothing = self.ast.function(function).parameters.is_empty();
        let names_free =
            self.known.vars.iter().any(|var| var.origin == Origin::Free && !var.uses.is_empty());
        if takes_nothing && names_free { self.b().apply(value, &[], self.span(id)) } else { value }
    }

    async fn program(self) -> Lowered {
        let list = self.ast.program.clone();
        let span = (0, 0);
        self.open();
        let value = self.statements(list.into(), 0, statement::After::Value).await?;
        let value = self.called(value);
        Ok(self.close(value, span))
    }
}
