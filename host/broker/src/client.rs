//! The server's side of the conversation: asks the broker, and takes its answers apart. It works in a
//! sealed process, since it reads and writes pipes that are open already.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pif_domain::text;
use pif_domain::{
    Approval, Call, CallOutcome, CallResult, Completion, Failure, FaultCode, Grant, Message, Need,
    NotSent, Offer, Reason, Refusal, Remarks, Thinking,
};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::io::AsyncWriteExt as _;
use tokio::net::unix::pipe::{Receiver, Sender};
use tokio::sync::{mpsc, watch};

use super::config::{Origin, Pattern};
use super::grant::surely_denied;
use super::order::Outstanding;
use super::part::{batch, together};
use super::protocol::{
    Batch, FromBroker, Greeting, LONGEST_NAME, LONGEST_TEXT, MOST_AT_ONCE, MOST_MESSAGES,
    MOST_PROMPT, MOST_TEXTS, Outcome, PROTOCOL, Question, ToBroker, Violation, frame,
    receive_frame,
};
use super::start::Link;

/// What the broker offers, and which servers it could not ask.
#[derive(Debug, Clone, Default)]
pub struct Offers {
    /// All tools.
    pub tools: Vec<Offer>,
    /// Of a server that was to be installed or removed: whether it was there, and whether it waits
    /// for the operator. None: that was not done.
    pub installed: Option<(bool, bool)>,
    /// What went wrong, a sentence for each server.
    pub failures: Vec<Undone>,
    /// What is wrong with the list of a server that was asked for, and left out.
    pub remarks: Vec<String>,
    /// Servers of which nothing is granted, and how many tools each has.
    pub ungranted: Vec<(String, usize)>,
}

/// Why something could not be done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Undone {
    /// As data, where a server failed.
    pub reason: Option<Reason>,
    /// In words, with the id of the server.
    pub message: String,
}

impl Undone {
    fn new(message: &str) -> Self {
        Self { reason: None, message: message.to_owned() }
    }
}

/// The broker, as the server asks it.
#[derive(Debug, Clone)]
pub struct Client {
    state: Arc<Mutex<State>>,
    greeting: Arc<Greeting>,
    /// What servers offered when it was last asked for.
    known: watch::Sender<Arc<[Offer]>>,
    /// Whether its calls change nothing, whatever is granted.
    reads: bool,
}

#[derive(Debug)]
struct State {
    asked: Outstanding,
    waiting: HashMap<u64, mpsc::UnboundedSender<FromBroker>>,
    latest: u64,
    /// Frames on their way; None: the broker is gone for good.
    out: Option<mpsc::UnboundedSender<Vec<u8>>>,
}

/// A request. To drop it tells the broker that nobody waits for the rest of the answer.
struct Request<'a> {
    client: &'a Client,
    id: u64,
    answers: mpsc::UnboundedReceiver<FromBroker>,
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        let mut state = self.client.state();
        if state.waiting.remove(&self.id).is_some() {
            state.asked.cancel(self.id);
            // A broker that is gone has cancelled everything.
            let _ = state.send(&ToBroker::Cancel { id: self.id });
        }
    }
}

impl State {
    fn send(&self, message: &ToBroker) -> Result<(), Violation> {
        let frame = frame(message)?;
        if let Some(out) = &self.out {
            let _ = out.send(frame);
        }
        Ok(())
    }

    /// Takes a message of the broker.
    fn take(&mut self, body: &[u8]) -> Result<(), Violation> {
        let message = self.asked.accept(body)?;
        let id = match &message {
            FromBroker::Hello(greeting) => {
                tracing::debug!(servers = greeting.servers.len(), "the broker works again");
                return Ok(());
            }
            // Whoever waits learns of it by the end of the answers.
            FromBroker::Restarted {} => {
                self.waiting.clear();
                return self.send(&ToBroker::Hello { protocol: PROTOCOL });
            }
            FromBroker::Refused { message } => {
                tracing::error!("the broker cannot go on: {}", text::line(message, 1_000));
                self.waiting.clear();
                self.out = None;
                return Ok(());
            }
            FromBroker::Done { id } => {
                self.waiting.remove(id);
                return Ok(());
            }
            FromBroker::Outcome(Outcome { id, .. })
            | FromBroker::Refusal { id, .. }
            | FromBroker::Asks { id, .. }
            | FromBroker::Offer { id, .. }
            | FromBroker::Installed { id, .. }
            | FromBroker::Meaning { id, .. }
            | FromBroker::Completion { id, .. }
            | FromBroker::Remark { id, .. }
            | FromBroker::Failed { id, .. } => *id,
        };
        if let Some(waiting) = self.waiting.get(&id) {
            // Nobody may be there to hear it any more.
            let _ = waiting.send(message);
        }
        Ok(())
    }
}

