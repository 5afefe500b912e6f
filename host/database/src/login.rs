//! Connects and logs in: trust, `md5`, `scram-sha-256`. A password in clear text is given to a database
//! on this machine only.

use std::io;
use std::time::Duration;

use bytes::BytesMut;
use fallible_iterator::FallibleIterator as _;
use postgres_protocol::authentication::md5_hash;
use postgres_protocol::authentication::sasl::{ChannelBinding, SCRAM_SHA_256, ScramSha256};
use postgres_protocol::message::backend::{ErrorFields, Message};
use postgres_protocol::message::frontend;
use rustix::net::sockopt;
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;

use super::address::{Address, Host, Privacy};
use super::error::{Error, Kind};
use super::password;
use super::session::{Key, Session, Stream};
use super::target::Target;
use super::tls;
use super::wire::{self, read, write};

/// When a silent connection is asked whether it lives, and how often it may be silent then.
const QUIET: Duration = Duration::from_secs(15);
const ASKED_AGAIN: Duration = Duration::from_secs(5);
const TIMES: u32 = 3;

/// Opens a session within the deadline.
pub(super) async fn open(target: &Target) -> Result<Session, Error> {
    timeout(target.deadline, log_in(target)).await.unwrap_or_else(|_| {
        let reason = format!("it does not answer within {:?}: is it overloaded?", target.deadline);
        Err(Error::new(Kind::Unreachable, reason))
    })
}

/// The process of the database that serves an idle session.
pub(super) async fn process_of(session: &mut Session) -> Result<Option<i32>, Error> {
    let asked = wire::ask(&mut session.stream, "SELECT pg_catalog.pg_backend_pid()").await;
    Ok(asked.map_err(|error| cut(&error))?.and_then(|text| text.parse().ok()))
}

/// The answer to a question, if there is any.
pub(super) async fn ask(session: &mut Session, question: &str) -> Result<Option<String>, Error> {
    let asked = wire::ask(&mut session.stream, question).await;
    asked.map_err(|error| Error::new(Kind::Refused, error.to_string()))
}

/// Has the database stop what a session does.
pub(super) async fn cancel(address: &Address, key: Key) -> Result<(), Error> {
    let mut connection = Connection::open(address).await?;
    let cancel = |to: &mut BytesMut| {
        frontend::cancel_request(key.process, key.secret, to);
        Ok(())
    };
    write(&mut connection.stream, cancel).await.map_err(|error| cut(&error))
}

/// A connection on which nobody is logged in.
struct Connection {
    stream: Box<dyn Stream>,
    /// Whether the other end is on this machine.
    is_here: bool,
}

impl Connection {
    async fn open(address: &Address) -> Result<Self, Error> {
        let absent = |error: io::Error| {
            let advice = match error.kind() {
                io::ErrorKind::ConnectionRefused | io::ErrorKind::NotFound => ": is it running?",
                io::ErrorKind::PermissionDenied => ": may this user open its socket?",
                _ => "",
            };
            Error::new(Kind::Unreachable, format!("{error}{advice}"))
        };
        match &address.host {
            Host::Folder(folder) => {
                let socket = folder.join(format!(".s.PGSQL.{}", address.port));
                let stream = UnixStream::connect(socket).await.map_err(absent)?;
                Ok(Self { stream: Box::new(stream), is_here: true })
            }
            Host::Name(name) => {
                let connected = TcpStream::connect((name.as_str(), address.port)).await;
                let stream = connected.map_err(absent)?;
                let is_here = stream.peer_addr().is_ok_and(|it| it.ip().is_loopback());
                notice_silence(&stream);
                let stream: Box<dyn Stream> = match address.privacy {
                    Privacy::Disable => Box::new(stream),
                    _ => Box::new(tls::secure(stream, address, name).await?),
                };
                Ok(Self { stream, is_here })
            }
        }
    }
}

/// Has the system notice that the other end is gone without a word. Without it, a write notices.
fn notice_silence(stream: &TcpStream) {
    let _ = stream.set_nodelay(true);
    let set = sockopt::set_socket_keepalive(stream, true)
        .and_then(|()| sockopt::set_tcp_keepidle(stream, QUIET))
        .and_then(|()| sockopt::set_tcp_keepintvl(stream, ASKED_AGAIN))
        .and_then(|()| sockopt::set_tcp_keepcnt(stream, TIMES));
    if let Err(error) = set {
        tracing::debug!(%error, "a silent connection is noticed late");
    }
}

async fn log_in(target: &Target) -> Result<Session, Error> {
    let address = &target.address;
    let Connection { mut stream, is_here } = Connection::open(address).await?;
    let start = |to: &mut BytesMut| wire::startup(&address.user, &address.database, to);
    write(&mut stream, start).await.map_err(|error| cut(&error))?;
    authenticate(&mut stream, target, is_here).await?;
    let (welcome, key) = settle(&mut stream, address).await?;
    Ok(Session { stream, welcome: welcome.freeze(), key, address: address.clone() })
}

