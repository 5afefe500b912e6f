//! Native capabilities: tools whose value is a record of functions. A call of `TOOL.FUNCTION` applies
//! one of them in the run that makes it.

use std::sync::Arc;

use pif_domain::text::quote_one;
use pif_domain::{Fault, FaultCode, fault};
use pif_sandbox::{Argument, Code, Completion, Request, Summary, Watch, drive};
use serde_json::json;

use super::effects::Effects;
use super::opening::Workshop;
use super::refusal::{ChangeRefusal, stored};
use super::script::Script;
use super::world::{Candidate, ToolLookup, Tools, Witness};

/// The most functions of a capability.
const MOST_MEMBERS: usize = 128;

/// The most characters of a function's name.
const LONGEST_MEMBER: usize = 64;

/// What to write for a capability.
const SHAPE: &str = "write a record of functions: {total: items => items.sum()}";

/// A native capability.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Native {
    /// The name of the tool.
    pub name: String,
    /// Its revision.
    pub hash: String,
    /// The names of its functions.
    pub members: Vec<String>,
}

impl Native {
    /// The function with this name as the source of a tool.
    pub(super) fn function(&self, member: &str) -> Option<ToolLookup> {
        self.members.iter().any(|it| it == member).then(|| ToolLookup {
            source: Some(function(&self.name, member)),
            hash: Some(self.hash.clone()),
        })
    }

    /// A tool as a capability; None if it is none.
    pub(super) fn new(name: &str, hash: &str, members: Option<&str>) -> Option<Self> {
        let members = serde_json::from_str(members?).ok()?;
        Some(Self { name: name.to_owned(), hash: hash.to_owned(), members })
    }
}

/// The term whose value is a function of a tool.
pub(super) fn function(name: &str, member: &str) -> String {
    json!({"get": [{"tool": name}, member]}).to_string()
}

impl Tools {
    /// The native capability with this name.
    pub fn native(&self, name: &str) -> Result<Option<Native>, Fault> {
        if let Some(it) = self.candidates.iter().find(|it| it.name == name && !it.is_pinned) {
            return Ok(Native::new(name, &it.hash, it.members.as_deref()));
        }
        if name.contains('@') {
            return Ok(None);
        }
        let found = self.find(name)?;
        Ok(found.and_then(|it| Native::new(name, &it.hash, it.members.as_deref())))
    }

    /// The names of the tools that a term names, native capabilities that it calls among them.
    pub(super) fn named(
        &self,
        summary: &Summary,
        effects: &dyn Effects,
    ) -> Result<Vec<String>, Fault> {
        let mut names = summary.names();
        for need in &summary.needs {
            if let Some((native, _)) = self.native_of(&need.name, effects)?
                && !names.contains(&native.name)
            {
                names.push(native.name);
            }
        }
        Ok(names)
    }

    /// These tools, whose only candidate has these functions.
    pub(super) fn with_members(self, members: &str) -> Self {
        let members = Some(members.to_owned());
        let candidates =
            self.candidates.iter().map(|it| Candidate { members: members.clone(), ..it.clone() });
        Self { candidates: candidates.collect(), ..self }
    }

    /// The native capability that a call is for, with the name of its function.
    pub(super) fn native_of<'a>(
        &self,
        tool: &'a str,
        effects: &dyn Effects,
    ) -> Result<Option<(Native, &'a str)>, Fault> {
        let Some((name, member)) = tool.split_once('.') else { return Ok(None) };
        if effects.answers(tool) {
            return Ok(None);
        }
        Ok(self.native(name)?.map(|native| (native, member)))
    }
}

