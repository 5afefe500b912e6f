//! Verifies a snapshot: runs the examples and properties of every tool that it changes and of all that
//! depend on these, and compares with the registry that it is based on.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pif_domain::json::{Members, object};
use pif_domain::text::line;
use pif_domain::{EntryKind, Fault, FaultCode, fault};
use pif_sandbox::{Typing, Watch};
use pif_store::registry::{Definition, Overlay, name};
use pif_store::staging::{Area, Change, Verification};
use serde_json::{Map, Value, json};

use crate::workshop::check::Reach;
use crate::workshop::example::{Example, from_json};
use crate::workshop::opening::Workshop;
use crate::workshop::property::of_tool;
use crate::workshop::refusal::stored;
use crate::workshop::world::Tools;

/// The most tools that a verification looks at.
const MOST_TOOLS: usize = 2_000;

/// The most characters of a type in the record.
const MOST_TYPE: usize = 1_000;

/// The code of a type that no longer accepts what it accepted.
const NARROWED: &str = "type-narrowed";

/// The most characters of a fault in the record.
const MOST_MESSAGE: usize = 300;

/// What to verify beside the examples of the tools.
#[derive(Debug, Default)]
pub struct Verify {
    /// Patterns of names, with `*` for any letters, and examples `{tool, input, output}`: JSON texts.
    pub tests: Vec<String>,
    /// Tools of other servers that a tool may need now and did not before.
    pub allow_needs: Vec<String>,
}

/// A verification, as it is told.
#[derive(Debug)]
pub struct VerificationReport {
    /// Whether everything passed.
    pub passed: bool,
    /// What was run, with which result.
    pub record: Value,
    /// The number of the journal entry.
    pub entry: i64,
}

/// What was found of one tool.
#[derive(Default)]
struct ToolFinding {
    passed: u64,
    failed: Vec<Value>,
    /// How many properties did not fail.
    held: u64,
    /// Properties that failed.
    refuted: Vec<Value>,
    fuel: u64,
    faults: Vec<Value>,
}

impl Workshop {
    /// Verifies a snapshot and keeps the result. `arguments` is the text of the request.
    pub fn verify(
        &self,
        snapshot: i64,
        asked: &Verify,
        arguments: &str,
        watch: &Watch,
    ) -> Result<VerificationReport, Fault> {
        let (area, work) = self.begin_work(snapshot)?;
        let (after, before) = (self.within(snapshot)?, self.before(&area)?);
        let tests = read_tests(&asked.tests)?;
        let changed: Vec<String> = area.tools().iter().map(|it| it.name.clone()).collect();
        let dependents = after.dependents(&changed)?;
        let mut passed = true;
        let mut tell = |name: &str| -> Result<Option<Value>, Fault> {
            let told = judge(&before, &after, name, &tests, asked, watch)?;
            passed &= told.as_ref().is_none_or(|(_, passed)| *passed);
            Ok(told.map(|(told, _)| told))
        };
        let mut tools = Vec::new();
        for name in &changed {
            tools.extend(tell(name)?);
        }
        let mut callers = Vec::new();
        for name in &dependents {
            callers.extend(tell(name)?);
        }
        let others = after.matching(&tests, &changed, &dependents)?;
        let mut added = Vec::new();
        for name in &others {
            added.extend(tell(name)?);
        }
        let mut record = json!({ "passed": passed, "tools": tools, "dependents": callers });
        if !added.is_empty() {
            record["tests"] = added.into();
        }
        let verification =
            Verification { version: area.version, passed, record: record.to_string() };
        let holder = Some(work.holder.clone());
        let change = Change::Verify { id: snapshot, verification, holder };
        let (_, entry) = work.end(EntryKind::Verify, change, arguments)?;
        Ok(VerificationReport { passed, record, entry })
    }

    /// The workshop with the tools that a snapshot is based on.
    fn before(&self, area: &Area) -> Result<Self, Fault> {
        let overlay = Overlay::of_base(self.store.as_ref(), area.base).map_err(stored)?;
        let view = self.registry.view(area.base, overlay.into());
        Ok(Self { view: Some(view), ..self.clone() })
    }

    /// The tools that depend on these, by any number of calls, in the order of their distance.
    fn dependents(&self, changed: &[String]) -> Result<Vec<String>, Fault> {
        let tools = self.tools()?.registered;
        let mut seen: BTreeSet<String> = changed.iter().cloned().collect();
        let (mut found, mut open) = (Vec::new(), changed.to_vec());
        while let Some(called) = open.pop() {
            for caller in tools.callers(&called, MOST_TOOLS).map_err(stored)? {
                if seen.insert(caller.name.clone()) {
                    if seen.len() > MOST_TOOLS {
                        let message = format!("more than {MOST_TOOLS} tools depend on these");
                        return Err(fault(FaultCode::TooLarge, message, None));
                    }
                    open.push(caller.name.clone());
                    found.push(caller.name);
                }
            }
        }
        found.sort();
        Ok(found)
    }

