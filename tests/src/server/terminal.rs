//! A command at a terminal, which `script` of util-linux makes.

use super::binary;
use super::folder::cache;
use anyhow::{Context, Result, ensure};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a text is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// A terminal with a command in it.
#[derive(Debug)]
pub struct Terminal {
    child: Child,
    input: ChildStdin,
    seen: Arc<Mutex<Vec<u8>>>,
    /// Where in the output the next text is looked for.
    from: usize,
}

impl Terminal {
    /// Opens one of 100 columns with `mcp-pif repl`; None where there is no `script` that makes
    /// terminals.
    pub fn open(folder: &Path, variables: &[(&str, &str)], flags: &str) -> Result<Option<Self>> {
        Self::run(folder, variables, &format!("{flags} repl"))
    }

    /// Opens one with a command of mcp-pif, whose flags stand before it.
    pub fn run(folder: &Path, variables: &[(&str, &str)], words: &str) -> Result<Option<Self>> {
        let known = Command::new("script").arg("--version").output();
        if !known.is_ok_and(|it| String::from_utf8_lossy(&it.stdout).contains("util-linux")) {
            return Ok(None);
        }
        let (binary, data) = (binary::path()?, folder.display());
        let line =
            format!("stty cols 100 rows 40; exec {} --data {data} {words}", binary.display());
        let mut command = Command::new("script");
        command.args(["-qfec", &line, "/dev/null"]).env_remove("NO_COLOR");
        command.env("MCP_PIF_CACHE", cache()).env("TERM", "xterm").env("SHELL", "/bin/sh");
        command.envs(variables.iter().copied());
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let input = child.stdin.take().context("stdin")?;
        let mut output = child.stdout.take().context("stdout")?;
        let seen = Arc::<Mutex<Vec<u8>>>::default();
        let kept = Arc::clone(&seen);
        thread::spawn(move || {
            let mut bytes = [0; 4_096];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                let read = bytes.get(..count).unwrap_or_default();
                kept.lock().unwrap_or_else(PoisonError::into_inner).extend(read);
            }
        });
        Ok(Some(Self { child, input, seen, from: 0 }))
    }

    /// Types keys.
    pub fn send(&mut self, keys: &str) -> Result<()> {
        self.input.write_all(keys.as_bytes())?;
        Ok(self.input.flush()?)
    }

    /// All that was shown so far, with the codes that steer the terminal.
    #[must_use]
    pub fn seen(&self) -> String {
        String::from_utf8_lossy(&self.seen.lock().unwrap_or_else(PoisonError::into_inner))
            .into_owned()
    }

    /// Waits for a text behind the last one. Gives what was shown before it.
    pub fn expect(&mut self, text: &str) -> Result<String> {
        let start = Instant::now();
        loop {
            let seen = self.seen();
            if let Some((before, _)) = seen.get(self.from..).and_then(|rest| rest.split_once(text))
            {
                self.from += before.len() + text.len();
                return Ok(before.to_owned());
            }
            ensure!(start.elapsed() < PATIENCE, "no {text:?} in {:?}", seen.get(self.from..));
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Types Ctrl-D, and waits for the end. Gives all that was shown.
    pub fn end(self) -> Result<String> {
        self.end_by("\u{4}")
    }

    /// Types these keys, and waits for the end. Gives all that was shown.
    pub fn end_by(mut self, keys: &str) -> Result<String> {
        self.send(keys)?;
        let status = self.child.wait()?;
        ensure!(status.success(), "{status}: {:?}", self.seen());
        Ok(self.seen())
    }
}
