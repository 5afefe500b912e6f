//! `try`: faults continue at its handler, which gets a record.

use super::state::{Exit, State};
use super::trial::{Ending, Trial};
use crate::algorithm::record;
use crate::code::Slot;
use crate::memory::heap::{Frame, Full, Heap};
use crate::memory::word::UNIT;
use crate::request::Wait;
use pif_core::fault::{Code, Fault};
use pif_core::limits::to_u32;
use pif_language::term::TermId;

/// Members of the record of a fault.
const MEMBERS: usize = 7;

/// What comes of a fault.
#[derive(Debug)]
pub(crate) enum Caught {
    /// It ends the run.
    Not,
    /// A handler goes on.
    Handled,
    /// A `retry` may try again.
    Waits(Wait),
}

impl State {
    /// Notes the handler. Its frame keeps the closure for the collector.
    pub(crate) fn begin_try(&mut self, term: TermId, d: Slot, handler: u32) -> Result<(), Exit> {
        let Self { base, closure, depth, top, active_evals, .. } = *self;
        self.push_frame(Frame { pc: handler, base: to_u32(base), closure, depth })?;
        self.trials.push(Trial { top, term, d, active_evals, retry: None });
        Ok(())
    }

    /// Tells whether a `try` would catch a fault of this code now.
    pub(crate) fn catches(&self, code: Code) -> bool {
        code.is_catchable() && self.trials.iter().rev().any(|it| it.takes(&self.terms, code))
    }

    /// Ends a `try` whose term has a value, or a `retry`.
    pub(crate) fn end_try(&mut self) {
        if let Some(trial) = self.trials.pop() {
            self.top = trial.top;
            if trial.retry.is_none() {
                self.note_ending(trial.term, None);
            }
        }
    }

    /// The host does not try again: the innermost `retry` ends.
    pub(crate) fn give_up(&mut self) {
        self.trials.pop();
    }

    /// Continues at the handler of the innermost `try` that catches the fault, unless a `retry` within
    /// may try again: that stays, and the host decides.
    pub(crate) fn catch(&mut self, fault: &Fault) -> Result<Caught, Full> {
        if !fault.code.is_catchable() {
            return Ok(Caught::Not);
        }
        while let Some(trial) = self.trials.last() {
            if trial.takes(&self.terms, fault.code) {
                break;
            }
            if let Some(wait) = self.wait(fault) {
                return Ok(Caught::Waits(wait));
            }
            self.trials.pop();
        }
        let Some(trial) = self.trials.pop() else { return Ok(Caught::Not) };
        let Some(frame) = self.frames.get(trial.top).copied() else { return Ok(Caught::Not) };
        self.note_ending(trial.term, Some(fault));
        self.abandon_steps(self.trials.len());
        (self.top, self.active_evals) = (trial.top, trial.active_evals);
        (self.pc, self.base, self.depth) = (frame.pc as usize, frame.base as usize, frame.depth);
        self.closure = frame.closure;
        self.meter.go_on(self.depth);
        let record = self.fault_record(fault, usize::from(trial.d))?;
        self.set(self.base + usize::from(trial.d), record);
        Ok(Caught::Handled)
    }

    /// Warns, at the end of a run, of each `try` that ran more than once and caught a fault each
    /// time. Its term is probably wrong.
    pub(crate) fn warn_of_trials(&mut self) {
        for (term, ending) in std::mem::take(&mut self.endings).0 {
            let Ending::Faults(count @ 2.., first) = ending else { continue };
            self.notes.add(&self.terms, "likely-mistake", term, || {
                let message = format!("`try` caught a fault all {count} times; the first: {first}");
                let hint = "check that the term can have a value; name the faults to catch";
                (message, format!(r#"{hint}: "codes": ["{}"]"#, first.code).into())
            });
        }
    }

    /// Makes the record of a fault. The value of `fail`, and what a
    /// server told of a failed call, is in `failed`.
    fn fault_record(&mut self, fault: &Fault, d: usize) -> Result<u64, Full> {
        let upstream = fault.upstream.as_deref();
        let hint = fault.hint.as_ref().map(ToString::to_string);
        let texts = [
            ("at", Some(&*fault.at)),
            ("code", Some(fault.code.name())),
            ("hint", hint.as_deref()),
            ("message", Some(&*fault.message)),
            ("reason", upstream.map(|call| &*call.reason)),
            ("tool", upstream.map(|call| &*call.tool)),
        ];
        let sizes = texts.iter().map(|(key, text)| {
            Heap::text_words(key.len()) + text.map_or(0, |text| Heap::text_words(text.len()))
        });
        let words = sizes.sum::<usize>() + Heap::text_words("value".len()) + 2 * MEMBERS + 1;
        if !self.heap.has_room(words) {
            self.collect(words, self.base + d)?;
        }
        let has_value = matches!(fault.code, Code::Fail | Code::Upstream);
        let value = if has_value { self.failed } else { UNIT };
        let mut members = Vec::with_capacity(2 * MEMBERS);
        for (key, text) in texts {
            members.push(self.heap.text(key)?);
            members.push(text.map_or(Ok(UNIT), |text| self.heap.text(text))?);
        }
        members.extend([self.heap.text("value")?, value]);
        record::make(&mut self.heap, &members)
    }
}
