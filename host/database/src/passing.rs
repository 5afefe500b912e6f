//! What the server and the process that relays sessions say to each other, over a pair of sockets. The
//! server sends a number, which is greater than those before. The other process answers with that
//! number, the length of what follows, and JSON: `{"open": {}}`, which has a socket attached, or
//! `{"failed": {kind, message}}`.

use std::collections::VecDeque;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};

use rustix::cmsg_space;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::{Deserialize, Serialize};
use tokio::io::Interest;
use tokio::net::UnixStream;

use super::error::Error;

/// Bytes of an answer without its header.
const MOST: usize = 64 << 10;

/// Bytes of the number and the length.
const HEADER: usize = 12;

/// What came of a request for a session.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Answer {
    /// The socket that comes with it has a session.
    Open {},
    /// There is none.
    Failed(Error),
}

/// Sends an answer, in one piece with its socket.
pub(super) async fn send(
    to: &UnixStream,
    id: u64,
    answer: &Answer,
    socket: Option<BorrowedFd<'_>>,
) -> io::Result<()> {
    let body = serde_json::to_vec(answer)?;
    let length = u32::try_from(body.len()).map_err(io::Error::other)?;
    let frame = [&id.to_be_bytes()[..], &length.to_be_bytes(), &body].concat();
    let sockets: Vec<BorrowedFd<'_>> = socket.into_iter().collect();
    let sent = to.async_io(Interest::WRITABLE, || {
        let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
        let mut attached = SendAncillaryBuffer::new(&mut space);
        if !sockets.is_empty() {
            attached.push(SendAncillaryMessage::ScmRights(&sockets));
        }
        let parts = [IoSlice::new(&frame)];
        Ok(sendmsg(to, &parts, &mut attached, SendFlags::NOSIGNAL | SendFlags::DONTWAIT)?)
    });
    // So few bytes go as a whole, or not at all.
    match sent.await? {
        sent if sent == frame.len() => Ok(()),
        _ => Err(io::ErrorKind::WriteZero.into()),
    }
}

/// Reads answers. What was read before a caller gave up is kept.
#[derive(Debug)]
pub(super) struct Answers {
    bytes: Vec<u8>,
    sockets: VecDeque<OwnedFd>,
}

impl Answers {
    pub(super) fn new() -> Self {
        Self { bytes: Vec::new(), sockets: VecDeque::new() }
    }

    /// The next answer with its number and its socket; None at the end.
    pub(super) async fn next(
        &mut self,
        from: &UnixStream,
    ) -> io::Result<Option<(u64, Answer, Option<OwnedFd>)>> {
        loop {
            if let Some((id, answer)) = self.cut()? {
                let socket = match answer {
                    Answer::Failed(_) => None,
                    Answer::Open {} => Some(self.sockets.pop_front().ok_or_else(|| {
                        io::Error::new(io::ErrorKind::InvalidData, "a session without a socket")
                    })?),
                };
                return Ok(Some((id, answer, socket)));
            }
            if self.fill(from).await? == 0 {
                return Ok(None);
            }
        }
    }

    /// Cuts off the first answer, if it is there as a whole.
    fn cut(&mut self) -> io::Result<Option<(u64, Answer)>> {
        let Some((header, rest)) = self.bytes.split_at_checked(HEADER) else { return Ok(None) };
        let (id, length) = header.split_at(8);
        let number = |bytes: &[u8]| bytes.iter().fold(0_u64, |sum, it| (sum << 8) | u64::from(*it));
        let length = usize::try_from(number(length)).unwrap_or(usize::MAX);
        if length > MOST {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "an answer is too long"));
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        let cut = (number(id), serde_json::from_slice(body)?);
        self.bytes.drain(..HEADER + length);
        Ok(Some(cut))
    }

    /// Reads what is there; 0 at the end.
    async fn fill(&mut self, from: &UnixStream) -> io::Result<usize> {
        let Self { bytes, sockets } = self;
        let received = from.async_io(Interest::READABLE, || {
            let mut buffer = [0; 4 << 10];
            let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(1))];
            let mut attached = RecvAncillaryBuffer::new(&mut space);
            let flags = RecvFlags::DONTWAIT | CLOSED_ON_EXEC;
            let parts = &mut [IoSliceMut::new(&mut buffer)];
            let received = recvmsg(from.as_fd(), parts, &mut attached, flags)?.bytes;
            for message in attached.drain() {
                if let RecvAncillaryMessage::ScmRights(received) = message {
                    sockets.extend(received);
                }
            }
            bytes.extend_from_slice(buffer.get(..received).unwrap_or_default());
            Ok(received)
        });
        received.await
    }
}

/// No program that this process becomes has the socket.
#[cfg(target_os = "linux")]
const CLOSED_ON_EXEC: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(not(target_os = "linux"))]
const CLOSED_ON_EXEC: RecvFlags = RecvFlags::empty();
