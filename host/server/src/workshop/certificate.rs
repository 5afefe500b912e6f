//! Certificates: signed statements of what is known of a revision of a tool. A file of tools carries
//! them. Whoever imports it checks all that they say again.

use std::collections::{BTreeMap, BTreeSet};

use pif_domain::text::{line, quote, quote_one, time};
use pif_domain::{Fault, FaultCode, fault};
use pif_receipt::{Envelope, Statement, Trust, sha256};
use pif_sandbox::Watch;
use pif_store::registry::short;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::bundle::Packed;
use super::equality::Equality;
use super::keys::unsigned;
use super::opening::Workshop;
use super::refusal::{Refused, stored};
use super::world::Tools;

/// The type of the predicate.
const TOOL: &str = "https://github.com/mcp-pif/mcp-pif/tool/v1";

/// The most characters of a type in a message.
const MOST_TYPE: usize = 200;

/// The certificates of a file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Certificates {
    /// One for each tool.
    tools: Vec<Envelope>,
    /// How the signing key followed others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    rotations: Vec<Envelope>,
}

/// What is known of a revision of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Known {
    /// The name, or `name@hash` of a revision that others pin.
    tool: String,
    /// The sha256 of its term.
    revision: String,
    /// The sha256 of all that the file holds of it: description, examples, properties, schema.
    content: String,
    /// The examples that passed.
    examples: usize,
    /// The properties that hold, each with the inputs that were tried.
    properties: Vec<Property>,
    /// Its type, if it can be told.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    shape: Option<String>,
    /// The tools of other servers that it calls.
    needs: Vec<String>,
    /// All tools that it comes to by name, with the revisions for which this holds.
    callees: BTreeMap<String, String>,
    /// Tools to which it is equal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    equal: Vec<Equal>,
}

/// A property that holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Property {
    property: String,
    inputs: u64,
}

/// A tool to which another one is equal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Equal {
    /// `NAME@HASH`.
    to: String,
    /// The proof, which `mcp-pif proof check` accepts.
    proof: String,
}

/// The predicate.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Predicate {
    known: Known,
    signed: String,
}

/// A certificate whose signature counts.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Vouched {
    known: Known,
    /// The id of the key that signed it.
    signer: String,
    /// The certificate itself.
    envelope: Envelope,
}

impl Certificates {
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.tools.is_empty() && self.rotations.is_empty()
    }

    /// Finds the certificate of each tool of a file, signed by a trusted key. All tools that have none
    /// are told.
    pub(super) fn vouch(&self, packed: &[Packed], trust: &Trust) -> Result<Vec<Vouched>, Refused> {
        let (mut vouched, mut faults) = (BTreeMap::new(), Vec::new());
        for envelope in &self.tools {
            match self.read(envelope, trust) {
                Ok(it) => drop(vouched.insert(it.known.tool.clone(), it)),
                Err(reason) => faults.push(refused(&reason)),
            }
        }
        let mut found = Vec::new();
        for tool in packed {
            match vouched.remove(&tool.reference()) {
                Some(it) => found.push(it),
                None => faults.push(refused(&format!("{} has no certificate", tool.quoted()))),
            }
        }
        faults.extend(vouched.keys().map(|tool| {
            refused(&format!("there is a certificate of {}, and no such tool", quote_one(tool)))
        }));
        if faults.is_empty() { Ok(found) } else { Err(faults.into()) }
    }

    fn read(&self, envelope: &Envelope, trust: &Trust) -> Result<Vouched, String> {
        let malformed = || "a certificate is not one of this version".to_owned();
        let statement = Statement::read(envelope, TOOL).ok_or_else(malformed)?;
        let subject = statement.subject;
        let predicate = serde_json::from_value(statement.predicate).map_err(|_| malformed())?;
        let Predicate { known, signed } = predicate;
        let signed = time::parse(&signed).ok_or_else(malformed)?;
        let tool = quote_one(&known.tool);
        let signer = trust.signer(envelope, &self.rotations, signed);
        let signer = signer.map_err(|distrust| format!("the certificate of {tool}: {distrust}"))?;
        let is_about =
            |it: &pif_receipt::Subject| it.name == known.tool && it.digest.sha256 == known.revision;
        if subject.len() != 1 || !subject.iter().all(is_about) {
            return Err(malformed());
        }
        Ok(Vouched { known, signer, envelope: envelope.clone() })
    }
}