/// Proves who we are, until the database is content.
async fn authenticate(
    stream: &mut Box<dyn Stream>,
    target: &Target,
    is_here: bool,
) -> Result<(), Error> {
    let address = &target.address;
    let password = || {
        let found = password::find(address, target.password_file.as_deref())?;
        found.ok_or_else(|| missing(address))
    };
    match next(stream, address).await? {
        Message::AuthenticationOk => return Ok(()),
        Message::AuthenticationCleartextPassword if is_here => {
            let password = password()?;
            send(stream, |to| frontend::password_message(password.as_bytes(), to)).await?;
        }
        Message::AuthenticationCleartextPassword => {
            return Err(Error::new(
                Kind::Refused,
                "it asks for the password in clear text and gets none: write scram-sha-256 in its \
                 pg_hba.conf instead of password, ldap or pam",
            ));
        }
        Message::AuthenticationMd5Password(body) => {
            let hash = md5_hash(address.user.as_bytes(), password()?.as_bytes(), body.salt());
            send(stream, |to| frontend::password_message(hash.as_bytes(), to)).await?;
        }
        Message::AuthenticationSasl(body) => {
            let known = body.mechanisms().any(|it| Ok(it == SCRAM_SHA_256));
            if !known.map_err(|error| cut(&error))? {
                return Err(other_way("a mechanism of SASL"));
            }
            prove(stream, address, &password()?).await?;
        }
        Message::AuthenticationGss | Message::AuthenticationSspi => {
            return Err(other_way("GSSAPI"));
        }
        _ => return Err(other_way("a way of logging in")),
    }
    match next(stream, address).await? {
        Message::AuthenticationOk => Ok(()),
        _ => Err(strange("it does not say whether we are logged in")),
    }
}

/// Proves by SCRAM that we know the password, and has the database prove it too.
async fn prove(stream: &mut Box<dyn Stream>, address: &Address, text: &str) -> Result<(), Error> {
    let wrong = |error: io::Error| strange(format!("it does not prove who it is: {error}"));
    let mut scram = ScramSha256::new(text.as_bytes(), ChannelBinding::unsupported());
    send(stream, |to| frontend::sasl_initial_response(SCRAM_SHA_256, scram.message(), to)).await?;
    let Message::AuthenticationSaslContinue(body) = next(stream, address).await? else {
        return Err(strange("it breaks off SCRAM"));
    };
    scram.update(body.data()).map_err(wrong)?;
    send(stream, |to| frontend::sasl_response(scram.message(), to)).await?;
    let Message::AuthenticationSaslFinal(body) = next(stream, address).await? else {
        return Err(strange("it breaks off SCRAM"));
    };
    scram.finish(body.data()).map_err(wrong)
}

/// Reads what the database tells of a session, until it waits for questions.
async fn settle(
    stream: &mut Box<dyn Stream>,
    address: &Address,
) -> Result<(BytesMut, Option<Key>), Error> {
    let (mut welcome, mut key) = (BytesMut::new(), None);
    loop {
        let frame = read(stream).await.map_err(|error| cut(&error))?;
        match frame.message().map_err(|error| cut(&error))? {
            Message::ErrorResponse(body) => return Err(refused(body.fields(), address)),
            Message::NoticeResponse(_) => continue,
            Message::BackendKeyData(body) => {
                key = Some(Key { process: body.process_id(), secret: body.secret_key() });
            }
            Message::ParameterStatus(_) => {}
            Message::ReadyForQuery(_) => {
                welcome.extend_from_slice(&frame.0);
                return Ok((welcome, key));
            }
            _ => return Err(strange(format!("it sends a message of the kind {}", frame.tag()))),
        }
        welcome.extend_from_slice(&frame.0);
    }
}

/// The next message that is about logging in.
async fn next(stream: &mut Box<dyn Stream>, address: &Address) -> Result<Message, Error> {
    loop {
        let frame = read(stream).await.map_err(|error| cut(&error))?;
        match frame.message().map_err(|error| cut(&error))? {
            Message::ErrorResponse(body) => return Err(refused(body.fields(), address)),
            Message::NoticeResponse(_) => {}
            message => return Ok(message),
        }
    }
}

async fn send(
    stream: &mut Box<dyn Stream>,
    make: impl FnOnce(&mut BytesMut) -> io::Result<()>,
) -> Result<(), Error> {
    write(stream, make).await.map_err(|error| cut(&error))
}

fn cut(error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
            strange(format!("its answer is not one of PostgreSQL: {error}"))
        }
        _ => Error::new(Kind::Unreachable, format!("the connection was cut: {error}")),
    }
}

fn strange(message: impl Into<String>) -> Error {
    Error::new(Kind::Strange, message)
}

fn other_way(asks_for: &str) -> Error {
    let message = format!(
        "it asks for {asks_for} that mcp-pif does not know: write scram-sha-256 in its pg_hba.conf"
    );
    Error::new(Kind::Refused, message)
}

fn missing(Address { host, port, user, database, .. }: &Address) -> Error {
    let line = format!("{host}:{port}:{database}:{user}:PASSWORD");
    let message = format!(
        "it asks for the password of `{user}`, and none is known: name a file with it by \
         --store-password-file FILE, or add the line `{line}` to ~/.pgpass"
    );
    Error::new(Kind::Refused, message)
}

/// The refusal of the database, with advice where its code allows any.
fn refused(fields: ErrorFields<'_>, Address { user, database, .. }: &Address) -> Error {
    let (code, said) = match wire::told(fields) {
        Ok(told) => told,
        Err(error) => return cut(&error),
    };
    let (kind, advice) = match code.as_str() {
        "28P01" => (
            Kind::Refused,
            format!("; put the password of `{user}` into --store-password-file FILE or ~/.pgpass"),
        ),
        "28000" => (Kind::Refused, "; its pg_hba.conf says who may come from where".to_owned()),
        "3D000" => (Kind::Refused, format!("; create it: createdb {database}")),
        "53300" => (Kind::Unreachable, "; raise max_connections, or use a pooler".to_owned()),
        "57P03" => (Kind::Unreachable, String::new()),
        _ => (Kind::Refused, String::new()),
    };
    Error::new(kind, format!("{said}{advice}"))
}
