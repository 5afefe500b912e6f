//! The way of a repair: the run that fails, the fixes, the proof, the diagnosis, the snapshot.

use std::sync::Arc;

use pif_domain::{Fault, FaultCode, fault, text};
use pif_sandbox::{Argument, Code, Completion, Request, Watch};
use serde_json::json;
use serde_json::value::RawValue;

use super::bench::{Bench, Sign};
use super::case::{Broken, Case, Wrong};
use super::fixes::FixedProgram;
use super::minimization::depends_on_input;
use super::report::{Diagnosis, Proof, Repair, RepairedProgram, Was};
use crate::workshop::analyze::source_of;
use crate::workshop::opening::Workshop;
use crate::workshop::world::Tools;

/// Bytes of the longest source that is written in the notation.
const MOST_NOTATION: usize = 1 << 20;

impl Workshop {
    /// Repairs what is wrong by sure fixes, and tells what is least around the fault. What is repaired of
    /// tools is staged. `arguments` is the text of the request.
    pub fn repair(&self, wrong: &Wrong, arguments: &str, watch: &Watch) -> Result<Repair, Fault> {
        let tools = self.tools()?;
        if let Broken::Tool(name) = &wrong.broken {
            source_of(&tools, name)?;
        }
        self.sandbox.ready_analyst();
        let mut mended = Repair::default();
        let Some((case, found)) = self.failing(wrong, &tools, watch, &mut mended)? else {
            mended.proof = self.proof(wrong, None, &tools, watch)?;
            if !mended.proof.is_passed() {
                self.repair_unproved(wrong, &tools, (arguments, watch), &mut mended)?;
            }
            return Ok(mended);
        };
        if let Some(given) = &wrong.error {
            mended.is_given = Some(given.is(&found));
        }
        let bench = Bench::new(self, &case.calls, watch);
        let fixed = bench.fix(&case.request, &tools);
        mended.fixes.clone_from(&fixed.applied);
        let whole = Some(&fixed).filter(|it| it.is_whole && !it.applied.is_empty());
        mended.proof = self.proof(wrong, whole.map(|it| (&case, it)), &tools, watch)?;
        if let Some(fixed) = whole.filter(|_| mended.proof.is_passed()) {
            mended.repaired = self.repaired(fixed, watch)?;
            self.stage_repaired(&mut mended, fixed, arguments, watch);
        }
        mended.diagnosis = Some(diagnose(&bench, &case, &found, &tools));
        mended.fault = Some(Box::new(self.explain(found, &tools, watch)));
        Ok(mended)
    }

    /// Repairs what no run shows, but examples and properties: by the sure fixes of a check.
    fn repair_unproved(
        &self,
        wrong: &Wrong,
        tools: &Tools,
        (arguments, watch): (&str, &Watch),
        mended: &mut Repair,
    ) -> Result<(), Fault> {
        let code = match &wrong.broken {
            Broken::Code(code) => Code::Term(code.clone()),
            Broken::Tool(name) => Code::Tool(name.clone()),
            Broken::Run(_) => return Ok(()),
        };
        let case = Case {
            request: self.request(code, Argument::Unapplied),
            calls: Arc::default(),
            from: None,
        };
        let Some(fixed) = Bench::new(self, &case.calls, watch).fix_noted(&case.request, tools)
        else {
            return Ok(());
        };
        mended.fixes.clone_from(&fixed.applied);
        let proof = self.proof(wrong, Some((&case, &fixed)), tools, watch)?;
        if proof.is_passed() {
            mended.proof = proof;
            mended.repaired = self.repaired(&fixed, watch)?;
            self.stage_repaired(mended, &fixed, arguments, watch);
        }
        Ok(())
    }

    /// The first run that fails, with its fault.
    fn failing(
        &self,
        wrong: &Wrong,
        tools: &Tools,
        watch: &Watch,
        mended: &mut Repair,
    ) -> Result<Option<(Case, Fault)>, Fault> {
        for case in self.cases(wrong)? {
            let bench = Bench::new(self, &case.calls, watch);
            let Some(ran) = bench.run(&case.request, tools) else {
                watch.again().verdict()?;
                let message = "the run was stopped before it failed or had a value".to_owned();
                return Err(fault(FaultCode::Timeout, message, Some("give a smaller input")));
            };
            let is_function =
                matches!(&ran.ending, Ok(Completion::Value(value)) if value.kind == "function");
            if is_function && matches!(case.request.argument, Argument::Unapplied) {
                mended.notes.push("it is a function, and no input of it is known".to_owned());
            }
            if let Err(found) = ran.ending {
                mended.notes.extend(case.from.clone());
                return Ok(Some((case, found)));
            }
        }
        Ok(None)
    }

