//! Measures calls of tools, in one place around all of them.

use std::borrow::Cow;
use std::io::{self, Write};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use pif_domain::{BuiltIn, LEGACY, SPELLINGS};
use pif_store::journal::Policy;
use rmcp::RoleServer;
use rmcp::model::{CallToolRequestParams, CallToolResponse, ErrorCode, ErrorData};
use rmcp::service::RequestContext;

use super::call::Caller;
use super::sent::header;
use super::server::Server;
use crate::observe::{CallEnd, CallNotes, CallStart, CallTrace, Ids, Parent, Record};

/// The name of a tool that there is not: a client may ask for any.
const UNKNOWN: &str = "_unknown";

type Answer = Result<CallToolResponse, ErrorData>;

impl Server {
    /// Calls a tool and measures it. A panic becomes an error.
    pub(super) async fn measured(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Answer {
        let begun = CallStart::now();
        let backend = self.backend_of(&context.extensions);
        let call = self.receive(request, context, &backend);
        let caller = call.caller.clone();
        let traced = self.trace(context, &caller, call.arguments.text());
        let called =
            AssertUnwindSafe(self.dispatch(request, context, &backend, call)).catch_unwind().await;
        let answer = called.unwrap_or_else(|_| Err(self.report_panic(&request.name)));
        let noted = caller.notes.take();
        let received = if noted.calls.is_empty() { 0 } else { size(&answer) };
        let traced = traced.map(|traced| self.finish(traced, &answer));
        let record = Record {
            id: 0,
            owner: Arc::clone(caller.owner()),
            tool: name(&request.name, &answer),
            begun,
            elapsed: begun.at.elapsed(),
            ending: ending(&answer, &noted),
            noted,
            received,
        };
        self.backend.measures.keep(record, traced);
        answer
    }

    /// What a trace tells of a call, if there is one and its caller wants it.
    fn trace(
        &self,
        context: &RequestContext<RoleServer>,
        caller: &Caller,
        arguments: &Arc<str>,
    ) -> Option<CallTrace> {
        let policy = self.backend.measures.tracing()?;
        let meta = &context.meta;
        // A message may have gone through others, who do not know it; so its own member counts more.
        let (parent, state) = match meta.get_traceparent() {
            Some(parent) => (Some(parent), meta.get_tracestate()),
            None => {
                let header = |name| header(&context.extensions, name);
                (header("traceparent"), header("tracestate"))
            }
        };
        let parent = parent.and_then(|parent| Parent::parse(parent, state));
        if parent.as_ref().is_some_and(|parent| !parent.is_sampled) {
            return None;
        }
        let protocol = context.protocol_version();
        Some(CallTrace {
            ids: Ids::random(),
            parent,
            request: context.id.to_string(),
            protocol: protocol.map(|version| version.to_string()).unwrap_or_default(),
            transport: caller.transport,
            arguments: (policy != Policy::None).then(|| Arc::clone(arguments)),
            result: None,
        })
    }

    fn finish(&self, traced: CallTrace, answer: &Answer) -> CallTrace {
        let policy = self.backend.measures.tracing().unwrap_or(Policy::None);
        let result = match answer {
            Ok(CallToolResponse::Complete(answer)) if policy != Policy::None => {
                serde_json::to_string(answer).ok()
            }
            _ => None,
        };
        CallTrace { result, ..traced }
    }
}

/// The name under which a call counts.
fn name(sent: &str, answer: &Answer) -> Cow<'static, str> {
    if let Some(tool) = BuiltIn::find(sent) {
        return tool.name().into();
    }
    let spellings = SPELLINGS.iter().map(|(spelling, _)| *spelling);
    match spellings.chain(LEGACY).find(|spelling| *spelling == sent) {
        Some(spelling) => spelling.into(),
        None if is_unknown(answer) => UNKNOWN.into(),
        None => sent.to_owned().into(),
    }
}

fn is_unknown(answer: &Answer) -> bool {
    answer.as_ref().is_err_and(|error| error.code == ErrorCode::INVALID_PARAMS)
}

fn ending(answer: &Answer, noted: &CallNotes) -> CallEnd {
    match answer {
        Ok(CallToolResponse::Complete(result)) if result.is_error == Some(true) => {
            CallEnd::Fault(noted.fault)
        }
        Ok(CallToolResponse::Complete(_) | CallToolResponse::Task(_)) => CallEnd::Done,
        Ok(_) => CallEnd::Asks,
        Err(error) => CallEnd::Error(error.code.0),
    }
}

/// Bytes of an answer as JSON.
fn size(answer: &Answer) -> u64 {
    let mut counter = Counter(0);
    match answer {
        Ok(CallToolResponse::Complete(answer))
            if serde_json::to_writer(&mut counter, answer).is_ok() =>
        {
            counter.0
        }
        _ => 0,
    }
}

/// Counts what is written.
struct Counter(u64);

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
