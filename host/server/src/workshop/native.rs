//! Native capabilities: tools whose value is a record of functions. `UPSTREAM.TOOL` may name one of
//! them and its function. It runs on a machine of its own, within the limits of the run.

use std::sync::Arc;
use std::time::Instant;

use pif_domain::text::similar::similar;
use pif_domain::text::{self, quote, quote_one};
use pif_domain::{Answered, Call, CallOutcome, Fault, FaultCode, Limit, Refusal, Unsent, fault};
use pif_sandbox::{
    Argument, Calls, Code, Ending, Limits, Request, Summary, Watch, drive, drive_in_turns,
    milliseconds,
};
use pif_store::journal::Ran;
use serde_json::json;

use super::analyze::ANALYZE;
use super::applied::{request, told};
use super::bindings::Bindings;
use super::consent::Consent;
use super::effects::{self, Effects};
use super::ledger::{Came, Ledger};
use super::means::Means;
use super::opening::Workshop;
use super::past::{Past, waits};
use super::purse::{Purse, over};
use super::refusal::{Refused, stored};
use super::types::Sight;
use super::world::{Candidate, Live, Tools, Within, Witness};

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
    /// A tool as a capability; None if it is none.
    pub(super) fn new(name: &str, hash: &str, members: Option<&str>) -> Option<Self> {
        let members = serde_json::from_str(members?).ok()?;
        Some(Self { name: name.to_owned(), hash: hash.to_owned(), members })
    }
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

/// Calls by who answers them, those of servers and of the analyst with their places.
#[derive(Default)]
struct Divided<'a> {
    sent: Vec<(usize, &'a Call)>,
    applied: Vec<Applied<'a>>,
    analyses: Vec<(usize, &'a Call)>,
}

/// A call of a native capability.
struct Applied<'a> {
    /// The place of the call among those that are made together.
    index: usize,
    native: Native,
    member: &'a str,
    args: &'a str,
    is_raw: bool,
}

impl Live {
    /// Makes calls: those of servers first, then those of native capabilities, one after another.
    pub(super) async fn make(
        &mut self,
        calls: &Calls,
        place: usize,
        ledger: &mut Ledger<'_>,
    ) -> Result<Came, Fault> {
        let Divided { sent, applied, analyses } = match self.divide(&calls.calls)? {
            Ok(divided) => divided,
            Err(refusal) => {
                self.past.pass_refused();
                return Ok(Err(refusal));
            }
        };
        let theirs: Vec<Call> = sent.iter().map(|(_, call)| (*call).clone()).collect();
        let mut came: Vec<(usize, Answered)> = Vec::with_capacity(calls.calls.len());
        if !theirs.is_empty() {
            let calls = Calls { calls: theirs.clone(), at_most: calls.at_most };
            let places: Vec<usize> = sent.iter().map(|it| it.0).collect();
            match self.send(&calls, (place, &places), ledger).await? {
                Ok(answered) => came.extend(places.into_iter().zip(answered)),
                Err(refusal) => {
                    let index = sent.get(refusal.index).map_or(0, |it| it.0);
                    return Ok(Err(Refusal { index, ..refusal }));
                }
            }
        }
        for (index, call) in analyses {
            let answered = self.analyze(call);
            ledger.tell(place, index, &answered);
            came.push((index, answered));
        }
        for call in applied {
            let index = call.index;
            match self.apply(call, place, ledger).await? {
                Ok(answered) => came.push((index, answered)),
                Err(refusal) => {
                    came.retain(|(index, _)| sent.iter().any(|it| it.0 == *index));
                    let answered: Vec<Answered> = came.into_iter().map(|it| it.1).collect();
                    ledger.keep(&theirs, &Ok(answered));
                    return Ok(Err(Refusal { index, ..refusal }));
                }
            }
        }
        came.sort_by_key(|it| it.0);
        Ok(Ok(came.into_iter().map(|it| it.1).collect()))
    }