    /// Runs the examples, with the repair if there is one.
    fn proof(
        &self,
        wrong: &Wrong,
        repair: Option<(&Case, &FixedProgram)>,
        tools: &Tools,
        watch: &Watch,
    ) -> Result<Proof, Fault> {
        let (code, tools) = match (repair, &wrong.broken) {
            (Some((_, fixed)), _) => (fixed.request.code.clone(), &fixed.tools),
            (None, Broken::Code(code)) => (Code::Term(code.clone()), tools),
            (None, Broken::Tool(name)) => (Code::Tool(name.clone()), tools),
            (None, Broken::Run(_)) => return Ok(Proof::default()),
        };
        let mut named: Vec<String> =
            tools.candidates.iter().map(|candidate| candidate.name.clone()).collect();
        if let Code::Tool(name) = &code
            && !named.contains(name)
        {
            named.push(name.clone());
        }
        self.try_repair(&code, wrong, &named, tools, watch)
    }

    fn repaired(&self, fixed: &FixedProgram, watch: &Watch) -> Result<Vec<RepairedProgram>, Fault> {
        let mut repaired = Vec::new();
        if let Code::Term(code) = &fixed.request.code
            && fixed.applied.iter().any(|it| it.tool.is_none())
        {
            repaired.push(RepairedProgram { tool: None, code: code.clone() });
        }
        for candidate in fixed.tools.candidates.iter() {
            let notation = self.notation(&candidate.source, MOST_NOTATION, watch);
            let code = notation.unwrap_or_else(|| candidate.source.clone());
            repaired.push(RepairedProgram { tool: Some(candidate.name.clone()), code });
        }
        Ok(repaired)
    }

    /// Puts repaired tools into a snapshot. Why that cannot be is a note.
    fn stage_repaired(
        &self,
        mended: &mut Repair,
        fixed: &FixedProgram,
        arguments: &str,
        watch: &Watch,
    ) {
        let mut operations = Vec::new();
        for candidate in fixed.tools.candidates.iter() {
            let current = self.current(&candidate.name);
            let code = RawValue::from_string(candidate.source.clone());
            let (Ok(current), Ok(code)) = (current, code) else { continue };
            let description = &current.description;
            let change = json!({"name": candidate.name, "description": description, "code": code});
            operations.push(json!({ "evolve": change }).to_string());
        }
        if operations.is_empty() {
            return;
        }
        match self.stage(None, &operations, arguments, &watch.again()) {
            Ok(staged) => mended.snapshot = Some(staged.area.id),
            Err(fault) => {
                mended.notes.push(format!("it is not staged: {}", text::line(&fault.message, 500)))
            }
        }
    }
}

/// What is least around a fault, and what brought it.
fn diagnose(bench: &Bench<'_>, case: &Case, found: &Fault, tools: &Tools) -> Diagnosis {
    let since = bench.again().since(&case.request, &Sign::kind(found));
    let (since, before) = since.unzip();
    // An input on which the run had a value before the change says the most.
    let had_value = since.as_ref().is_some_and(|it| it.was == Was::Value);
    let before = before.filter(|_| had_value);
    let sign = Sign::of(found);
    let fails = |bench: &Bench<'_>, request: &Request| {
        let fails = bench.fault(request, tools)?.is_some_and(|it| Sign::of(&it) == sign);
        match &before {
            Some(before) if fails => Some(bench.fault(request, before)?.is_none()),
            _ => Some(fails),
        }
    };
    let search = bench.again();
    let bounded = search.bounded(&case.request, tools).unwrap_or_else(|| case.request.clone());
    let (request, input, context) = match depends_on_input(found) {
        true => search.least_input(&bounded, &fails),
        false => (bounded, None, None),
    };
    let inner = bench.again().inner(found, &request, tools);
    let (request, inner) = match inner {
        Some((request, inner)) => (request, Some(inner)),
        None => (request, None),
    };
    let program = bench.again().least_program(found, &request, tools);
    let (program, term) = program.unzip();
    Diagnosis { input, context, inner, program, term: term.flatten(), since }
}

impl Proof {
    /// Whether all examples passed.
    #[must_use]
    pub fn is_passed(&self) -> bool {
        self.failed.is_empty() && self.refuted.is_empty() && !self.is_cut
    }
}
