//! A server of HTTP on this machine that answers as a test says, for programs that send requests.

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use anyhow::Result;

/// A request as it was sent.
#[derive(Debug, Clone)]
pub struct Request {
    /// The first line and the headers.
    pub head: String,
    /// The bytes after them, as many as the headers say.
    pub body: Vec<u8>,
}

impl Request {
    /// Reads one request. None: the connection has ended, or what comes is no request.
    pub fn read(reader: &mut impl BufRead) -> Option<Self> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).ok()? == 0 {
                return None;
            }
        }
        let mut request = Self { head, body: Vec::new() };
        let length = request.header("content-length").map_or(Some(0), |it| it.parse().ok())?;
        reader.take(length).read_to_end(&mut request.body).ok()?;
        Some(request)
    }

    /// The value of a header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let headers = self.head.lines().skip(1).filter_map(|line| line.split_once(':'));
        let mut values = headers.filter(|(header, _)| header.eq_ignore_ascii_case(name));
        values.next().map(|(_, value)| value.trim())
    }

    /// The method: `POST`, `GET`.
    #[must_use]
    pub fn method(&self) -> &str {
        self.head.split(' ').next().unwrap_or_default()
    }

    /// The path with its query.
    #[must_use]
    pub fn target(&self) -> &str {
        self.head.split(' ').nth(1).unwrap_or_default()
    }
}

/// Serves each connection on a thread of its own, until the test ends. Returns the address.
pub fn listen(serve: impl Fn(&TcpStream) + Send + Sync + 'static) -> Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let serve = Arc::new(serve);
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let serve = Arc::clone(&serve);
            thread::spawn(move || serve(&connection));
        }
    });
    Ok(address)
}

/// Reads requests from a connection and has each answered, until the connection ends or `answer` gives
/// None. An answer is the whole response, from its status line on.
pub fn exchange(connection: &TcpStream, mut answer: impl FnMut(Request) -> Option<Vec<u8>>) {
    let mut reader = BufReader::new(connection);
    let mut writer = connection;
    while let Some(request) = Request::read(&mut reader) {
        let Some(response) = answer(request) else { return };
        // The client may be gone.
        if writer.write_all(&response).is_err() {
            return;
        }
    }
}

/// A response with a body. `status` is the status, and headers behind it.
#[must_use]
pub fn response(status: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}
