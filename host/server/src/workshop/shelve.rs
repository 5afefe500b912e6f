//! Exports the bindings of a session or of a saved state, and optionally the tools that they name.

use pif_domain::text::quote_one;
use pif_domain::{Fault, FaultCode, fault};
use pif_sandbox::Watch;
use pif_store::session::{Binding, Error, Session, Standing, Which, is_recent};
use serde_json::value::RawValue;

use super::export::{Exported, first};
use super::opening::Workshop;
use super::refusal::ended;
use super::shelf::{self, Shelved};

impl Workshop {
    /// A saved state, with its bindings.
    pub fn saved_state(&self, which: &Which) -> Result<(Session, Vec<Binding>), Fault> {
        let saved = self.sessions(&which.owner, Standing::Saved)?;
        let found = saved.into_iter().find(|it| it.name() == which.name);
        let state = found.ok_or_else(|| ended(Error::Unsaved(which.name.clone())))?;
        let bindings = self.bindings_of(&state)?;
        Ok((state, bindings))
    }

    /// Exports bindings of a session or of a saved state, without the last values. `with_tools` adds
    /// the tools that their terms name, as an export of tools has them.
    pub fn shelve(
        &self,
        session: &Session,
        bindings: &[Binding],
        with_tools: bool,
        watch: &Watch,
    ) -> Result<Exported, Fault> {
        let tools = self.tools()?;
        let (mut shelved, mut named, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        for binding in bindings.iter().filter(|binding| !is_recent(&binding.name)) {
            let Binding { name, hash, kind, .. } = binding.clone();
            let term = self.term_of(binding)?.ok_or_else(|| changed(&session.name()))?;
            let summary = self.sandbox.check(&term, &watch.again()).map_err(first)?;
            for tool in tools.named(&summary, self.effects.as_ref())? {
                if !with_tools && tools.find(&tool)?.is_none() {
                    let (name, tool) = (quote_one(&name), quote_one(&tool));
                    missing.push(format!("{name} names the tool {tool}, which does not exist"));
                }
                named.push((tool, Some(name.clone())));
            }
            let term = RawValue::from_string(term).map_err(|error| {
                let message = format!("the term of {} is no JSON: {error}", quote_one(&name));
                fault(FaultCode::Internal, message, None)
            })?;
            shelved.push(Shelved { name, kind, sha256: hash, term });
        }
        let (packed, notes) =
            if with_tools { self.pack(named, &tools, watch)? } else { (Vec::new(), missing) };
        Ok(Exported { text: shelf::write(session.title.clone(), shelved, packed)?, notes })
    }
}

fn changed(name: &str) -> Fault {
    let message = format!("the bindings of {} changed meanwhile", quote_one(name));
    fault(FaultCode::SessionBusy, message, Some("try again when the turn has ended"))
}
