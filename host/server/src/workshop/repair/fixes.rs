//! Applies sure fixes one by one, while the fault changes its place.

use std::collections::BTreeSet;
use std::sync::Arc;

use pif_domain::json::Members;
use pif_domain::{Fault, Fix};
use pif_sandbox::{Argument, Code, Note, Request};
use serde_json::json;

use super::answers::SEEN;
use super::bench::{Bench, Sign};
use super::report::AppliedFix;
use crate::workshop::library::library;
use crate::workshop::world::{Candidate, Tools};

/// The most fixes of one repair.
const MOST: usize = 24;

/// A program with its fixes.
#[derive(Debug, Clone)]
pub(super) struct FixedProgram {
    pub(super) request: Request,
    /// The tools, with those that have fixes as candidates.
    pub(super) tools: Tools,
    pub(super) applied: Vec<AppliedFix>,
    /// Whether the run has no fault then.
    pub(super) is_whole: bool,
}

impl Bench<'_> {
    /// Applies the sure fixes of a run that fails.
    pub(super) fn fix(&self, request: &Request, tools: &Tools) -> FixedProgram {
        let (request, tools) = (request.clone(), tools.clone());
        let mut fixed = FixedProgram { request, tools, applied: Vec::new(), is_whole: false };
        let (mut seen, mut last) = (BTreeSet::new(), None);
        let mut before = fixed.clone();
        for _ in 0..MOST {
            let Some(ran) = self.fault(&fixed.request, &fixed.tools) else { return fixed };
            let Some(fault) = ran else { return FixedProgram { is_whole: true, ..fixed } };
            let sign = Sign::of(&fault);
            if last.as_ref() == Some(&sign) {
                // The last fix did not help.
                return before;
            }
            last = Some(sign);
            before = fixed.clone();
            let Some((tool, fix)) = self.fix_of(&fault, &fixed) else { return fixed };
            if !seen.insert(fix.fixed.clone()) || !self.apply(&mut fixed, tool, fix) {
                return before;
            }
        }
        before
    }

    /// Applies the sure fixes that a check notes. None: it notes none.
    pub(super) fn fix_noted(&self, request: &Request, tools: &Tools) -> Option<FixedProgram> {
        let (request, tools) = (request.clone(), tools.clone());
        let (code, tool) = match &request.code {
            Code::Term(code) => (code.clone(), None),
            Code::Tool(name) => (tools.look_up(name).ok()??.0, Some(name.clone())),
        };
        let fix = self.fix_of_notes(&code)?;
        let mut fixed = FixedProgram { request, tools, applied: Vec::new(), is_whole: true };
        self.apply(&mut fixed, tool, fix).then_some(fixed)
    }

    /// The sure fix of a fault, and the tool whose source it changes.
    fn fix_of(&self, fault: &Fault, fixed: &FixedProgram) -> Option<(Option<String>, Fix)> {
        if let Some(tool) = &fault.tool {
            let fix = self.fix_of_tool(tool, fixed)?;
            return Some((Some(tool.clone()), fix));
        }
        let Code::Term(code) = &fixed.request.code else { return None };
        let own = fault.fix.as_deref().cloned();
        own.or_else(|| self.fix_of_notes(code)).map(|fix| (None, fix))
    }

    /// The sure fix of a tool's source: that of its run as a program, or that of what a check notes.
    fn fix_of_tool(&self, tool: &str, fixed: &FixedProgram) -> Option<Fix> {
        if library().find(tool).is_some() {
            return None;
        }
        let (source, _) = fixed.tools.look_up(tool).ok()??;
        let argument = match &fixed.request.code {
            Code::Tool(name) if name == tool => fixed.request.argument.clone(),
            _ => self
                .argument_of(tool, &fixed.request, &fixed.tools)
                .map_or(Argument::None, Argument::Data),
        };
        let own = self.workshop.request(Code::Term(source.clone()), argument);
        let fault = self.fault(&own, &fixed.tools)?;
        let fix = fault.and_then(|fault| fault.fix).map(|fix| *fix);
        fix.or_else(|| self.fix_of_notes(&source))
    }

    fn fix_of_notes(&self, code: &str) -> Option<Fix> {
        let summary = self.workshop.sandbox.check(code, &self.watch).ok()?;
        let fix = summary.notes.into_iter().find_map(|note: Note| note.fix)?;
        Some(Fix { at: fix.at, was: fix.was, now: fix.now, fixed: fix.fixed })
    }

    /// Puts a fix into the program or into a tool. False: what comes of it is no program.
    fn apply(&self, fixed: &mut FixedProgram, tool: Option<String>, fix: Fix) -> bool {
        let Fix { was, now, fixed: code, .. } = fix;
        match &tool {
            None => fixed.request.code = Code::Term(code),
            Some(name) => {
                let Ok(summary) = self.workshop.sandbox.check(&code, &self.watch) else {
                    return false;
                };
                fixed.tools = with(&fixed.tools, name, summary.canonical, summary.hash);
            }
        }
        fixed.applied.push(AppliedFix { tool, was, now });
        true
    }

    /// The argument of the last call of a tool in a run, if it is JSON. The tool tells it before it goes
    /// on.
    pub(super) fn argument_of(
        &self,
        tool: &str,
        request: &Request,
        tools: &Tools,
    ) -> Option<String> {
        let (source, hash) = tools.look_up(tool).ok()??;
        let argument = json!({"var": "x"});
        let tell = json!({"call": {"tool": SEEN, "args": {"record": {"value": argument}}}});
        let goes_on = json!({"app": {"func": {"tool": format!("{tool}@{hash}")}, "arg": argument}});
        let watched = json!({"lam": "x", "body": {"let": [["told", tell]], "in": goes_on}});
        let summary = self.workshop.sandbox.check(&watched.to_string(), &self.watch).ok()?;
        let tools = with(tools, tool, summary.canonical, summary.hash);
        let own = Candidate { is_pinned: true, ..candidate(tool, source, hash) };
        let candidates = tools.candidates.iter().cloned().chain([own]).collect();
        let told = self.run(request, &Tools { candidates, ..tools })?.seen?;
        let members = Members::parse(&told).ok()?;
        members.raw("value").map(str::to_owned)
    }
}

/// The tools with another source of one of them.
pub(super) fn with(tools: &Tools, name: &str, source: String, hash: String) -> Tools {
    let others = tools.candidates.iter().filter(|it| it.is_pinned || it.name != name).cloned();
    let members = tools.find(name).ok().flatten().and_then(|tool| tool.members);
    let own = Candidate { members, ..candidate(name, source, hash) };
    let candidates: Arc<[Candidate]> = others.chain([own]).collect();
    Tools { candidates, ..tools.clone() }
}

fn candidate(name: &str, source: String, hash: String) -> Candidate {
    Candidate {
        name: name.to_owned(),
        source,
        hash,
        is_pinned: false,
        output_schema: None,
        members: None,
        written: None,
    }
}
