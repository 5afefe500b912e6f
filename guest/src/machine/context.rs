//! The names that a program is given: the members of `context`, and the argument where the
//! program is no function.

use crate::machine::{Failure, Input, Machine};
use crate::memory::word::{KIND_RECORD, Word};
use pif_core::fault::{Code, Fault};
use pif_core::limits::to_u32;
use pif_language::form::Form;
use pif_language::uses::Uses;

impl Machine {
    /// Reads the context: its members' names, with their values.
    pub(super) fn read_context(&mut self, text: &str) -> Result<Vec<(String, Word)>, Failure> {
        let value = self.value_of(text, "context")?;
        let heap = &self.state.heap;
        if heap.object_kind(value) != KIND_RECORD {
            let fault = Fault::new(Code::Malformed, "`context` must be an object");
            let fault = fault.hint(r#"write {"name": value, …}"#);
            let root = self.plain_json(text, "context")?;
            return Err(Box::new(self.state.terms.locate(root, fault)));
        }
        let members = heap.members(value);
        Ok(members
            .chunks_exact(2)
            .filter_map(|member| match *member {
                [key, value] => Some((heap.string(key), value)),
                _ => None,
            })
            .collect())
    }

    /// Makes the argument a variable of a program that is no function: data has a value at once; one
    /// in which `input` is free is a function of it.
    pub(super) fn bind_argument(&mut self, name: &str) {
        let Some(root) = self.program.filter(|root| self.state.terms.form(*root) != Form::Lam)
        else {
            return;
        };
        if name == "data" {
            if let Input::Ready(constant, _) = self.input {
                let name = self.terms().intern(name);
                self.context.push((name, to_u32(constant)));
            }
            return;
        }
        let Some(name) = self.state.terms.name_id(name) else { return };
        if Uses::of(&self.state.terms, root).free.has(name) {
            let token = self.state.terms.node(root).token;
            self.program = Some(self.terms().add(Form::Lam, token, &[root], &[name]));
        }
    }

    /// Binds the members of the context as constants.
    pub(super) fn bind_context(&mut self, members: Vec<(String, Word)>) {
        for (name, value) in members {
            let name = self.terms().intern(&name);
            self.state.constants.push(value);
            self.context.push((name, to_u32(self.state.constants.len() - 1)));
        }
    }
}
