//! Lowers a program in JavaScript to a term.
//!
//! Values of terms never change, and locals of JavaScript do. So each change of a local binds its
//! name anew, branches hand on the locals that they change, and a loop is a function that calls
//! itself with them (A. Appel, "SSA is functional programming", 1998). A change that another name
//! would see is refused.

mod access;
mod assign;
mod binary;
mod branch;
pub(crate) mod builder;
mod call;
mod callbacks;
mod callee;
mod companion;
mod context;
mod control;
mod each;
mod expression;
mod flow;
mod function;
mod gather;
mod guarded;
mod hoist;
mod join;
pub(crate) mod library;
mod loops;
mod members;
mod mutate;
pub(crate) mod names;
mod nested;
mod owned;
mod pattern;
mod place;
mod plan;
mod resolve;
mod root;
mod rounds;
mod sharing;
mod statement;
mod store;
mod test;
mod update;

use crate::ast::Ast;
use crate::lexer::Wrong;
use crate::tree::{Id, Tree};
use context::{Cx, Lower};
use pif_core::stack::{Stack, run};

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
    let lower = Lower::new(source, ast, known, plans, units, optionals);
    let result = {
        let stack = Stack::default();
        let cx = Cx::new(&lower, &stack);
        run(&stack, cx.program())
    };
    lower.finish(result)
}
