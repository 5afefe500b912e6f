//! A connection to a server, from the handshake to the end.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotificationParam, ClientCapabilities,
    ClientConfig, ClientRequest, Implementation, JsonObject, ProtocolVersion, RequestId,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, NotificationContext, Peer,
    PeerRequestOptions, RunningService,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::super::config::{Manner, Secrets, fill};
use super::super::definition::Definition;
use super::lines::{Ending, Lines};
use super::process::{Process, Start};
use super::reading::whole;
use super::trouble::{Trouble, of_call, of_start};
use crate::domain::Limit;
use crate::text;

/// Pages of a list of tools.
const MOST_PAGES: usize = 100;

/// What a server is told of us, and what it may tell us unasked.
#[derive(Debug, Clone)]
struct Handler {
    changed: Arc<Notify>,
}

impl ClientHandler for Handler {
    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.notify_one();
    }

    fn get_info(&self) -> ClientConfig {
        let own = Implementation::new("mcp-pif", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), own)
    }
}

type Service = RunningService<RoleClient, Handler>;

/// A server that has started.
#[derive(Debug)]
pub(super) struct Connection {
    peer: Peer<RoleClient>,
    ending: Ending,
    /// Ends it.
    pub(super) stop: CancellationToken,
    /// The server says that its tools are others now.
    pub(super) changed: Arc<Notify>,
    busy: AtomicUsize,
    used: Mutex<Instant>,
}

/// What is left to do for a connection: to wait for its end.
pub(super) struct Running {
    service: Service,
    process: Option<Process>,
}

/// Counts a call.
struct Busy<'a>(&'a Connection);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
        self.0.touch();
    }
}

/// A call that its server is told of when nobody waits for it any more.
struct Abandoned<'a> {
    peer: &'a Peer<RoleClient>,
    id: Option<RequestId>,
}

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let peer = self.peer.clone();
        let told = CancelledNotificationParam::new(Some(id), None);
        tokio::spawn(async move {
            // A server that is gone needs no word.
            let _ = peer.notify_cancelled(told).await;
        });
    }
}

impl Connection {
    fn touch(&self) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// How long the server has had nothing to do.
    pub(super) fn idle(&self) -> Duration {
        if self.busy.load(Ordering::Relaxed) > 0 {
            return Duration::ZERO;
        }
        self.used.lock().unwrap_or_else(PoisonError::into_inner).elapsed()
    }

    /// What the server offers.
    pub(super) async fn tools(&self) -> Result<Vec<Definition>, Trouble> {
        let most = Limit::UpstreamTools.fixed_count();
        let (mut tools, mut request) = (Vec::new(), None);
        for _ in 0..MOST_PAGES {
            let page = self.peer.list_tools(request).await.map_err(|error| self.trouble(&error))?;
            tools.extend(page.tools.iter().filter_map(Definition::read));
            let Some(cursor) = page.next_cursor.filter(|_| tools.len() < most) else { break };
            request =
                Some(rmcp::model::PaginatedRequestParams::default().with_cursor(Some(cursor)));
        }
        tools.truncate(most);
        // Of two tools with the same name the first counts, whatever comes later.
        let mut names = std::collections::HashSet::new();
        tools.retain(|tool| names.insert(tool.name.clone()));
        Ok(tools)
    }

    /// Calls a tool; gives the JSON text of the result. To drop this cancels the call.
    pub(super) async fn call(&self, tool: &str, args: JsonObject) -> Result<String, Trouble> {
        self.busy.fetch_add(1, Ordering::Relaxed);
        let _busy = Busy(self);
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(args);
        let request = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        let lost = |error| self.trouble(&error).after_sending();
        let sent = self.peer.send_request_with_option(request, PeerRequestOptions::no_options());
        let handle = sent.await.map_err(|error| self.trouble(&error))?;
        let mut abandoned = Abandoned { peer: &self.peer, id: Some(handle.id.clone()) };
        let result = handle.await_response().await;
        abandoned.id = None;
        result.map(whole).map_err(lost)
    }

    fn trouble(&self, error: &rmcp::ServiceError) -> Trouble {
        self.ending.get().unwrap_or_else(|| of_call(error))
    }
}

/// Starts a server and shakes hands with it.
pub(super) async fn connect(
    manner: &Manner,
    secrets: &Secrets,
) -> Result<(Arc<Connection>, Running), Trouble> {
    let handler = Handler { changed: Arc::default() };
    let met = match meet(manner, secrets, &handler, lifecycle()).await {
        // A server of the older era may answer a method that it does not know.
        Err(Unmet { is_strange: true, .. }) => {
            meet(manner, secrets, &handler, ClientLifecycleMode::Initialize).await
        }
        met => met,
    };
    let Met { service, process, ending } = met.map_err(|unmet| unmet.trouble)?;
    if let Some(info) = service.peer().peer_info()
        && info.server_info.as_ref().is_some_and(|it| it.name == "mcp-pif")
    {
        return Err(Trouble::unavailable("the server is mcp-pif itself, which cannot call itself"));
    }
    let connection = Arc::new(Connection {
        peer: service.peer().clone(),
        ending,
        stop: CancellationToken::new(),
        changed: handler.changed,
        busy: AtomicUsize::new(0),
        used: Mutex::new(Instant::now()),
    });
    Ok((connection, Running { service, process }))
}

