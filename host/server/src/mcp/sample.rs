//! The client's model: a client of the older protocol may offer to have it go on with a conversation.

#![expect(deprecated, reason = "clients of the older protocol offer their model so")]

use std::time::Duration;

use pif_domain::{Completion, Failure, Message, Reason, Speaker, estimated_tokens, text};
use rmcp::RoleServer;
use rmcp::model::{
    ClientResult, CreateMessageRequest, CreateMessageRequestParams, SamplingMessage, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext, ServiceError};
use serde_json::{Value, json};
use tokio::time::sleep;

use super::ask::is_stateless;

/// Tokens of an answer.
const MOST_TOKENS: u32 = 16_384;

/// Bytes of an answer: no program is longer.
const MOST_TEXT: usize = 256 << 10;

/// The model of a client.
#[derive(Debug, Clone)]
pub(super) struct Sampler(Peer<RoleServer>);

impl Sampler {
    /// The model of the client of a call; None: it offers none.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Option<Self> {
        let offers = !is_stateless(context)
            && context.peer.peer_info().is_some_and(|it| it.capabilities.sampling.is_some());
        offers.then(|| Self(context.peer.clone()))
    }

    /// Has the model go on with a conversation, within this time.
    pub(super) async fn complete(
        &self,
        messages: &[Message],
        within: Duration,
    ) -> Result<Completion, Failure> {
        let said = messages.iter().filter_map(|it| match it.role {
            Speaker::System => None,
            Speaker::User => Some(SamplingMessage::user_text(&it.content)),
            Speaker::Assistant => Some(SamplingMessage::assistant_text(&it.content)),
        });
        let mut params = CreateMessageRequestParams::new(said.collect(), MOST_TOKENS);
        let rules = messages.iter().find(|it| it.role == Speaker::System);
        params.system_prompt = rules.map(|it| it.content.clone());
        let request = ServerRequest::CreateMessageRequest(CreateMessageRequest::new(params));
        let options = PeerRequestOptions::no_options();
        let sent = self.0.send_cancellable_request(request, options).await;
        let mut handle = sent.map_err(|error| failed(&error))?;
        let answer = tokio::select! {
            answer = &mut handle.rx => answer,
            () = sleep(within) => {
                let _ = handle.cancel(Some("the time of the task is over".to_owned())).await;
                let message = "the client's model did not answer in time";
                return Err(Failure::new(Reason::Timeout, message));
            }
        };
        let lost = |_| Failure::new(Reason::Unavailable, "the client is gone");
        let result = answer.map_err(lost)?.map_err(|error| failed(&error))?;
        read(messages, &result)
    }
}

/// What the client's answer says.
fn read(messages: &[Message], result: &ClientResult) -> Result<Completion, Failure> {
    let record = json!(result);
    let said = match &record["content"] {
        Value::Array(blocks) => {
            blocks.iter().filter_map(|block| block["text"].as_str()).collect::<String>()
        }
        block => block["text"].as_str().unwrap_or_default().to_owned(),
    };
    if said.is_empty() {
        let message = "the answer of the client's model holds no text";
        return Err(Failure::new(Reason::BadOutput, message));
    }
    if said.len() > MOST_TEXT {
        let message = "the answer of the client's model is too long";
        return Err(Failure::new(Reason::TooLarge, message));
    }
    let model = text::line(record["model"].as_str().unwrap_or_default(), text::MOST_NAME);
    let asked: usize = messages.iter().map(|it| it.content.len()).sum();
    Ok(Completion { tokens: estimated_tokens(asked + said.len()), model, text: said })
}

fn failed(error: &ServiceError) -> Failure {
    tracing::info!(%error, "the client's model does not answer");
    Failure::new(Reason::Unavailable, "the client does not have its model answer")
}
