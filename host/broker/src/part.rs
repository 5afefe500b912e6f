//! Calls as they are asked for: looked at, and made messages.

use std::time::Duration;

use pif_domain::text;
use pif_domain::{Approval, Call, FaultCode, Refusal};
use serde_json::value::RawValue;

use super::protocol::{Batch, CallPart, LONGEST_NAME, MOST_ARGUMENTS, MOST_CALLS, MOST_TOGETHER};

/// The calls of one request, from the first one that did not fit into the request before.
pub(super) fn together(calls: &[Call]) -> &[Call] {
    let mut bytes = 0_usize;
    let fits = |call: &&Call| {
        let sent = if call.args.len() > MOST_ARGUMENTS { 0 } else { call.args.len() };
        bytes = bytes.saturating_add(sent);
        bytes <= MOST_TOGETHER
    };
    let count = calls.iter().take(MOST_CALLS).take_while(fits).count();
    calls.get(..count).unwrap_or_default()
}

/// Calls as a request. The refusal says which of them there cannot be.
pub(super) fn batch(
    calls: &[Call],
    (at_most, within, reads): (usize, Duration, bool),
    approved: &[Option<Approval>],
) -> Result<Batch, Refusal> {
    let mut parts = Vec::with_capacity(calls.len());
    for (index, call) in calls.iter().enumerate() {
        let approved = approved.get(index).copied().flatten();
        parts.push(part(call, approved).map_err(|it| Refusal { index, ..it })?);
    }
    let deadline_ms = u64::try_from(within.as_millis()).unwrap_or(u64::MAX);
    // The client numbers its requests.
    Ok(Batch { id: 0, calls: parts, at_most, reads, deadline_ms })
}

fn part(call: &Call, approved: Option<Approval>) -> Result<CallPart, Refusal> {
    let refuse = |code, message: String| Refusal { index: 0, code, message, hint: None };
    if call.tool.len() > LONGEST_NAME {
        let told = format!("there is no tool {}", text::quote_one(&call.tool));
        return Err(refuse(FaultCode::UnknownCapability, told));
    }
    let tool = call.tool.clone();
    let raw = call.is_raw;
    if call.args.len() > MOST_ARGUMENTS {
        let bytes = Some(call.args.len() as u64);
        return Ok(CallPart { tool, args: None, bytes, raw, approved });
    }
    let unread =
        |error| refuse(FaultCode::Malformed, format!("the arguments are no JSON: {error}"));
    let args = Some(RawValue::from_string(call.args.clone()).map_err(unread)?);
    Ok(CallPart { tool, args, bytes: None, raw, approved })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_room_for_so_many_calls_and_bytes() {
        let call =
            |bytes: usize| Call { tool: "s.t".to_owned(), args: "x".repeat(bytes), is_raw: false };
        let count = |calls: &[Call]| together(calls).len();
        assert_eq!(count(&vec![call(2); MOST_CALLS + 1]), MOST_CALLS);
        let large = MOST_TOGETHER / 4;
        assert_eq!(count(&vec![call(large); 5]), 4);
        // Arguments that are not sent take no room.
        assert_eq!(count(&vec![call(MOST_ARGUMENTS + 1); 9]), 9);
    }
}
