//! A connection to a server, from the handshake to the end.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pif_domain::Limit;
use reqwest::header::{HeaderName, HeaderValue};
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation, JsonObject,
    ProtocolVersion, SubscriptionFilter,
};
use rmcp::service::{
    ClientInitializeError, ClientLifecycleMode, ClientServiceExt as _, NotificationContext, Peer,
    RunningService,
};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, RoleClient};
use tokio::sync::Notify;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::super::config::{Secrets, Template, Transport, fill};
use super::super::definition::Definition;
use super::super::pin::Era;
use super::bearer::Bearer;
use super::lines::{CloseReason, Lines};
use super::pending_call::PendingCall;
use super::process::{Process, Start};
use super::questions::{Questions, whole};
use super::trouble::{Trouble, of_call, of_start};
use super::web::Web;

/// Pages of a list of tools.
const MOST_PAGES: usize = 100;

/// How long a server that was never met may keep silent about the newer era, before it is asked as one
/// of the older era.
const PROBE: Duration = Duration::from_secs(3);

/// How long to wait before a server that stopped telling of its tools is asked to tell again.
const PAUSE: Duration = Duration::from_secs(1);

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
        // This is for servers of the older era; the newer one says its version in each request.
        ClientConfig::new(ClientCapabilities::default(), own)
            .with_protocol_version(ProtocolVersion::V_2025_11_25)
    }
}

type Service = RunningService<RoleClient, Handler>;

/// A server that has started.
#[derive(Debug)]
pub(super) struct Connection {
    peer: Peer<RoleClient>,
    questions: Questions,
    ending: CloseReason,
    /// Which handshake it takes.
    pub(super) era: Era,
    /// Ends it.
    pub(super) stop: CancellationToken,
    /// The server has forgotten the session: whoever needs the server begins another one.
    pub(super) expired: CancellationToken,
    /// The server says that its tools are others now.
    pub(super) changed: Arc<Notify>,
    /// Calls that are under way.
    busy: AtomicUsize,
    /// The last of them has ended.
    freed: Notify,
    used: Mutex<Instant>,
}

/// What is left to do for a connection: to wait for its end.
pub(super) struct ConnectionEnd {
    service: Service,
    process: Option<Process>,
}

/// Counts a call.
struct CallGuard<'a>(&'a Connection);

impl Drop for CallGuard<'_> {
    fn drop(&mut self) {
        if self.0.busy.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.freed.notify_one();
        }
        self.0.touch();
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

    /// Whether it can be used for another call.
    pub(super) fn is_open(&self) -> bool {
        !self.stop.is_cancelled() && !self.expired.is_cancelled()
    }

    /// Waits until no call is under way.
    pub(super) async fn is_done(&self) {
        while self.busy.load(Ordering::Relaxed) > 0 && !self.stop.is_cancelled() {
            tokio::select! {
                () = self.freed.notified() => {}
                () = self.stop.cancelled() => {}
            }
        }
    }

    /// Hears of other tools from a server of the newer era, which tells it to those who listen.
    pub(super) async fn listen(&self) {
        let filter = || SubscriptionFilter::builder().tools_list_changed().build();
        while self.era == Era::Newer
            && let Ok(mut subscription) = self.peer.listen(filter()).await
        {
            // What has changed before is not told.
            self.changed.notify_one();
            while let Ok(Some(_)) = subscription.next().await {
                self.changed.notify_one();
            }
            sleep(PAUSE).await;
        }
        std::future::pending().await
    }

    /// What the server offers, and what is wrong with the rest.
    pub(super) async fn tools(&self) -> Result<(Vec<Definition>, Vec<String>), Trouble> {
        let most = Limit::UpstreamTools.fixed_count();
        let (mut tools, mut request) = (Vec::new(), None);
        for _ in 0..MOST_PAGES {
            let page = self.peer.list_tools(request).await.map_err(|error| self.trouble(&error))?;
            for tool in &page.tools {
                match Definition::read(tool) {
                    Ok(definition) => tools.push(definition),
                    Err(why) => self.questions.remark(vec![why]),
                }
            }
            let Some(cursor) = page.next_cursor.filter(|_| tools.len() < most) else { break };
            request =
                Some(rmcp::model::PaginatedRequestParams::default().with_cursor(Some(cursor)));
        }
        tools.truncate(most);
        // Of two tools with the same name the first counts, whatever comes later.
        let mut names = std::collections::HashSet::new();
        tools.retain(|tool| names.insert(tool.name.clone()));
        Ok((tools, self.questions.remarks()))
    }

    /// Calls a tool; gives the JSON text of the result. To drop this cancels the call. With `rest` the
    /// call ends when its server has told of no progress for so long.
    pub(super) async fn call(
        &self,
        tool: &str,
        args: JsonObject,
        rest: Option<Duration>,
    ) -> Result<String, Trouble> {
        self.busy.fetch_add(1, Ordering::Relaxed);
        let _busy = CallGuard(self);
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(args);
        let sent = PendingCall::new(&self.peer, params, rest).await;
        let sent = sent.map_err(|_| {
            let gone = || Trouble::unavailable("the server ended before the call was sent");
            self.ending.get().map_or_else(gone, Trouble::before_sending)
        })?;
        let result = sent.answer().await;
        let lost = |error| match self.ending.get() {
            Some(ending) => ending.after_sending(),
            None => of_call(&error),
        };
        result.map(whole).map_err(lost)
    }

    fn trouble(&self, error: &rmcp::ServiceError) -> Trouble {
        self.ending.get().unwrap_or_else(|| of_call(error))
    }
}

