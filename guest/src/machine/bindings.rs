//! The variables of the submitted code that the host gives as terms. What the code names is read
//! before it is evaluated: literals at once, functions when the tools that they refer to have
//! their values.

use crate::compile::{Compiler, Store, Tools, Unit};
use crate::data::values::{self, Meaning};
use crate::machine::locate::no_tool;
use crate::machine::{Failure, Machine, Phase};
use crate::memory::word::{HOLE, Word, quoted};
use crate::request::Step;
use pif_core::fault::{Code, Fault};
use pif_core::limits::to_u32;
use pif_language::form::Form;
use pif_language::names::Names;
use pif_language::parse::{Reading, parse};
use pif_language::term::{Origin, TermId, Terms};
use pif_language::uses::Uses;
use std::rc::Rc;

impl Machine {
    /// Notes the bindings that the code names.
    pub(super) fn note_bindings(
        &mut self,
        bindings: Vec<(String, Option<String>)>,
    ) -> Result<(), Failure> {
        if bindings.is_empty() {
            return Ok(());
        }
        let Some(root) = self.program else {
            let message = "`bindings` are variables of `code`, not of a tool";
            let hint = "pass the values as `data`";
            return Err(Box::new(Fault::new(Code::Malformed, message).at("/bindings").hint(hint)));
        };
        let uses = Uses::of(&self.state.terms, root);
        let terms = &self.state.terms;
        let is_named = |name: &str| {
            let named = |id| uses.free.has(id) || uses.quoted.has(id);
            uses.has_eval || terms.name_id(name).is_some_and(named)
        };
        let mut names = Names::default();
        for (name, term) in bindings {
            // Of two terms of one name the later counts.
            let known = names.id(&name).and_then(|id| self.unread.get_mut(id as usize));
            if let Some(known) = known {
                known.1 = term;
            } else if is_named(&name) {
                names.add(&name);
                self.unread.push((name, term));
            }
        }
        self.unread.reverse();
        Ok(())
    }

    /// Reads the bindings that are left. Returns a step if it needs a term.
    fn read_bindings(&mut self) -> Result<Option<Step>, Failure> {
        let has_some = !self.unread.is_empty();
        while let Some((name, term)) = self.unread.pop() {
            let Some(text) = term else {
                self.recalled = Some(name.clone());
                return Ok(Some(Step::Recall(name)));
            };
            let id = self.terms().intern(&name);
            let read = values::read(&mut self.state.heap, &text, Meaning::Term, u64::MAX);
            if let Ok(value) = read
                && value.wrong.is_none()
            {
                self.bind_variable(id, value.word);
                continue;
            }
            let parsed = parse(self.terms(), &text, Origin::Binding(name), Reading::Code)?;
            self.unmade.push((id, parsed.root));
        }
        if has_some {
            self.state.heap.keep_fresh();
        }
        Ok(None)
    }

    /// Binds a variable of the submitted code, outside those of the context.
    fn bind_variable(&mut self, name: u32, value: Word) {
        self.state.constants.push(value);
        self.context.insert(0, (name, to_u32(self.state.constants.len() - 1)));
    }

    /// Makes the values of the bindings. Returns a step if it needs a term or a tool's source, and
    /// changes the phase if it needs a tool's value.
    pub(super) fn make_bindings(&mut self) -> Result<Option<Step>, Failure> {
        if let Some(step) = self.read_bindings()? {
            return Ok(Some(step));
        }
        let mut tools = Tools::default();
        for (_, root) in self.unmade.clone() {
            for term in tool_terms(&self.state.terms, root) {
                let name = self.state.terms.text(self.state.terms.operand(term, 0)).to_owned();
                if self.state.known_tool(&name).is_none()
                    && let Some(step) = self.look_up(name.clone())
                {
                    return Ok(Some(step));
                }
                let Some(Some(id)) = self.state.known_tool(&name).copied() else {
                    let terms = &self.state.terms;
                    return Err(Box::new(terms.locate(terms.node(term).token, no_tool(&name))));
                };
                let Some(tool) = self.state.tools.get(id) else { continue };
                let source = tool.source.clone()?;
                let value = self.state.tool_values.get(id).copied().unwrap_or(HOLE);
                if value == HOLE && self.state.terms.form(term) == Form::Tool {
                    let tool = to_u32(id + 1);
                    let unit = Unit { root: source, scope: None, tool, site: None };
                    let entry = self.compile(unit)?;
                    self.enter(entry, 0);
                    self.phase = Phase::Tool(id);
                    return Ok(None);
                }
                tools.add(&name, (value, quoted(source, to_u32(id + 1))));
            }
        }
        for (name, root) in std::mem::take(&mut self.unmade) {
            let terms = Rc::clone(&self.state.terms);
            let (heap, constants) = (&mut self.state.heap, &mut self.state.constants);
            let store = Store { heap, constants, literals: &mut self.literals };
            let compiler = Compiler::new(&terms, &mut self.image, store, self.debug);
            let unit = Unit { root, scope: None, tool: 0, site: None };
            let value = compiler.value(root, &tools);
            let value = value.map_err(|failed| Self::refused(&terms, unit, failed))?;
            self.bind_variable(name, value);
        }
        Ok(None)
    }
}

/// Returns the terms whose value is that of a tool, or its source, and that are evaluated when a
/// binding is made.
fn tool_terms(terms: &Terms, root: TermId) -> Vec<TermId> {
    let (mut open, mut found) = (vec![root], Vec::new());
    while let Some(term) = open.pop() {
        match terms.form(term) {
            Form::Lam | Form::Quote => {}
            Form::Tool | Form::CodeOf if terms.form(terms.operand(term, 0)) == Form::Text => {
                found.push(term);
            }
            _ => open.extend(terms.operands(term).iter().rev()),
        }
    }
    found
}
