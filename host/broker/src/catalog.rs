//! All tools of all servers: found by their names, judged, and told.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use pif_domain::text;
use pif_domain::text::similar::similar;
use pif_domain::{Approval, EffectClass, FaultCode, Grant, Offer, Pin, Refusal};

use super::arguments::mistake;
use super::config::{Capabilities, Origin, Pattern};
use super::definition::Definition;
use super::grant::{Denial, Permit, classify, fenced, granted, permit, surely_denied, ungranted};
use super::install::InstallState;
use super::signature::signature;
use super::spelling::meant;
use super::upstream::{Sendable, Upstream, UpstreamContext, object};

/// Characters of a description that is told.
const MOST_DESCRIPTION: usize = 4_000;

/// How long a list waits for servers that run to say again what they offer.
const GLANCE: Duration = Duration::from_secs(2);

/// All servers.
#[derive(Debug)]
pub(super) struct Catalog {
    upstreams: RwLock<BTreeMap<String, Arc<Upstream>>>,
    /// The ids of servers that the configuration names.
    configured: BTreeSet<String>,
    installed: Mutex<InstallState>,
    /// Tools whose calls the model may approve.
    approvable: Vec<Pattern>,
    shared: Arc<UpstreamContext>,
}

/// A call that may be sent, perhaps once somebody approves it.
#[derive(Debug)]
pub(super) struct AdmittedCall {
    pub(super) upstream: Arc<Upstream>,
    pub(super) tool: Sendable,
    /// What the tool does, and whether the model may approve the call; None: nobody has to.
    pub(super) asks: Option<(EffectClass, bool)>,
}

/// A call that is to be judged.
#[derive(Debug)]
pub(super) struct CallRequest<'a> {
    pub(super) tool: &'a str,
    /// None: they are too large, and judged no further.
    pub(super) args: Option<&'a str>,
    pub(super) approved: Option<Approval>,
    /// Whether it must change nothing, whatever is granted.
    pub(super) reads: bool,
}

type Fault = (FaultCode, String, Option<String>);

impl Catalog {
    pub(super) fn new(
        capabilities: Capabilities,
        installed: InstallState,
        shared: Arc<UpstreamContext>,
    ) -> Self {
        let configured = capabilities.servers.keys().cloned().collect();
        let servers = capabilities.servers.into_iter();
        let upstreams = servers.map(|(id, server)| {
            let upstream = Upstream::new(id.clone(), server, Arc::clone(&shared));
            (id, Arc::new(upstream))
        });
        let upstreams = RwLock::new(upstreams.collect());
        let (installed, approvable) = (Mutex::new(installed), capabilities.model_may_approve);
        let catalog = Self { upstreams, configured, installed, approvable, shared };
        catalog.sync();
        catalog
    }

    /// All servers, by their ids.
    pub(super) fn all(&self) -> BTreeMap<String, Arc<Upstream>> {
        self.upstreams.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The server with this id.
    pub(super) fn get(&self, id: &str) -> Option<Arc<Upstream>> {
        self.upstreams.read().unwrap_or_else(PoisonError::into_inner).get(id).cloned()
    }

    fn installed(&self) -> MutexGuard<'_, InstallState> {
        self.installed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Learns which servers are installed now: another process may have installed or removed one.
    pub(super) fn sync(&self) {
        let servers = match self.installed().servers() {
            Ok(servers) => servers,
            Err(error) => return tracing::warn!(%error, "what was installed cannot be read"),
        };
        let mut upstreams = self.upstreams.write().unwrap_or_else(PoisonError::into_inner);
        upstreams.retain(|id, upstream| {
            let stays = self.configured.contains(id) || servers.get(id) == Some(&upstream.server);
            if !stays {
                upstream.close();
            }
            stays
        });
        for (id, server) in servers {
            // Whoever wrote the configuration comes before a model.
            let upstream = || Arc::new(Upstream::new(id.clone(), server, Arc::clone(&self.shared)));
            upstreams.entry(id.clone()).or_insert_with(upstream);
        }
    }

    /// Installs a server. Gives it, and whether it was there before.
    pub(super) fn install(
        &self,
        id: &str,
        origin: &Origin,
    ) -> Result<(Arc<Upstream>, bool), String> {
        if self.configured.contains(id) {
            return Err(format!("capabilities.json names a server `{id}`: choose another name"));
        }
        let was_there = self.installed().add(id, origin)?;
        if !was_there {
            self.forget(id)?;
        }
        self.sync();
        let upstream = self.get(id).ok_or("another process has removed it")?;
        Ok((upstream, was_there))
    }

    /// Removes a server that was installed, and everything that was approved of it.
    pub(super) fn uninstall(&self, id: &str) -> Result<(), String> {
        if self.configured.contains(id) {
            return Err(format!("the operator has named `{id}` in capabilities.json: it stays"));
        }
        if !self.installed().remove(id)? {
            return Err(format!("no server {} is installed", text::quote_one(id)));
        }
        self.sync();
        self.forget(id)
    }

    fn forget(&self, id: &str) -> Result<(), String> {
        let mut pins = self.shared.pins.lock().unwrap_or_else(PoisonError::into_inner);
        pins.forget(id).map_err(|error| error.to_string())
    }

    /// Patterns of what may be installed.
    pub(super) fn installable(&self) -> Vec<String> {
        self.installed().patterns()
    }

    /// The server that a name begins with, and the rest of the name.
    pub(super) fn server<'a>(&self, name: &'a str) -> Result<(Arc<Upstream>, &'a str), Refusal> {
        let found = name.split_once('.');
        let found = found.and_then(|(id, tool)| Some((self.get(id)?, tool)));
        found.ok_or_else(|| refusal(self.unknown(name)))
    }

