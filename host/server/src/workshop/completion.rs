//! Proposals for the cursor of a program. The analyst makes them, from bindings and tools that the server knows.

use std::collections::BTreeMap;

use pif_domain::{Fault, Offer};
use pif_sandbox::{Bound, Completed, Draft, Evidence, KnownTool, Schemas, Watch};
use pif_store::session::Binding;

use super::library::{PREFIX as LIBRARY_PREFIX, library};
use super::opening::Workshop;
use super::refusal::stored;
use super::types::{Sight, shaped};
use super::world::Tools;

/// The most bytes of a binding whose type is told by its term.
const MOST_TERM: u64 = 256 << 10;

/// The most tools that are proposed, and the most of other servers that are named.
const MOST_TOOLS: usize = 100;

/// A program that is being written in a session.
#[derive(Debug, Clone, Copy)]
pub struct Writing<'a> {
    /// The program.
    pub code: &'a str,
    /// The byte where the cursor stands.
    pub cursor: usize,
    /// The bindings that it may name.
    pub bindings: &'a [Binding],
}

impl Workshop {
    /// Proposes what may be written at the cursor.
    pub fn complete(&self, writing: &Writing<'_>, watch: &Watch) -> Result<Completed, Fault> {
        let Writing { code, cursor, bindings } = *writing;
        let tools = self.tools()?;
        let sight = self.ready_sight(&tools);
        let offers = self.effects.offers();
        let named = offers.iter().take(MOST_TOOLS).map(|offer| unknown(&offer.name)).collect();
        let mut draft = Draft {
            code: code.to_owned(),
            cursor: u32::try_from(cursor).unwrap_or(u32::MAX),
            variables: self.bound(bindings)?,
            input: None,
            tools: named,
        };
        let first = self.sandbox.complete(&draft, &watch.again())?;
        let start = usize::try_from(first.start).unwrap_or(usize::MAX);
        let word = code.get(start..cursor).unwrap_or_default();
        let mut known = match first.of_server.as_deref() {
            None => Vec::new(),
            Some("") => sight.own(word, &tools, watch)?,
            Some(server) => offered_by(&offers, server, word),
        };
        let mut brought = BTreeMap::new();
        for name in &first.tools {
            if known.iter().all(|it| it.name != *name) {
                known.extend(sight.known(name, &mut brought, watch));
            }
        }
        if known.is_empty() {
            return Ok(first);
        }
        draft.tools.retain(|it| known.iter().all(|other| other.name != it.name));
        draft.tools.splice(0..0, known);
        self.sandbox.complete(&draft, &watch.again())
    }

    /// Evidence of bindings, those first that others may name.
    fn bound(&self, bindings: &[Binding]) -> Result<Vec<Bound>, Fault> {
        let mut in_order: Vec<&Binding> = bindings.iter().collect();
        in_order.sort_by(|a, b| (a.turn, &a.name).cmp(&(b.turn, &b.name)));
        let mut bound = Vec::new();
        for binding in in_order {
            let term = if binding.bytes <= MOST_TERM { self.term_of(binding)? } else { None };
            let evidence =
                term.map_or_else(|| Evidence::Shape(of_kind(&binding.kind)), Evidence::Term);
            bound.push(Bound { name: binding.name.clone(), evidence });
        }
        Ok(bound)
    }
}

impl Sight<'_> {
    /// The tools with this beginning, each with its type.
    fn own(&self, word: &str, tools: &Tools, watch: &Watch) -> Result<Vec<KnownTool>, Fault> {
        let mut names = tools.registered.names(word, MOST_TOOLS).map_err(stored)?;
        if LIBRARY_PREFIX.starts_with(word) || word.starts_with(LIBRARY_PREFIX) {
            names.extend(library().names(word).into_iter().map(str::to_owned));
        }
        names.sort_unstable();
        names.dedup();
        names.truncate(MOST_TOOLS);
        let mut brought = BTreeMap::new();
        let known =
            |name: &String| self.known(name, &mut brought, watch).unwrap_or_else(|| unknown(name));
        Ok(names.iter().map(known).collect())
    }

    /// A tool with its type, if that can be told.
    fn known(
        &self,
        name: &str,
        brought: &mut super::types::AllBrought,
        watch: &Watch,
    ) -> Option<KnownTool> {
        self.bring(name, brought, &watch.again());
        let tool = brought.get(name)?.as_ref()?;
        Some(shaped(name.to_owned(), tool))
    }
}

/// The type of a value of which only the kind is known.
fn of_kind(kind: &str) -> String {
    match kind {
        "list" => "any[]",
        "record" => "{[key: text]: any}",
        "function" => "(x: any) => any",
        "string" => "text",
        "integer" | "float" | "number" => "number",
        "boolean" => "boolean",
        _ => "any",
    }
    .to_owned()
}

fn unknown(name: &str) -> KnownTool {
    KnownTool { name: name.to_owned(), shape: None, schemas: None, code: None }
}

/// The tools of a server with this beginning, with their schemas.
fn offered_by(offers: &[Offer], server: &str, word: &str) -> Vec<KnownTool> {
    let is_meant = |offer: &&Offer| {
        let tool = offer.name.split_once('.').filter(|it| it.0 == server);
        tool.is_some_and(|it| it.1.starts_with(word))
    };
    let known = |offer: &Offer| {
        let (input, output) = (Some(offer.input_schema.clone()), offer.output_schema.clone());
        KnownTool { schemas: Some(Schemas { input, output }), ..unknown(&offer.name) }
    };
    offers.iter().filter(is_meant).take(MOST_TOOLS).map(known).collect()
}
