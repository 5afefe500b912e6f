//! `eval`, and stubs below terms that an operation evaluates before it has its value.

use crate::algorithm::trouble::Trouble;
use crate::algorithm::weight;
use crate::code::EVAL_END;
use crate::memory::heap::{Frame, NO_CLOSURE};
use crate::memory::word::{IMMEDIATE, KIND_QUOTED, UNIT, aux, kind, size, tag};
use crate::run::context::Context;
use crate::run::state::{Exit, State, closure_index};
use pif_core::limits::{EVAL_DEPTH, to_u32};

impl State {
    /// Pushes the frame to continue at, then a stub that ends the evaluation that begins now.
    pub(super) fn push_stub(&mut self, stub: u32, slot: usize) -> Result<(), Exit> {
        let Self { pc, base, closure, depth, .. } = *self;
        let (pc, base) = (to_u32(pc), to_u32(base));
        self.push_frame(Frame { pc, base, closure, depth })?;
        let base = base + to_u32(slot);
        self.push_frame(Frame { pc: stub, base, closure: NO_CLOSURE, depth })?;
        Ok(())
    }
}

/// Does `eval`: enters the code of a quoted term, compiled for the names at the `eval`. Fuel: the
/// weight of the term, even if it was compiled before.
pub(super) fn eval(c: &mut Context<'_>, [d, a, deeper]: [u8; 3], scope: u16) -> Result<(), Exit> {
    let x = c.s.slot(a);
    if tag(x) != IMMEDIATE || kind(x) != KIND_QUOTED {
        return Err(c.refuse(0, x));
    }
    if c.s.active_evals >= EVAL_DEPTH {
        return Err(Trouble::EvalDepth.into());
    }
    let (term, tool) = (aux(x), to_u32(size(x)));
    let key = (term, scope, tool);
    let Some((id, weight)) = c.s.evaluated.get(&key).copied() else {
        let left = c.budget();
        let weight = weight::of_term(&c.s.terms, term, left);
        if weight > left {
            c.bulk(weight)?;
        }
        return Err(Exit::CompileTerm(term, scope, tool));
    };
    c.bulk(weight)?;
    let code = c.image.codes.get(id as usize);
    let code = code.ok_or_else(|| Exit::defect("a term has no code"))?;
    let live = c.s.base + 1 + usize::from(d.max(a));
    let inner = if code.captures.is_empty() { UNIT } else { c.s.close(code, id, live)? };
    c.s.push_stub(EVAL_END, usize::from(d))?;
    c.s.active_evals += 1;
    c.s.base += usize::from(d);
    c.s.closure = closure_index(inner);
    c.s.depth += u32::from(deeper);
    c.s.pc = code.entry as usize;
    Ok(())
}
