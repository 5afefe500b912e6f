//! Tokens to the tree of a program as JavaScript. What nests is read by functions on a stack in the
//! heap; nothing is read twice: whether a bracket begins parameters, a pattern or a record is told
//! by what stands in it first, and behind the bracket that closes it.

mod braces;
mod chain;
mod container;
mod control;
mod escape;
mod expression;
mod function;
mod lexer;
mod loops;
mod matches;
mod number;
mod operand;
mod operator;
mod parser;
mod pattern;
mod statement;
mod template;
mod wrap;
mod wrong;

use crate::ast::Ast;
use crate::lexer::Wrong;
use lexer::tokens;
pub(crate) use lexer::{Kind, Token, tokens_before_fault};
pub(crate) use operand::is_reserved;
pub(crate) use operator::{ASSIGNMENTS, INFIX};
use parser::{Parser, Reader};
use pif_core::fault::Fault;
use pif_core::stack::{Stack, run};
use std::cell::{Cell, RefCell};

/// Reads a program, or tells what is wrong with it.
pub(crate) fn parse(source: &str) -> Result<Ast<'_>, Vec<Wrong>> {
    let tokens = wrap::part(source).and_then(|part| tokens(source, part));
    let tokens = tokens.map_err(|wrong| vec![wrong])?;
    let parser = Parser {
        source,
        tokens,
        at: Cell::new(0),
        ast: RefCell::default(),
        faults: RefCell::default(),
    };
    let program = {
        let stack = Stack::default();
        let reader = Reader { parser: &parser, stack: stack.clone() };
        run(&stack, reader.program())
    };
    let mut faults = parser.faults.into_inner();
    match program {
        Some(Ok(program)) if faults.is_empty() => {
            let mut ast = parser.ast.into_inner();
            ast.program = program;
            return Ok(ast);
        }
        Some(Err(wrong)) => faults.push(wrong),
        Some(Ok(_)) => {}
        None => {
            faults.push(Box::new(Fault::defect("the text was not read to its end")));
        }
    }
    faults.sort_by_key(|wrong| wrong.place.as_ref().map(|place| (place.line, place.column)));
    Err(faults)
}

#[cfg(test)]
mod dump;
#[cfg(test)]
mod tests;
