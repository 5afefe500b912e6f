//! Programs of JavaScript that the bytes choose, on the machine and on node.

use crate::generate::javascript::{DATA, Javascript};
use crate::javascript::{Answers, Node, equal, run};
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::cell::RefCell;

thread_local! {
    static NODE: RefCell<Option<Node>> = const { RefCell::new(None) };
}

/// Fails if a program has another value than node gives, or if `node` is not on the path. The first
/// byte chooses between an expression and statements.
pub fn check(bytes: &[u8]) -> Result<()> {
    let Some((kind, choices)) = bytes.split_first() else { return Ok(()) };
    let mut programs = Javascript::from_bytes(choices);
    let code = if kind % 2 == 0 { programs.expression() } else { programs.statements() };
    let data: Value = serde_json::from_str(DATA)?;
    let Some(value) = node_value(&code, &data)? else { return Ok(()) };
    if let Ok(given) = run(&code, &data, &Answers::new())? {
        ensure!(equal(&given, &value), "gave {given}, not {value}\n{code}");
    }
    Ok(())
}

/// What node gives, which goes on running for the next program.
fn node_value(code: &str, data: &Value) -> Result<Option<Value>> {
    NODE.with_borrow_mut(|node| {
        if node.is_none() {
            *node = Some(Node::start()?);
        }
        node.as_mut().context("node was just started")?.value(code, data)
    })
}
