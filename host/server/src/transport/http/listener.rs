//! Addresses that the server listens at.

use std::fmt;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, ToSocketAddrs as _};
use std::path::PathBuf;
use std::str::FromStr;

/// The usual port.
const PORT: u16 = 7332;

/// An address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// An IP address and a port.
    Tcp(SocketAddr),
    /// The path of a Unix socket.
    Unix(PathBuf),
}

impl Default for Address {
    fn default() -> Self {
        Self::Tcp(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORT))
    }
}

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            if path.is_empty() {
                return Err("name the socket: unix:/run/mcp-pif/socket".to_owned());
            }
            return Ok(Self::Unix(path.into()));
        }
        if let Ok(address) = text.parse::<SocketAddr>() {
            return Ok(Self::Tcp(address));
        }
        let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
        if let Ok(address) = bare.parse::<IpAddr>() {
            return Ok(Self::Tcp(SocketAddr::new(address, PORT)));
        }
        if let Some(port) = text.strip_prefix(':').and_then(|port| port.parse().ok()) {
            return Ok(Self::Tcp(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)));
        }
        let named = if text.contains(':') { text.to_owned() } else { format!("{text}:{PORT}") };
        let found = named.to_socket_addrs().ok().and_then(|mut found| found.next());
        found.map(Self::Tcp).ok_or_else(|| {
            "write an address such as 127.0.0.1:7332, a name with a port, or unix:PATH".to_owned()
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl Address {
    /// Whether only processes of this machine reach the address.
    #[must_use]
    pub fn is_here(&self) -> bool {
        match self {
            Self::Tcp(address) => address.ip().to_canonical().is_loopback(),
            Self::Unix(_) => true,
        }
    }
}

/// With whom a Unix socket is shared.
#[derive(Debug, Clone, Copy, Default)]
pub struct Share {
    /// The group that the socket belongs to.
    pub group: Option<u32>,
    /// Its mode. It defaults to that for the owner, and for the group if there is one.
    pub mode: Option<u32>,
}

impl Share {
    #[cfg(unix)]
    fn mode(self) -> u32 {
        self.mode.unwrap_or(if self.group.is_some() { 0o660 } else { 0o600 })
    }
}

/// A listener that is bound and does not accept yet.
#[derive(Debug)]
pub struct Listener {
    pub(super) address: Address,
    pub(super) socket: Socket,
}

#[derive(Debug)]
pub(super) enum Socket {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(std::os::unix::net::UnixListener),
}

impl Listener {
    /// Binds an address. No other thread may exist: a Unix socket is made with a mask for the whole
    /// process.
    pub fn bind(address: Address, share: &Share) -> io::Result<Self> {
        match address {
            Address::Tcp(address) => {
                let socket = TcpListener::bind(address)?;
                socket.set_nonblocking(true)?;
                let address = Address::Tcp(socket.local_addr()?);
                Ok(Self { address, socket: Socket::Tcp(socket) })
            }
            #[cfg(unix)]
            Address::Unix(path) => {
                let socket = bind_unix(&path, share)?;
                socket.set_nonblocking(true)?;
                Ok(Self { address: Address::Unix(path), socket: Socket::Unix(socket) })
            }
            #[cfg(not(unix))]
            Address::Unix(_) => Err(io::Error::other("this system has no Unix sockets")),
        }
    }

    /// The address, with the port that the system chose.
    #[must_use]
    pub fn address(&self) -> &Address {
        &self.address
    }
}

/// Binds a socket that only its owner can open, and those with whom it is shared. A socket that nobody
/// listens at is replaced.
#[cfg(unix)]
fn bind_unix(
    path: &std::path::Path,
    share: &Share,
) -> io::Result<std::os::unix::net::UnixListener> {
    use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
    use std::os::unix::net::{UnixListener, UnixStream};

    use rustix::fs::Mode;

    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|it| it.file_type().is_socket());
    if is_socket {
        match UnixStream::connect(path) {
            Ok(_) => {
                return Err(io::Error::new(io::ErrorKind::AddrInUse, "a server listens there"));
            }
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                std::fs::remove_file(path)?;
            }
            Err(error) => return Err(error),
        }
    }
    let before = rustix::process::umask(Mode::from_raw_mode(0o177));
    let bound = UnixListener::bind(path);
    rustix::process::umask(before);
    let bound = bound?;
    if let Some(group) = share.group {
        // The mode comes last: until then nobody else opens the socket.
        std::os::unix::fs::chown(path, None, Some(group))?;
    }
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(share.mode()))?;
    Ok(bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_in_several_ways() {
        for (text, address) in [
            ("127.0.0.1:80", "127.0.0.1:80"),
            ("[::1]:80", "[::1]:80"),
            ("0.0.0.0", "0.0.0.0:7332"),
            ("::1", "[::1]:7332"),
            (":81", "127.0.0.1:81"),
            ("unix:/run/x", "unix:/run/x"),
        ] {
            assert_eq!(text.parse::<Address>().expect(text).to_string(), address);
        }
        for wrong in ["unix:", "127.0.0.1:", "127.0.0.1:99999", "no such host.invalid", ""] {
            assert!(wrong.parse::<Address>().is_err(), "{wrong}");
        }
        assert_eq!(Address::default().to_string(), "127.0.0.1:7332");
    }

    #[test]
    fn only_some_addresses_are_of_this_machine() {
        for (text, is_here) in [
            ("127.0.0.1:1", true),
            ("[::1]:1", true),
            ("[::ffff:127.0.0.1]:1", true),
            ("unix:x", true),
            ("0.0.0.0:1", false),
            ("[::]:1", false),
            ("192.0.2.1:1", false),
        ] {
            assert_eq!(text.parse::<Address>().expect(text).is_here(), is_here, "{text}");
        }
    }
}
