//! Adds to faults what helps the author of the program: the place in the text of a tool, and how to call a
//! server whose name was taken for a variable.

use pif_domain::{Fault, Place};
use pif_sandbox::Watch;
use pif_store::session::Which;

use super::opening::Workshop;
use super::world::Tools;

/// Bytes of the longest term whose text is looked at.
const MOST: usize = 1 << 16;

impl Workshop {
    /// Adds it to a fault. The text of a tool is that of its author while it is tried, and the printed
    /// one later.
    #[must_use]
    pub fn explain(&self, mut fault: Fault, tools: &Tools, watch: &Watch) -> Fault {
        if let Some(hint) = fault.variable.as_deref().and_then(|it| self.meant_by(it, tools)) {
            fault.hint = Some(hint);
        }
        if let (Some(tool), None) = (&fault.tool, &fault.place) {
            fault.place = self.place_in(tool, &fault.at, tools, watch).map(Box::new);
        }
        fault
    }

    /// What to write for a name that nothing binds, if it is the name of a server or of a tool.
    pub(super) fn meant_by(&self, name: &str, tools: &Tools) -> Option<String> {
        let is_tool = || tools.look_up(name).ok().flatten().is_some();
        self.server_hint(name)
            .or_else(|| is_tool().then(|| format!("`{name}` is a tool: write @{name}(x)")))
    }

    /// Adds to a fault in a function of a session where it is in the text that `session_inspect` shows.
    #[must_use]
    pub fn explain_binding(&self, mut fault: Fault, which: &Which, watch: &Watch) -> Fault {
        if let (None, None, Some(rest)) =
            (&fault.tool, &fault.place, fault.at.strip_prefix("/bindings/"))
        {
            let (name, within) = rest.split_once('/').unwrap_or((rest, ""));
            let place = self.place_in_binding(which, name, &format!("/{within}"), watch);
            fault.place = place.map(Box::new);
        }
        fault
    }

    fn place_in_binding(
        &self,
        which: &Which,
        name: &str,
        at: &str,
        watch: &Watch,
    ) -> Option<Place> {
        let (_, bindings) = self.session(which).ok()?;
        let binding = bindings.iter().find(|it| it.name == name)?;
        let term = self.term_of(binding).ok().flatten()?;
        let text = self.notation(&term, MOST, watch)?;
        self.sandbox.locate(&text, at, &watch.again()).map(Place::from)
    }

    fn place_in(&self, tool: &str, at: &str, tools: &Tools, watch: &Watch) -> Option<Place> {
        if let Some(text) = tools.written(tool) {
            return self.sandbox.locate(text, at, &watch.again()).map(Place::from);
        }
        let (source, _) = tools.look_up(tool).ok().flatten()?;
        let text = self.notation(&source, MOST, watch)?;
        self.sandbox.locate(&text, at, &watch.again()).map(Place::from)
    }
}
