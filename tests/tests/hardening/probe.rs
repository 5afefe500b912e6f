//! The process that is hardened as the server is, and tries everything before and after.

use std::collections::BTreeMap;
use std::sync::mpsc::channel;
use std::thread;

use anyhow::{Result, anyhow, bail};
use pif_system::harden::{Hardening, Layer, Network, Paths, apply, restrict_calls, restrict_files};
use pif_tests::system::call;
use serde_json::{Value, json};

use super::attempt::{ATTEMPTS, FORBIDDEN};
use super::place::Place;

/// What came of each attempt: 0, or the error number.
type Results = BTreeMap<&'static str, i32>;

/// Tries everything, hardens the process with the layers of `mode`, tries again on three kinds
/// of threads, and prints what came of it.
pub(crate) fn main(mode: &str) -> Result<()> {
    let place = Place::told()?;
    let before = attempt(&place);
    let paths = Paths { writable: vec![place.data.clone()], ..Paths::default() };
    let (go, hardened) = channel::<()>();
    let early = {
        let place = place.clone();
        move || {
            thread::spawn(move || {
                // The test is over when the other end is gone.
                hardened.recv().map(|()| attempt(&place)).unwrap_or_default()
            })
        }
    };
    let (early, report) = match mode {
        "all" => apply(Some(&paths), early),
        "late" => {
            let early = early();
            apply(Some(&paths), || early)
        }
        "landlock" => {
            let (landlock, abi) = restrict_files(&paths);
            (early(), Hardening { landlock, abi, seccomp: Layer::Off })
        }
        "seccomp" => {
            let early = early();
            (
                early,
                Hardening {
                    landlock: Layer::Off,
                    abi: 0,
                    seccomp: restrict_calls(Network::default()),
                },
            )
        }
        "refused" => {
            // To whoever is filtered already, the kernel looks like one without either layer.
            // Whether it does is judged by the report.
            let _ = restrict_calls(Network::default());
            apply(Some(&paths), early)
        }
        "off" => apply(None, early),
        mode => bail!("there is no mode `{mode}`"),
    };
    go.send(())?;
    let early = early.join().map_err(|_| anyhow!("the early thread panicked"))?;
    let main = attempt(&place);
    let late = thread::spawn(move || attempt(&place));
    let late = late.join().map_err(|_| anyhow!("the late thread panicked"))?;
    say(&json!({
        "landlock": report.landlock.name(),
        "abi": report.abi,
        "seccomp": report.seccomp.name(),
        "before": before,
        "after": {"early": early, "main": main, "late": late},
    }));
    Ok(())
}

#[expect(clippy::print_stdout, reason = "this is what the probe is for")]
fn say(found: &Value) {
    println!("{found}");
}

fn attempt(place: &Place) -> Results {
    let number = |error: std::io::Error| error.raw_os_error().unwrap_or(-1);
    let attempts = ATTEMPTS.iter().map(|it| (it.name, (it.run)(place).map_err(number)));
    let calls = FORBIDDEN.iter().map(|(name, it)| (*name, call(*it, [u64::MAX; 6]).map(drop)));
    attempts.chain(calls).map(|(name, result)| (name, result.err().unwrap_or(0))).collect()
}
