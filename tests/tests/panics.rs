//! The message of a panic that ends the program arrives, also where standard error is read late. The
//! test starts itself as that program.

use std::env;
use std::io::Read as _;
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use pif_system::stdio::{LastLines, complain, report_panics};

/// The argument of the program that panics.
const PROGRAM: &str = "panic-after-lines";

/// The message of its panic.
const MESSAGE: &str = "the last words";

/// Lines before it, which are more than a pipe holds.
const LINES: usize = 4_000;

/// Time until the first line is read. The program gives up after a longer one only.
const DELAY: Duration = Duration::from_millis(300);

fn main() -> ExitCode {
    if env::args().nth(1).is_some_and(|it| it == PROGRAM) {
        panic_after_lines();
    }
    match read_late() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _last_lines = LastLines::new(DELAY);
            complain(&format!("{error:?}"));
            ExitCode::FAILURE
        }
    }
}

#[expect(clippy::panic, reason = "a panic is what is tried")]
fn panic_after_lines() -> ! {
    let _last_lines = LastLines::new(DELAY * 30);
    report_panics("program");
    for number in 0..LINES {
        complain(&format!("line {number} of a program that has a lot to say"));
    }
    panic!("{MESSAGE}");
}

fn read_late() -> Result<()> {
    let mut command = Command::new(env::current_exe()?);
    let mut program = command.arg(PROGRAM).stderr(Stdio::piped()).spawn()?;
    thread::sleep(DELAY);
    let mut errors = String::new();
    program.stderr.take().context("standard error")?.read_to_string(&mut errors)?;
    ensure!(program.wait()?.code() == Some(101), "a panic ends the program");
    let last: Vec<&str> = errors.lines().skip(LINES).collect();
    ensure!(errors.lines().count() > LINES, "{} lines arrived", errors.lines().count());
    ensure!(last.concat().contains("program: thread main"), "{last:?}");
    ensure!(last.concat().contains(MESSAGE), "{last:?}");
    Ok(())
}