/// A server that shook hands.
struct Met {
    service: Service,
    process: Option<Process>,
    ending: Ending,
}

/// Why a server did not shake hands.
struct Unmet {
    trouble: Trouble,
    /// Whether it answered something that is no handshake.
    is_strange: bool,
}

impl From<Trouble> for Unmet {
    fn from(trouble: Trouble) -> Self {
        Self { trouble, is_strange: false }
    }
}

impl From<ClientInitializeError> for Unmet {
    fn from(error: ClientInitializeError) -> Self {
        let is_strange = matches!(error, ClientInitializeError::ExpectedInitResult(_));
        Self { trouble: of_start(&error), is_strange }
    }
}

async fn meet(
    manner: &Manner,
    secrets: &Secrets,
    handler: &Handler,
    mode: ClientLifecycleMode,
) -> Result<Met, Unmet> {
    let ending = Ending::default();
    let (service, process) = match manner {
        Manner::Process { command, args, env, cwd, isolation } => {
            let start = Start { command, args, env, cwd: cwd.as_ref(), isolation };
            start_process(&start, secrets, handler.clone(), &ending, mode).await?
        }
        Manner::Http { url, headers } => {
            (reach(&fill(url, secrets), headers, secrets, handler.clone(), mode).await?, None)
        }
    };
    Ok(Met { service, process, ending })
}

/// Both eras: the newer one is tried first.
fn lifecycle() -> ClientLifecycleMode {
    ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: None,
    }
}

async fn start_process(
    start: &Start<'_>,
    secrets: &Secrets,
    handler: Handler,
    ending: &Ending,
    mode: ClientLifecycleMode,
) -> Result<(Service, Option<Process>), Unmet> {
    let started = start.start(secrets);
    let (mut process, output, input) = started
        .map_err(|error| Trouble::unavailable(format!("the server cannot be started: {error}")))?;
    let lines = Lines::new(output, input, ending.clone());
    match handler.serve_with_lifecycle(lines, mode).await {
        Ok(service) => Ok((service, Some(process))),
        Err(error) => {
            let mut unmet = Unmet::from(error);
            if let Some(trouble) = ending.get() {
                unmet.trouble = trouble;
            }
            // What it complained of may be on its way.
            tokio::time::sleep(Duration::from_millis(50)).await;
            if process.is_unstarted() {
                unmet.trouble = unstarted(start.command);
            }
            if let Some(line) = process.errors.last_words() {
                let told = format!("{}; its last words: {line}", unmet.trouble.message);
                unmet.trouble = Trouble::new(unmet.trouble.reason, told);
            }
            process.end().await;
            Err(unmet)
        }
    }
}

/// Why a command cannot be started, with what to write instead.
fn unstarted(command: &str) -> Trouble {
    let hint = match command {
        it if it.starts_with('~') => "; write the whole path, for only a shell reads `~`",
        it if it.contains(' ') => "; write the words behind the first one into `args`",
        _ => "",
    };
    let command = text::quote_one(command);
    Trouble::unavailable(format!("the command {command} cannot be started{hint}"))
}

async fn reach(
    url: &str,
    headers: &[(String, super::super::config::Template)],
    secrets: &Secrets,
    handler: Handler,
    mode: ClientLifecycleMode,
) -> Result<Service, Unmet> {
    let mut read = HashMap::new();
    for (name, text) in headers {
        let pair =
            HeaderName::try_from(name).ok().zip(HeaderValue::try_from(fill(text, secrets)).ok());
        let (key, mut value) = pair.ok_or_else(|| {
            Trouble::unavailable(format!("the header `{name}` has a value that cannot be"))
        })?;
        value.set_sensitive(true);
        read.insert(key, value);
    }
    let most = Limit::UpstreamLine.fixed_count();
    // A call is sent once: it may have been done though its answer was lost.
    let config = StreamableHttpClientTransportConfig::with_uri(url)
        .custom_headers(read)
        .max_json_response_size(most)
        .max_sse_event_size(most)
        .reinit_on_expired_session(false);
    let transport = StreamableHttpClientTransport::from_config(config);
    Ok(handler.serve_with_lifecycle(transport, mode).await?)
}

impl Running {
    /// Waits for the end of a connection, and ends its process.
    pub(super) async fn wait(self, connection: &Connection) {
        let Self { service, process } = self;
        let token = service.cancellation_token();
        let mut ended = std::pin::pin!(service.waiting());
        tokio::select! {
            _ = &mut ended => {}
            () = connection.stop.cancelled() => {
                token.cancel();
                let _ = ended.await;
            }
        }
        connection.stop.cancel();
        if let Some(process) = process {
            process.end().await;
        }
    }
}
