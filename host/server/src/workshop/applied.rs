//! The run of a function of a native capability, and what it gives.

use pif_domain::text;
use pif_domain::{CallOutcome, Failure, Fault, FaultCode, MOST_MESSAGE, Reason, Refusal};
use pif_sandbox::{Argument, Code, Ending, Limits, Outcome, Request};
use serde_json::json;

/// Applies a function of a tool's record. Its value becomes text here, for only data can leave it.
pub(super) fn request(name: &str, member: &str, args: &str, limits: Limits) -> Request {
    let function = json!({"get": [{"tool": name}, member]});
    let term = json!({"json_text": {"app": {"func": function, "args": [{"var": "args"}]}}});
    Request {
        code: Code::Term(term.to_string()),
        argument: Argument::None,
        context: Some(format!("{{\"args\":{args}}}")),
        bindings: Vec::new(),
        keep: false,
        limits,
        step: 0,
        max_steps: 0,
        output_schema: None,
        debug: false,
        steps: 0,
    }
}

/// What came of a call, by the outcome of its run.
pub(super) fn told(name: &str, outcome: Outcome) -> Result<Result<CallOutcome, Refusal>, Fault> {
    let failed = |message: &str| {
        Failure::new(Reason::ToolError, text::line(message, MOST_MESSAGE / 4)).into()
    };
    Ok(Ok(match outcome.ending {
        Ok(Ending::Value(value)) => match serde_json::from_str(&value.json) {
            Ok(json) => CallOutcome::Value(json),
            Err(_) => failed("its value is no data"),
        },
        Ok(Ending::Continuation(_)) => {
            failed("it asks to run again, which a function of a capability cannot do")
        }
        Err(fault) if fault.code.is_worldly() => return Err(fault),
        Err(Fault { code: code @ FaultCode::CapabilityDenied, message, hint, .. }) => {
            let message = format!("{message}, in a call of `{name}`");
            return Ok(Err(Refusal { index: 0, code, message, hint }));
        }
        Err(Fault { code, message, at, tool, .. }) => {
            let place = tool.map(|tool| format!(" (at {at} of the tool `{tool}`)"));
            failed(&format!("{code}: {message}{}", place.unwrap_or_default()))
        }
    }))
}
