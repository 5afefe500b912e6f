//! Statements and functions: the names of their scopes, and their parts in the order of the text.

use crate::ast::{Body, ExprId, FunctionId, PatternId, Statement, StmtId, What};
use crate::lower::resolve::resolved::{Event, Origin};
use crate::lower::resolve::walk::{Elements, Walk, Work};

impl Walk<'_, '_> {
    /// Declares the names of a block, then walks its statements.
    pub(super) fn block(&mut self, list: &[StmtId]) {
        let mut work = Vec::new();
        for id in list {
            match &self.ast.stmt(*id).what {
                Statement::Declare { kind, names } => {
                    for (pattern, value) in names {
                        self.declare(*pattern, Origin::Declared(*kind), *value);
                    }
                }
                Statement::Function(function) => {
                    let (name, at) = {
                        let function = self.ast.function(*function);
                        (function.name.unwrap_or_default(), function.span.0)
                    };
                    let var = self.add(name, at, Origin::Function);
                    self.name_function(var, *function);
                    self.bind(var);
                }
                _ => {}
            }
            work.push(Work::Stmt(*id));
        }
        self.schedule(work);
    }

    /// Walks a statement.
    pub(super) fn stmt(&mut self, id: StmtId) {
        let stmt = self.ast.stmt(id);
        if stmt.what.is_loop() {
            self.out.loops.push(stmt.span);
        }
        let mut work = match &stmt.what {
            Statement::Empty
            | Statement::Break(_)
            | Statement::Continue(_)
            | Statement::Return(None) => {
                return self.exits(id);
            }
            Statement::Expression(expr) => {
                self.append(*expr);
                vec![Work::Expr(*expr, false)]
            }
            Statement::Return(Some(expr)) | Statement::Throw(expr) => {
                vec![Work::Expr(*expr, false)]
            }
            Statement::Function(function) => vec![Work::Function(*function, None)],
            Statement::Declare { names, .. } => self.declaration(names),
            Statement::If { test, then, otherwise } => {
                let mut work =
                    vec![Work::Expr(*test, true), Work::Push, Work::Stmt(*then), Work::Pop];
                work.extend(
                    otherwise.iter().flat_map(|id| [Work::Push, Work::Stmt(*id), Work::Pop]),
                );
                work
            }
            Statement::For { begin, test, update, body } => {
                let mut work = vec![Work::Push];
                work.extend(begin.map(|id| Work::Block(vec![id])));
                work.extend(test.map(|id| Work::Expr(id, true)));
                work.extend(update.map(|id| Work::Expr(id, false)));
                work.extend([Work::Push, Work::Stmt(*body), Work::Pop, Work::Pop]);
                work
            }
            Statement::ForOf { kind, pattern, list: over, body }
            | Statement::ForIn { kind, pattern, record: over, body } => {
                let mut work = vec![Work::Expr(*over, true), Work::Push];
                if kind.is_some() {
                    self.declare(*pattern, Origin::Loop, None);
                    let source = self.source_of(*over).map(|(var, gap)| (var, gap + 1));
                    self.set_source(*pattern, source);
                    self.forget_later();
                    work.extend(self.inside(*pattern));
                    work.push(Work::Bind(*pattern));
                } else {
                    work.push(Work::Assign(*pattern));
                }
                work.extend([Work::Push, Work::Stmt(*body), Work::Pop, Work::Pop]);
                work
            }
            Statement::While { test, body } => {
                vec![Work::Expr(*test, true), Work::Push, Work::Stmt(*body), Work::Pop]
            }
            Statement::DoWhile { body, test } => {
                vec![Work::Push, Work::Stmt(*body), Work::Pop, Work::Expr(*test, true)]
            }
            Statement::Try { body, handler, finally } => {
                let mut work = vec![Work::Push, Work::Block(body.clone()), Work::Pop];
                if let Some((pattern, list)) = handler {
                    work.push(Work::Push);
                    if let Some(pattern) = pattern {
                        self.declare(*pattern, Origin::Caught, None);
                        self.forget_later();
                        work.push(Work::Bind(*pattern));
                    }
                    work.extend([Work::Block(list.clone()), Work::Pop]);
                }
                if let Some(list) = finally {
                    work.extend([Work::Push, Work::Block(list.clone()), Work::Pop]);
                }
                work
            }
            Statement::Switch { value, cases } => {
                let mut work = vec![Work::Expr(*value, true), Work::Push];
                let all: Vec<StmtId> = cases.iter().flat_map(|(_, list)| list.clone()).collect();
                work.extend(
                    cases.iter().filter_map(|(test, _)| test.map(|id| Work::Expr(id, false))),
                );
                work.extend([Work::Block(all), Work::Pop]);
                work
            }
            Statement::Block(list) => vec![Work::Push, Work::Block(list.clone()), Work::Pop],
            Statement::Labeled(_, inner) => vec![Work::Stmt(*inner)],
        };
        work.push(Work::Exits(id));
        self.schedule(work);
    }

