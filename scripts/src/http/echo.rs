//! An echo on the HTTP library that the server stands on: what a request costs without a server.

use anyhow::Result;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use std::thread;
use tokio::net::TcpListener;
use tokio::runtime::Builder;

/// Starts it. Gives its address.
pub(super) fn start() -> Result<String> {
    let socket = std::net::TcpListener::bind("127.0.0.1:0")?;
    socket.set_nonblocking(true)?;
    let address = socket.local_addr()?.to_string();
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    thread::spawn(move || runtime.block_on(accept(socket)));
    Ok(address)
}

async fn accept(socket: std::net::TcpListener) -> Result<()> {
    let socket = TcpListener::from_std(socket)?;
    loop {
        let (stream, _) = socket.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(
            http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(echo)),
        );
    }
}

async fn echo(request: Request<Incoming>) -> Result<Response<Full<Bytes>>> {
    let body = request.into_body().collect().await?.to_bytes();
    Ok(Response::builder().header("content-type", "application/json").body(Full::new(body))?)
}
