//! Whether two programs are equal: a proof, or an input on which they differ, or what was tried.

use std::collections::BTreeMap;

use pif_domain::{Fault, FaultCode};
use pif_sandbox::{Counterexample, Inquiry, Subject, Watch};
use serde_json::{Map, Value, json};

use super::inquiry::{InquiryResult, put_exact, put_found};
use super::types::{Filled, Sight, log_fault};

/// What is known of two programs.
#[derive(Debug, Clone)]
pub enum Equality {
    /// They are equal: the proof, as JSON. One about programs that name tools is about the programs with
    /// the sources of these in place of their names, and its member `holds_for` has their revisions.
    Equal(String),
    /// They differ.
    Different(InquiryResult),
    /// Neither a proof nor an input was found.
    Unknown {
        /// What was tried.
        tried: InquiryResult,
        /// Why no proof was looked for, if none was.
        untreated: Option<String>,
    },
}

impl Equality {
    /// The verdict in a word.
    #[must_use]
    pub fn verdict(&self) -> &'static str {
        match self {
            Self::Equal(_) => "equal",
            Self::Different(_) => "different",
            Self::Unknown { .. } => "unknown",
        }
    }

    /// The input on which they differ.
    #[must_use]
    pub fn found(&self) -> Option<&Counterexample> {
        match self {
            Self::Different(tried) => tried.found(),
            Self::Equal(_) | Self::Unknown { .. } => None,
        }
    }

    /// The verdict as a record.
    pub(super) fn record(&self) -> Value {
        let mut record = Map::new();
        record.insert("verdict".to_owned(), self.verdict().into());
        match self {
            Self::Equal(proof) => put_exact(&mut record, ["proof", "proof_exact"], proof),
            Self::Different(tried) => {
                if let Some(found) = tried.found() {
                    put_found(found, &mut record);
                }
                tried.put(&mut record);
            }
            Self::Unknown { tried, untreated } => {
                let why =
                    untreated.as_ref().map(|why| ("no_proof".to_owned(), why.as_str().into()));
                record.extend(why);
                tried.put(&mut record);
            }
        }
        Value::Object(record)
    }
}

impl Sight<'_> {
    /// Compares two programs, within the time of the watch.
    pub(super) fn compare(
        &self,
        first: Subject,
        second: Subject,
        watch: &Watch,
    ) -> Result<Equality, Fault> {
        // Half of the time is for runs.
        let searching = watch.again_for(watch.left() / 2);
        let filled = [self.filled(&first, &searching), self.filled(&second, &searching)];
        let [one, other] = filled.map(|it| it.map_err(log_fault).ok().flatten());
        let revisions: BTreeMap<&String, &String> =
            one.iter().chain(&other).flat_map(|it| &it.revisions).collect();
        let program =
            |own, filled: &Option<Filled>| filled.as_ref().map_or(own, |it| it.program.clone());
        let programs = [program(first.clone(), &one), program(second.clone(), &other)];
        let untreated = match self.sandbox.prove(&programs[0], &programs[1], &searching) {
            Ok(it) => match it.proof {
                Some(proof) => return Ok(Equality::Equal(holding_for(&revisions, proof))),
                None => it.untreated,
            },
            // A search that is too long is one that finds nothing.
            Err(fault) if matches!(fault.code, FaultCode::Timeout | FaultCode::Internal) => {
                log_fault(fault);
                None
            }
            Err(fault) => return Err(fault),
        };
        let tried = self.inquire(&Inquiry::Difference((first, second)), watch)?;
        Ok(match tried.found() {
            Some(_) => Equality::Different(tried),
            None => Equality::Unknown { tried, untreated },
        })
    }
}

/// A proof, which is an object as JSON, with the revisions of the tools for which it holds.
pub(super) fn holding_for(revisions: &BTreeMap<&String, &String>, proof: String) -> String {
    match proof.strip_prefix('{') {
        Some(rest) if !revisions.is_empty() => {
            format!("{{\"holds_for\":{},{rest}", json!(revisions))
        }
        _ => proof,
    }
}