    /// Schedules the values and the patterns of a declaration. A function is bound before its
    /// value, so that it sees itself.
    pub(super) fn declaration(&mut self, names: &[(PatternId, Option<ExprId>)]) -> Vec<Work> {
        let is_function = |value: &Option<ExprId>| {
            value.is_some_and(|id| matches!(self.ast.expr(id).what, What::Function(_)))
        };
        let all_functions = names.iter().all(|(_, value)| is_function(value));
        let mut work = Vec::new();
        if all_functions {
            work.extend(names.iter().map(|(pattern, _)| Work::Bind(*pattern)));
        }
        for (pattern, value) in names {
            if !all_functions && is_function(value) {
                work.push(Work::Bind(*pattern));
            }
            if let Some(value) = value {
                let source = self.source_of(*value);
                self.set_source(*pattern, source);
                let end = self.ast.expr(*value).span.1;
                for var in self.names_of(*pattern) {
                    if let Some(info) = self.out.vars.get_mut(var as usize) {
                        info.from = end;
                    }
                }
                let tested = self.names_of(*pattern).len() != 1;
                work.push(Work::Expr(*value, tested));
            }
            work.extend(self.inside(*pattern));
            work.push(Work::Bind(*pattern));
        }
        work
    }

    /// Walks a function: its parameters, then its body.
    pub(super) fn function(&mut self, id: FunctionId, elements: Option<Elements>) {
        let is_inline = elements.is_some();
        let function = self.ast.function(id);
        if let Some(slot) = self.out.is_inline.get_mut(id as usize) {
            *slot = is_inline;
        }
        if let Some(slot) = self.out.owners.get_mut(id as usize) {
            *slot = self.owner;
        }
        let before = [self.owner, self.home];
        self.home = Some(id);
        if is_inline {
            self.out.loops.push(function.span);
        } else {
            self.owner = Some(id);
        }
        self.begin_scope();
        let origin = if is_inline { Origin::Callback } else { Origin::Parameter };
        let mut work = Vec::new();
        let declared = self.out.function_vars.get(id as usize).copied().flatten();
        match (function.name, declared) {
            (Some(name), None) => {
                let var = self.add(name, function.span.0 + 1, Origin::Function);
                self.name_function(var, id);
                self.bind(var);
                // It may be called where it stands.
                let (at, owner) = (function.span.0, before[0]);
                self.out.events.push(Event { at, var, is_call: true, depth: 0, owner });
            }
            // `const f = function g() { … }`: within the function `g` means `f`.
            (Some(name), Some(declared)) if self.out.var(declared).name != name => {
                let var = self.add(name, function.span.0 + 1, Origin::Function);
                if let Some(info) = self.out.vars.get_mut(var as usize) {
                    info.means = Some(declared);
                }
                self.bind(var);
            }
            _ => {}
        }
        for (at, element) in function.parameters.iter().enumerate() {
            self.declare(element.pattern, origin, None);
            self.bind_pattern(element.pattern);
            if let Some((place, source)) = elements.filter(|(place, _)| *place <= at) {
                self.set_source(element.pattern, source.filter(|_| place < 2));
            }
            work.extend(element.default.map(|id| Work::Expr(id, false)));
            work.extend(self.inside(element.pattern));
        }
        if let Some(rest) = function.rest {
            self.declare(rest, origin, None);
            self.bind_pattern(rest);
        }
        match &function.body {
            Body::Expression(id) => work.push(Work::Expr(*id, false)),
            Body::Block(list) => {
                work.extend([Work::Push, Work::Block(list.clone()), Work::Pop]);
            }
        }
        work.push(Work::EndFunction(before));
        self.schedule(work);
    }
}
