//! How durable runs stop before their end, and what is kept of those that have ended.

use std::sync::atomic::Ordering;
use std::time::Duration;

use pif_domain::text::time::now;
use pif_domain::{Fault, FaultCode, StepTold, named};
use pif_sandbox::Outcome;
use pif_store::journal::{Draft, Durable, RunEnd, RunProgress, RunStatus};

use super::past::ApprovalWait;
use super::world::{Live, Witness};

/// How a run stops that is kept.
pub(super) enum StopReason {
    /// It waits for an approval.
    Waiting(ApprovalWait),
    /// It can go on. With its number, what is told, and its steps.
    Interrupted(i64, Box<Fault>, Vec<StepTold>),
}

/// Puts a durable run down, if it ended by what is no answer. What is told says how to go on.
pub(super) fn interrupt(
    outcome: &mut Outcome,
    witness: &mut Witness<'_, Live>,
) -> Option<StopReason> {
    let Err(fault) = &outcome.ending else { return None };
    let is_unanswered = fault.upstream.as_ref().is_some_and(|call| call.reason.is_no_answer());
    let stops =
        fault.code.is_stop() || fault.code.is_of_store() || fault.code == FaultCode::OutcomeUnknown;
    if witness.oracle.by_hand.load(Ordering::Relaxed) || !stops && !is_unanswered {
        return None;
    }
    let put_down = if witness.oracle.past.is_over() {
        witness.put_down(fault, is_unanswered)
    } else {
        witness.put_down_again(fault, witness.oracle.past.unsure.clone())
    };
    match put_down {
        Ok(Some(run)) => {
            let steps = witness.steps(if fault.code == FaultCode::OutcomeUnknown {
                RunStatus::OutcomeUnknown.name()
            } else {
                RunStatus::Interrupted.name()
            });
            Some(StopReason::Interrupted(run, Box::new(advised(fault, run)), steps))
        }
        Ok(None) => None,
        Err(lost) => {
            outcome.ending = Err(lost);
            None
        }
    }
}

/// A fault that interrupted a run, with what to do about it.
pub(super) fn advised(cause: &Fault, run: i64) -> Fault {
    if cause.code == FaultCode::OutcomeUnknown {
        let hint = format!(
            "say what came of it: run {{\"resume\": {run}, \"decide\": \"retry\"}}, or \"skip\", or \
             \"done\" with its \"value\""
        );
        return Fault { hint: Some(named(&hint).into_owned()), ..cause.clone() };
    }
    let message = format!("the run was interrupted: {}", cause.message);
    let hint = named(&format!("go on with it: run {{\"resume\": {run}}}")).into_owned();
    Fault { code: FaultCode::Interrupted, message, hint: Some(hint), ..cause.clone() }
}

/// How long a durable run is kept.
pub(super) fn time_left(durable: &Durable) -> Duration {
    Duration::from_millis(u64::try_from(durable.until.saturating_sub(now())).unwrap_or_default())
}

/// What the store keeps of a durable run that has ended with this entry.
pub(super) fn ended(draft: &Draft, durable: Durable) -> RunProgress {
    let Draft { subject, request, answers, ending, outcome, fuel, memory, depth, micros, .. } =
        draft.clone();
    let fuel = fuel.unwrap_or_default();
    let end = RunEnd { memory, depth, micros, ..RunEnd::new(&ending, outcome, fuel) };
    let ended = Some(end);
    let durable = Some(durable);
    RunProgress { subject, request, answers, durable, ended, ..RunProgress::default() }
}
