//! Messages over lines. Every line with an id is answered. No line is read before there is room for
//! it. No input ends the session.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

use pif_domain::text;
use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorData, GetMeta, JsonRpcMessage, ProgressToken,
    ProtocolVersion, RequestId, ServerJsonRpcMessage, ServerNotification,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::input::Line;
use super::message::{Bounds, Message, faulty, read};
use super::session::Session;
use super::window::{Answer, Ticket, Window};
use super::{Ends, Input, MessageWriter, Transport};

/// The most lines read ahead of the window. Reading ahead lets the server see cancellations early.
const AHEAD: usize = 1_024;

/// The most bytes read ahead of the window, besides one line of any length.
const AHEAD_BYTES: usize = 16 << 20;

/// The most messages between the reader and the service. The window bounds requests; this bounds
/// notifications.
const HANDED_OVER: usize = 64;

/// The most characters of a method that an error quotes.
const MOST_METHOD: usize = 64;

/// The server's end of a connection.
pub(crate) struct Wire {
    messages: mpsc::Receiver<ClientJsonRpcMessage>,
    session: Arc<Session>,
    outlet: MessageWriter,
}

impl Wire {
    /// Begins a session over a transport. At most `requests` requests are open at once. `leave` is
    /// canceled when the server ends.
    pub(crate) fn open(
        transport: impl Transport,
        requests: usize,
        bounds: Bounds,
        leave: CancellationToken,
    ) -> io::Result<Self> {
        let ended = CancellationToken::new();
        let Ends { input, outlet, is_deserted } = transport.open(bounds.line, ended.clone())?;
        let window = Window::new(requests, bounds.line);
        let session = Session::new(window, ended, leave, outlet.progress(), is_deserted);
        let session = Arc::new(session);
        let (sender, messages) = mpsc::channel(HANDED_OVER);
        let reader = Reader {
            bounds,
            session: Arc::clone(&session),
            outlet: outlet.clone(),
            messages: sender,
            parked: VecDeque::new(),
            parked_bytes: 0,
            is_open: false,
        };
        tokio::spawn(reader.run(input));
        Ok(Self { messages, session, outlet })
    }

    /// The session of the connection.
    pub(crate) fn session(&self) -> Arc<Session> {
        Arc::clone(&self.session)
    }
}

impl rmcp::transport::Transport<RoleServer> for Wire {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let outlet = self.outlet.clone();
        let answer = match (answered(&message), progress(&message)) {
            (Some(id), _) => self.session.window.answer(id),
            (None, Some(token)) if !self.session.window.expects(token) => Answer::Unwanted,
            (None, _) => Answer::Awaited(None),
        };
        async move {
            match answer {
                Answer::Awaited(ticket) => outlet.send(message, ticket).await,
                Answer::Unwanted => Ok(()),
            }
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        let message = self.messages.recv().await;
        if message.is_none() {
            // rmcp would stop waiting for the remaining answers too soon.
            self.session.window.settled().await;
        }
        message
    }

    async fn close(&mut self) -> io::Result<()> {
        self.messages.close();
        Ok(())
    }
}

fn answered(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        JsonRpcMessage::Response(response) => Some(&response.id),
        JsonRpcMessage::Error(error) => error.id.as_ref(),
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
    }
}

fn progress(message: &ServerJsonRpcMessage) -> Option<&ProgressToken> {
    match message {
        JsonRpcMessage::Notification(notification) => match &notification.notification {
            ServerNotification::ProgressNotification(progress) => {
                Some(&progress.params.progress_token)
            }
            _ => None,
        },
        _ => None,
    }
}

/// The token under which the client wants the progress of a request.
fn progress_token(message: &ClientJsonRpcMessage) -> Option<ProgressToken> {
    match message {
        JsonRpcMessage::Request(request) => request.request.get_meta().get_progress_token(),
        _ => None,
    }
}

/// Reads lines and passes messages to the service as the window allows.
struct Reader {
    bounds: Bounds,
    session: Arc<Session>,
    outlet: MessageWriter,
    messages: mpsc::Sender<ClientJsonRpcMessage>,
    /// Messages that wait for a place in the window.
    parked: VecDeque<ParkedMessage>,
    parked_bytes: usize,
    /// Whether a session has begun. Before that, the reader drops notifications and responses: they
    /// would end rmcp's handshake, and with it the process.
    is_open: bool,
}

struct ParkedMessage {
    bytes: usize,
    message: Pending,
}

enum Pending {
    Request(RequestId, Box<ClientJsonRpcMessage>),
    Faulty(Box<ServerJsonRpcMessage>),
}

