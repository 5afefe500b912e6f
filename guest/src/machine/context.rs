//! The names that a program is given: the members of `context`, and the argument where the
//! program is no function.

use crate::check::advice::advise;
use crate::machine::{Failure, Input, Machine};
use pif_core::fault::{Code, Fault};
use pif_core::json::tape::{Tape, Token};
use pif_core::limits::to_u32;
use pif_language::form::Form;

impl Machine {
    /// The names of the variables of a context; none of a text that is no object.
    pub(super) fn names_of(context: &str) -> Vec<String> {
        let mut tape = Tape::default();
        let Ok(root) = tape.parse(context) else { return Vec::new() };
        tape.members(root).map(|(key, _)| tape.str(key).to_owned()).collect()
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
        if advise(&self.state.terms, root, false).free.contains(&name) {
            let token = self.state.terms.node(root).token;
            self.program = Some(self.terms().add(Form::Lam, token, &[root], &[name]));
        }
    }

    /// Binds the members of the context object as constants.
    pub(super) fn bind_context(&mut self, text: &str) -> Result<(), Failure> {
        let root = self.plain_json(text, "context")?;
        if !matches!(self.state.terms.tape.token(root), Token::Object { .. }) {
            let fault = Fault::new(Code::Malformed, "`context` must be an object");
            let fault = fault.hint(["write ", r#"{"name": value, …}"#]);
            return Err(Box::new(self.state.terms.locate(root, fault)));
        }
        let tape = &self.state.terms.tape;
        let members: Vec<_> = tape.members(root).collect();
        for (key, value) in members {
            let value = self.build(value)?;
            let name = self.state.terms.tape.str(key).to_owned();
            let name = self.terms().intern(&name);
            self.state.constants.push(value);
            self.context.push((name, to_u32(self.state.constants.len() - 1)));
        }
        Ok(())
    }
}
