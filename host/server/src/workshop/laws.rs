//! The laws that a function has: proved, tested, or refuted by an input.

use pif_domain::Fault;
use pif_sandbox::{Inquiry, Subject, Watch};
use serde_json::{Map, Value};

use super::equality::holding_for;
use super::inquiry::{InquiryResult, put_exact, put_found};
use super::types::{Sight, log_fault};

/// What is known of a law of a function.
#[derive(Debug, Clone)]
pub struct LawsResult {
    /// The law.
    pub law: String,
    /// Why it holds for all inputs: the names of the member of records, and JSON.
    pub proof: Option<([&'static str; 2], String)>,
    /// What was tried, if there is no proof.
    pub tried: Option<InquiryResult>,
}

impl LawsResult {
    /// The verdict in a word.
    #[must_use]
    pub fn verdict(&self) -> &'static str {
        match &self.tried {
            _ if self.proof.is_some() => "proved",
            Some(tried) if tried.found().is_some() => "refuted",
            Some(tried) if tried.inputs() > 0 => "tested",
            _ => "unknown",
        }
    }

    /// The verdict as a record.
    pub(super) fn record(&self) -> Value {
        let mut record = Map::new();
        record.insert("law".to_owned(), self.law.as_str().into());
        record.insert("verdict".to_owned(), self.verdict().into());
        if let Some((names, proof)) = &self.proof {
            put_exact(&mut record, *names, proof);
        }
        if let Some(tried) = &self.tried {
            if let Some(found) = tried.found() {
                put_found(found, &mut record);
            }
            tried.put(&mut record);
        }
        Value::Object(record)
    }
}

impl Sight<'_> {
    /// The laws of a function that runs know as a tool of this name, within the time of the watch. None
    /// of a program that is no function.
    pub(super) fn laws(
        &self,
        subject: &Subject,
        name: &str,
        watch: &Watch,
    ) -> Result<Vec<LawsResult>, Fault> {
        // What holds of the program with the sources of its tools in place of their names holds of it.
        let filled = self.filled(subject, watch).map_err(log_fault).ok().flatten();
        let program = filled.as_ref().map_or(subject, |it| &it.program);
        let revisions = filled.iter().flat_map(|it| &it.revisions).collect();
        let laws = self.sandbox.laws(program, watch)?;
        let mut left = u32::try_from(laws.len()).unwrap_or(u32::MAX);
        let mut found = Vec::new();
        for it in laws {
            // Each gets an equal part of the time.
            let part = watch.again_for(watch.left() / left.max(1));
            left = left.saturating_sub(1);
            let proof = it.proof.map(|it| (["proof", "proof_exact"], it));
            let proof = proof.or(it.derivation.map(|it| (["derivation", "derivation_exact"], it)));
            let proof = proof.map(|(names, it)| (names, holding_for(&revisions, it)));
            let tried = match proof {
                Some(_) => None,
                None => {
                    let asked = (subject.clone(), name.to_owned(), it.name.clone());
                    Some(self.inquire(&Inquiry::Law(asked), &part)?)
                }
            };
            found.push(LawsResult { law: it.name, proof, tried });
        }
        Ok(found)
    }
}