/// Starts a server and shakes hands with it, by the handshake that it took before.
pub(super) async fn connect(
    manner: &Transport,
    secrets: &Secrets,
    bearer: &Bearer,
    known: Option<Era>,
) -> Result<(Arc<Connection>, ConnectionEnd), Trouble> {
    let changed = Arc::<Notify>::default();
    let handler = Handler { changed: Arc::clone(&changed) };
    let means = (secrets, bearer, &handler);
    let met = match meet(manner, means, known).await {
        Err(HandshakeError { next: Some(next), .. }) => meet(manner, means, next).await,
        met => met,
    };
    let Handshake { service, process, ending, questions, expired } =
        met.map_err(|unmet| unmet.trouble)?;
    let info = service.peer().peer_info();
    let name = info.as_ref().and_then(|info| info.server_info.as_ref());
    if name.is_some_and(|it| it.name == "mcp-pif") {
        return Err(Trouble::unavailable("the server is mcp-pif itself, which cannot call itself"));
    }
    let connection = Arc::new(Connection {
        peer: service.peer().clone(),
        era: questions.era().unwrap_or(Era::Older),
        questions,
        ending,
        stop: CancellationToken::new(),
        expired,
        changed,
        busy: AtomicUsize::new(0),
        freed: Notify::new(),
        used: Mutex::new(Instant::now()),
    });
    Ok((connection, ConnectionEnd { service, process }))
}

/// A server that shook hands.
struct Handshake {
    service: Service,
    process: Option<Process>,
    ending: CloseReason,
    questions: Questions,
    expired: CancellationToken,
}

/// Why a server did not shake hands.
struct HandshakeError {
    trouble: Trouble,
    /// What to try next, if anything: a handshake, or both.
    next: Option<Option<Era>>,
}

impl From<Trouble> for HandshakeError {
    fn from(trouble: Trouble) -> Self {
        Self { trouble, next: None }
    }
}

impl HandshakeError {
    fn new(error: &ClientInitializeError, known: Option<Era>, may_be_newer: bool) -> Self {
        let next = match (known, error) {
            (_, ClientInitializeError::TransportError { .. }) => None,
            // Servers of the older era may end when they get a request that they do not know.
            (None, ClientInitializeError::ConnectionClosed(_)) => Some(Some(Era::Older)),
            (None, _) if may_be_newer => Some(Some(Era::Newer)),
            // It refused what was sent after the first request of the newer era as well.
            (None, ClientInitializeError::LegacyFallbackFailed { .. }) => None,
            (None, _) => Some(Some(Era::Older)),
            // It may be another server by now.
            (Some(_), ClientInitializeError::ConnectionClosed(_)) => None,
            (Some(_), _) => Some(None),
        };
        Self { trouble: of_start(error), next }
    }
}

async fn meet(
    manner: &Transport,
    (secrets, bearer, handler): (&Secrets, &Bearer, &Handler),
    known: Option<Era>,
) -> Result<Handshake, HandshakeError> {
    let (ending, questions, expired) =
        (CloseReason::default(), Questions::default(), CancellationToken::new());
    let greeting = Greeting { known, questions: questions.clone(), handler: handler.clone() };
    let (service, process) = match manner {
        Transport::Process { command, args, env, cwd, isolation } => {
            let start = Start { command, args, env, cwd: cwd.as_ref(), isolation };
            greeting.start(&start, secrets, &ending).await?
        }
        Transport::Http { url, headers, .. } => {
            let headers = read_headers(headers, secrets)?;
            let web =
                Web::new(questions.clone(), greeting.patience(), expired.clone(), bearer.clone());
            (greeting.reach(&fill(url, secrets), headers, web).await?, None)
        }
        Transport::Off(why) => return Err(off(why).into()),
    };
    Ok(Handshake { service, process, ending, questions, expired })
}

