//! Bytes at both ends of the broker's protocol: each takes what is in order and refuses all else, and
//! what was taken reads the same when it is written. The first byte says how the rest is cut: in
//! frames, or in lines, which mutations break less easily.

use anyhow::{Context, Result, ensure};
use pif_broker::order::{Heard, Outstanding};
use pif_broker::protocol::{MOST_FRAME, frame, read_frame};
use serde::Serialize;
use serde_json::Value;

/// Requests that the server has made: so many calls each.
const ASKED: [usize; 3] = [1, 2, 0];

/// Feeds both ends.
pub fn check(bytes: &[u8]) -> Result<()> {
    let frames = match bytes.split_first() {
        Some((b'l', lines)) => lines.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect(),
        Some((_, rest)) => cut(rest)?,
        None => return Ok(()),
    };
    let mut heard = Heard::default();
    for frame in &frames {
        let Ok(message) = heard.accept(frame) else { break };
        reads_the_same(frame, &message)?;
    }
    let mut asked = Outstanding::default();
    for (id, calls) in (1..).zip(ASKED) {
        asked.ask(id, calls)?;
    }
    for frame in &frames {
        let Ok(message) = asked.accept(frame) else { break };
        reads_the_same(frame, &message)?;
    }
    Ok(())
}

/// The frames in these bytes, up to the first that is broken.
fn cut(mut bytes: &[u8]) -> Result<Vec<Vec<u8>>> {
    let mut frames = Vec::new();
    while let Ok(Some(body)) = read_frame(&mut bytes) {
        ensure!(body.len() <= MOST_FRAME && !body.is_empty(), "{} bytes", body.len());
        frames.push(body);
    }
    Ok(frames)
}

/// What was read is written as a message of the same kind.
fn reads_the_same(body: &[u8], message: &impl Serialize) -> Result<()> {
    let written = frame(message)?;
    let again = read_frame(&mut &*written)?.context("no frame")?;
    let once: Value = serde_json::from_slice(&again)?;
    let kind = once.as_object().and_then(|it| it.keys().next().cloned());
    let first: Value = serde_json::from_slice(body).unwrap_or_default();
    let named = first.as_object().and_then(|it| it.keys().next().cloned());
    // Deep values are text to us, and too deep for this test to compare.
    ensure!(first.is_null() || kind == named, "{named:?} became {kind:?}");
    Ok(())
}
