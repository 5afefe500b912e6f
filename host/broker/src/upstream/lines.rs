//! A server on pipes: a message on each line, of a bounded length. What is no message is skipped, up
//! to a bound; an answer that cannot be read is an error for whoever waits for it.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::time::Duration;

use pif_domain::text;
use pif_domain::{Limit, Reason};
use rmcp::RoleClient;
use rmcp::model::{JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout_at};

use super::names::unmarked;
use super::questions::{Question, Questions};
use super::trouble::Trouble;

/// Bytes of a line.
const MOST_LINE: usize = Limit::UpstreamLine.fixed_count();

/// Lines that are no messages, and messages that nobody has asked for, before the server is stopped.
const MOST_STRAY: usize = 100_000;

/// Why a connection ended, for whoever waits for answers.
#[derive(Debug, Clone, Default)]
pub(super) struct CloseReason(Arc<StdMutex<Option<Trouble>>>);

impl CloseReason {
    /// Sets the reason, unless there is one.
    pub(super) fn set(&self, trouble: Trouble) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(trouble);
    }

    pub(super) fn get(&self) -> Option<Trouble> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The pipes of a server.
pub(super) struct Lines {
    input: BufReader<ChildStdout>,
    /// The beginning of a line. What reads it may be given up and tried again.
    line: Vec<u8>,
    output: Arc<Mutex<Option<ChildStdin>>>,
    questions: Questions,
    /// Messages that have come.
    messages: VecDeque<ServerJsonRpcMessage>,
    /// How long the server may keep silent about the newer era; None: as long as it takes.
    patience: Option<Duration>,
    /// When it has been silent for that long.
    probed: Option<Instant>,
    ending: CloseReason,
    stray: usize,
}

impl Lines {
    /// With `patience` a server that says nothing about the newer era for so long is one of the older.
    pub(super) fn new(
        (input, output): (ChildStdout, ChildStdin),
        questions: Questions,
        patience: Option<Duration>,
        ending: CloseReason,
    ) -> Self {
        let output = Arc::new(Mutex::new(Some(output)));
        Self {
            input: BufReader::with_capacity(64 << 10, input),
            line: Vec::new(),
            output,
            questions,
            messages: VecDeque::new(),
            patience,
            probed: None,
            ending,
            stray: 0,
        }
    }

    /// Adds to the line what has come. True: it is whole.
    async fn grow(&mut self) -> io::Result<Option<bool>> {
        let come = self.input.fill_buf().await?;
        if come.is_empty() {
            return Ok(None);
        }
        let end = come.iter().position(|byte| *byte == b'\n');
        let taken = end.map_or(come.len(), |end| end + 1);
        self.line.extend_from_slice(come.get(..taken).unwrap_or_default());
        self.input.consume(taken);
        Ok(Some(end.is_some()))
    }

    /// What a line says.
    fn read(&mut self) {
        let line = std::mem::take(&mut self.line);
        let messages = self.questions.read(&line);
        let is_answer = |it: &ServerJsonRpcMessage| {
            matches!(it, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))
        };
        self.stray = if messages.iter().any(is_answer) { 0 } else { self.stray + 1 };
        if messages.is_empty() && !line.trim_ascii().is_empty() {
            let line = text::line(&String::from_utf8_lossy(&line), 200);
            tracing::debug!(line, "the server wrote a line that is no message for us");
        }
        self.messages.extend(messages);
    }

    fn end(&self, reason: Reason, message: String) {
        self.ending.set(Trouble::new(reason, message));
    }
}

impl Transport<RoleClient> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        if let Some((_, Question::Discover)) = self.questions.note(&message) {
            self.probed = self.patience.map(|patience| Instant::now() + patience);
        }
        async move {
            let mut line = unmarked(serde_json::to_vec(&message)?);
            line.push(b'\n');
            let mut output = output.lock().await;
            let output = output.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            output.write_all(&line).await?;
            output.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            if let Some(message) = self.messages.pop_front() {
                return Some(message);
            }
            if self.stray > MOST_STRAY {
                let told = "the server sent nothing but messages that nobody had asked for";
                self.end(Reason::BadOutput, told.to_owned());
                return None;
            }
            let grown = match self.probed {
                None => self.grow().await,
                Some(until) => match timeout_at(until, self.grow()).await {
                    Ok(grown) => grown,
                    Err(_) => {
                        self.probed = None;
                        self.messages.extend(self.questions.refuse_probe());
                        continue;
                    }
                },
            };
            match grown {
                Ok(Some(true)) => self.read(),
                Ok(Some(false)) => {}
                // The last line may have no end.
                Ok(None) if !self.line.is_empty() => self.read(),
                Ok(None) => return None,
                Err(error) => {
                    self.end(Reason::Unavailable, format!("the server cannot be read: {error}"));
                    return None;
                }
            }
            if self.line.len() > MOST_LINE {
                let told = format!("the server sent a message of more than {MOST_LINE} bytes");
                self.end(Reason::TooLarge, told);
                return None;
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.take();
        Ok(())
    }
}