impl Workshop {
    /// The functions of a tool that is to be a native capability, as the registry keeps them.
    /// Refuses a tool whose value is anything else than a record of functions.
    pub(super) fn members(
        &self,
        name: &str,
        tools: &Tools,
        watch: &Watch,
    ) -> Result<String, ChangeRefusal> {
        let kinds = json!({"map": [
            {"lam": "it", "body": [{"fst": {"var": "it"}}, {"type_of": {"snd": {"var": "it"}}}]},
            {"entries": {"var": "all"}},
        ]});
        let is_record = json!({"eq": [{"type_of": {"var": "all"}}, "record"]});
        let term = json!({"let": [["all", {"tool": name}]], "in": {"if": {
            "cond": is_record, "then": kinds, "else": {"type_of": {"var": "all"}}}}});
        let request = Request {
            code: Code::Term(term.to_string()),
            argument: Argument::None,
            context: None,
            bindings: Vec::new(),
            keep: false,
            limits: self.limits,
            step: 0,
            max_steps: 0,
            output_schema: None,
            debug: false,
            steps: 0,
        };
        let watch = watch.again();
        let live = self.live(tools.clone(), Arc::new(Script::default()), &watch);
        let mut nobody = ();
        let mut witness = Witness::new(live, &mut nobody);
        let ending = drive(&self.sandbox, request, &mut witness, &watch).ending;
        let during = || Some(format!("the record of `{name}` cannot be made"));
        let found = match ending {
            Ok(Completion::Value(value)) => value.json,
            Ok(Completion::Continuation(_)) => return Err(none(name, "asks to run again").into()),
            Err(fault) => return Err(ChangeRefusal { during: during(), faults: vec![fault] }),
        };
        Ok(json!(read_members(name, &found)?).to_string())
    }

    /// Refuses a native capability that has the name of a server.
    pub(super) fn ensure_nobody(&self, name: &str) -> Result<(), Fault> {
        if !self.effects.answers(&format!("{name}.")) {
            return Ok(());
        }
        let message = format!("a server is named `{name}`, so calls of `{name}.…` go to it");
        let hint = "choose another name; the operator may set `allow_shadowing` in \
            capabilities.json";
        Err(fault(FaultCode::Malformed, message, Some(hint)))
    }

    /// All native capabilities, at most so many.
    pub fn natives(&self, most: usize) -> Result<Vec<pif_store::registry::Definition>, Fault> {
        let all = self.tools()?.registered.capabilities(most).map_err(stored)?;
        let is_called = |name: &str| !self.effects.answers(&format!("{name}."));
        Ok(all.into_iter().filter(|it| is_called(&it.name)).collect())
    }
}

/// Reads the kinds of all members, or the kind of what is no record.
fn read_members(name: &str, found: &str) -> Result<Vec<String>, Fault> {
    if let Ok(kind) = serde_json::from_str::<String>(found) {
        return Err(none(name, &format!("is of type {kind}")));
    }
    let members: Vec<(String, String)> = serde_json::from_str(found).unwrap_or_default();
    if members.is_empty() {
        return Err(none(name, "has no members"));
    }
    if members.len() > MOST_MEMBERS {
        let message = format!("has {} members, more than {MOST_MEMBERS}", members.len());
        return Err(none(name, &message));
    }
    if let Some((member, kind)) = members.iter().find(|(_, kind)| kind != "function") {
        let member = quote_one(member);
        return Err(none(name, &format!("has the member {member}, which is of type {kind}")));
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let is_name =
        |name: &str| (1..=LONGEST_MEMBER).contains(&name.len()) && name.chars().all(is_plain);
    if let Some((member, _)) = members.iter().find(|(member, _)| !is_name(member)) {
        let message = format!("the member {} cannot be called", quote_one(member));
        let hint = format!("name it with up to {LONGEST_MEMBER} letters, digits, `_` or `-`");
        return Err(fault(FaultCode::Malformed, message, Some(&hint)));
    }
    Ok(members.into_iter().map(|(member, _)| member).collect())
}

/// The fault of a tool that is no record of functions.
fn none(name: &str, why: &str) -> Fault {
    let message = format!("a capability is a record of functions, and the value of `{name}` {why}");
    fault(FaultCode::Malformed, message, Some(SHAPE))
}