/// What is told of a server that cannot be used as it stands in the file.
pub(super) fn off(why: &str) -> Trouble {
    Trouble::unavailable(format!("the configuration is wrong: {why}"))
}

/// How a server is greeted.
struct Greeting {
    known: Option<Era>,
    questions: Questions,
    handler: Handler,
}

impl Greeting {
    /// Both eras, unless it is known which: the newer one is tried first.
    fn mode(&self) -> ClientLifecycleMode {
        let preferred_versions = vec![ProtocolVersion::V_2026_07_28];
        match self.known {
            None => ClientLifecycleMode::Auto { preferred_versions, legacy_version: None },
            Some(Era::Older) => ClientLifecycleMode::Initialize,
            Some(Era::Newer) => ClientLifecycleMode::Discover { preferred_versions },
        }
    }

    /// How long the server may keep silent about the newer era.
    fn patience(&self) -> Option<Duration> {
        self.known.is_none().then_some(PROBE)
    }

    fn unmet(&self, error: &ClientInitializeError) -> HandshakeError {
        HandshakeError::new(error, self.known, self.questions.may_be_newer())
    }

    async fn start(
        self,
        start: &Start<'_>,
        secrets: &Secrets,
        ending: &CloseReason,
    ) -> Result<(Service, Option<Process>), HandshakeError> {
        let started = start.start(secrets);
        let (mut process, output, input) = started.map_err(|error| {
            Trouble::unavailable(format!("the server cannot be started: {error}"))
        })?;
        let (questions, patience) = (self.questions.clone(), self.patience());
        let lines = Lines::new((output, input), questions, patience, ending.clone());
        match self.handler.clone().serve_with_lifecycle(lines, self.mode()).await {
            Ok(service) => Ok((service, Some(process))),
            Err(error) => {
                let mut unmet = self.unmet(&error);
                if let Some(trouble) = ending.get() {
                    unmet.trouble = trouble;
                }
                process.end().await;
                let words = process.last_words().await;
                if process.has_failed() {
                    let words = words.unwrap_or_default();
                    unmet = Trouble::unavailable(format!("it cannot be started: {words}")).into();
                } else if let Some(words) = words {
                    let told = format!("{}; its last words: {words}", unmet.trouble.message);
                    unmet.trouble = Trouble::new(unmet.trouble.reason, told);
                }
                Err(unmet)
            }
        }
    }

    async fn reach(
        self,
        url: &str,
        headers: HashMap<HeaderName, HeaderValue>,
        web: Result<Web, reqwest::Error>,
    ) -> Result<Service, HandshakeError> {
        let most = Limit::UpstreamLine.fixed_count();
        // A call is sent once: it may have been done though its answer was lost.
        let config = StreamableHttpClientTransportConfig::with_uri(url)
            .custom_headers(headers)
            .max_json_response_size(most)
            .max_sse_event_size(most)
            .reinit_on_expired_session(false);
        let web = web.map_err(|error| Trouble::unavailable(error.to_string()))?;
        let transport = StreamableHttpClientTransport::with_client(web, config);
        let served = self.handler.clone().serve_with_lifecycle(transport, self.mode()).await;
        served.map_err(|error| self.unmet(&error))
    }
}

fn read_headers(
    headers: &[(String, Template)],
    secrets: &Secrets,
) -> Result<HashMap<HeaderName, HeaderValue>, Trouble> {
    let read = headers.iter().map(|(name, text)| {
        let pair =
            HeaderName::try_from(name).ok().zip(HeaderValue::try_from(fill(text, secrets)).ok());
        let (key, mut value) = pair.ok_or_else(|| {
            Trouble::unavailable(format!("the header `{name}` has a value that cannot be"))
        })?;
        value.set_sensitive(true);
        Ok((key, value))
    });
    read.collect()
}

impl ConnectionEnd {
    /// Waits for the end of a connection, and ends its process.
    pub(super) async fn wait(self, connection: Arc<Connection>) {
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
        if let Some(mut process) = process {
            process.end().await;
        }
    }
}