    /// Other tools whose names match a pattern, or that a test names.
    fn matching(
        &self,
        tests: &Tests,
        changed: &[String],
        dependents: &[String],
    ) -> Result<Vec<String>, Fault> {
        let mut found: BTreeSet<String> = tests.examples.keys().cloned().collect();
        let tools = self.tools()?.registered;
        let mut after = String::new();
        while !tests.patterns.is_empty() {
            let page = tools.page(&after, MOST_TOOLS).map_err(stored)?;
            let Some(last) = page.last() else { break };
            after.clone_from(&last.name);
            let is_meant =
                |tool: &&Definition| tests.patterns.iter().any(|it| fits(it, &tool.name));
            found.extend(page.iter().filter(is_meant).map(|tool| tool.name.clone()));
        }
        found.retain(|name| !changed.contains(name) && !dependents.contains(name));
        Ok(found.into_iter().collect())
    }

    /// Runs examples of a tool as this workshop shows it.
    fn examine(
        &self,
        tool: &Definition,
        more: &[Example],
        watch: &Watch,
    ) -> Result<ToolFinding, Fault> {
        let tools = self.tools()?;
        let mut finding = ToolFinding::default();
        for (index, example) in from_json(&tool.examples)?.iter().chain(more).enumerate() {
            watch.verdict()?;
            let (outcome, fuel) = self.measure_example(&tool.name, example, &tools, &watch.again());
            finding.fuel = finding.fuel.saturating_add(fuel);
            match outcome {
                Ok(()) => finding.passed += 1,
                Err(fault) => finding.failed.push(json!({
                    "example": index,
                    "code": fault.code.name(),
                    "message": line(&fault.message, MOST_MESSAGE),
                })),
            }
        }
        Ok(finding)
    }

    /// Tries the properties of a tool as this workshop shows it.
    fn try_properties_of(
        &self,
        tool: &Definition,
        finding: &mut ToolFinding,
        watch: &Watch,
    ) -> Result<(), Fault> {
        let tools = self.tools()?;
        let held = self.held(&tool.name, &of_tool(tool)?, &tools, watch)?;
        for (index, held) in held.iter().enumerate() {
            match held.refutation() {
                None => finding.held += 1,
                Some(fault) => {
                    let mut told = Map::new();
                    told.insert("property".to_owned(), index.into());
                    told.insert("code".to_owned(), fault.code.name().into());
                    let message = line(&fault.message, MOST_MESSAGE);
                    told.insert("message".to_owned(), message.into());
                    held.put_call(&mut told);
                    finding.refuted.push(told.into());
                }
            }
        }
        Ok(())
    }

    /// Tools that a tool names, and not only in quotes, and that this workshop does not show: each call
    /// of one is a fault.
    fn absent_tools(
        &self,
        tool: &Definition,
        tools: &Tools,
        watch: &Watch,
    ) -> Result<Vec<String>, Fault> {
        let mut absent = Vec::new();
        for used in tools.registered.uses(&tool.hash).map_err(stored)? {
            if used == tool.name || tools.find(&used)?.is_some() {
                continue;
            }
            let named = self.sandbox.rename(&tool.source, &used, &used, &watch.again())?;
            if named.count > 0 {
                absent.push(used);
            }
        }
        Ok(absent)
    }
}

/// What is found of a tool before and after the changes, and whether it passes; None if it is in
/// neither.
fn judge(
    before: &Workshop,
    after: &Workshop,
    name: &str,
    tests: &Tests,
    asked: &Verify,
    watch: &Watch,
) -> Result<Option<(Value, bool)>, Fault> {
    let (tools, base) = (after.tools()?, before.tools()?);
    let was = base.find(name)?;
    let Some(tool) = tools.find(name)? else {
        let retired =
            |it: Definition| (json!({ "tool": name, "retired": true, "was": it.short() }), true);
        return Ok(was.map(retired));
    };
    let more = tests.examples.get(name).map_or(&[][..], Vec::as_slice);
    let mut finding = after.examine(&tool, more, watch)?;
    after.try_properties_of(&tool, &mut finding, watch)?;
    let fuel = match &was {
        Some(was) => Some(before.examine(was, &[], watch)?.fuel),
        None => None,
    };
    let known: BTreeSet<String> = match &was {
        Some(was) => before.absent_tools(was, &base, watch)?.into_iter().collect(),
        None => BTreeSet::new(),
    };
    for absent in after.absent_tools(&tool, &tools, watch)? {
        if !known.contains(&absent) {
            let message = format!("it calls `{absent}`, which is not there any more");
            finding
                .faults
                .push(json!({ "code": FaultCode::UnknownTool.name(), "message": message }));
        }
    }
    let gained = gained(before, after, was.as_ref(), &tool, watch)?;
    let shapes = types(before, after, was.as_ref(), &tool, watch);
    if let Some(new) = &shapes.fails {
        finding.faults.push(new.clone());
    }
    if let Some(narrowed) = &shapes.narrowed
        && after.has_callers(name)?
    {
        finding.faults.push(json!({ "code": NARROWED, "message": narrowed }));
    }
    let refused: Vec<&String> =
        gained.iter().filter(|it| !asked.allow_needs.contains(it)).collect();
    let has_held = finding.failed.is_empty() && finding.refuted.is_empty();
    let passes = has_held && finding.faults.is_empty() && refused.is_empty();
    let told = json!({
        "tool": name,
        "revision": tool.short(),
        "examples": { "passed": finding.passed, "failed": finding.failed },
        "properties": { "passed": finding.held, "failed": finding.refuted },
        "type": { "before": shapes.before, "after": shapes.after },
        "fuel": { "before": fuel, "after": finding.fuel },
        "needs_gained": gained,
        "faults": finding.faults,
    });
    Ok(Some((told, passes)))
}