impl Vouched {
    /// What it says, in one line.
    #[must_use]
    pub fn told(&self) -> String {
        let Self { known, signer, .. } = self;
        let Known { examples, properties, equal, .. } = known;
        let mut parts =
            vec![format!("examples: {examples}"), format!("properties: {}", properties.len())];
        parts.extend(known.shape.iter().map(|it| format!("type: {}", line(it, MOST_TYPE))));
        if !equal.is_empty() {
            let all: Vec<&str> = equal.iter().map(|it| it.to.as_str()).collect();
            parts.push(format!("equal to {}", quote(&all)));
        }
        parts.push(format!("signed by {signer}"));
        parts.join("; ")
    }

    /// A note that it holds.
    pub(super) fn note(&self) -> String {
        format!("the certificate of {} holds: {}", quote_one(&self.known.tool), self.told())
    }

    /// What it says, as a record.
    #[must_use]
    pub fn record(&self) -> Value {
        json!({"signer": self.signer, "known": self.known, "envelope": self.envelope})
    }
}

impl Known {
    /// What another look came to that differs from this.
    fn differences(&self, now: &Self) -> Vec<String> {
        let mut found = Vec::new();
        if self.revision != now.revision || self.content != now.content {
            found.push("the tool in the file is another one".to_owned());
        }
        if self.examples != now.examples {
            found.push(format!("{} examples pass, and not {}", now.examples, self.examples));
        }
        let told = |known: &Self| -> Vec<String> {
            known.properties.iter().map(|it| it.property.clone()).collect()
        };
        if told(self) != told(now) {
            found.push("other properties hold".to_owned());
        }
        if self.shape != now.shape {
            let shape = |it: &Option<String>| {
                it.as_ref().map_or_else(|| "unknown".to_owned(), |it| line(it, MOST_TYPE))
            };
            found.push(format!(
                "its type is {}, and not {}",
                shape(&now.shape),
                shape(&self.shape)
            ));
        }
        if self.needs != now.needs {
            let (is, said) = (quote(&now.needs), quote(&self.needs));
            found.push(format!("it calls other servers by {is}, and not {said}"));
        }
        let names: BTreeSet<&String> = self.callees.keys().chain(now.callees.keys()).collect();
        for name in names {
            let (said, is) = (self.callees.get(name), now.callees.get(name));
            if said != is {
                let revision = |it: Option<&String>| {
                    it.map_or_else(|| "not there".to_owned(), |it| short(it).to_owned())
                };
                let (is, said) = (revision(is), revision(said));
                found.push(format!("{}, which it calls, is {is}, and not {said}", quote_one(name)));
            }
        }
        for equal in &self.equal {
            if !now.equal.contains(equal) {
                found.push(format!("it is not proved to be equal to {}", quote_one(&equal.to)));
            }
        }
        found
    }
}

impl Workshop {
    /// Signs what is known of tools of a file. Everything is tried first: an example or a property that
    /// fails is a fault. `equal` has names of tools, each with a tool to which it is to be proved equal.
    pub(super) fn certify(
        &self,
        packed: &[Packed],
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
            let subject = [(known.tool.clone(), known.revision.clone())];
            let subject: Vec<(&str, &str)> =
                subject.iter().map(|(name, hash)| (name.as_str(), hash.as_str())).collect();
            let predicate = json!(Predicate { known: known.clone(), signed: signed.clone() });
            envelopes.push(Statement::new(&subject, TOOL, predicate).sign(&[key]));
        }
        Ok(Certificates { tools: envelopes, rotations: keys.rotations().to_vec() })
    }

    /// The certificate with which an import brought a revision, by the entry of that, if the entry is
    /// still there.
    pub fn certificate(&self, entry: i64) -> Result<Option<Vouched>, Fault> {
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
        packed: &[&Packed],
        vouched: &[Vouched],
        tools: &Tools,
        watch: &Watch,
    ) -> Result<(), Refused> {
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
        packed: &Packed,
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

fn first(Refused { faults, during }: Refused) -> Fault {
    let none = || fault(FaultCode::Internal, "a tool is refused without a fault".to_owned(), None);
    let fault = faults.into_iter().next().unwrap_or_else(none);
    let message = during.map(|it| format!("{it}: {}", fault.message));
    Fault { message: message.unwrap_or(fault.message), ..fault }
}

fn refused(reason: &str) -> Fault {
    fault(FaultCode::InvalidCertificate, reason.to_owned(), None)
}