    /// Has calls of servers made, unless it is known what came of them before the run waited. They stand
    /// at a place of the ledger, each at its own among the calls there.
    async fn send(
        &mut self,
        calls: &Calls,
        (place, places): (usize, &[usize]),
        ledger: &mut Ledger<'_>,
    ) -> Result<Came, Fault> {
        let is_theirs = |tool: &str| {
            tool != ANALYZE
                && self
                    .tools
                    .native_of(tool, self.effects.as_ref())
                    .is_ok_and(|native| native.is_none())
        };
        let mut came = self.past.recall(calls, is_theirs)?;
        if let Some(Ok(answered)) = &came {
            self.purse.charge(answered);
        }
        if came.is_none() {
            let known = ledger.known(&calls.calls);
            let mut sent = self.spend(calls, &known, (place, places), ledger).await?;
            if let Err(Unsent::Asks(needs)) = &sent {
                sent = match ledger.consider(&calls.calls, needs, place).await? {
                    Ok(decided) => {
                        for (index, consent) in places.iter().zip(&decided) {
                            if let Some(outcome) = consent.outcome() {
                                ledger.tell(place, *index, &Answered::new(outcome, 0));
                            }
                        }
                        self.spend(calls, &decided, (place, places), ledger).await?
                    }
                    Err(refusal) => Err(refusal.into()),
                };
            }
            came = Some(sent.map_err(|unsent| unsent.refusal(&calls.calls)));
        }
        let came = came.unwrap_or_else(|| Err(Refusal::denied(&calls.calls)));
        if let Ok(answered) = &came {
            for (index, answered) in places.iter().zip(answered) {
                ledger.tell(place, *index, answered);
            }
        }
        Ok(came)
    }

    async fn spend(
        &mut self,
        calls: &Calls,
        consents: &[Consent],
        (place, places): (usize, &[usize]),
        ledger: &mut Ledger<'_>,
    ) -> Result<Result<Vec<Answered>, Unsent>, Fault> {
        ledger.send(&calls.calls)?;
        // A run that ends meanwhile knows what had come of its calls.
        let mut told = |index: usize, answered: &Answered| {
            if let Some(index) = places.get(index) {
                ledger.tell(place, *index, answered);
            }
        };
        let spent = self.purse.spend(self.effects.as_ref(), calls, consents, &mut told).await;
        Ok(ledger.observe(&calls.calls, spent))
    }

    /// Asks the analyst.
    fn analyze(&self, call: &Call) -> Answered {
        let start = Instant::now();
        let Means { sandbox, watch, .. } = &self.means;
        let sight = Sight { sandbox, tools: &self.tools, effects: self.effects.as_ref() };
        let outcome = sight.answer_call(call, watch);
        Answered::new(outcome, milliseconds(start.elapsed()))
    }

