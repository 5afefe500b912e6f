//! Calls of tools of other servers, as they pass between the evaluator and whoever makes them.

use pif_domain::{Call, CallOutcome, FaultCode, Refusal};

use super::bindings::{Answer, Asked, AskedCall, Cause, Failure, Refused, Told};

/// Calls whose outcomes a program waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calls {
    /// One, or those of a form `calls`.
    pub calls: Vec<Call>,
    /// How many of them may be under way at once.
    pub at_most: usize,
}

impl From<Asked> for Calls {
    fn from(Asked { calls, at_most, .. }: Asked) -> Self {
        let call = |it: AskedCall| Call { tool: it.tool, args: it.args, is_raw: it.raw };
        Self {
            calls: calls.into_iter().map(call).collect(),
            at_most: usize::try_from(at_most).unwrap_or(1).max(1),
        }
    }
}

impl From<Result<Vec<CallOutcome>, Refusal>> for Answer {
    fn from(answer: Result<Vec<CallOutcome>, Refusal>) -> Self {
        match answer {
            Ok(outcomes) => Self::Outcomes(outcomes.into_iter().map(Told::from).collect()),
            Err(refusal) => Self::Refused(refusal.into()),
        }
    }
}

impl From<CallOutcome> for Told {
    fn from(outcome: CallOutcome) -> Self {
        match outcome {
            CallOutcome::Value(json) => Self::Value(json),
            CallOutcome::Failed(it) => Self::Failed(Failure {
                reason: it.reason.name().to_owned(),
                message: it.message,
                value: it.value,
            }),
        }
    }
}

impl From<Refusal> for Refused {
    fn from(Refusal { index, code, message, hint }: Refusal) -> Self {
        let cause = match code {
            FaultCode::UnknownCapability => Cause::UnknownCapability,
            FaultCode::Malformed => Cause::Malformed,
            _ => Cause::CapabilityDenied,
        };
        Self { index: u32::try_from(index).unwrap_or(u32::MAX), cause, message, hint }
    }
}
