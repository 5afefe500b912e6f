//! Whether two programs are equal: a proof, or an input on which they differ, or what was tried.

use pif_domain::{Fault, FaultCode};
use pif_sandbox::{Counterexample, Inquiry, Subject, Watch};
use serde_json::{Map, Value};

use super::inquiry::{InquiryResult, put_exact, put_found};
use super::types::{Sight, log_fault};

/// What is known of two programs.
#[derive(Debug, Clone)]
pub enum Equality {
    /// They are equal: the proof, as JSON.
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
        let untreated = match self.sandbox.prove(&first, &second, &searching) {
            Ok(it) => match it.proof {
                Some(proof) => return Ok(Equality::Equal(proof)),
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