    /// Why a tool must not be called whatever its server says of it.
    pub(super) fn denied(&self, name: &str) -> Option<Refusal> {
        let (upstream, tool) = self.server(name).ok()?;
        let server = &upstream.server;
        let is_sure = server.is_on() && surely_denied(&server.grants, tool);
        let Denial { message, hint } = ungranted(name);
        (is_sure && self.is_unasked(&upstream, tool))
            .then(|| refusal((FaultCode::CapabilityDenied, message, Some(hint))))
    }

    /// Whether a call may be sent, and as what.
    pub(super) fn judge(&self, asked: &CallRequest<'_>) -> Result<AdmittedCall, Refusal> {
        let (upstream, tool) = self.server(asked.tool)?;
        self.judge_of(&upstream, tool, asked).map_err(refusal)
    }

    fn judge_of(
        &self,
        upstream: &Arc<Upstream>,
        tool: &str,
        asked: &CallRequest<'_>,
    ) -> Result<AdmittedCall, Fault> {
        let server = &upstream.server;
        let pins = self.shared.pins.lock().unwrap_or_else(PoisonError::into_inner);
        let offered = pins.offered(&upstream.id).unwrap_or_default();
        let meant = meant(offered.iter().map(|it| it.name.as_str()), tool);
        let Some(definition) = offered.iter().find(|it| Some(it.name.as_str()) == meant) else {
            drop(pins);
            return Err(self.unknown(asked.tool));
        };
        let tool = definition.name.as_str();
        let name = format!("{}.{tool}", upstream.id);
        let asked = CallRequest { tool: &name, ..*asked };
        let grant = granted(&server.grants, tool);
        let class = classify(server, tool, definition.hints());
        let hash = pins.hash(&upstream.id, tool).unwrap_or_default();
        let pin = pins.pin(&upstream.id, tool, hash);
        if asked.reads && grant != Grant::Deny && class != EffectClass::Read {
            let Denial { message, hint } = fenced(asked.tool);
            return Err((FaultCode::CapabilityDenied, message, Some(hint)));
        }
        let model = self.approvable.iter().any(|pattern| pattern.matches(asked.tool));
        let permitted = permit(asked.tool, grant, class, pin, (asked.approved, model));
        let denied = |it: Denial| (FaultCode::CapabilityDenied, it.message, Some(it.hint));
        let asks = (permitted.map_err(denied)? == Permit::Asks).then_some((class, model));
        let told = || Some(signature(asked.tool, &definition.input, definition.output.as_ref()));
        if let Some(args) = asked.args {
            let malformed = |message| (FaultCode::Malformed, message, told());
            let args = object(args);
            let args = args.ok_or_else(|| {
                malformed(format!("the arguments of {} are no record", text::quote_one(asked.tool)))
            })?;
            if let Some(mistake) = mistake(&definition.input, &args) {
                return Err(malformed(format!(
                    "{mistake}, in a call of {}",
                    text::quote_one(asked.tool)
                )));
            }
        }
        let output = definition.output.as_ref().and_then(|it| upstream.promise(hash, it));
        let tool = Sendable { name: tool.to_owned(), hash: hash.to_owned(), output };
        Ok(AdmittedCall { upstream: Arc::clone(upstream), tool, asks })
    }

    /// What to write instead of a name that there is not.
    fn unknown(&self, name: &str) -> Fault {
        let quoted = text::quote_one(name);
        let fault = |message, hint| (FaultCode::UnknownCapability, message, hint);
        let Some((id, tool)) = name.split_once('.') else {
            let hint = "write SERVER.TOOL, as in `github.search_issues`".to_owned();
            return fault(format!("{quoted} does not name a tool of a server"), Some(hint));
        };
        let Some(upstream) = self.get(id) else {
            let all = self.all();
            let ids: Vec<&str> = all.keys().map(String::as_str).collect();
            let hint = match similar(id, ids.iter().copied()) {
                Some(id) => format!("did you mean `{id}.{tool}`?"),
                None => format!(
                    "the servers are {}; where {} is meant as a variable, nothing binds it",
                    text::quote(&ids),
                    text::quote_one(id)
                ),
            };
            let message = format!("there is no server {}", text::quote_one(id));
            return fault(message, Some(text::line(&hint, 400)));
        };
        let pins = self.shared.pins.lock().unwrap_or_else(PoisonError::into_inner);
        let offered = pins.offered(id).unwrap_or_default();
        // What nothing grants is nobody's business.
        let offered =
            offered.iter().filter(|it| granted(&upstream.server.grants, &it.name) != Grant::Deny);
        let offered: Vec<&Definition> = offered.collect();
        let names: Vec<&str> = offered.iter().map(|it| it.name.as_str()).collect();
        let near = similar(tool, names.iter().copied());
        let near = near.and_then(|near| offered.iter().find(|it| it.name == near));
        let hint = match near {
            Some(near) => {
                let name = format!("{id}.{}", near.name);
                format!("did you mean {}?", signature(&name, &near.input, near.output.as_ref()))
            }
            None => format!("its tools are {}", text::quote(&names)),
        };
        fault(format!("the server `{id}` has no tool {}", text::quote_one(tool)), Some(hint))
    }