impl Client {
    /// Talks to the broker from now on, in the runtime that this is called in.
    pub fn new(link: Link) -> io::Result<Self> {
        let Link { from, to, greeting } = link;
        let mut from = Receiver::from_owned_fd(from)?;
        let to = Sender::from_owned_fd(to)?;
        let (out, frames) = mpsc::unbounded_channel();
        let mut asked = Outstanding::default();
        asked.greeted();
        let state = State { asked, waiting: HashMap::new(), latest: 0, out: Some(out) };
        let client = Self {
            state: Arc::new(Mutex::new(state)),
            greeting: Arc::new(greeting),
            known: watch::Sender::default(),
            reads: false,
        };
        tokio::spawn(write(frames, to));
        let learner = client.clone();
        tokio::spawn(async move { learner.learn().await });
        let reader = client.clone();
        tokio::spawn(async move {
            let ended = reader.read(&mut from).await;
            let reason = ended.err().map_or_else(|| "it has ended".to_owned(), |it| it.to_string());
            tracing::warn!("the broker is gone: {reason}");
            let mut state = reader.state();
            state.waiting.clear();
            // Its pipe ends, and so does the broker if it is still there.
            state.out = None;
        });
        Ok(client)
    }

    async fn read(&self, from: &mut Receiver) -> io::Result<()> {
        while let Some(body) = receive_frame(from).await? {
            self.state().take(&body).map_err(io::Error::other)?;
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The broker, as runs ask it that change nothing: it makes no call that may, whatever is granted.
    #[must_use]
    pub fn reading(&self) -> Self {
        Self { reads: true, ..self.clone() }
    }

    /// What the broker said first.
    #[must_use]
    pub fn greeting(&self) -> &Greeting {
        &self.greeting
    }

    /// Whether a server has this id.
    #[must_use]
    pub fn is_server(&self, id: &str) -> bool {
        let known = self.known.borrow();
        self.greeting.servers.iter().any(|it| it == id)
            || known.iter().any(|offer| offer.name.split('.').next() == Some(id))
    }

    /// Whether nothing is granted for a tool, whatever its server offers.
    #[must_use]
    pub fn denies(&self, tool: &str) -> bool {
        let Some((id, tool)) = tool.split_once('.') else { return false };
        let own = self.greeting.grants.iter().find(|it| it.0 == id);
        own.is_some_and(|(_, rules)| {
            let rule = |(text, grant): &(String, Grant)| Some((Pattern::parse(text).ok()?, *grant));
            surely_denied(&rules.iter().filter_map(rule).collect::<Vec<_>>(), tool)
        })
    }

    /// Sends a request with so many calls; None: the broker is gone.
    fn ask(&self, calls: usize, message: impl FnOnce(u64) -> ToBroker) -> Option<Request<'_>> {
        let (sender, answers) = mpsc::unbounded_channel();
        let mut state = self.state();
        state.out.as_ref()?;
        state.latest += 1;
        let id = state.latest;
        let frame = frame(&message(id)).ok()?;
        state.asked.ask(id, calls).ok()?;
        state.waiting.insert(id, sender);
        let _ = state.out.as_ref()?.send(frame);
        drop(state);
        Some(Request { client: self, id, answers })
    }

    /// Calls tools of other servers, so many at once, within this time. `approved` says for each who
    /// has approved it; those beyond its end nobody has. Gives what came of each, in order; or why
    /// none was sent.
    pub async fn call(
        &self,
        calls: &[Call],
        at_most: usize,
        within: Duration,
        approved: &[Option<Approval>],
    ) -> Result<Vec<CallResult>, NotSent> {
        self.call_telling(calls, (at_most, within), approved, &mut |_, _| {}).await
    }

    /// Makes calls; `told` hears the outcome of each as soon as it is known.
    pub async fn call_telling(
        &self,
        calls: &[Call],
        limits: (usize, Duration),
        approved: &[Option<Approval>],
        told: &mut (dyn FnMut(usize, &CallResult) + Send),
    ) -> Result<Vec<CallResult>, NotSent> {
        let mut outcomes = Vec::with_capacity(calls.len());
        // More than fit into one request are judged one part after the other.
        let mut first = 0;
        while let Some(rest) = calls.get(first..).filter(|rest| !rest.is_empty()) {
            let calls = together(rest);
            let approved = approved.get(first..).unwrap_or_default();
            let unsent = |it: NotSent| match it {
                // What came before was sent, and must not be sent again.
                NotSent::Asks(_) if first == 0 => it,
                it => {
                    let it = it.refusal(calls);
                    Refusal { index: it.index + first, ..it }.into()
                }
            };
            let mut tell = |index: usize, answered: &CallResult| told(first + index, answered);
            let some = self.call_some(calls, limits, approved, &mut tell).await;
            outcomes.extend(some.map_err(unsent)?);
            first += calls.len();
        }
        // A server may have been asked for the first time.
        if !self.knows(calls) {
            self.learn().await;
        }
        Ok(outcomes)
    }

    /// Whether it is known what all these tools do.
    fn knows(&self, calls: &[Call]) -> bool {
        let known = self.known.borrow();
        calls.iter().all(|call| known.iter().any(|offer| offer.name == call.tool))
    }

    async fn call_some(
        &self,
        calls: &[Call],
        (at_most, within): (usize, Duration),
        approved: &[Option<Approval>],
        told: &mut (dyn FnMut(usize, &CallResult) + Send),
    ) -> Result<Vec<CallResult>, NotSent> {
        let limits = (at_most.clamp(1, MOST_AT_ONCE), within, self.reads);
        let batch = batch(calls, limits, approved)?;
        let gone = |reason, message: &str| {
            vec![CallResult::new(Failure::new(reason, message), 0); calls.len()]
        };
        let mut needs = Vec::new();
        let Some(mut request) = self.ask(calls.len(), |id| ToBroker::Calls(Batch { id, ..batch }))
        else {
            return Ok(gone(Reason::Unavailable, "the broker has ended; nothing was sent"));
        };
        let lost = "the broker has ended before the answer came; what was done is unknown";
        let mut outcomes = gone(Reason::Lost, lost);
        while let Some(answer) = request.answers.recv().await {
            match answer {
                FromBroker::Outcome(it) => {
                    let Outcome { index, value, reason, message, whole, warning, after, .. } = it;
                    let millis = it.ms;
                    let failed = it.told;
                    let text = |it: Box<RawValue>| String::from(Box::<str>::from(it));
                    let outcome = match (value, reason) {
                        (Some(value), _) => CallOutcome::Value(text(value)),
                        (None, reason) => {
                            let reason = reason.unwrap_or(Reason::BadOutput);
                            Failure { reason, message, value: failed.map(text) }.into()
                        }
                    };
                    let beside = Remarks { whole: whole.map(text), warning, after };
                    if let Some(place) = outcomes.get_mut(index) {
                        *place = CallResult { outcome, millis, beside };
                        told(index, place);
                    }
                }
                FromBroker::Refusal { index, code, message, hint, .. } => {
                    let code = FaultCode::find(&code).unwrap_or(FaultCode::CapabilityDenied);
                    return Err(Refusal { index, code, message, hint }.into());
                }
                FromBroker::Asks { calls, .. } => {
                    let need = |Question { index, class, model }| Need { index, class, model };
                    needs.extend(calls.into_iter().map(need));
                }
                _ => {}
            }
        }
        if needs.is_empty() { Ok(outcomes) } else { Err(NotSent::Asks(needs)) }
    }

    /// What servers offer. With the id of a server, that one is started and asked.
    pub async fn offers(&self, server: Option<&str>) -> Offers {
        let server = server.map(str::to_owned);
        let offers = self.collect(|id| ToBroker::Offers { id, server, known: false }).await;
        self.learn().await;
        offers
    }

    /// What servers offered when it was last asked for.
    #[must_use]
    pub fn known(&self) -> watch::Receiver<Arc<[Offer]>> {
        self.known.subscribe()
    }

    /// Asks for what is known, without starting anybody.
    async fn learn(&self) {
        let known = self.collect(|id| ToBroker::Offers { id, server: None, known: true }).await;
        self.known.send_if_modified(|latest| {
            let is_changed = **latest != *known.tools;
            if is_changed {
                *latest = known.tools.into();
            }
            is_changed
        });
    }

    /// Approves the definition of a tool, or of all tools of a server.
    pub async fn approve(&self, name: &str) -> Offers {
        if name.len() > LONGEST_NAME {
            return Offers {
                failures: vec![Undone::new("the name is too long")],
                ..Offers::default()
            };
        }
        let approved = self.collect(|id| ToBroker::Approve { id, name: name.to_owned() }).await;
        self.learn().await;
        approved
    }

    /// Installs a server; without an origin one is removed.
    pub async fn install(&self, name: &str, origin: Option<Origin>) -> Offers {
        let name = name.to_owned();
        let installed = self.collect(|id| match origin {
            Some(origin) => ToBroker::Install { id, name, origin },
            None => ToBroker::Uninstall { id, name },
        });
        let installed = installed.await;
        self.learn().await;
        installed
    }

    /// The model that tells what texts mean, if one is configured.
    #[must_use]
    pub fn embeddings(&self) -> Option<&str> {
        self.greeting.embeddings.as_deref()
    }

    /// What texts mean, in their order: at most [`MOST_TEXTS`], each of at most [`LONGEST_TEXT`] bytes.
    pub async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, String> {
        let count = texts.len();
        let is_long = texts.iter().any(|text| text.len() > LONGEST_TEXT);
        if count == 0 || count > MOST_TEXTS || is_long || self.embeddings().is_none() {
            return Err("these texts cannot be sent".to_owned());
        }
        let request = self.ask(0, |id| ToBroker::Embed { id, texts });
        let mut request = request.ok_or("the broker has ended: restart the server")?;
        let mut vectors = Vec::with_capacity(count);
        while let Some(answer) = request.answers.recv().await {
            match answer {
                FromBroker::Meaning { index, numbers, .. } if index == vectors.len() => {
                    vectors.push(numbers);
                }
                FromBroker::Failed { message, .. } => return Err(message),
                _ => return Err("the broker answers something else".to_owned()),
            }
        }
        if vectors.len() == count { Ok(vectors) } else { Err("the answer was lost".to_owned()) }
    }

    /// The model that writes programs, if one is configured.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.greeting.model.as_deref()
    }

