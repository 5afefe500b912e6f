//! The walk over a program: its work list, and the scopes of names.

use crate::ast::{Ast, ExprId, FunctionId, PatternId, StmtId};
use crate::lower::resolve::resolved::{Event, Exits, NO_VAR, Origin, Resolved, Var, VarId};
use pif_core::limits::to_u32;
use std::collections::{BTreeMap, VecDeque};

/// Variables that are bound in a scope, and those that are declared further down in its block.
#[derive(Debug, Default)]
pub(super) struct Scope {
    vars: [Vec<VarId>; 2],
}

/// The index of the variables that are bound.
const BOUND: usize = 0;

/// The index of the variables that are declared further down.
pub(super) const LATER: usize = 1;

/// The position of a callback's parameter for an element, and the list of the element.
pub(super) type Elements = (usize, Option<Source>);

/// A variable, and how many levels below its value something lies.
pub(super) type Source = (VarId, usize);

/// An item of the work list.
pub(super) enum Work {
    /// An expression, and whether its value may be absent.
    Expr(ExprId, bool),
    Stmt(StmtId),
    Block(Vec<StmtId>),
    /// A function: whether it is called at once, and with elements of which variable.
    Function(FunctionId, Option<Elements>),
    /// The end of a function, with the owner and the home around it.
    EndFunction([Option<FunctionId>; 2]),
    /// A scope begins.
    Push,
    /// A scope ends.
    Pop,
    /// A pattern whose names are bound here.
    Bind(PatternId),
    /// A pattern that is assigned to.
    Assign(PatternId),
    /// A change in place, so many levels below the variable.
    Change(VarId, u32, usize),
    Exits(StmtId),
}

/// The state of the walk.
pub(super) struct Walk<'a, 's> {
    pub(super) ast: &'a Ast<'s>,
    pub(super) out: Resolved<'s>,
    /// The scopes that are open, each with the variables that it binds and declares.
    scopes: Vec<Scope>,
    /// The variables of each name in the open scopes, the innermost last: those that are bound, and
    /// those that are declared further down.
    visible: BTreeMap<&'s str, [VecDeque<VarId>; 2]>,
    /// The innermost function around that is not called at once.
    pub(super) owner: Option<FunctionId>,
    /// The innermost function around.
    pub(super) home: Option<FunctionId>,
    pub(super) work: Vec<Work>,
}

impl<'a, 's> Walk<'a, 's> {
    /// The beginning of a walk, where nothing is bound.
    pub(super) fn new(ast: &'a Ast<'s>) -> Self {
        Self {
            ast,
            out: Resolved {
                names: vec![None; ast.exprs.len()],
                targets: vec![None; ast.patterns.len()],
                exits: vec![Exits::default(); ast.stmts.len()],
                is_inline: vec![false; ast.functions.len()],
                owners: vec![None; ast.functions.len()],
                function_vars: vec![None; ast.functions.len()],
                ..Resolved::default()
            },
            scopes: vec![Scope::default()],
            visible: BTreeMap::new(),
            owner: None,
            home: None,
            work: Vec::new(),
        }
    }
}

impl<'s> Walk<'_, 's> {
    /// Schedules work so that the first is done first.
    pub(super) fn schedule(&mut self, work: Vec<Work>) {
        self.work.extend(work.into_iter().rev());
    }

    /// Begins a scope.
    pub(super) fn begin_scope(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// Leaves the innermost scope.
    pub(super) fn leave(&mut self) {
        let scope = self.scopes.pop().unwrap_or_default();
        for (how, vars) in scope.vars.into_iter().enumerate() {
            for var in vars.into_iter().rev() {
                self.hide(var, how);
            }
        }
    }

    /// Makes a variable. It is not visible yet.
    pub(super) fn add(&mut self, name: &'s str, at: u32, origin: Origin) -> VarId {
        self.out.vars.push(Var {
            name,
            at,
            from: at,
            owner: self.owner,
            home: self.home,
            origin,
            ..NO_VAR.clone()
        });
        let var = to_u32(self.out.vars.len() - 1);
        self.out.by_name.entry(name).or_default().push(var);
        var
    }

    /// Makes a variable visible as one that is bound.
    pub(super) fn bind(&mut self, var: VarId) {
        self.enter(var, BOUND);
        self.hide(var, LATER);
    }

    /// Makes a variable visible in the innermost scope.
    pub(super) fn enter(&mut self, var: VarId, how: usize) {
        let name = self.out.var(var).name;
        if let Some(vars) = self.visible.entry(name).or_default().get_mut(how) {
            vars.push_back(var);
        }
        if let Some(vars) = self.scopes.last_mut().and_then(|scope| scope.vars.get_mut(how)) {
            vars.push(var);
        }
    }

    /// Takes a variable back from those that are visible.
    fn hide(&mut self, var: VarId, how: usize) {
        let name = self.out.var(var).name;
        if let Some(vars) = self.visible.get_mut(name).and_then(|all| all.get_mut(how)) {
            // Variables are bound in the order of their declarations: most stand at an end.
            if vars.front() == Some(&var) {
                vars.pop_front();
            } else if let Some(at) = vars.iter().rposition(|other| *other == var) {
                vars.remove(at);
            }
        }
    }

    /// Takes back what has been declared in the innermost scope for further down.
    pub(super) fn forget_later(&mut self) {
        let later = self.scopes.last_mut().and_then(|scope| scope.vars.last_mut());
        for var in later.map(std::mem::take).unwrap_or_default() {
            self.hide(var, LATER);
        }
    }

    /// Finds the variable that a name means here.
    pub(super) fn find(&self, name: &str) -> Option<VarId> {
        let [bound, later] = self.visible.get(name)?;
        let var = bound.back().or(later.front()).copied()?;
        Some(self.out.var(var).means.unwrap_or(var))
    }

    /// Notes that a variable always has a function as its value.
    pub(super) fn name_function(&mut self, var: VarId, function: FunctionId) {
        if let Some(info) = self.out.vars.get_mut(var as usize) {
            info.function = Some(function);
        }
        if let Some(slot) = self.out.function_vars.get_mut(function as usize) {
            *slot = Some(var);
        }
    }

    /// Notes a use of a name.
    pub(super) fn uses(&mut self, id: ExprId, name: &str, tested: bool) {
        let Some(var) = self.find(name) else { return };
        if let Some(slot) = self.out.names.get_mut(id as usize) {
            *slot = Some(var);
        }
        let at = self.ast.expr(id).span.0;
        let owner = self.owner;
        if let Some(info) = self.out.vars.get_mut(var as usize) {
            info.uses.push(at);
            info.users.push(owner);
            info.is_tested |= tested;
            if info.function.is_some() {
                self.out.events.push(Event { at, var, is_call: true, depth: 0, owner });
            }
        }
    }
}
