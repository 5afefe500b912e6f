//! Rounds of kill -9 amid turns of sessions: servers share a data directory, each makes turns in
//! sessions of its own, one is killed at a random moment. Then every session must stand where its last
//! acknowledged turn left it, or one turn further if that was under way: with all that the turn binds,
//! or nothing of it.

use super::load::{command, visit};
use crate::generate::Random;
use crate::server::client::request;
use crate::server::pipe::{Output, Pipe};
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{ChildStdin, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Sessions of each server. A turn is under way in each of them.
const SESSIONS: usize = 6;

/// Size of the journal: so small that it is trimmed again and again.
const JOURNAL: &str = "3MiB";

/// What to do.
#[derive(Debug)]
pub struct Plan<'a> {
    /// The server.
    pub binary: &'a Path,
    /// Where it keeps its compiled evaluator.
    pub cache: &'a Path,
    /// An empty directory.
    pub data: &'a Path,
    /// How often to kill.
    pub rounds: u64,
    /// Decides on all that is random but the scheduling of the machine.
    pub seed: u64,
    /// The latest moment for the signal after the first turn is sent.
    pub latest: Duration,
}

/// What was done and found.
#[derive(Debug, Default)]
pub struct Tally {
    /// Kills.
    pub kills: u64,
    /// Those beside which another server went on.
    pub shared: u64,
    /// Acknowledged turns, all of which were found.
    pub turns: u64,
    /// Turns without an answer that were made all the same, and whole.
    pub unanswered: u64,
    /// Turns without an answer of which nothing was made.
    pub lost: u64,
    /// Entries of the journal.
    pub entries: i64,
    /// From the restart of a server to the first look at a session: the longest.
    pub slowest: Duration,
}

/// A session, and what is known of it.
#[derive(Debug, Clone)]
struct Session {
    name: String,
    /// What its last acknowledged turn has bound.
    n: u64,
    /// The number of that turn.
    turn: u64,
    is_under_way: bool,
}

/// Does all rounds; fails with the first loss.
///
/// # Errors
///
/// What was lost, and in which round.
pub fn endure(plan: &Plan<'_>) -> Result<Tally> {
    let mut random = Random::new(plan.seed);
    let mut tally = Tally::default();
    let mut groups = [start(plan)?, start(plan)?];
    for round in 0..plan.rounds {
        let context = || format!("round {round} of seed {}", plan.seed);
        one(plan, &mut tally, &mut groups, &mut random).with_context(context)?;
        let [victims, others] = &mut groups;
        let from = Instant::now();
        let mut server = Pipe::start(&mut serve(plan))?;
        look(&mut server, victims, &mut tally).with_context(context)?;
        tally.slowest = tally.slowest.max(from.elapsed());
        look(&mut server, others, &mut tally).with_context(context)?;
        server.finish()?;
        let entries = visit(&mut serve(plan))?;
        ensure!(entries >= tally.entries, "{}: {entries} entries", context());
        tally.entries = entries;
        groups.reverse();
    }
    Ok(tally)
}

fn serve(plan: &Plan<'_>) -> Command {
    let mut command = command(plan.binary, plan.cache, plan.data);
    command.args(["--journal-size", JOURNAL]);
    command
}

/// Starts sessions, and binds what their turns change.
fn start(plan: &Plan<'_>) -> Result<Vec<Session>> {
    let mut server = Pipe::start(&mut serve(plan))?;
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        let started = server.call("session_start", &json!({}))?;
        let name = started["structuredContent"]["session"].as_str().context("a session")?;
        let first = json!({"session": name, "define": [["n", "0"], ["f", "x => x + 0"]]});
        let turn = server.call("session_eval", &first)?["structuredContent"]["turn"].as_u64();
        let (name, turn) = (name.to_owned(), turn.context("a turn")?);
        sessions.push(Session { name, n: 0, turn, is_under_way: false });
    }
    server.finish()?;
    Ok(sessions)
}

/// One round: the first group's server is killed, the other's may go on.
fn one(
    plan: &Plan<'_>,
    tally: &mut Tally,
    [victims, others]: &mut [Vec<Session>; 2],
    random: &mut Random,
) -> Result<()> {
    let micros = usize::try_from(plan.latest.as_micros())?;
    let moment = Duration::from_micros(u64::try_from(random.below(micros))?);
    let other = match random.chance(50) {
        true => Some(Load::start(plan, others.clone())?),
        false => None,
    };
    let victim = Load::start(plan, victims.clone())?;
    thread::sleep(moment);
    let before: u64 = victims.iter().map(|it| it.n).sum();
    *victims = victim.kill()?;
    tally.turns += victims.iter().map(|it| it.n).sum::<u64>() - before;
    tally.kills += 1;
    if let Some(other) = other {
        tally.shared += 1;
        let before: u64 = others.iter().map(|it| it.n).sum();
        *others = other.end()?;
        let made = others.iter().map(|it| it.n).sum::<u64>() - before;
        ensure!(made > 0, "the other server made no turn");
        tally.turns += made;
    }
    Ok(())
}