impl Reader {
    async fn run(mut self, mut input: Input) {
        let session = Arc::clone(&self.session);
        let ended = &session.ended;
        let mut has_input = true;
        while has_input || !self.parked.is_empty() {
            let bytes = self.parked.front().map_or(0, |parked| parked.bytes);
            tokio::select! {
                ticket = session.window.ticket(bytes), if !self.parked.is_empty() => {
                    self.hand_over(ticket).await;
                }
                line = input.next(), if has_input && self.has_room() => {
                    if let Some(line) = line {
                        self.take(&line).await;
                    } else {
                        has_input = false;
                        ended.cancel();
                    }
                }
                () = ended.cancelled(), if has_input => has_input = false,
                () = session.over.cancelled() => return,
            }
        }
    }

    fn has_room(&self) -> bool {
        self.parked.len() < AHEAD && self.parked_bytes <= AHEAD_BYTES
    }

    async fn take(&mut self, line: &Line) {
        let bytes = match line {
            Line::Whole(line) => line.len(),
            Line::Long(_) => 0,
        };
        match read(line, self.bounds) {
            Message::Request(id, message) => self.take_request(id, message, bytes),
            Message::Faulty(answer) => self.park(Pending::Faulty(answer), 0),
            Message::Cancel(id, message) => self.take_cancellation(id, *message).await,
            Message::Notice(message) => self.pass(*message).await,
            Message::Blank => {}
        }
    }

    fn take_request(&mut self, id: RequestId, message: Box<ClientJsonRpcMessage>, bytes: usize) {
        if self.session.window.register(&id, progress_token(&message)) {
            self.park(Pending::Request(id, message), bytes);
            return;
        }
        let text = format!("the id `{id}` belongs to another request: use each id once");
        let refused = faulty(ErrorData::invalid_request(text, None), Some(id));
        if let Message::Faulty(answer) = refused {
            self.park(Pending::Faulty(answer), 0);
        }
    }

    /// Drops a request that was not passed on yet. Passes on the cancellation of any other request.
    async fn take_cancellation(&mut self, id: RequestId, message: ClientJsonRpcMessage) {
        self.session.window.cancel(&id);
        let is_it = |parked: &ParkedMessage| matches!(&parked.message, Pending::Request(it, _) if *it == id);
        match self.parked.iter().position(is_it) {
            Some(index) => {
                let forgotten = self.parked.remove(index);
                self.parked_bytes -= forgotten.map_or(0, |parked| parked.bytes);
            }
            None => self.pass(message).await,
        }
    }

    fn park(&mut self, message: Pending, bytes: usize) {
        self.parked_bytes += bytes;
        self.parked.push_back(ParkedMessage { bytes, message });
    }

    async fn hand_over(&mut self, ticket: Option<Ticket>) {
        let Some(ParkedMessage { bytes, message }) = self.parked.pop_front() else { return };
        self.parked_bytes -= bytes;
        match message {
            Pending::Request(id, message) => {
                if !self.session.window.admit(&id, ticket) {
                    return;
                }
                if let Some(error) = premature(&message).filter(|_| !self.is_open) {
                    let answer = ServerJsonRpcMessage::error(error, Some(id.clone()));
                    if let Answer::Awaited(ticket) = self.session.window.answer(&id) {
                        self.send(answer, ticket);
                    }
                } else {
                    self.is_open |= opens(&message);
                    if self.messages.send(*message).await.is_err() {
                        self.session.window.cancel(&id);
                    }
                }
            }
            Pending::Faulty(answer) => self.send(*answer, ticket),
        }
    }

    /// Sends an answer without the service.
    fn send(&self, answer: ServerJsonRpcMessage, ticket: Option<Ticket>) {
        let outlet = self.outlet.clone();
        tokio::spawn(async move { outlet.send(answer, ticket).await });
    }

    async fn pass(&mut self, message: ClientJsonRpcMessage) {
        if self.is_open {
            // Sending fails only when the process is about to end.
            let _ = self.messages.send(message).await;
        }
    }
}

/// Whether rmcp begins a session with this message: `initialize`, or a request with all the
/// metadata that the stateless protocol requires.
fn opens(message: &ClientJsonRpcMessage) -> bool {
    let JsonRpcMessage::Request(request) = message else { return false };
    match &request.request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        request => {
            let meta = request.get_meta();
            let version = meta.protocol_version();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && version.is_some_and(|it| ProtocolVersion::KNOWN_VERSIONS.contains(&it))
        }
    }
}

/// The error of a request that precedes the session and does not use the stateless protocol.
fn premature(message: &ClientJsonRpcMessage) -> Option<ErrorData> {
    const STATELESS: &str = "io.modelcontextprotocol/";
    let JsonRpcMessage::Request(request) = message else { return None };
    let request = &request.request;
    let is_first = matches!(
        request,
        ClientRequest::InitializeRequest(_)
            | ClientRequest::PingRequest(_)
            | ClientRequest::DiscoverRequest(_)
    );
    if is_first || request.get_meta().keys().any(|key| key.starts_with(STATELESS)) {
        return None;
    }
    let method = text::line(request.method(), MOST_METHOD);
    let message =
        format!("`{method}` came before `initialize`: begin the session with `initialize`");
    Some(ErrorData::invalid_params(message, None))
}
