//! Messages of PostgreSQL's protocol, as far as logging in needs them.

use std::io;

use bytes::{BufMut as _, Bytes, BytesMut};
use fallible_iterator::FallibleIterator as _;
use postgres_protocol::message::backend::{ErrorFields, Message};
use postgres_protocol::message::frontend;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// Bytes of a message before somebody is logged in.
const MOST: usize = 64 << 10;

/// The version that we speak, and the server's client too.
const VERSION: i32 = 3 << 16;

/// A message with its header.
pub(super) struct Frame(pub(super) Bytes);

impl Frame {
    /// The kind of the message.
    pub(super) fn tag(&self) -> u8 {
        self.0.first().copied().unwrap_or_default()
    }

    /// The message taken apart.
    pub(super) fn message(&self) -> io::Result<Message> {
        let parsed = Message::parse(&mut BytesMut::from(&self.0[..]))?;
        parsed.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// Reads a message of the database.
pub(super) async fn read(from: &mut (impl AsyncRead + Unpin)) -> io::Result<Frame> {
    let tag = from.read_u8().await?;
    let length = from.read_u32().await?;
    let rest = usize::try_from(length).ok().and_then(|it| it.checked_sub(4));
    let rest = rest.filter(|it| *it <= MOST).ok_or(io::ErrorKind::InvalidData)?;
    let mut frame = BytesMut::with_capacity(rest + 5);
    frame.put_u8(tag);
    frame.put_u32(length);
    frame.resize(rest + 5, 0);
    from.read_exact(frame.get_mut(5..).unwrap_or_default()).await?;
    Ok(Frame(frame.freeze()))
}

/// Writes a message that `make` appends to a buffer.
pub(super) async fn write(
    to: &mut (impl AsyncWrite + Unpin),
    make: impl FnOnce(&mut BytesMut) -> io::Result<()>,
) -> io::Result<()> {
    let mut message = BytesMut::new();
    make(&mut message)?;
    to.write_all(&message).await?;
    to.flush().await
}

/// Asks as whom we want to work.
pub(super) fn startup(user: &str, database: &str, to: &mut BytesMut) -> io::Result<()> {
    let parameters = [
        ("user", user),
        ("database", database),
        ("client_encoding", "UTF8"),
        ("application_name", "mcp-pif"),
    ];
    frontend::startup_message(parameters, to)
}

/// Reads what a client says first. Whom it names is of no account: the session is logged in already.
pub(super) async fn read_startup(from: &mut (impl AsyncRead + Unpin)) -> io::Result<()> {
    let length = usize::try_from(from.read_u32().await?).unwrap_or(usize::MAX);
    let version = from.read_i32().await?;
    let rest = length.checked_sub(8).filter(|it| *it <= MOST).ok_or(io::ErrorKind::InvalidData)?;
    if version != VERSION {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "another version of the protocol"));
    }
    from.read_exact(&mut vec![0; rest]).await.map(drop)
}

/// Says that a client is logged in.
pub(super) const ACCEPTED: [u8; 9] = [b'R', 0, 0, 0, 8, 0, 0, 0, 0];

/// The SQLSTATE and the message of an error.
pub(super) fn told(fields: ErrorFields<'_>) -> io::Result<(String, String)> {
    let mut told = (String::new(), String::new());
    fields.for_each(|field| {
        let text = String::from_utf8_lossy(field.value_bytes());
        match field.type_() {
            b'C' => told.0 = text.into_owned(),
            b'M' => told.1 = text.into_owned(),
            _ => {}
        }
        Ok(())
    })?;
    Ok(told)
}

/// The first column of the first row that a question is answered with, as text.
pub(super) async fn ask(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    question: &str,
) -> io::Result<Option<String>> {
    write(stream, |to| frontend::query(question, to)).await?;
    let mut answer = None;
    loop {
        match read(stream).await?.message()? {
            Message::DataRow(row) => {
                let range = row.ranges().next()?.flatten().unwrap_or_default();
                let text = row.buffer().get(range).unwrap_or_default();
                answer = answer.or_else(|| String::from_utf8(text.to_vec()).ok());
            }
            Message::ErrorResponse(body) => {
                return Err(io::Error::other(told(body.fields())?.1));
            }
            Message::ReadyForQuery(_) => return Ok(answer),
            _ => {}
        }
    }
}
