//! What can be known of a program before it runs. A program that calls other servers is refused
//! before anything is sent, if a name or an argument that is written out is wrong.

use std::collections::BTreeSet;

use pif_broker::{foreseen_mistake, meant};
use pif_domain::text::quote_one;
use pif_domain::text::similar::similar;
use pif_domain::{Access, Fault, FaultCode, Grant, Offer, Place, fault};
use pif_sandbox::{Code, Foreseen, Outlook, Request, Spot, Watch};
use pif_store::registry::name::OWN;
use serde_json::{Map, Value};

use super::analyze::ANALYZE;
use super::opening::Workshop;
use super::world::Tools;

/// Faults that are told at once.
const MOST: usize = 8;

/// Tools that are looked at for calls that nothing grants.
const MOST_TOOLS: usize = 64;

impl Workshop {
    /// The faults that a program of calls is sure to have; `bound` are its variables beside those of
    /// the request.
    pub fn forewarn(
        &self,
        request: &Request,
        bound: &[String],
        tools: &Tools,
        watch: &Watch,
    ) -> Result<Vec<Fault>, Fault> {
        if !self.effects.is_open() {
            return Ok(Vec::new());
        }
        let (code, tool) = match &request.code {
            Code::Term(code) => (code.clone(), None),
            Code::Tool(name) => match tools.look_up(name)? {
                Some((source, _)) => (source, Some(name.clone())),
                None => return Ok(Vec::new()),
            },
        };
        // What cannot be read is told by the run.
        let Ok(outlook) = self.sandbox.foresee(&code, &watch.again()) else {
            return Ok(Vec::new());
        };
        if outlook.calls.is_empty() {
            return Ok(Vec::new());
        }
        let mut names: BTreeSet<String> = bound.iter().cloned().collect();
        if tool.is_none() {
            names.extend(["data", "input"].map(str::to_owned));
            let context = request.context.as_deref().unwrap_or("{}");
            let context: Map<String, Value> = serde_json::from_str(context).unwrap_or_default();
            names.extend(context.into_iter().map(|(name, _)| name));
        }
        let mut faults = self.foreseen(&outlook, &names, tools, watch)?;
        faults.truncate(MOST);
        for fault in &mut faults {
            fault.tool.clone_from(&tool);
        }
        Ok(faults)
    }

    fn foreseen(
        &self,
        outlook: &Outlook,
        names: &BTreeSet<String>,
        tools: &Tools,
        watch: &Watch,
    ) -> Result<Vec<Fault>, Fault> {
        let mut faults = Vec::new();
        for spot in outlook.unbound.iter().filter(|it| !names.contains(&it.name)) {
            faults.push(self.unbound(spot, names));
        }
        for spot in outlook.tools.iter().filter(|it| it.name != OWN) {
            if tools.find(&spot.name)?.is_none() && !tools.is_candidate(&spot.name) {
                let hint = match tools.similar(&spot.name) {
                    Some(similar) => format!("did you mean `{similar}`?"),
                    None => "`list` shows the tools there are, `evolve` makes one".to_owned(),
                };
                let message = format!("there is no tool {}", quote_one(&spot.name));
                faults.push(placed(fault(FaultCode::UnknownTool, message, Some(&hint)), spot));
            }
        }
        for absent in &outlook.absent {
            let message = format!("a {} has no {}", absent.kind, quote_one(&absent.member.name));
            let hint = "a list and a text have `length`, and their parts from 0 on";
            faults.push(placed(fault(FaultCode::MissingKey, message, Some(hint)), &absent.member));
        }
        let offers = self.effects.offers();
        let is_theirs = |it: &&Foreseen| it.tool.name != ANALYZE && has_several_sites(outlook);
        for call in outlook.calls.iter().filter(is_theirs) {
            if tools.native_of(&call.tool.name, self.effects.as_ref())?.is_none() {
                faults.extend(self.call(call, &offers));
            }
        }
        for spot in outlook.tools.iter().filter(|it| it.name != OWN) {
            if let Some(denied) = self.denied_within(&spot.name, tools, &offers, watch)? {
                let (message, hint) = denied_call(&denied);
                let message = format!("{message}, which the tool {} calls", quote_one(&spot.name));
                let fault = fault(FaultCode::CapabilityDenied, message, Some(hint));
                faults.push(placed(fault, spot));
            }
        }
        Ok(faults)
    }

    /// A call that a tool makes, itself or by another tool, and that nothing grants.
    fn denied_within(
        &self,
        name: &str,
        tools: &Tools,
        offers: &[Offer],
        watch: &Watch,
    ) -> Result<Option<String>, Fault> {
        let (mut open, mut seen) = (vec![name.to_owned()], BTreeSet::new());
        while let Some(name) = open.pop() {
            if seen.len() >= MOST_TOOLS || !seen.insert(name.clone()) {
                continue;
            }
            let Some((source, _)) = tools.look_up(&name)? else { continue };
            let Ok(outlook) = self.sandbox.foresee(&source, &watch.again()) else { continue };
            for call in outlook.calls.iter().filter(|it| it.tool.name != ANALYZE) {
                let is_native = tools.native_of(&call.tool.name, self.effects.as_ref())?.is_some();
                if !is_native && self.is_denied(&call.tool.name, offers) {
                    return Ok(Some(call.tool.name.clone()));
                }
            }
            open.extend(outlook.tools.into_iter().map(|it| it.name).filter(|it| it != OWN));
        }
        Ok(None)
    }

