//! What is no database, or not as one should be: silent, of another kind, a pooler that keeps no
//! sessions.

use super::way::{refusal, target};
use anyhow::{Context as _, Result, ensure};
use pif_database::{Connector, Kind};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

/// Listens, and answers each connection by a function.
fn pretend(answer: impl Fn(TcpStream) -> Result<()> + Send + Sync + 'static) -> Result<String> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let port = listener.local_addr()?.port();
    let answer = std::sync::Arc::new(answer);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = std::sync::Arc::clone(&answer);
            thread::spawn(move || drop(answer(stream)));
        }
    });
    Ok(format!("postgres://pif@127.0.0.1:{port}/pif"))
}

fn message(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len() + 4).unwrap_or_default().to_be_bytes();
    [&[kind], &length[..], body].concat()
}

fn number(number: u32) -> [u8; 4] {
    number.to_be_bytes()
}

/// Reads what a client says: first without a kind.
fn read(stream: &mut TcpStream, is_first: bool) -> Result<Vec<u8>> {
    if !is_first {
        stream.read_exact(&mut [0])?;
    }
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = usize::try_from(u32::from_be_bytes(length))?;
    let mut body = vec![0; length.checked_sub(4).context("a length")?];
    stream.read_exact(&mut body)?;
    Ok(body)
}

/// Lets anybody in, and says which process serves the session: what it was told, or another.
fn serve(mut stream: TcpStream, told: u32, serving: impl Fn() -> u32) -> Result<()> {
    read(&mut stream, true)?;
    let ready = message(b'Z', b"I");
    let welcome = [
        message(b'R', &number(0)),
        message(b'S', b"server_version\x0015.0\0"),
        message(b'K', &[number(told), number(1)].concat()),
        ready.clone(),
    ];
    stream.write_all(&welcome.concat())?;
    loop {
        read(&mut stream, false)?;
        let text = serving().to_string();
        let column =
            [&b"p\0"[..], &[0; 4], &[0; 2], &number(23), &[0, 4], &[255; 4], &[0; 2]].concat();
        let row = [&[0, 1][..], &number(u32::try_from(text.len())?), text.as_bytes()].concat();
        let answer = [
            message(b'T', &[&[0, 1][..], &column].concat()),
            message(b'D', &row),
            message(b'C', b"SELECT 1\0"),
            ready.clone(),
        ];
        stream.write_all(&answer.concat())?;
    }
}

#[test]
fn a_silent_database_is_waited_for_so_long() -> Result<()> {
    let url = pretend(|stream| {
        thread::sleep(Duration::from_mins(1));
        drop(stream);
        Ok(())
    })?;
    let mut target = target(&url, None)?;
    target.deadline = Duration::from_millis(300);
    let (connector, begun) = (Connector::new(target), Instant::now());
    let told = super::way::runtime()?.block_on(connector.connect()).err().context("an error")?;
    ensure!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!(told.kind, Kind::Unreachable);
    ensure!(told.message.contains("does not answer within 300ms"), "{told}");
    Ok(())
}

#[test]
fn what_is_no_database_is_told_apart() -> Result<()> {
    for (said, word) in [
        (&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], "not one of PostgreSQL"),
        (b"", "the connection was cut"),
        (b"R\0\0\0\x08\0\0\0\x07", "GSSAPI"),
        (b"R\xff\xff\xff\xff", "not one of PostgreSQL"),
        (b"R\0\0\0\x17\0\0\0\x0aSCRAM-SHA-512\0\0", "a mechanism of SASL"),
    ] {
        let url = pretend(move |mut stream| {
            read(&mut stream, true)?;
            Ok(stream.write_all(said)?)
        })?;
        let told = refusal(&url, None)?;
        ensure!(told.contains(word), "{said:?}: {told}");
    }
    Ok(())
}

#[test]
fn a_pooler_must_keep_sessions() -> Result<()> {
    // Sessions that are served by one process: a pooler in transaction mode.
    let url = pretend(|stream| serve(stream, 7, || 42))?;
    let told = refusal(&url, None)?;
    ensure!(told.contains("pool_mode = session"), "{told}");
    Ok(())
}

#[test]
fn a_pooler_that_keeps_sessions_is_as_good_as_the_database() -> Result<()> {
    use std::sync::atomic::{AtomicU32, Ordering};
    let latest = AtomicU32::new(100);
    let pooler = pretend(move |stream| {
        let process = latest.fetch_add(1, Ordering::Relaxed);
        serve(stream, 7, || process)
    })?;
    let database = pretend(|stream| serve(stream, 42, || 42))?;
    for url in [pooler, database] {
        let connector = Connector::new(target(&url, None)?);
        super::way::runtime()?.block_on(super::way::client(&connector))?;
    }
    Ok(())
}
