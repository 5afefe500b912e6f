//! Calls as the journal keeps them, and back.

use pif_domain::text::quote_one;
use pif_domain::{
    Call, CallOutcome, CallResult, CallSummary, Failure, Fault, FaultCode, Refusal, Remarks, fault,
};
use pif_store::journal::{Answer, CallRefusal, Came, Digest, RequestedCall, SentCall};

/// What the journal is told of calls before anything comes of them, and the texts beside it.
pub(super) fn asked(calls: &[Call]) -> (Answer, Vec<String>) {
    let answer = Answer::Calls(calls.iter().map(digested).map(SentCall::new).collect());
    (answer, calls.iter().map(|call| call.args.clone()).collect())
}

/// What the journal is told of calls once it is known what came of them.
pub(super) fn answered(calls: &[Call], answer: &Result<Vec<CallResult>, Refusal>) -> Answer {
    let asked = calls.iter().map(digested);
    match answer {
        Ok(answered) => {
            let made = asked.zip(answered).map(|(asked, answered)| {
                let mut made = SentCall::new(asked);
                come(&mut made, answered);
                made
            });
            Answer::Calls(made.collect())
        }
        Err(Refusal { index, code, message, hint }) => {
            let code = code.name().to_owned();
            let message = message.clone();
            let hint = hint.clone();
            let refused = CallRefusal { index: *index, code, message, hint };
            Answer::Refused(asked.collect(), refused)
        }
    }
}

/// Writes down what came of a call.
pub(super) fn come(made: &mut SentCall, CallResult { outcome, millis, beside }: &CallResult) {
    made.outcome = match outcome {
        CallOutcome::Value(text) => Came::Value(Digest::of(text)),
        CallOutcome::Failed(Failure { reason, message, value }) => Came::Failed {
            reason: *reason,
            message: message.clone(),
            value: value.as_deref().map(Digest::of),
        },
    };
    made.ms = *millis;
    made.whole = beside.whole.as_deref().map(Digest::of);
    made.warning.clone_from(&beside.warning);
}

/// The texts of which the journal keeps the digests.
pub(super) fn texts(answered: &CallResult) -> impl Iterator<Item = String> {
    let own = match &answered.outcome {
        CallOutcome::Value(text) => Some(text.clone()),
        CallOutcome::Failed(failure) => failure.value.clone(),
    };
    own.into_iter().chain(answered.beside.whole.clone())
}

fn digested(call: &Call) -> RequestedCall {
    RequestedCall { tool: call.tool.clone(), args: Digest::of(&call.args), raw: call.is_raw }
}

/// The calls among what a run asked for.
pub(super) fn made(answers: &[Answer]) -> Vec<CallSummary> {
    let calls = answers.iter().filter_map(|answer| match answer {
        Answer::Calls(made) => Some(made),
        _ => None,
    });
    let describe = |SentCall { asked, outcome, ms, warning, .. }: &SentCall| CallSummary {
        tool: asked.tool.clone(),
        outcome: outcome.name().to_owned(),
        ms: *ms,
        bytes: match outcome {
            Came::Value(digest) => digest.bytes,
            Came::Failed { .. } | Came::Unknown => 0,
        },
        warning: warning.clone(),
    };
    calls.flatten().map(describe).collect()
}

/// The answer that an entry holds to these calls, with the texts that `text` finds. None: the entry
/// tells of other calls. The error names a text that is not there any more.
pub(super) fn recall(
    calls: &[Call],
    recorded: &Answer,
    mut text: impl FnMut(&Digest) -> Result<Option<String>, pif_store::Error>,
) -> Result<Option<Result<Vec<CallResult>, Refusal>>, MissingAnswer> {
    match recorded {
        Answer::Calls(made) if is_same(calls, made.iter().map(|it| &it.asked)) => {
            let mut answered = Vec::with_capacity(made.len());
            for made in made {
                let found = recall_one(made, &mut text)?;
                answered.push(found.ok_or_else(|| MissingAnswer::Text(made.asked.tool.clone()))?);
            }
            Ok(Some(Ok(answered)))
        }
        Answer::Refused(asked, refused) if is_same(calls, asked.iter()) => {
            let CallRefusal { index, code, message, hint } = refused.clone();
            let code = FaultCode::find(&code).unwrap_or(FaultCode::CapabilityDenied);
            Ok(Some(Err(Refusal { index, code, message, hint })))
        }
        _ => Ok(None),
    }
}

/// As [`recall`], of calls of which some have no answer.
pub(super) fn recall_some(
    calls: &[Call],
    recorded: &Answer,
    mut text: impl FnMut(&Digest) -> Result<Option<String>, pif_store::Error>,
) -> Result<Option<Vec<Option<CallResult>>>, MissingAnswer> {
    let Answer::Calls(made) = recorded else { return Ok(None) };
    if !is_same(calls, made.iter().map(|it| &it.asked)) {
        return Ok(None);
    }
    made.iter().map(|made| recall_one(made, &mut text)).collect::<Result<_, _>>().map(Some)
}

fn is_same<'a>(calls: &[Call], asked: impl ExactSizeIterator<Item = &'a RequestedCall>) -> bool {
    asked.len() == calls.len() && asked.zip(calls).all(|(asked, call)| *asked == digested(call))
}

/// What came of a call; None: nobody knows.
fn recall_one(
    SentCall { asked, outcome, ms, whole, warning, .. }: &SentCall,
    text: &mut impl FnMut(&Digest) -> Result<Option<String>, pif_store::Error>,
) -> Result<Option<CallResult>, MissingAnswer> {
    let mut find = |digest: &Digest| {
        let found = text(digest).map_err(MissingAnswer::Store)?;
        found.ok_or_else(|| MissingAnswer::Text(asked.tool.clone()))
    };
    let outcome = match outcome {
        Came::Unknown => return Ok(None),
        Came::Value(digest) => CallOutcome::Value(find(digest)?),
        Came::Failed { reason, message, value } => {
            let value = value.as_ref().map(&mut find).transpose()?;
            Failure { reason: *reason, message: message.clone(), value }.into()
        }
    };
    let whole = whole.as_ref().map(find).transpose()?;
    let beside = Remarks { whole, warning: warning.clone(), after: None };
    Ok(Some(CallResult { outcome, millis: *ms, beside }))
}

/// How a durable run stops at a call of which nobody knows what it has done.
pub(super) fn outcome_unknown(tool: &str) -> Fault {
    let message = format!("nobody knows what came of a call of {}, which writes", quote_one(tool));
    fault(FaultCode::OutcomeUnknown, message, None)
}

/// Why an answer cannot be had from an entry.
pub(super) enum MissingAnswer {
    /// The text of what this tool answered is not there any more.
    Text(String),
    /// The store fails.
    Store(pif_store::Error),
}