    /// Whether nothing grants a tool, as far as that is known.
    fn is_denied(&self, name: &str, offers: &[Offer]) -> bool {
        let meant = meant(offers.iter().map(|it| it.name.as_str()), name);
        match offers.iter().find(|it| Some(it.name.as_str()) == meant) {
            Some(it) => it.access() == Access::Denied,
            None => self.broker().is_some_and(|broker| broker.denies(name)),
        }
    }

    fn unbound(&self, spot: &Spot, names: &BTreeSet<String>) -> Fault {
        let hint = self.server_hint(&spot.name).or_else(|| {
            let near = similar(&spot.name, names.iter().map(String::as_str))?;
            Some(format!("did you mean `{near}`?"))
        });
        let message = format!("unbound variable {}", quote_one(&spot.name));
        placed(fault(FaultCode::Unbound, message, None).advised(hint), spot)
    }

    /// How a tool of a server is called, for a name that is a server's and was taken for a variable.
    #[must_use]
    pub fn server_hint(&self, name: &str) -> Option<String> {
        let offers = self.effects.offers();
        let mut own = offers.iter().filter(|it| it.name.split('.').next() == Some(name));
        let first = own.find(|it| it.grant != Grant::Deny)?;
        Some(format!("`{name}` is a server: write {}", pif_broker::sample(first)))
    }

    fn call(&self, call: &Foreseen, offers: &[Offer]) -> Option<Fault> {
        let name = &call.tool.name;
        if self.is_denied(name, offers) {
            let (message, hint) = denied_call(name);
            let fault = fault(FaultCode::CapabilityDenied, message, Some(hint));
            return Some(placed(fault, &call.tool));
        }
        let meant = meant(offers.iter().map(|it| it.name.as_str()), name);
        let Some(offer) = offers.iter().find(|it| Some(it.name.as_str()) == meant) else {
            return self.unknown(&call.tool, offers);
        };
        let schema: Value = serde_json::from_str(&offer.input_schema).ok()?;
        let read = |text: &String| serde_json::from_str(text).ok();
        let members: Vec<(String, Option<Value>)> = call
            .members
            .iter()
            .map(|(name, value)| (name.clone(), value.as_ref().and_then(read)))
            .collect();
        let mistake = foreseen_mistake(&schema, &members, call.closed)?;
        let message = format!("{mistake}, in a call of {}", quote_one(name));
        let hint = format!("it is {}", offer.signature);
        Some(placed(fault(FaultCode::Malformed, message, Some(&hint)), &call.tool))
    }

    /// A tool that no server has, as far as it is known what they have.
    fn unknown(&self, spot: &Spot, offers: &[Offer]) -> Option<Fault> {
        let (id, tool) = spot.name.split_once('.').unwrap_or((&spot.name, ""));
        let own = |it: &&Offer| it.name.split('.').next() == Some(id);
        let mut names = offers.iter().filter(own).map(|it| it.name.as_str()).peekable();
        if names.peek().is_none() {
            // It may be that nobody has asked the server yet.
            let broker = self.broker()?;
            if broker.is_server(id) {
                return None;
            }
            let ids = offers.iter().filter_map(|it| it.name.split('.').next());
            let hint = match similar(id, ids) {
                Some(near) => format!("did you mean `{near}.{tool}`?"),
                None => format!(
                    "`capabilities` shows what there is; where {} is meant as a variable, nothing binds it",
                    quote_one(id)
                ),
            };
            let message = format!("there is no server {}", quote_one(id));
            return Some(placed(fault(FaultCode::UnknownCapability, message, Some(&hint)), spot));
        }
        let hint = match similar(&spot.name, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("capabilities {{\"upstream\": \"{id}\"}} shows its tools"),
        };
        let message = format!("the server {} has no tool {}", quote_one(id), quote_one(tool));
        Some(placed(fault(FaultCode::UnknownCapability, message, Some(&hint)), spot))
    }
}

/// Whether calls stand in several places. What is wrong with the only one is told by the run, which
/// looks at all calls of one form before it sends any.
fn has_several_sites(outlook: &Outlook) -> bool {
    let site = |call: &Foreseen| {
        let at = call.tool.at.as_str();
        at.rsplit_once("/calls/").map_or(at, |(form, _)| form).to_owned()
    };
    outlook.calls.iter().map(site).collect::<BTreeSet<String>>().len() > 1
}

/// What is told of a call that nothing grants.
fn denied_call(name: &str) -> (String, &'static str) {
    (format!("nothing grants {}", quote_one(name)), "`capabilities` shows what programs may call")
}

fn placed(fault: Fault, spot: &Spot) -> Fault {
    let place = spot.place.clone().map(|it| Box::new(Place::from(it)));
    Fault { at: spot.at.clone(), excerpt: Some(spot.excerpt.as_str().into()), place, ..fault }
}
