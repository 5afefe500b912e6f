//! A call as it is asked for: looked at, and made a message.

use std::time::Duration;

use pif_domain::text;
use pif_domain::{Approval, Call, FaultCode, Refusal};
use serde_json::value::RawValue;

use super::protocol::{CallPart, LONGEST_NAME, MOST_ARGUMENTS, ToBroker};

/// A call whose arguments have been looked at.
pub(super) struct Read {
    tool: String,
    args: Result<Box<RawValue>, u64>,
    raw: bool,
}

pub(super) fn read(call: &Call) -> Result<Read, Refusal> {
    let refuse = |code, message: String| Refusal { index: 0, code, message, hint: None };
    if call.tool.len() > LONGEST_NAME {
        let told = format!("there is no tool {}", text::quote_one(&call.tool));
        return Err(refuse(FaultCode::UnknownCapability, told));
    }
    let args = if call.args.len() > MOST_ARGUMENTS {
        Err(call.args.len() as u64)
    } else {
        let unread =
            |error| refuse(FaultCode::Malformed, format!("the arguments are no JSON: {error}"));
        Ok(RawValue::from_string(call.args.clone()).map_err(unread)?)
    };
    Ok(Read { tool: call.tool.clone(), args, raw: call.is_raw })
}

impl Read {
    pub(super) fn finish(
        self,
        id: u64,
        (index, of): (usize, usize),
        (at_most, within): (usize, Duration),
        approved: Option<Approval>,
    ) -> ToBroker {
        let deadline_ms = u64::try_from(within.as_millis()).unwrap_or(u64::MAX);
        let (args, bytes) = match self.args {
            Ok(args) => (Some(args), None),
            Err(bytes) => (None, Some(bytes)),
        };
        ToBroker::Call(CallPart {
            id,
            index,
            of,
            tool: self.tool,
            args,
            bytes,
            raw: self.raw,
            at_most,
            deadline_ms,
            approved,
        })
    }
}
