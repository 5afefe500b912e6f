//! A peer as a process that is asked for programs by name, one line each way.

use crate::tasks::root;
use anyhow::{Context, Result, ensure};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// An interpreter that may be there.
pub(super) struct Known {
    pub(super) name: &'static str,
    program: PathBuf,
    script: &'static str,
    /// What to type to have it.
    install: &'static str,
}

/// The interpreters that are tried.
pub(super) fn known() -> [Known; 4] {
    let folder = if cfg!(windows) { "Scripts/python.exe" } else { "bin/python" };
    let environment = root().join("target/peers").join(folder);
    [
        Known {
            name: "CPython",
            program: "python3".into(),
            script: "cpython.py",
            install: "apt install python3",
        },
        Known {
            name: "Lua 5.4",
            program: "lua5.4".into(),
            script: "programs.lua",
            install: "apt install lua5.4",
        },
        Known {
            name: "QuickJS",
            program: environment.clone(),
            script: "javascript.py",
            install: "python3 -m venv target/peers && target/peers/bin/pip install python-quickjs-ng",
        },
        Known {
            name: "Monty",
            program: environment,
            script: "monty.py",
            install: "python3 -m venv target/peers && target/peers/bin/pip install pydantic-monty",
        },
    ]
}

impl Known {
    /// Starts it; fails with what to type if it is not there.
    pub(super) fn start(&self) -> Result<Peer> {
        let missing = || format!("it is not installed; type: {}", self.install);
        let mut command = Command::new(&self.program);
        command.arg(root().join("scripts/peers").join(self.script));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().with_context(missing)?;
        let input = child.stdin.take();
        let output = child.stdout.take();
        let mut output = BufReader::new(output.context("standard output")?);
        let mut version = String::new();
        output.read_line(&mut version)?;
        let version = version.trim().to_owned();
        let peer = Peer {
            name: self.name,
            version,
            child,
            input: input.context("standard input")?,
            output,
            unable: BTreeMap::new(),
        };
        ensure!(!peer.version.is_empty(), missing());
        Ok(peer)
    }
}

/// An interpreter that runs.
pub(super) struct Peer {
    pub(super) name: &'static str,
    pub(super) version: String,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// Programs that it cannot run, and why.
    unable: BTreeMap<String, String>,
}

/// What comes of asking.
pub(super) enum Answer {
    /// Milliseconds, and the value as JSON.
    Value(f64, String),
    /// It said why not.
    Unable,
}

impl Peer {
    /// Runs a program once.
    pub(super) fn run(&mut self, name: &str) -> Result<Answer> {
        if self.unable.contains_key(name) {
            return Ok(Answer::Unable);
        }
        writeln!(self.input, "{name}")?;
        let mut line = String::new();
        self.output.read_line(&mut line)?;
        let answer = line.trim().split_once(' ');
        let (time, value) = answer.with_context(|| format!("{} ended at {name}", self.version))?;
        if time == "-" {
            self.unable.insert(name.to_owned(), value.to_owned());
            return Ok(Answer::Unable);
        }
        Ok(Answer::Value(time.parse()?, value.to_owned()))
    }

    /// Its version, the programs that it cannot run, and why.
    pub(super) fn unable(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        let each = self.unable.iter();
        each.map(|(name, reason)| (self.version.as_str(), name.as_str(), reason.as_str()))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
