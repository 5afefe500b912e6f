//! Certificates as files carry them: signed statements of what is known of a revision of a tool, who
//! signed them, and how two of them differ.

use std::collections::{BTreeMap, BTreeSet};

use pif_domain::text::{line, quote, quote_one, time};
use pif_domain::{Fault, FaultCode, fault};
use pif_receipt::{Envelope, PrivateKey, Statement, Subject, Trust};
use pif_store::registry::short;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// The type of the predicate.
const TOOL: &str = "https://github.com/mcp-pif/mcp-pif/tool/v1";

/// The most characters of a type in a message.
const MOST_TYPE: usize = 200;

/// The certificates of a file.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Certificates {
    /// One for each tool.
    pub(super) tools: Vec<Envelope>,
    /// How the signing key followed others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) rotations: Vec<Envelope>,
}

/// What is known of a revision of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Known {
    /// The name, or `name@hash` of a revision that others pin.
    pub(super) tool: String,
    /// The sha256 of its term.
    pub(super) revision: String,
    /// The sha256 of all that the file holds of it: description, examples, properties, schema.
    pub(super) content: String,
    /// The examples that passed.
    pub(super) examples: usize,
    /// The properties that hold, each with the inputs that were tried.
    pub(super) properties: Vec<Property>,
    /// Its type, if it can be told.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub(super) shape: Option<String>,
    /// The tools of other servers that it calls.
    pub(super) needs: Vec<String>,
    /// All tools that it comes to by name, with the revisions for which this holds.
    pub(super) callees: BTreeMap<String, String>,
    /// Tools to which it is equal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) equal: Vec<Equal>,
}

/// A property that holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Property {
    pub(super) property: String,
    pub(super) inputs: u64,
}

/// A tool to which another one is equal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Equal {
    /// `NAME@HASH`.
    pub(super) to: String,
    /// The proof, which `mcp-pif proof check` accepts.
    pub(super) proof: String,
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
    pub(super) known: Known,
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
    pub(super) fn vouch(
        &self,
        tools: &[String],
        trust: &Trust,
    ) -> Result<Vec<Vouched>, Vec<Fault>> {
        let mut vouched = BTreeMap::new();
        let mut faults = Vec::new();
        for envelope in &self.tools {
            match self.read(envelope, trust) {
                Ok(it) => drop(vouched.insert(it.known.tool.clone(), it)),
                Err(reason) => faults.push(refused(&reason)),
            }
        }
        let mut found = Vec::new();
        for tool in tools {
            match vouched.remove(tool) {
                Some(it) => found.push(it),
                None => faults.push(refused(&format!("{} has no certificate", quote_one(tool)))),
            }
        }
        faults.extend(vouched.keys().map(|tool| {
            refused(&format!("there is a certificate of {}, and no such tool", quote_one(tool)))
        }));
        if faults.is_empty() { Ok(found) } else { Err(faults) }
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
        let is_about = |it: &Subject| it.name == known.tool && it.digest.sha256 == known.revision;
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
    /// Signs it.
    pub(super) fn sign(&self, signed: &str, key: &PrivateKey) -> Envelope {
        let subject = [(self.tool.as_str(), self.revision.as_str())];
        let predicate = Predicate { known: self.clone(), signed: signed.to_owned() };
        Statement::new(&subject, TOOL, json!(predicate)).sign(&[key])
    }

    /// What another look came to that differs from this.
    pub(super) fn differences(&self, now: &Self) -> Vec<String> {
        let mut found = Vec::new();
        if self.revision != now.revision || self.content != now.content {
            found.push("the tool in the file is another one".to_owned());
        }
        if self.examples != now.examples {
            found.push(format!("{} examples pass, and not {}", now.examples, self.examples));
        }
        let texts = |known: &Self| -> Vec<String> {
            known.properties.iter().map(|it| it.property.clone()).collect()
        };
        if texts(self) != texts(now) {
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
            let is = quote(&now.needs);
            let said = quote(&self.needs);
            found.push(format!("it calls other servers by {is}, and not {said}"));
        }
        let names: BTreeSet<&String> = self.callees.keys().chain(now.callees.keys()).collect();
        for name in names {
            let said = self.callees.get(name);
            let is = now.callees.get(name);
            if said != is {
                let revision = |it: Option<&String>| {
                    it.map_or_else(|| "not there".to_owned(), |it| short(it).to_owned())
                };
                let is = revision(is);
                let said = revision(said);
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

/// The fault of a certificate.
pub(super) fn refused(reason: &str) -> Fault {
    fault(FaultCode::InvalidCertificate, reason.to_owned(), None)
}