    /// All tools that servers offered last, or those of one server.
    pub(super) fn offers(&self, of: Option<&str>) -> Vec<Offer> {
        let mut pins = self.shared.pins.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = pins.refresh() {
            tracing::warn!(%error, "what was approved cannot be read again");
        }
        let mut offers = Vec::new();
        for (id, upstream) in &self.all() {
            if of.is_some_and(|of| of != id) || upstream.server.disabled {
                continue;
            }
            for definition in pins.offered(id).unwrap_or_default() {
                let name = format!("{id}.{}", definition.name);
                let server = &upstream.server;
                let hash = pins.hash(id, &definition.name).unwrap_or_default();
                offers.push(Offer {
                    title: text::line(&definition.title, 200),
                    description: text::line(&definition.description, MOST_DESCRIPTION),
                    input_schema: definition.input.to_string(),
                    output_schema: definition.output.as_ref().map(ToString::to_string),
                    class: classify(server, &definition.name, definition.hints()),
                    grant: granted(&server.grants, &definition.name),
                    pin: pins.pin(id, &definition.name, hash),
                    signature: signature(&name, &definition.input, definition.output.as_ref()),
                    name,
                });
            }
        }
        offers
    }

    /// Asks all servers that run, or this one, again what they offer.
    pub(super) async fn look(&self, of: Option<&str>) {
        let until = Instant::now() + GLANCE;
        let all = self.all().into_values().filter(|it| of.is_none_or(|id| *id == it.id));
        join_all(all.map(|it| async move { it.look(until).await })).await;
    }

    /// Servers that have to be asked what they offer.
    pub(super) fn unasked(&self) -> Vec<Arc<Upstream>> {
        let all = self.all();
        let pins = self.shared.pins.lock().unwrap_or_else(PoisonError::into_inner);
        let upstreams = all.into_values().filter(|it| !it.server.disabled);
        upstreams.filter(|it| pins.is_strange(&it.id, it.is_granted())).collect()
    }

    /// Whether a server has to be asked what it offers before a call of a tool is judged. What it
    /// offered last may be old: if that stands against the call, the server is asked again. One that
    /// is off says why it cannot be asked.
    pub(super) fn is_unasked(&self, upstream: &Upstream, tool: &str) -> bool {
        if !upstream.server.is_on() {
            return true;
        }
        let mut pins = self.shared.pins.lock().unwrap_or_else(PoisonError::into_inner);
        // Another process may have asked it, or have approved something.
        if let Err(error) = pins.refresh() {
            tracing::warn!(%error, "what was approved cannot be read again");
        }
        let id = &upstream.id;
        if pins.is_strange(id, upstream.is_granted()) {
            return true;
        }
        let offered = pins.offered(id).unwrap_or_default();
        let meant = meant(offered.iter().map(|it| it.name.as_str()), tool);
        let is_approved = meant.is_some_and(|tool| {
            let hash = pins.hash(id, tool).unwrap_or_default();
            pins.pin(id, tool, hash) == Pin::Approved
        });
        upstream.is_granted() && !is_approved && !upstream.is_on()
    }

    /// Approves what a server offers. Gives the names of the tools.
    pub(super) fn approve(&self, name: &str) -> Result<Vec<String>, String> {
        let (id, tool) = match name.split_once('.') {
            Some((id, tool)) => (id, Some(tool)),
            None => (name, None),
        };
        let mut pins = self.shared.pins.lock().unwrap_or_else(PoisonError::into_inner);
        let offered = pins.offered(id).unwrap_or_default();
        if self.get(id).is_none() {
            return Err(format!("there is no server {}", text::quote_one(id)));
        }
        if let Some(tool) = tool
            && !offered.iter().any(|it| it.name == tool)
        {
            return Err(format!("the server `{id}` does not offer {}", text::quote_one(tool)));
        }
        let approved = pins.approve(id, tool).map_err(|error| error.to_string())?;
        Ok(approved.into_iter().map(|tool| format!("{id}.{tool}")).collect())
    }
}

fn refusal((code, message, hint): Fault) -> Refusal {
    Refusal { index: 0, code, message, hint }
}
