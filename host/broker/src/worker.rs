//! The worker of the broker: answers what the server asks. It takes the server for hostile: whatever
//! is out of order ends it.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use futures_util::future::join_all;
use futures_util::stream::FuturesUnordered;
use pif_domain::{Limit, Message, Offer, Thinking};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::catalog::Catalog;
use super::chat::Chat;
use super::config::{Capabilities, Error, Origin};
use super::embeddings::Embedder;
use super::install::InstallState;
use super::login::Folder;
use super::order::Heard;
use super::pin::Pins;
use super::protocol::{FromBroker, Greeting, ToBroker, frame, receive_frame};
use super::redacting_log;
use super::upstream::{Trouble, Upstream, UpstreamContext};

/// Messages that wait for the server to read them.
const QUEUE: usize = 256;

/// How long the list of tools waits for servers that nobody has asked yet.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// What the worker works with.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) catalog: Catalog,
    pub(super) shared: Arc<UpstreamContext>,
    greeting: Greeting,
    embedder: Option<Embedder>,
    /// The model that writes programs.
    chat: Option<Chat>,
    /// Whether a server asks, who approves nothing.
    serves: bool,
}

impl Worker {
    /// Reads the configuration and everything that it names.
    pub(super) fn open(file: &Path, state: Option<PathBuf>, serves: bool) -> Result<Self, Error> {
        let mut capabilities = Capabilities::read(file)?;
        let secrets = capabilities.texts();
        redacting_log::hide(&secrets);
        let embedder = capabilities.embeddings.as_ref().map(|it| Embedder::open(it, &secrets));
        let told = |error: Error| Error::new(format!("{}: {error}", file.display()));
        let embedder = embedder.transpose().map_err(told)?;
        let chat = capabilities.model.as_ref().map(|it| Chat::open(it, &secrets));
        let chat = chat.transpose().map_err(told)?;
        let installed = InstallState::open(state.clone(), capabilities.allow_install.clone());
        let installed = installed
            .map_err(|error| Error::new(format!("what was installed cannot be read: {error}")))?;
        let pins = Pins::open(state)
            .map_err(|error| Error::new(format!("what was approved cannot be read: {error}")))?;
        let shared = Arc::new(UpstreamContext::new(secrets, pins, Folder::beside(file)));
        let mut greeting = Greeting::of(&capabilities);
        let catalog = Catalog::new(capabilities, installed, Arc::clone(&shared));
        greeting.installable = catalog.installable();
        Ok(Self { catalog, shared, greeting, embedder, chat, serves })
    }

    /// Answers until the input ends, or something is out of order.
    pub(super) async fn serve(
        self,
        mut input: impl AsyncRead + Unpin,
        output: impl AsyncWrite + Unpin + Send + 'static,
    ) -> io::Result<()> {
        let worker = Arc::new(self);
        let (told, outlet) = mpsc::channel(QUEUE);
        let writing = tokio::spawn(write(outlet, output));
        let desk = Dispatcher { worker: Arc::clone(&worker), told, open: Arc::default() };
        let heard = desk.read(&mut input).await;
        // Nobody waits for anything any more.
        desk.open
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .values()
            .for_each(CancellationToken::cancel);
        worker.shared.end.cancel();
        let all = worker.catalog.all();
        join_all(all.values().map(|upstream| upstream.ended())).await;
        drop(desk);
        writing.abort();
        heard
    }
}

async fn write(
    mut outlet: mpsc::Receiver<FromBroker>,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    while let Some(message) = outlet.recv().await {
        let frame = frame(&message).map_err(io::Error::other)?;
        output.write_all(&frame).await?;
        output.flush().await?;
    }
    Ok(())
}

/// Where requests come in.
struct Dispatcher {
    worker: Arc<Worker>,
    told: mpsc::Sender<FromBroker>,
    /// What stops requests.
    open: Arc<Mutex<HashMap<u64, CancellationToken>>>,
}

impl Dispatcher {
    async fn read(&self, input: &mut (impl AsyncRead + Unpin)) -> io::Result<()> {
        let Worker { embedder, chat, .. } = &*self.worker;
        let mut heard = Heard::with(embedder.is_some(), chat.is_some());
        while let Some(frame) = receive_frame(input).await? {
            let message = heard.accept(&frame).map_err(io::Error::other)?;
            self.take(message).await;
        }
        Ok(())
    }

