//! Asks the client for approvals, in the way of its protocol: by a request of ours in the older
//! protocol, by a result that is no end yet in the stateless one.

use std::sync::Arc;
use std::time::{Duration, Instant};

use pif_domain::{CallPreview, Choice};
use rmcp::RoleServer;
use rmcp::model::{
    ClientCapabilities, ClientResult, ElicitRequest, ElicitRequestParams, ElicitResult,
    ElicitationAction, InputRequest, InputRequests, InputRequiredResult, ProtocolVersion,
    ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext, ServiceError};
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::render::question;
use crate::workshop::{ApprovalWait, Said};

/// The time in which no person reads a question. A client that answers sooner, and does not agree,
/// answered by itself: nobody saw the question.
pub(super) const UNSEEN: Duration = Duration::from_millis(300);

/// The name of the question among those of a result, and of the member in its form.
pub(super) const APPROVAL: &str = "approval";
const DECISION: &str = "decision";

/// The way in which the client of a call can be asked.
#[derive(Debug, Clone)]
pub(super) enum Asker {
    /// Not at all.
    Nobody,
    /// By a request.
    Peer(Peer<RoleServer>),
    /// By the result of the call, which the client repeats then with an answer.
    Result {
        /// The tool that it called.
        name: Arc<str>,
        /// The arguments as they were sent.
        arguments: Arc<str>,
    },
}

impl Asker {
    /// How to ask the client of a call.
    pub(super) fn of(
        context: &RequestContext<RoleServer>,
        name: &str,
        arguments: &Arc<str>,
    ) -> Self {
        let is_stateless = is_stateless(context);
        let declared = if is_stateless {
            context.meta.client_capabilities()
        } else {
            context.peer.peer_info().map(|info| info.capabilities.clone())
        };
        match declared.is_some_and(|it| has_forms(&it)) {
            false => Self::Nobody,
            true if is_stateless => {
                Self::Result { name: name.into(), arguments: Arc::clone(arguments) }
            }
            true => Self::Peer(context.peer.clone()),
        }
    }

    /// What the state of a result is bound to: an equal call.
    pub(super) fn bound(&self) -> Option<String> {
        let Self::Result { name, arguments } = self else { return None };
        // A client may write its arguments anew, also in another order.
        let mut arguments = serde_json::from_str::<Value>(arguments).unwrap_or_default();
        arguments.sort_all_objects();
        Some(format!("{name} {arguments}"))
    }

    /// Asks. Nothing of it runs on the caller's thread.
    pub(super) async fn ask(&self, wishes: &[CallPreview], within: Duration, on: &Handle) -> Said {
        let Self::Peer(peer) = self else { return Said::Later(self.bound()) };
        let Some(request) = form(wishes) else { return Said::Later(None) };
        let (reply, said) = oneshot::channel();
        on.spawn(elicit(peer.clone(), request, within, reply));
        said.await.unwrap_or(Said::Later(None))
    }
}

/// Whether a call is one of the stateless protocol.
pub(super) fn is_stateless(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|it| it >= ProtocolVersion::V_2026_07_28)
}

/// Whether a client shows forms. One that says nothing of forms and of addresses does.
fn has_forms(capabilities: &ClientCapabilities) -> bool {
    let elicitation = capabilities.elicitation.as_ref();
    elicitation.is_some_and(|it| it.form.is_some() || it.url.is_none())
}

fn form(wishes: &[CallPreview]) -> Option<ElicitRequest> {
    let names = Choice::ALL.map(|(_, name, _)| name);
    let titles = Choice::ALL.map(|(_, _, title)| title);
    let decision =
        json!({"type": "string", "title": "Decision", "enum": names, "enumNames": titles});
    let schema =
        json!({"type": "object", "properties": {DECISION: decision}, "required": [DECISION]});
    let params = json!({"mode": "form", "message": question(wishes), "requestedSchema": schema});
    let params = serde_json::from_value::<ElicitRequestParams>(params);
    params
        .map_err(|error| tracing::error!(%error, "a question could not be written"))
        .ok()
        .map(ElicitRequest::new)
}

/// Sends a request and waits for the answer. When nobody waits for it any more, the client is told.
async fn elicit(
    peer: Peer<RoleServer>,
    request: ElicitRequest,
    within: Duration,
    mut reply: oneshot::Sender<Said>,
) {
    let request = ServerRequest::ElicitRequest(request);
    let since = Instant::now();
    let sent = peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await;
    let Ok(mut handle) = sent else { return };
    let said = tokio::select! {
        answer = &mut handle.rx => match answer {
            Ok(answer) => match read_answer(answer) {
                Said::Chosen(choice) if choice != Choice::Decline => Said::Chosen(choice),
                _ if since.elapsed() < UNSEEN => {
                    tracing::info!("the client answered before anybody could see the question");
                    Said::Later(None)
                }
                said => said,
            },
            Err(_) => return,
        },
        () = sleep(within) => {
            let _ = handle.cancel(Some("nobody has answered".to_owned())).await;
            Said::Not(format!("somebody was asked and has not answered within {within:?}"))
        }
        () = reply.closed() => {
            let _ = handle.cancel(Some("the run has ended".to_owned())).await;
            return;
        }
    };
    let _ = reply.send(said);
}

/// What an answer says. A client that answers with an error cannot ask: the run is kept.
fn read_answer(answer: Result<ClientResult, ServiceError>) -> Said {
    match answer {
        Ok(ClientResult::ElicitResult(result)) => match choice(&result) {
            Some(choice) => Said::Chosen(choice),
            None if result.action == ElicitationAction::Cancel => {
                Said::Not("somebody was asked and dismissed the question".to_owned())
            }
            None => Said::Not(UNREAD.to_owned()),
        },
        Ok(_) => Said::Not(UNREAD.to_owned()),
        Err(error) => {
            tracing::info!(%error, "the client cannot ask for an approval");
            Said::Later(None)
        }
    }
}

const UNREAD: &str = "somebody was asked, and the client's answer cannot be read";

fn choice(result: &ElicitResult) -> Option<Choice> {
    match result.action {
        ElicitationAction::Accept => {
            Choice::find(result.content.as_ref()?.get(DECISION)?.as_str()?)
        }
        ElicitationAction::Decline => Some(Choice::Decline),
        _ => None,
    }
}

/// The choice in the answer of a client to the question of a result. To dismiss the question declines.
pub(super) fn chosen(answer: &Value) -> Option<Choice> {
    let result: ElicitResult = serde_json::from_value(answer.clone()).ok()?;
    match result.action {
        ElicitationAction::Cancel => Some(Choice::Decline),
        _ => choice(&result),
    }
}

/// What is asked about a run that waits.
pub(super) fn questions(waiting: &ApprovalWait) -> Option<InputRequests> {
    let question = InputRequest::Elicitation(form(&waiting.wishes)?);
    Some([(APPROVAL.to_owned(), question)].into())
}

/// The result that asks, for a run that has a handle.
pub(super) fn input_required(waiting: &ApprovalWait) -> Option<InputRequiredResult> {
    let handle = waiting.handle.clone()?;
    Some(InputRequiredResult::new(Some(questions(waiting)?), Some(handle)))
}
