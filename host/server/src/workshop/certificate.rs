//! Certifies tools, and checks certificates again: whoever imports a file of tools finds out whether all
//! holds that is signed.

use std::collections::BTreeMap;

use pif_domain::text::{quote_one, time};
use pif_domain::{Fault, FaultCode, fault};
use pif_receipt::sha256;
use pif_sandbox::Watch;
use pif_store::registry::{Definition, Fact, Past};
use serde_json::Value;

use super::bundle::BundledTool;
use super::equality::Equality;
use super::keys::unsigned;
use super::opening::Workshop;
use super::refusal::{ChangeRefusal, stored};
use super::vouched::{Certificates, Equal, Known, Property, Vouched, refused};
use super::world::Tools;

impl Workshop {
    /// Signs what is known of tools of a file. Everything is tried first: an example or a property that
    /// fails is a fault. `equal` has names of tools, each with a tool to which it is to be proved equal.
    pub(super) fn certify(
        &self,
        packed: &[BundledTool],
        equal: &[(String, String)],
        tools: &Tools,
        watch: &Watch,
    ) -> Result<Certificates, Fault> {
        let keys = self.keys()?;
        let key = keys.current().map_err(|error| unsigned(&error))?;
        let signed = time::format(time::now());
        let mut envelopes = Vec::new();
        for tool in packed {
            let reference = tool.reference();
            let others = equal.iter().filter(|(name, _)| *name == reference);
            let others: Vec<&str> = others.map(|(_, other)| other.as_str()).collect();
            self.try_examples(&reference, tool.examples.clone(), tools, watch, &mut Vec::new())
                .map_err(first)?;
            let known = self.known(tool, &others, tools, watch)?;
            let proved = |other: &&&str| known.equal.iter().any(|it| is_of(&it.to, other));
            if let Some(other) = others.iter().find(|it| !proved(it)) {
                let (tool, other) = (tool.quoted(), quote_one(other));
                return Err(refused(&format!("{tool} is not proved to be equal to {other}")));
            }
            envelopes.push(known.sign(&signed, key));
        }
        Ok(Certificates { tools: envelopes, rotations: keys.rotations().to_vec() })
    }

    /// The certificate with which an import brought a revision last. It stands beside the revision; one
    /// of an earlier version stands in the entry of the import alone.
    pub fn certificate(
        &self,
        tool: &Definition,
        history: &[Past],
    ) -> Result<Option<Vouched>, Fault> {
        let of = format!("{}@{}", tool.name, tool.hash);
        if let Some(told) = self.store.fact(Fact::Certificate, &of).map_err(stored)? {
            let read = serde_json::from_str(&told).map(Some);
            return read.map_err(|error| {
                let message = format!("the certificate of `{of}` cannot be read: {error}");
                fault(FaultCode::Internal, message, None)
            });
        }
        let entries = history.iter().filter(|past| past.hash.as_ref() == Some(&tool.hash));
        for past in entries {
            if let Some(found) = self.certificate_of_entry(past.entry)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn certificate_of_entry(&self, entry: i64) -> Result<Option<Vouched>, Fault> {
        let found = self.store.entry(entry).map_err(stored)?;
        let request = found.and_then(|it| it.read_body()?.request);
        let Some(request) = request.filter(|it| it.digest().is_none()) else { return Ok(None) };
        let request: Value = serde_json::from_str(request.text()).unwrap_or_default();
        Ok(serde_json::from_value(request["certificate"].clone()).ok())
    }

    /// Compares certificates with what is known of the tools of a file here, all of which passed their
    /// examples and properties. All that do not hold are told.
    pub(super) fn ensure_certified(
        &self,
        packed: &[&BundledTool],
        vouched: &[Vouched],
        tools: &Tools,
        watch: &Watch,
    ) -> Result<(), ChangeRefusal> {
        let mut faults = Vec::new();
        for (tool, Vouched { known, .. }) in packed.iter().zip(vouched) {
            let others: Vec<&str> = known.equal.iter().map(|it| it.to.as_str()).collect();
            let now = self.known(tool, &others, tools, watch)?;
            let differences = known.differences(&now);
            if !differences.is_empty() {
                let reasons = differences.join("; ");
                let message =
                    format!("the certificate of {} does not hold: {reasons}", tool.quoted());
                faults.push(refused(&message));
            }
        }
        if faults.is_empty() { Ok(()) } else { Err(faults.into()) }
    }

    /// What is known of a tool of a file whose examples passed. Of `others` it tells those to which the
    /// tool is proved to be equal.
    fn known(
        &self,
        packed: &BundledTool,
        others: &[&str],
        tools: &Tools,
        watch: &Watch,
    ) -> Result<Known, Fault> {
        let (reference, source) = (packed.reference(), packed.source.get());
        let summary = self.sandbox.check(source, &watch.again()).map_err(|it| first(it.into()))?;
        let mut properties = Vec::new();
        for held in self.held(&reference, &packed.properties, tools, watch)? {
            if let Some(fault) = held.refutation() {
                return Err(fault);
            }
            properties.push(Property { inputs: held.tried.inputs(), property: held.property });
        }
        let sight = self.ready_sight(tools);
        let told = sight.type_of(&summary, source, false, &watch.again());
        let mut equal = Vec::new();
        for other in others {
            let Some((code, hash)) = tools.look_up(other)? else { continue };
            let named = self.sandbox.check(&code, &watch.again()).map_err(|it| first(it.into()))?;
            let (this, _) = sight.subject_of(&summary, source, watch);
            let (that, _) = sight.subject_of(&named, &code, watch);
            if let Equality::Equal(proof) = sight.compare(this, that, &watch.again())? {
                let name = other.split('@').next().unwrap_or(other);
                equal.push(Equal { to: format!("{name}@{hash}"), proof });
            }
        }
        Ok(Known {
            tool: reference,
            revision: packed.sha256.clone(),
            content: sha256(packed.content()?),
            examples: packed.examples.len(),
            properties,
            shape: told.map(|it| it.typing.shape.clone()),
            needs: summary.needs.iter().map(|it| it.name.clone()).collect(),
            callees: self.callees(source, tools, watch)?,
            equal,
        })
    }

    /// All tools to which a term comes by name, with their revisions.
    fn callees(
        &self,
        source: &str,
        tools: &Tools,
        watch: &Watch,
    ) -> Result<BTreeMap<String, String>, Fault> {
        let (mut found, mut open) = (BTreeMap::new(), vec![source.to_owned()]);
        while let Some(source) = open.pop() {
            let summary = self.sandbox.check(&source, &watch.again());
            let summary = summary.map_err(|faults| first(faults.into()))?;
            for name in tools.named(&summary, self.effects.as_ref())? {
                if found.contains_key(&name) {
                    continue;
                }
                if let Some((source, hash)) = tools.look_up(&name)? {
                    found.insert(name, hash);
                    open.push(source);
                }
            }
        }
        Ok(found)
    }
}

/// Whether a revision is of a tool, which may be named with its hash.
fn is_of(revision: &str, tool: &str) -> bool {
    revision == tool || revision.split('@').next() == Some(tool)
}

fn first(ChangeRefusal { faults, during }: ChangeRefusal) -> Fault {
    let none = || fault(FaultCode::Internal, "a tool is refused without a fault".to_owned(), None);
    let fault = faults.into_iter().next().unwrap_or_else(none);
    let message = during.map(|it| format!("{it}: {}", fault.message));
    Fault { message: message.unwrap_or(fault.message), ..fault }
}
