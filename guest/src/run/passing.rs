//! Steps of the program begin and end, or are not evaluated, since the host knows what they came to.

use super::named::Open;
use super::state::{Exit, State};
use crate::code::Slot;
use crate::memory::word::Word;
use crate::request::{Left, Passage};
use pif_core::fault::Fault;
use pif_language::form::Form;
use pif_language::term::TermId;

impl State {
    /// Begins the step of this name, or gives what the host says that it came to.
    pub(crate) fn begin_step(&mut self, name: Word) -> Result<Option<Passage>, Exit> {
        let first = self.terms.len();
        let Some(named) = &mut self.named else { return Ok(None) };
        let is_told = named.left > 0;
        if is_told && named.said.is_none() {
            return Err(Exit::Enter(self.heap.string(name)));
        }
        named.first_unstable.get_or_insert(first);
        if is_told {
            (named.left, named.told) = (named.left - 1, named.told + 1);
        }
        if let Some(passage) = named.said.take().flatten() {
            return Ok(Some(passage));
        }
        let open = Open {
            is_told,
            depth: self.trials.len(),
            fuel: self.meter.spent(),
            calls: self.calls,
            told: named.told,
            lines: self.trace.len(),
            warnings: self.notes.count(),
            built: self.built,
            tools: named.tools.len(),
            trials: named.trials.len(),
            untold: named.untold,
        };
        named.open.push(open);
        Ok(None)
    }

    /// Notes what a step came to that is not evaluated, beside its value.
    pub(crate) fn pass_step(&mut self, passage: Passage) -> Result<(), Exit> {
        self.meter.spend(passage.fuel)?;
        self.calls = self.calls.saturating_add(passage.calls);
        self.trace.extend(passage.trace);
        for term in &passage.trials {
            self.endings.note(&self.terms, *term, None);
        }
        let Some(named) = &mut self.named else { return Ok(()) };
        named.left = named.left.saturating_sub(passage.steps);
        named.told = named.told.saturating_add(passage.steps);
        named.trials.extend(passage.trials);
        for name in passage.tools {
            if named.made.insert(name.clone()) {
                named.paid.insert(name.clone());
                named.tools.push(name);
            }
        }
        Ok(())
    }

    /// Ends the innermost step, whose value is in a slot. The host hears of it first.
    pub(crate) fn end_step(&mut self, d: Slot) -> Result<(), Exit> {
        let fuel = self.meter.spent();
        let value = self.slot(d);
        let Some(named) = &mut self.named else { return Ok(()) };
        if named.open.last().is_some_and(|open| open.is_told) && !named.is_told {
            named.is_told = true;
            return Err(Exit::Leave(value, fuel));
        }
        named.is_told = false;
        named.open.pop();
        Ok(())
    }

    /// What the host is told of the innermost step, which has ended by a value. `value` is the canonical
    /// term of that, if it is data.
    pub(crate) fn left_step(&self, value: Option<String>, spent: u64) -> Result<Left, Fault> {
        let named = self.named.as_ref().ok_or_else(lost_step)?;
        let open = named.open.last().ok_or_else(lost_step)?;
        let fuel = spent.saturating_sub(open.fuel);
        let is_told = named.untold == open.untold
            && self.built == open.built
            && self.notes.count() == open.warnings;
        let Some(value) = value.filter(|_| is_told) else {
            return Ok(Left { fuel, is_failed: false, passage: None });
        };
        let passage = Passage {
            value,
            fuel,
            calls: self.calls.saturating_sub(open.calls),
            trace: since(&self.trace, open.lines)?,
            tools: since(&named.tools, open.tools)?,
            trials: since(&named.trials, open.trials)?,
            steps: named.told.saturating_sub(open.told),
        };
        Ok(Left { fuel, is_failed: false, passage: Some(passage) })
    }

    /// Notes that a fault has ended the steps that began within more than so many `try`s and `retry`s.
    pub(crate) fn abandon_steps(&mut self, depth: usize) {
        let spent = self.meter.spent();
        let Some(named) = &mut self.named else { return };
        while let Some(open) = named.open.pop_if(|open| open.depth > depth) {
            named.is_told = false;
            if open.is_told {
                let fuel = spent.saturating_sub(open.fuel);
                named.failed.push_back(Left { fuel, is_failed: true, passage: None });
            }
        }
    }

    /// Notes how a `try` has ended.
    pub(crate) fn note_ending(&mut self, term: TermId, fault: Option<&Fault>) {
        self.endings.note(&self.terms, term, fault);
        let Some(named) = &mut self.named else { return };
        let is_stable = named.first_unstable.is_some_and(|first| term < first);
        if fault.is_none() && is_stable {
            named.trials.push(term);
        } else {
            named.untold = named.untold.saturating_add(1);
        }
    }

    /// Notes that the value of a tool is there now.
    pub(crate) fn note_made(&mut self, tool: usize) {
        let Some(named) = &mut self.named else { return };
        let Some(tool) = self.tools.get(tool) else { return };
        let is_function = |root: &TermId| self.terms.form(*root) == Form::Lam;
        if tool.source.as_ref().is_ok_and(is_function) {
            if named.made.insert(tool.name.clone()) {
                named.tools.push(tool.name.clone());
            }
        } else {
            named.untold = named.untold.saturating_add(1);
        }
    }

    /// Gives back what it takes to make the function of a tool that was paid in a step before.
    pub(crate) fn give_back_for(&mut self, tool: usize) {
        let Some(named) = &mut self.named else { return };
        let Some(tool) = self.tools.get(tool) else { return };
        if named.paid.remove(&tool.name)
            && let Ok(root) = &tool.source
        {
            self.meter.give_back(self.terms.form(*root).visit_price().into());
        }
    }

    /// Notes something that no passage can tell.
    pub(crate) fn note_untold(&mut self) {
        if let Some(named) = &mut self.named {
            named.untold = named.untold.saturating_add(1);
        }
    }
}

/// The entries of a list that came after it had this length. A step never begins behind the end.
fn since<T: Clone>(all: &[T], length: usize) -> Result<Vec<T>, Fault> {
    let entries = all.get(length..);
    entries.map(<[T]>::to_vec).ok_or_else(|| Fault::defect("the beginning of a step is lost"))
}

#[cold]
fn lost_step() -> Fault {
    Fault::defect("a step is lost")
}