/// The types of a tool before and after the changes.
struct Types {
    before: Option<String>,
    after: Option<String>,
    /// A place that surely fails now, whenever the tool runs, and of which that was not told before.
    fails: Option<Value>,
    /// What it accepted before and does not accept now.
    narrowed: Option<String>,
}

fn types(
    before: &Workshop,
    after: &Workshop,
    was: Option<&Definition>,
    tool: &Definition,
    watch: &Watch,
) -> Types {
    let known = was.and_then(|was| before.type_of_tool(was, watch));
    let told = after.type_of_tool(tool, watch);
    let line = |it: &Arc<Typing>| line(&it.of_tool, MOST_TYPE);
    // What failed before is no news, wherever it stood.
    let is_news = |code: &str| {
        let known = known.iter().flat_map(|it| &it.fails);
        !known.into_iter().any(|it| it.code == code)
    };
    let failure = told.iter().flat_map(|it| &it.fails).find(|it| is_news(&it.code));
    let fails = failure.map(|it| {
        let message = format!("it surely fails at {}, whenever a run comes there", it.at);
        json!({ "code": it.code, "message": message })
    });
    let narrowed = match (&known, &told) {
        (Some(known), Some(told)) => after.narrowed(known, told, watch),
        _ => None,
    };
    Types { before: known.as_ref().map(line), after: told.as_ref().map(line), fails, narrowed }
}

/// The tools of other servers that a tool needs now and did not before.
fn gained(
    before: &Workshop,
    after: &Workshop,
    was: Option<&Definition>,
    tool: &Definition,
    watch: &Watch,
) -> Result<Vec<String>, Fault> {
    let Reach { needs, computed, .. } = after.reach_of(tool, &watch.again())?;
    let known = match was {
        Some(was) => before.reach_of(was, &watch.again())?,
        None => Reach { pure: true, needs: BTreeSet::new(), computed: false },
    };
    let mut gained: Vec<String> = needs.difference(&known.needs).cloned().collect();
    // A name that is computed may be any.
    if computed && !known.computed {
        gained.push("*".to_owned());
    }
    Ok(gained)
}

/// Tests that come with the request.
#[derive(Default)]
struct Tests {
    patterns: Vec<String>,
    examples: BTreeMap<String, Vec<Example>>,
}

fn read_tests(texts: &[String]) -> Result<Tests, Fault> {
    let wrong = |text: &str| {
        let message = format!("the test {} cannot be read", line(text, MOST_MESSAGE));
        let hint = "write a name, a pattern such as \"tax_*\", or {\"tool\": …, \"input\": …, \"output\": …}";
        fault(FaultCode::Malformed, message, Some(hint))
    };
    let mut tests = Tests::default();
    for text in texts {
        if let Ok(pattern) = serde_json::from_str::<String>(text) {
            tests.patterns.push(pattern);
            continue;
        }
        let members = Members::parse(text).map_err(|_| wrong(text))?;
        let tool = members.raw("tool").and_then(|raw| serde_json::from_str::<String>(raw).ok());
        let tool = tool.ok_or_else(|| wrong(text))?;
        let example = object(members.iter().filter(|(name, _)| *name != "tool"));
        let example: Example = serde_json::from_str(&example).map_err(|_| wrong(text))?;
        if let Some(reason) = example.complaint() {
            let message = format!("the test of `{}` {reason}", line(&tool, name::LONGEST));
            return Err(fault(FaultCode::Malformed, message, None));
        }
        tests.examples.entry(tool).or_default().push(example);
    }
    Ok(tests)
}

/// Whether a name fits a pattern, in which `*` stands for any letters.
fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(rest) = parts.next().and_then(|first| name.strip_prefix(first)) else { return false };
    if !pattern.contains('*') {
        return rest.is_empty();
    }
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    let mut rest = rest;
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_any_letters() {
        for (pattern, name, is_fit) in [
            ("tax", "tax", true),
            ("tax", "taxes", false),
            ("tax_*", "tax_of", true),
            ("*_of", "tax_of", true),
            ("t*x*f", "tax_of", true),
            ("t*z*f", "tax_of", false),
            ("*", "anything", true),
        ] {
            assert_eq!(fits(pattern, name), is_fit, "{pattern} {name}");
        }
    }
}
