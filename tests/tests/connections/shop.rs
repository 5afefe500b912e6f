//! A server in this process, its connections, and a world that takes its time.

use std::io::{self, BufRead, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use pif_domain::{
    Call, CallOutcome, CallResult, EffectClass, Failure, FaultCode, Grant, NotSent, Offer, Pin,
    Reason, Refusal,
};
use pif_sandbox::{AnswerFuture, Sandbox};
use pif_server::config::Config;
use pif_server::mcp::Service;
use pif_server::transport::{Ends, Input, MessageWriter, Transport};
use pif_server::workshop::{CallObserver, Effects, PendingCalls, Workshop};
use pif_system::harden::Hardening;
use pif_tests::server::folder::cache;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// When a client that waits gives up.
const DEADLINE: Duration = Duration::from_mins(1);

/// One end of a pair of sockets as a transport.
struct Socket(UnixStream);

impl Transport for Socket {
    fn open(self, longest: usize, broken: CancellationToken) -> io::Result<Ends> {
        let watched = self.0.try_clone()?;
        Ok(Ends {
            input: Input::thread(self.0.try_clone()?, longest)?,
            outlet: MessageWriter::open(Closing(self.0), broken)?,
            is_deserted: Box::new(move || is_deserted(&watched)),
        })
    }
}

/// A socket that is closed with the session, although a thread still reads from it.
struct Closing(UnixStream);

impl Write for Closing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        // The client may have closed it.
        let _ = self.0.shutdown(Shutdown::Both);
    }
}

fn is_deserted(socket: &UnixStream) -> bool {
    let mut polled = [PollFd::new(socket, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    let gone = PollFlags::ERR | PollFlags::HUP;
    poll(&mut polled, Some(&at_once)).is_ok() && polled[0].revents().intersects(gone)
}

/// `clock.sleep`: waits for `ms` milliseconds, and says how often it was asked.
#[derive(Debug)]
pub(crate) struct Clock {
    pub(crate) asked: AtomicUsize,
    /// Calls that nobody waits for any more.
    pub(crate) dropped: AtomicUsize,
    offers: watch::Sender<Arc<[Offer]>>,
}

impl Default for Clock {
    fn default() -> Self {
        let (asked, dropped) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let offers =
            [offer("clock.sleep", EffectClass::Read), offer("box.fill", EffectClass::Write)];
        Self { asked, dropped, offers: watch::Sender::new(offers.into()) }
    }
}

impl Clock {
    /// Offers these tools from now on.
    pub(crate) fn offer(&self, offers: &[(&str, EffectClass)]) {
        self.offers.send_replace(offers.iter().map(|(name, class)| offer(name, *class)).collect());
    }
}

fn offer(name: &str, class: EffectClass) -> Offer {
    Offer {
        name: name.to_owned(),
        title: name.to_owned(),
        description: String::new(),
        input_schema: r#"{"type":"object"}"#.to_owned(),
        output_schema: None,
        class,
        grant: Grant::Allow,
        pin: Pin::Approved,
        signature: format!("{name}({{}})"),
    }
}

fn refuse(index: usize, call: &Call) -> Option<Refusal> {
    match call.tool.as_str() {
        "clock.gone" => Some(Refusal {
            index,
            code: FaultCode::UnknownCapability,
            message: "there is no tool `clock.gone`".to_owned(),
            hint: Some("did you mean `clock.sleep`?".to_owned()),
        }),
        name if name.starts_with("net.") || !name.contains('.') => {
            Some(Refusal { index, ..Refusal::denied(std::slice::from_ref(call)) })
        }
        _ => None,
    }
}

/// A call that somebody waits for, unless this is dropped.
struct Waits<'a>(&'a AtomicUsize);

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Effects for Clock {
    fn call<'a>(
        &'a self,
        sending: PendingCalls<'a>,
        _told: &'a mut CallObserver<'_>,
    ) -> AnswerFuture<'a, Result<Vec<CallResult>, NotSent>> {
        Box::pin(async move {
            let refused = sending.calls.iter().enumerate().find_map(|it| refuse(it.0, it.1));
            if let Some(refusal) = refused {
                return Err(refusal.into());
            }
            let mut answered = Vec::new();
            for call in sending.calls {
                let asked = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
                let args: Value = serde_json::from_str(&call.args).unwrap_or_default();
                let millis = args["ms"].as_u64().unwrap_or_default();
                let waits = Waits(&self.dropped);
                tokio::time::sleep(Duration::from_millis(millis)).await;
                std::mem::forget(waits);
                let (upstream, tool) = call.tool.split_once('.').unwrap_or_default();
                let outcome = match (upstream, tool) {
                    ("fails", reason) => {
                        let told = format!("it is {reason}");
                        Failure::new(Reason::find(reason).unwrap_or(Reason::BadOutput), told).into()
                    }
                    (_, "echo") => CallOutcome::Value(call.args.clone()),
                    (_, "fill") => {
                        let size = args["bytes"].as_u64().unwrap_or_default();
                        CallOutcome::Value(
                            json!("x".repeat(usize::try_from(size).unwrap_or_default()))
                                .to_string(),
                        )
                    }
                    _ => CallOutcome::Value(asked.to_string()),
                };
                answered.push(CallResult::new(outcome, millis));
            }
            Ok(answered)
        })
    }

    fn offers(&self) -> Arc<[Offer]> {
        Arc::clone(&self.offers.borrow())
    }

    fn changes(&self) -> watch::Receiver<Arc<[Offer]>> {
        self.offers.subscribe()
    }
}

