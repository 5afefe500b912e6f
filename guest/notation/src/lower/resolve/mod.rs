//! Name resolution: finds the variable of each name, and the places where variables change. It is
//! one walk over the program, in the order of its text, before any of it is lowered.
//!
//! A change is noted as an event at its byte, so the changes within a statement or a function are a
//! range of events. A function that a built-in member calls at once (`xs.map(x => …)`) belongs to
//! the function around it: its changes are changes there.

mod companion;
mod exits;
mod expression;
mod pattern;
mod reach;
mod resolved;
mod source;
mod statement;
mod walk;

use crate::ast::Ast;
pub(crate) use resolved::{Companion, Event, Exits, Origin, Resolved, VarId};
use walk::{Walk, Work};

/// Resolves the names of a program in which some names are bound.
pub(crate) fn resolve<'s>(ast: &Ast<'s>, free: &[&'s str]) -> Resolved<'s> {
    let mut walk = Walk::new(ast);
    for name in free {
        let var = walk.add(name, 0, Origin::Free);
        walk.bind(var);
    }
    walk.work.push(Work::Block(ast.program.clone()));
    while let Some(work) = walk.work.pop() {
        walk.step(work);
    }
    walk.out.events.sort_by_key(|event| event.at);
    let mut known = walk.out;
    known.finish();
    companion::add_companions(ast, &mut known);
    known.reach = reach::reach(ast, &known);
    known
}

impl Walk<'_, '_> {
    /// Does one item of the work list.
    fn step(&mut self, work: Work) {
        match work {
            Work::Expr(id, tested) => self.expr(id, tested),
            Work::Stmt(id) => self.stmt(id),
            Work::Block(list) => self.block(&list),
            Work::Function(id, elements) => self.function(id, elements),
            Work::EndFunction([owner, home]) => {
                (self.owner, self.home) = (owner, home);
                self.leave();
            }
            Work::Push => self.begin_scope(),
            Work::Pop => self.leave(),
            Work::Bind(pattern) => self.bind_pattern(pattern),
            Work::Assign(pattern) => self.assign(pattern),
            Work::Change(var, at, depth) => self.change(var, at, depth),
            Work::Exits(id) => self.exits(id),
        }
    }
}