/// Looks at sessions with a turn of their own.
fn look(server: &mut Pipe, sessions: &mut [Session], tally: &mut Tally) -> Result<()> {
    for session in sessions {
        let turn = json!({"session": session.name, "code": "[n, f(0)]"});
        let told = server.call("session_eval", &turn)?["structuredContent"].clone();
        let n = told["value"][0].as_u64().with_context(|| format!("{session:?}: {told}"))?;
        ensure!(told["value"][1] == n, "half a turn was made: {session:?}: {told}");
        let more = n.checked_sub(session.n).filter(|more| *more <= session.is_under_way.into());
        let more = more.with_context(|| format!("{session:?} stands at {told}"))?;
        ensure!(told["turn"] == session.turn + more + 1, "{session:?}: {told}");
        tally.unanswered += more;
        tally.lost += u64::from(session.is_under_way) - more;
        let turn = session.turn + more + 1;
        *session = Session { n, turn, is_under_way: false, ..session.clone() };
    }
    Ok(())
}

/// A server under load.
struct Load {
    pipe: Pipe,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Result<Vec<Session>>>,
}

impl Load {
    fn start(plan: &Plan<'_>, sessions: Vec<Session>) -> Result<Self> {
        let mut server: Command = serve(plan);
        let mut pipe = Pipe::start(&mut server)?;
        let (input, output) = (pipe.take_input()?, pipe.take_output()?);
        let stop = Arc::<AtomicBool>::default();
        let thread = {
            let stop = Arc::clone(&stop);
            thread::spawn(move || drive(input, output, sessions, &stop))
        };
        Ok(Self { pipe, stop, thread })
    }

    fn kill(self) -> Result<Vec<Session>> {
        self.pipe.kill()?;
        join(self.thread)
    }

    /// Lets all turns under way end.
    fn end(self) -> Result<Vec<Session>> {
        self.stop.store(true, Ordering::Relaxed);
        let sessions = join(self.thread)?;
        self.pipe.finish()?;
        let open = sessions.iter().find(|session| session.is_under_way);
        ensure!(open.is_none(), "a turn was not answered: {open:?}");
        Ok(sessions)
    }
}

fn join(thread: JoinHandle<Result<Vec<Session>>>) -> Result<Vec<Session>> {
    thread.join().map_err(|_| anyhow::anyhow!("a thread died"))?
}

/// Makes turns in all sessions until it is told to stop or the server is gone.
fn drive(
    mut input: ChildStdin,
    mut output: Output,
    mut sessions: Vec<Session>,
    stop: &AtomicBool,
) -> Result<Vec<Session>> {
    let mut is_gone = false;
    for (at, session) in sessions.iter_mut().enumerate() {
        is_gone |= !send(&mut input, at, session);
    }
    while !is_gone && sessions.iter().any(|session| session.is_under_way) {
        let Some(line) = output.answer()? else { break };
        // A server that was killed may have left half a line.
        let Ok(message) = serde_json::from_str::<Value>(&line) else { break };
        let at = message["id"].as_u64().and_then(|id| usize::try_from(id).ok());
        let session = at.and_then(|at| sessions.get_mut(at - 100)).context("whose answer?")?;
        let told = &message["result"]["structuredContent"];
        let is_next = told["value"] == session.n + 1 && told["turn"] == session.turn + 1;
        ensure!(is_next, "{session:?}: {line}");
        session.n += 1;
        session.turn += 1;
        session.is_under_way = false;
        if !stop.load(Ordering::Relaxed) {
            is_gone = !send(&mut input, at.unwrap_or_default() - 100, session);
        }
    }
    Ok(sessions)
}

/// Sends the next turn of a session. Tells whether the server still reads.
fn send(input: &mut ChildStdin, at: usize, session: &mut Session) -> bool {
    let define = [["n", "n + 1"], ["f", "x => x + n"]];
    let arguments = json!({"session": session.name, "define": define, "code": "f(0)"});
    let call = json!({"name": "session_eval", "arguments": arguments});
    session.is_under_way = true;
    writeln!(input, "{}", request(&json!(at + 100), "tools/call", &call)).is_ok()
}