/// A server.
pub(crate) struct Shop {
    service: Arc<Service>,
    runtime: Runtime,
    pub(crate) clock: Arc<Clock>,
    /// Tests that look at clocks are alone.
    _alone: MutexGuard<'static, ()>,
}

impl Shop {
    /// Opens a server with one thread for what takes its time, and no more.
    pub(crate) fn open(flags: &[&str]) -> Result<Self> {
        static SANDBOX: LazyLock<Result<Arc<Sandbox>>> =
            LazyLock::new(|| Ok(Arc::new(Sandbox::open(Some(&cache()), 2)?)));
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let sandbox = SANDBOX.as_ref().map_err(|error| anyhow::anyhow!("{error:#}"))?;
        let config = Config::from_flags(&[&["--ephemeral"], flags].concat())?;
        let clock = Arc::<Clock>::default();
        let effects = Arc::clone(&clock) as Arc<dyn Effects>;
        let workshop = Workshop::open(&config, Arc::clone(sandbox))?.granting(effects);
        let mut runtime = Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).max_blocking_threads(1).enable_all().build()?;
        let hardening = Arc::new(Hardening::OFF.into());
        let service = {
            let _entered = runtime.enter();
            Arc::new(Service::new(config, workshop, hardening))
        };
        Ok(Self { service, runtime, clock, _alone: alone })
    }

    /// A client that is connected, and how its session ends.
    pub(crate) fn connect(&self) -> Result<(Peer, JoinHandle<bool>)> {
        let (near, far) = UnixStream::pair()?;
        near.set_read_timeout(Some(DEADLINE))?;
        let service = Arc::clone(&self.service);
        let session = self.runtime.spawn(async move {
            let served = service.serve(Socket(far)).await;
            served.is_ok()
        });
        let lines = BufReader::new(near.try_clone()?);
        Ok((Peer { socket: near, lines, seen: Vec::new() }, session))
    }

    /// A client with a session that has begun.
    pub(crate) fn greet(&self) -> Result<(Peer, JoinHandle<bool>)> {
        let (mut peer, session) = self.connect()?;
        let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"}});
        peer.request(0, "initialize", &params)?;
        peer.answer(0)?;
        peer.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok((peer, session))
    }

    /// Waits for a session to end; whether it did so well.
    pub(crate) fn ended(&self, session: JoinHandle<bool>) -> Result<bool> {
        let ended = async { tokio::time::timeout(DEADLINE, session).await };
        Ok(self.runtime.block_on(ended).context("the session does not end")??)
    }

    /// The text for `/metrics`.
    pub(crate) fn metrics(&self) -> String {
        self.service.metrics()
    }

    pub(crate) fn stop(&self) {
        self.service.stop();
    }
}

/// A client.
pub(crate) struct Peer {
    socket: UnixStream,
    lines: BufReader<UnixStream>,
    /// Messages that were passed over.
    seen: Vec<Value>,
}

impl Peer {
    pub(crate) fn send(&mut self, message: &Value) -> Result<()> {
        Ok(self.socket.write_all(format!("{message}\n").as_bytes())?)
    }

    pub(crate) fn request(&mut self, id: u64, method: &str, params: &Value) -> Result<()> {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    }

    pub(crate) fn call(&mut self, id: u64, tool: &str, arguments: &Value) -> Result<()> {
        self.request(id, "tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Starts a run of a term.
    pub(crate) fn run(&mut self, id: u64, code: &Value) -> Result<()> {
        self.call(id, "run", &json!({ "code": code }))
    }

    pub(crate) fn cancel(&mut self, id: u64) -> Result<()> {
        let method = "notifications/cancelled";
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": {"requestId": id}}))
    }

    /// The next message; None at the end.
    pub(crate) fn next(&mut self) -> Result<Option<Value>> {
        let mut line = String::new();
        let read = self.lines.read_line(&mut line).context("nothing comes")?;
        Ok(if read == 0 { None } else { Some(serde_json::from_str(&line)?) })
    }

    /// The next message that fits.
    pub(crate) fn find(&mut self, fits: impl Fn(&Value) -> bool) -> Result<Value> {
        if let Some(index) = self.seen.iter().position(&fits) {
            return Ok(self.seen.remove(index));
        }
        loop {
            let message = self.next()?.context("the connection is closed")?;
            if fits(&message) {
                return Ok(message);
            }
            self.seen.push(message);
        }
    }

    /// The result of a request.
    pub(crate) fn answer(&mut self, id: u64) -> Result<Value> {
        let answer = self.find(|it| it["id"] == id)?;
        ensure!(answer["error"].is_null(), "{answer}");
        Ok(answer["result"].clone())
    }

    /// The value of a run.
    pub(crate) fn value(&mut self, id: u64) -> Result<Value> {
        let result = self.answer(id)?;
        ensure!(result["isError"] == false, "{result}");
        Ok(result["structuredContent"]["value"].clone())
    }

    /// Whether it was sent an answer to a request, of all that was read so far.
    pub(crate) fn has_seen(&self, id: u64) -> bool {
        self.seen.iter().any(|it| it["id"] == id)
    }

    /// Has nothing more to ask.
    pub(crate) fn end_input(&self) -> Result<()> {
        Ok(self.socket.shutdown(Shutdown::Write)?)
    }

    /// Goes away without a word.
    pub(crate) fn vanish(self) -> Result<()> {
        Ok(self.socket.shutdown(Shutdown::Both)?)
    }
}

/// A term that does not come to an end.
pub(crate) fn omega() -> Value {
    let twice = json!({"lam": "x", "body": {"app": {"func": {"var": "x"}, "arg": {"var": "x"}}}});
    json!({"app": {"func": twice, "arg": twice}})
}
