//! How a connection to the database is made. The store speaks to a [`Stream`] that is encrypted and logged in
//! already as far as the database asks for that; it has no keys and no passwords.

use std::future::Future;
use std::io;
use std::path::PathBuf;
use std::pin::Pin;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

/// The bytes of a session of PostgreSQL, both ways.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// A stream that is being made.
pub type ConnectFuture<'a> = Pin<Box<dyn Future<Output = io::Result<Box<dyn Stream>>> + Send + 'a>>;

/// Makes connections. The store sends the startup message, with [`Self::user`] and [`Self::database`], without
/// TLS. If the database asks for a password, whoever implements this answers, and the store sees only that it
/// is logged in.
pub trait Connect: Send + Sync + 'static {
    /// Makes a connection. The store polls it on a thread of its own, which has a runtime of tokio.
    fn connect(&self) -> ConnectFuture<'_>;
    /// The role that logs in.
    fn user(&self) -> &str;
    /// The database.
    fn database(&self) -> &str;
    /// The database in words, without secrets: for messages.
    fn address(&self) -> String;
}

/// Connects by itself, to a database that asks for no password.
#[derive(Debug, Clone)]
pub struct Direct {
    /// The host, or the folder of the Unix socket.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The role that logs in.
    pub user: String,
    /// The database.
    pub database: String,
}

impl Direct {
    /// Reads a URL such as `postgres://user@host:5432/database`. The host may be the folder of a Unix socket,
    /// with `%2F` for each `/`. Without a user, the role has the name of the database.
    pub fn parse(url: &str) -> Result<Self, String> {
        let config: Config = url.parse().map_err(|error| format!("{error}"))?;
        if config.get_password().is_some() {
            return Err("a password does not belong into the URL".to_owned());
        }
        let host = match config.get_hosts() {
            [Host::Tcp(host)] => host.clone(),
            #[cfg(unix)]
            [Host::Unix(folder)] => folder.display().to_string(),
            _ => return Err("it must name one host".to_owned()),
        };
        let port = config.get_ports().first().copied().unwrap_or(5432);
        let database = config.get_dbname().ok_or("it names no database")?.to_owned();
        let user = config.get_user().unwrap_or(&database).to_owned();
        Ok(Self { host, port, user, database })
    }

    /// The socket in the folder that `host` is; None: it is the name of a host.
    fn socket(&self) -> Option<PathBuf> {
        let is_folder = self.host.starts_with('/');
        is_folder.then(|| PathBuf::from(&self.host).join(format!(".s.PGSQL.{}", self.port)))
    }
}

impl Connect for Direct {
    fn connect(&self) -> ConnectFuture<'_> {
        Box::pin(async {
            let Some(socket) = self.socket() else {
                let stream = TcpStream::connect((self.host.as_str(), self.port)).await?;
                stream.set_nodelay(true)?;
                return Ok(Box::new(stream) as Box<dyn Stream>);
            };
            open_socket(socket).await
        })
    }

    fn user(&self) -> &str {
        &self.user
    }

    fn database(&self) -> &str {
        &self.database
    }

    fn address(&self) -> String {
        format!("{}:{}/{}", self.host, self.port, self.database)
    }
}

#[cfg(unix)]
async fn open_socket(path: PathBuf) -> io::Result<Box<dyn Stream>> {
    Ok(Box::new(tokio::net::UnixStream::connect(path).await?))
}

#[cfg(not(unix))]
async fn open_socket(_path: PathBuf) -> io::Result<Box<dyn Stream>> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this system has no Unix sockets"))
}
