//! A proxy between a server and its database, which cuts and holds connections up.

use anyhow::Result;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, sleep};
use std::time::Duration;

/// How often a connection that is held up looks whether it goes on.
const GLANCE: Duration = Duration::from_millis(5);

/// A proxy that passes all on, unless it is told otherwise.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    state: Arc<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Both ends of each connection.
    open: Mutex<Vec<TcpStream>>,
    refuses: AtomicBool,
    holds: AtomicBool,
}

impl Proxy {
    /// Begins to pass on connections to a port of this machine.
    pub fn start(to: u16) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let (port, state) = (listener.local_addr()?.port(), Arc::<State>::default());
        let accepting = Arc::clone(&state);
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                if !accepting.refuses.load(Ordering::Relaxed) {
                    // Who cannot connect hears that its connection is closed.
                    let _ = pass(near, to, &accepting);
                }
            }
        });
        Ok(Self { port, state })
    }

    /// Where it listens, on this machine.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Cuts all connections, and refuses new ones until `restore`.
    pub fn cut(&self) {
        self.state.refuses.store(true, Ordering::Relaxed);
        for end in self.state.open.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = end.shutdown(Shutdown::Both);
        }
    }

    /// Passes nothing on, without a word, until `restore`.
    pub fn hold(&self) {
        self.state.holds.store(true, Ordering::Relaxed);
    }

    /// Passes all on again.
    pub fn restore(&self) {
        self.state.refuses.store(false, Ordering::Relaxed);
        self.state.holds.store(false, Ordering::Relaxed);
    }
}

fn pass(near: TcpStream, to: u16, state: &Arc<State>) -> io::Result<()> {
    let far = TcpStream::connect(("127.0.0.1", to))?;
    near.set_nodelay(true)?;
    far.set_nodelay(true)?;
    let ends = [near.try_clone()?, far.try_clone()?];
    state.open.lock().unwrap_or_else(PoisonError::into_inner).extend(ends);
    for (from, to) in [(near.try_clone()?, far.try_clone()?), (far, near)] {
        let state = Arc::clone(state);
        thread::spawn(move || {
            let _ = carry(from, &to, &state);
            let _ = to.shutdown(Shutdown::Write);
        });
    }
    Ok(())
}

fn carry(mut from: TcpStream, mut to: &TcpStream, state: &State) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        let read = from.read(&mut buffer)?;
        if read == 0 {
            return Ok(());
        }
        while state.holds.load(Ordering::Relaxed) {
            sleep(GLANCE);
        }
        to.write_all(buffer.get(..read).unwrap_or_default())?;
    }
}
