//! Strict forms beyond the original calculus. Their operands are on the stack, where the collector
//! finds them: a function that makes room reads them again. Fuel is charged before the work (for a
//! `join` of short texts, right after it). The rows of the forms say how many units of work there
//! are, and what a unit costs.

mod arithmetic;
mod bytes;
mod call;
mod control;
mod dates;
pub(crate) mod keys;
mod lists;
mod logic;
mod many;
mod meta;
mod options;
pub(crate) mod records;
mod retry;
mod strings;

use crate::algorithm::trouble::Trouble;
use crate::builtin::call::{Call, Function};
use crate::code::Slot;
use crate::run::context::Context;
use crate::run::state::Exit;
use pif_core::fault::{Code, Fault};
use pif_language::form::{Evaluation, Form};
use pif_language::table::Table;

use crate::memory::word::Word;
use std::cell::Cell;
pub(crate) use strings::reading::words as words_of;

/// The function of each form.
static FUNCTIONS: Table<Function> = Table::of(
    Evaluation::Builtin,
    &[
        arithmetic::FUNCTIONS,
        logic::FUNCTIONS,
        control::FUNCTIONS,
        lists::FUNCTIONS,
        strings::FUNCTIONS,
        meta::FUNCTIONS,
        records::FUNCTIONS,
        dates::FUNCTIONS,
    ],
);

/// Evaluates a form of the `n` operands from slot `d` on. The value goes to `d`.
pub(crate) fn call(c: &mut Context<'_>, form: Form, [d, n]: [Slot; 2]) -> Result<(), Exit> {
    let base = c.s.base + usize::from(d);
    let Context { image, s, at } = c;
    let (n, aside) = (usize::from(n), Cell::new(0));
    let mut call = Call { image, s, at: *at, form, base, n, aside };
    call.take_lists_of_matches();
    let value = evaluate(&mut call)?;
    s.set(base, value);
    Ok(())
}

/// Begins a `retry`, whose options and function are in the slots from `d` on.
pub(crate) fn begin_retry(c: &mut Context<'_>, d: Slot) -> Result<(), Exit> {
    let base = c.s.base + usize::from(d);
    let Context { image, s, at } = c;
    let (form, aside) = (Form::Retry, Cell::new(0));
    let mut call = Call { image, s, at: *at, form, base, n: 2, aside };
    let retry = retry::read(&mut call)?;
    s.begin_retry(retry, d)
}

fn evaluate(call: &mut Call<'_>) -> Result<Word, Exit> {
    let Some(function) = FUNCTIONS.get(call.form) else {
        let fault = Fault::new(Code::Internal, "the evaluator does not know this form");
        return Err(Trouble::Here(Box::new(fault)).into());
    };
    function(call)
}