    async fn take(&self, message: ToBroker) {
        match message {
            ToBroker::Hello { .. } => {
                let greeting = FromBroker::Hello(self.worker.greeting.clone());
                let _ = self.told.send(greeting).await;
            }
            ToBroker::Calls(batch) => {
                self.begin(batch.id, move |request| async move { request.call(batch).await });
            }
            ToBroker::Offers { id, server, known } => {
                self.begin(id, move |request| async move { request.offers(server, known).await });
            }
            ToBroker::Approve { id, name } => {
                self.begin(id, move |request| async move { request.approve(&name).await });
            }
            ToBroker::Install { id, name, origin } => {
                self.begin(id, move |request| async move { request.install(&name, &origin).await });
            }
            ToBroker::Uninstall { id, name } => {
                self.begin(id, move |request| async move { request.uninstall(&name).await });
            }
            ToBroker::Embed { id, texts } => {
                self.begin(id, move |request| async move { request.embed(&texts).await });
            }
            ToBroker::Complete { id, messages, thinking, deadline_ms } => {
                let within = Duration::from_millis(deadline_ms);
                self.begin(id, move |request| async move {
                    request.complete(messages, thinking, within).await;
                });
            }
            ToBroker::Cancel { id } => {
                let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(token) = open.get(&id) {
                    token.cancel();
                }
            }
        }
    }

    /// Answers a request beside others. Whatever happens, the answer has an end.
    fn begin<W: Future<Output = ()> + Send + 'static>(
        &self,
        id: u64,
        work: impl FnOnce(Request) -> W,
    ) {
        self.worker.catalog.sync();
        let token = CancellationToken::new();
        let open = Arc::clone(&self.open);
        open.lock().unwrap_or_else(PoisonError::into_inner).insert(id, token.clone());
        let request = Request { id, worker: Arc::clone(&self.worker), told: self.told.clone() };
        let told = self.told.clone();
        let work = work(request);
        tokio::spawn(async move {
            tokio::select! {
                () = work => {}
                () = token.cancelled() => {}
            }
            open.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
            let _ = told.send(FromBroker::Done { id }).await;
        });
    }
}

/// One request.
pub(super) struct Request {
    pub(super) id: u64,
    pub(super) worker: Arc<Worker>,
    told: mpsc::Sender<FromBroker>,
}

impl Request {
    pub(super) async fn reply(&self, message: FromBroker) {
        let _ = self.told.send(message).await;
    }

    /// Tells what servers offer. Those that nobody has asked are asked first.
    async fn offers(self, server: Option<String>, known: bool) {
        let catalog = &self.worker.catalog;
        let asked: Vec<Arc<Upstream>> = match &server {
            _ if known => Vec::new(),
            None => catalog.unasked(),
            Some(id) => match catalog.get(id) {
                Some(upstream) => vec![upstream],
                None => return self.fail(format!("there is no server `{id}`")).await,
            },
        };
        // Who asks for one server waits for it.
        let longest = Duration::from_nanos(Limit::UpstreamStart.fixed());
        let deadline = Instant::now() + if server.is_some() { longest } else { PATIENCE };
        if !known {
            catalog.look(server.as_deref()).await;
        }
        let mut asking: FuturesUnordered<_> =
            asked.iter().map(|it| async move { (&it.id, it.ask(deadline).await) }).collect();
        while let Some((id, result)) = asking.next().await {
            if let Err(trouble) = result {
                self.fail_of(id, &trouble).await;
            }
        }
        // Nobody has to ask a server whose login is known to be over.
        let others =
            catalog.all().into_values().filter(|it| !asked.iter().any(|own| own.id == it.id));
        for other in others.filter(|it| !known && server.as_ref().is_none_or(|id| *id == it.id)) {
            if let Some(trouble) = other.needs_login() {
                self.fail_of(&other.id, &trouble).await;
            }
        }
        for remark in asked.iter().filter(|_| server.is_some()).flat_map(|it| it.remarks()) {
            let message = self.worker.shared.secrets.redact(&remark);
            self.reply(FromBroker::Remark { id: self.id, message }).await;
        }
        for offer in catalog.offers(server.as_deref()) {
            self.offer(offer).await;
        }
    }