    /// Has the model go on with a conversation, within this time.
    pub async fn complete(
        &self,
        messages: Vec<Message>,
        thinking: Option<Thinking>,
        within: Duration,
    ) -> Result<Completion, Failure> {
        let bytes: usize = messages.iter().map(|it| it.content.len()).sum();
        if !(1..=MOST_MESSAGES).contains(&messages.len()) || bytes > MOST_PROMPT {
            return Err(Failure::new(Reason::BadInput, "the messages are too many or too long"));
        }
        if self.model().is_none() {
            return Err(Failure::new(Reason::Unavailable, "no model is configured"));
        }
        let deadline_ms = u64::try_from(within.as_millis()).unwrap_or(u64::MAX);
        let request = self.ask(0, |id| ToBroker::Complete { id, messages, thinking, deadline_ms });
        let gone = || Failure::new(Reason::Unavailable, "the broker has ended: restart the server");
        let mut request = request.ok_or_else(gone)?;
        match request.answers.recv().await {
            Some(FromBroker::Completion { completion, .. }) => Ok(completion),
            Some(FromBroker::Failed { message, reason, .. }) => {
                Err(Failure::new(reason.unwrap_or(Reason::Unavailable), message))
            }
            _ => Err(Failure::new(Reason::Lost, "the broker has ended before the model answered")),
        }
    }

    async fn collect(&self, message: impl FnOnce(u64) -> ToBroker) -> Offers {
        let mut offers = Offers::default();
        let Some(mut request) = self.ask(0, message) else {
            offers.failures.push(Undone::new("the broker has ended: restart the server"));
            return offers;
        };
        while let Some(answer) = request.answers.recv().await {
            match answer {
                FromBroker::Offer { offer, .. } => offers.tools.push(*offer),
                FromBroker::Installed { was_there, waits, .. } => {
                    offers.installed = Some((was_there, waits));
                }
                FromBroker::Failed { message, reason, .. } => {
                    offers.failures.push(Undone { reason, message });
                }
                FromBroker::Remark { message, .. } => offers.remarks.push(message),
                _ => {}
            }
        }
        offers
    }
}

/// Writes frames until the last one, or the end of the pipe.
async fn write(mut frames: mpsc::UnboundedReceiver<Vec<u8>>, mut to: Sender) {
    while let Some(frame) = frames.recv().await {
        if to.write_all(&frame).await.is_err() {
            return;
        }
    }
}