    /// Divides calls by who answers them.
    fn divide<'a>(&self, calls: &'a [Call]) -> Result<Result<Divided<'a>, Refusal>, Fault> {
        let mut divided = Divided::default();
        let Divided { sent, applied, analyses } = &mut divided;
        for (index, call) in calls.iter().enumerate() {
            if call.tool == ANALYZE {
                analyses.push((index, call));
                continue;
            }
            match self.tools.native_of(&call.tool, self.effects.as_ref())? {
                None => sent.push((index, call)),
                Some((native, member)) if native.members.iter().any(|it| it == member) => {
                    let (args, is_raw) = (call.args.as_str(), call.is_raw);
                    applied.push(Applied { index, native, member, args, is_raw });
                }
                Some((native, member)) => return Ok(Err(unknown(index, &native, member))),
            }
        }
        Ok(Ok(divided))
    }

    /// Runs a function of a native capability. Gives what came of it, or why the run must end.
    async fn apply(
        &mut self,
        call: Applied<'_>,
        place: usize,
        ledger: &mut Ledger<'_>,
    ) -> Result<Result<Answered, Refusal>, Fault> {
        let start = Instant::now();
        let answered = |outcome: CallOutcome| Answered::new(outcome, milliseconds(start.elapsed()));
        if let Err(outcome) = self.afford() {
            return Ok(Ok(answered(outcome)));
        }
        let Applied { index, native, member, args, is_raw } = call;
        let request = request(&native.name, member, args, self.means.limits);
        let (sandbox, watch) = (Arc::clone(&self.means.sandbox), self.means.watch.clone());
        self.means.depth += 1;
        let mut world = Within { live: &mut *self, ledger: &mut *ledger };
        let run = drive_in_turns(&sandbox, request, &mut world, &watch);
        let outcome = watch.while_working(run).await;
        self.means.depth -= 1;
        if ledger.waiting.is_some() {
            return Err(waits());
        }
        let fuel = outcome.usage.fuel;
        self.means.limits.fuel = self.means.limits.fuel.saturating_sub(fuel);
        ledger.note(place, index, Ran { revision: native.hash.clone(), fuel });
        let name = format!("{}.{member}", native.name);
        Ok(match told(&name, outcome)? {
            Ok(mut outcome) => {
                if let (true, CallOutcome::Value(value)) = (is_raw, &outcome) {
                    outcome = CallOutcome::Value(format!("{{\"structuredContent\":{value}}}"));
                }
                self.purse.weigh(&mut outcome);
                Ok(answered(outcome))
            }
            Err(refusal) => Err(refusal),
        })
    }

    /// Takes a call off the budget. The error is what comes of a call beyond a limit.
    fn afford(&mut self) -> Result<(), CallOutcome> {
        self.purse.take()?;
        if self.means.depth >= Limit::CapabilityDepth.fixed() {
            let message = "native capabilities call each other too deep";
            return Err(over(Limit::CapabilityDepth, message));
        }
        if self.means.limits.fuel == 0 {
            let message = "the native capabilities of the run have used as much fuel as it may";
            return Err(over(Limit::Fuel, message));
        }
        Ok(())
    }
}

/// The refusal of a call of a function that there is not.
fn unknown(index: usize, Native { name, members, .. }: &Native, member: &str) -> Refusal {
    let hint = match similar(member, members.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{name}.{near}`?"),
        None => format!("its functions are {}", quote(members)),
    };
    let message = format!("the capability `{name}` has no function {}", quote_one(member));
    let code = FaultCode::UnknownCapability;
    Refusal { index, code, message, hint: Some(text::line(&hint, 400)) }
}

impl Workshop {
    /// The functions of a tool that is to be a native capability, as the registry keeps them.
    /// Refuses a tool whose value is anything else than a record of functions.
    pub(super) fn members(
        &self,
        name: &str,
        tools: &Tools,
        watch: &Watch,
    ) -> Result<String, Refused> {
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
        };
        let watch = watch.again();
        let live =
            self.live(tools.clone(), Arc::new(effects::Script::default()), self.limits, &watch);
        let mut nobody = ();
        let mut witness = Witness::new(live, &mut nobody);
        let ending = drive(&self.sandbox, request, &mut witness, &watch).ending;
        let during = || Some(format!("the record of `{name}` cannot be made"));
        let found = match ending {
            Ok(Ending::Value(value)) => value.json,
            Ok(Ending::Continuation(_)) => return Err(none(name, "asks to run again").into()),
            Err(fault) => return Err(Refused { during: during(), faults: vec![fault] }),
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

    /// The world of a run.
    pub(super) fn live(
        &self,
        tools: Tools,
        effects: Arc<dyn Effects>,
        limits: Limits,
        watch: &Watch,
    ) -> Live {
        let purse = Purse::new(self.allowed, watch);
        let means = Means::new(Arc::clone(&self.sandbox), limits, watch.clone());
        let (past, bindings) = (Past::default(), Bindings::default());
        Live { tools, effects, purse, means, past, bindings }
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