    async fn offer(&self, mut offer: Offer) {
        let secrets = &self.worker.shared.secrets;
        for text in [&mut offer.title, &mut offer.description, &mut offer.signature] {
            *text = secrets.redact(text);
        }
        offer.input_schema = secrets.redact_json(&offer.input_schema).into_owned();
        offer.output_schema = offer.output_schema.map(|it| secrets.redact_json(&it).into_owned());
        self.reply(FromBroker::Offer { id: self.id, offer: Box::new(offer) }).await;
    }

    async fn approve(self, name: &str) {
        if self.worker.serves {
            let told = format!("people approve: mcp-pif capability approve {name}");
            return self.fail(told).await;
        }
        let catalog = &self.worker.catalog;
        let id = name.split('.').next().unwrap_or_default();
        if let Some(upstream) = catalog.get(id) {
            upstream.admit();
            // What is approved is what the server offers now.
            let longest = Duration::from_nanos(Limit::UpstreamStart.fixed());
            if let Err(trouble) = upstream.ask(Instant::now() + longest).await {
                return self.fail(trouble.message).await;
            }
        }
        match catalog.approve(name) {
            Err(message) => self.fail(message).await,
            Ok(approved) => {
                for offer in catalog.offers(Some(id)) {
                    if approved.contains(&offer.name) {
                        self.offer(offer).await;
                    }
                }
            }
        }
    }

    /// Installs a server. One that is trusted is started, and tells what it offers.
    async fn install(self, name: &str, origin: &Origin) {
        let catalog = &self.worker.catalog;
        let (upstream, was_there) = match catalog.install(name, origin) {
            Ok(installed) => installed,
            Err(message) => return self.fail(message).await,
        };
        let (id, waits) = (self.id, upstream.waits());
        self.reply(FromBroker::Installed { id, was_there, waits }).await;
        if waits {
            return;
        }
        let longest = Duration::from_nanos(Limit::UpstreamStart.fixed());
        if let Err(trouble) = upstream.ask(Instant::now() + longest).await {
            return self.fail(trouble.message).await;
        }
        for offer in catalog.offers(Some(name)) {
            self.offer(offer).await;
        }
    }

    /// Tells what texts mean.
    async fn embed(self, texts: &[String]) {
        let Some(embedder) = &self.worker.embedder else {
            return self.fail("no endpoint for embeddings is configured".to_owned()).await;
        };
        match embedder.embed(texts).await {
            Err(why) => self.fail(format!("the endpoint for embeddings: {why}")).await,
            Ok(vectors) => {
                for (index, numbers) in vectors.into_iter().enumerate() {
                    self.reply(FromBroker::Meaning { id: self.id, index, numbers }).await;
                }
            }
        }
    }

    /// Has the model go on with a conversation. No secret leaves for it, and none comes back.
    async fn complete(
        self,
        mut messages: Vec<Message>,
        thinking: Option<Thinking>,
        within: Duration,
    ) {
        let Some(chat) = &self.worker.chat else {
            return self.fail("no model is configured".to_owned()).await;
        };
        let secrets = &self.worker.shared.secrets;
        for message in &mut messages {
            message.content = secrets.redact(&message.content);
        }
        let (id, within) = (self.id, within.min(Duration::from_hours(1)));
        match chat.complete(&messages, thinking, within).await {
            Err(trouble) => {
                let message = secrets.redact(&format!("the model: {}", trouble.message));
                self.reply(FromBroker::Failed { id, message, reason: Some(trouble.reason) }).await;
            }
            Ok(mut completion) => {
                completion.text = secrets.redact(&completion.text);
                completion.model = secrets.redact(&completion.model);
                self.reply(FromBroker::Completion { id, completion }).await;
            }
        }
    }

    async fn uninstall(self, name: &str) {
        match self.worker.catalog.uninstall(name) {
            Ok(()) => {
                let id = self.id;
                self.reply(FromBroker::Installed { id, was_there: true, waits: false }).await;
            }
            Err(message) => self.fail(message).await,
        }
    }

    async fn fail(&self, message: String) {
        let message = self.worker.shared.secrets.redact(&message);
        self.reply(FromBroker::Failed { id: self.id, message, reason: None }).await;
    }

    /// A server cannot be used.
    async fn fail_of(&self, server: &str, trouble: &Trouble) {
        let message = format!("{server}: {}", trouble.message);
        let message = self.worker.shared.secrets.redact(&message);
        self.reply(FromBroker::Failed { id: self.id, message, reason: Some(trouble.reason) }).await;
    }
}
