//! A server on pipes: a message on each line, of a bounded length. What is no message is skipped, up
//! to a bound; an answer that cannot be read is an error for whoever waits for it.

use std::collections::HashSet;
use std::io;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use rmcp::RoleClient;
use rmcp::model::{ErrorCode, ErrorData, JsonRpcMessage, RequestId, ServerJsonRpcMessage};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::Mutex;

use super::trouble::{Trouble, UNREADABLE};
use crate::domain::{Limit, Reason};

/// Bytes of a line.
const MOST_LINE: usize = Limit::UpstreamLine.fixed_count();

/// Lines that are no messages, and messages that nobody has asked for, before the server is stopped.
const MOST_STRAY: usize = 100_000;

/// Why a connection ended, for whoever waits for answers.
#[derive(Debug, Clone, Default)]
pub(super) struct Ending(Arc<StdMutex<Option<Trouble>>>);

impl Ending {
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
    /// Requests that were not answered yet.
    asked: Arc<StdMutex<HashSet<RequestId>>>,
    ending: Ending,
    stray: usize,
}

impl Lines {
    pub(super) fn new(input: ChildStdout, output: ChildStdin, ending: Ending) -> Self {
        let output = Arc::new(Mutex::new(Some(output)));
        Self {
            input: BufReader::with_capacity(64 << 10, input),
            line: Vec::new(),
            output,
            asked: Arc::default(),
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

    /// What a line says; None: nothing.
    fn read(&mut self) -> Option<ServerJsonRpcMessage> {
        let line = std::mem::take(&mut self.line);
        let line = line.trim_ascii();
        let message = match serde_json::from_slice::<ServerJsonRpcMessage>(line) {
            Ok(message) => Some(message),
            Err(error) => unreadable(line, &error),
        };
        let is_answer = match &message {
            Some(ServerJsonRpcMessage::Response(answer)) => Some(self.is_asked(&answer.id)),
            Some(ServerJsonRpcMessage::Error(error)) => {
                Some(error.id.as_ref().is_none_or(|id| self.is_asked(id)))
            }
            _ => None,
        };
        self.stray = if is_answer == Some(true) { 0 } else { self.stray + 1 };
        message.filter(|_| is_answer != Some(false))
    }

    /// Whether somebody waits for the answer to a request. Nobody does any more afterwards.
    fn is_asked(&self, id: &RequestId) -> bool {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).remove(id)
    }

    fn end(&self, reason: Reason, message: String) {
        self.ending.set(Trouble::new(reason, message));
    }
}

/// An answer that is JSON and cannot be read becomes an error.
fn unreadable(line: &[u8], error: &serde_json::Error) -> Option<ServerJsonRpcMessage> {
    #[derive(Deserialize)]
    struct Answer<'a> {
        id: RequestId,
        #[serde(borrow)]
        result: Option<&'a RawValue>,
        #[serde(borrow)]
        error: Option<&'a RawValue>,
    }
    let answer: Answer<'_> = serde_json::from_slice(line).ok()?;
    answer.result.or(answer.error)?;
    let message = format!("the answer cannot be read: {error}");
    Some(ServerJsonRpcMessage::error(
        ErrorData::new(ErrorCode(UNREADABLE), message, None),
        Some(answer.id),
    ))
}

impl Transport<RoleClient> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleClient>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = Arc::clone(&self.output);
        if let JsonRpcMessage::Request(request) = &message {
            let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
            asked.insert(request.id.clone());
        }
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut output = output.lock().await;
            let output = output.as_mut().ok_or(io::ErrorKind::NotConnected)?;
            output.write_all(&line).await?;
            output.flush().await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleClient>> {
        loop {
            if self.stray > MOST_STRAY {
                let told = "the server sent nothing but messages that nobody had asked for";
                self.end(Reason::BadOutput, told.to_owned());
                return None;
            }
            match self.grow().await {
                Ok(Some(true)) => {
                    if let Some(message) = self.read() {
                        return Some(message);
                    }
                }
                Ok(Some(false)) => {}
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
