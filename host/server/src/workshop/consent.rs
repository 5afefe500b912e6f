//! Calls whose grant is `ask`: who is asked, what was said, and which calls are sent then.

use std::collections::BTreeMap;

use pif_domain::{
    Approval, Call, CallOutcome, CallPreview, Choice, Decision, Failure, Need, Reason,
};

/// What somebody says who is asked for an approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said {
    /// A person has chosen.
    Chosen(Choice),
    /// There is no approval, for this reason: one sentence in lower case.
    Not(String),
    /// Nobody answers now: the run is kept and waits. A handle of the run is bound to this text;
    /// without a text there is none.
    Later(Option<String>),
}

/// What is known of a call before it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Consent {
    /// Nobody was asked.
    Unasked,
    /// Somebody agreed.
    Given(Approval),
    /// It is not sent, for this reason.
    Declined(String),
}

impl Consent {
    /// Who has approved the call.
    pub(super) fn approval(&self) -> Option<Approval> {
        match self {
            Self::Given(by) => Some(*by),
            Self::Unasked | Self::Declined(_) => None,
        }
    }

    /// What comes of a call that is not sent.
    pub(super) fn outcome(&self) -> Option<CallOutcome> {
        let Self::Declined(message) = self else { return None };
        Some(Failure::new(Reason::Declined, message.clone()).into())
    }
}

/// What was said in a run.
#[derive(Debug, Default)]
pub(super) struct Consents {
    /// Tools that were approved for the rest of the run.
    pub(super) granted: BTreeMap<String, Approval>,
    /// What was decided of a question that the run waited for.
    pub(super) decided: Option<(Vec<CallPreview>, Decision)>,
}

impl Consents {
    /// What is known of calls before anybody is asked; nothing, if nothing was granted.
    pub(super) fn of(&self, calls: &[Call]) -> Vec<Consent> {
        if self.granted.is_empty() {
            return Vec::new();
        }
        let known = |call: &Call| match self.granted.get(&call.tool) {
            Some(by) => Consent::Given(*by),
            None => Consent::Unasked,
        };
        calls.iter().map(known).collect()
    }

    /// What was decided of this question before.
    pub(super) fn recall(&mut self, wishes: &[CallPreview]) -> Option<Decision> {
        let (asked, decision) = self.decided.take()?;
        (asked == wishes).then_some(decision)
    }

    /// What is known of calls after somebody was asked about some of them.
    pub(super) fn decide(
        &mut self,
        calls: &[Call],
        needs: &[Need],
        decided: &Result<Decision, String>,
    ) -> Vec<Consent> {
        let mut known = self.of(calls);
        known.resize(calls.len(), Consent::Unasked);
        let consent = match decided {
            Ok(Decision { choice: Choice::Decline, by: Approval::Once }) => {
                Consent::Declined("somebody was asked and declined the call".to_owned())
            }
            Ok(Decision { choice: Choice::Decline, by: Approval::Model }) => {
                Consent::Declined("the model was asked and declined the call".to_owned())
            }
            Ok(Decision { by, .. }) => Consent::Given(*by),
            Err(reason) => Consent::Declined(reason.clone()),
        };
        for Need { index, .. } in needs {
            if let (Some(known), Some(call)) = (known.get_mut(*index), calls.get(*index)) {
                known.clone_from(&consent);
                if let Ok(Decision { choice: Choice::Run, by }) = decided {
                    self.granted.insert(call.tool.clone(), *by);
                }
            }
        }
        known
    }
}

/// The question about calls.
pub(super) fn wishes(calls: &[Call], needs: &[Need]) -> Vec<CallPreview> {
    let wish = |need: &Need| {
        let call = calls.get(need.index)?.clone();
        Some(CallPreview { call, class: need.class, model: need.model })
    };
    needs.iter().filter_map(wish).collect()
}
