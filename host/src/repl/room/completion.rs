//! The names that may stand somewhere, for completion.

use pif_server::workshop::{LIBRARY_PREFIX, library};
use pif_store::session::{Binding, is_name};
use serde_json::Value;

use super::ReplSession;

/// The most bytes of a record whose members are completed.
const MOST_COMPLETED: u64 = 256 << 10;

impl ReplSession {
    /// The names of all bindings.
    pub(in super::super) fn names(&self) -> Vec<String> {
        let bindings = self.open().map(|(_, bindings)| bindings).unwrap_or_default();
        bindings.into_iter().map(|binding| binding.name).collect()
    }

    /// The members of a bound record.
    pub(in super::super) fn members(&self, name: &str) -> Vec<String> {
        let term = self.open().ok().and_then(|(_, bindings)| {
            let is_meant =
                |it: &Binding| it.name == name && it.kind == "record" && it.bytes <= MOST_COMPLETED;
            let binding = bindings.into_iter().find(is_meant)?;
            self.workshop.term_of(&binding).ok().flatten()
        });
        let term: Option<Value> = term.and_then(|term| serde_json::from_str(&term).ok());
        let members = term.as_ref().and_then(|term| term["record"].as_object());
        let names = members.into_iter().flat_map(|members| members.keys());
        names.filter(|name| is_name(name)).cloned().collect()
    }

    /// The names of all forms.
    pub(in super::super) fn forms(&self) -> Vec<String> {
        self.forms.iter().map(|form| form.name.clone()).collect()
    }

    /// The names of tools with this beginning.
    pub(in super::super) fn tools(&self, prefix: &str, most: usize) -> Vec<String> {
        let own = self.workshop.tools().ok().and_then(|it| it.registered.names(prefix, most).ok());
        let mut names = own.unwrap_or_default();
        if LIBRARY_PREFIX.starts_with(prefix) || prefix.starts_with(LIBRARY_PREFIX) {
            names.extend(library().names(prefix).into_iter().map(str::to_owned));
        }
        names
    }
}
