//! Commands and calls on the pages do what stands beside them, on the real binary.

use crate::{binary, pages};
use anyhow::{Context, Result, bail, ensure};
use pif_tests::server::client::{self, text};
use pif_tests::server::folder::Folder;
use pif_tests::server::pipe::Pipe;
#[cfg(target_os = "linux")]
use pif_tests::server::terminal::Terminal;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

const SESSION: &str = "host/docs/session.svg";
/// What the terminal session of README.md shows.
const COMMANDS: [&str; 4] = [
    r#"mcp-pif run '{"lam": "n", "body": {"product": {"range": [1, {"add": [{"var": "n"}, 1]}]}}}' 25"#,
    r#"mcp-pif run '{"lam": "l", "body": {"lenght": {"var": "l"}}}' '[1, 2, 3]'"#,
    r#"mcp-pif run '{"lam": "x", "body": {"app": {"func": {"self": true}, "arg": {"var": "x"}}}}' 0"#,
    r#"mcp-pif run std_allocate --data '{"amount": 100, "weights": [1, 1, 1]}'"#,
];

const REPL: &str = "host/docs/repl.svg";
const REPL_PROMPT: &str = "pif> ";
/// What the conversation of sessions.md shows.
#[cfg(target_os = "linux")]
const LINES: [&str; 7] = [
    r#"orders = [{id: 1, region: "north", qty: 3}, {id: 2, region: "south", qty: 4}, {id: 3, region: "north", qty: 5}]"#,
    "orders",
    "total = os => os.map(o => o.qty).sum()",
    "orders.group_by(o => o.region).map(([region, os]) => ({region, total: total(os)}))",
    ":type _1",
    "orders.map(o => o.quantity)",
    ":bindings",
];

/// What a shell command prints, on both streams.
fn print(command: &str) -> Result<String> {
    let folder = binary::path()?.parent().context("a folder")?.to_owned();
    let others = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([folder].into_iter().chain(env::split_paths(&others)))?;
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{command} 2>&1")).env_clear().env("PATH", path);
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("snippets-cache");
    shell.env("MCP_PIF_EPHEMERAL", "1").env("MCP_PIF_CACHE", cache);
    Ok(String::from_utf8(shell.output()?.stdout)?.trim_end().to_owned())
}

/// `mcp-pif run … # VALUE` prints the value.
#[test]
fn commands_print_what_stands_beside_them() -> Result<()> {
    let mut seen = 0;
    for page in pages::all()? {
        for block in pages::blocks(&page)?.iter().filter(|block| block.language == "sh") {
            for line in block.text.lines().filter(|line| line.starts_with("mcp-pif run ")) {
                let Some((command, value)) = line.rsplit_once(" # ") else { continue };
                assert_eq!(print(command)?, value, "{page}: {command}");
                seen += 1;
            }
        }
    }
    ensure!(seen > 0, "no page shows a run");
    Ok(())
}

/// The reply of a server that is started for this call alone, on a store in this folder.
fn call(store: &Folder, tool: &str, arguments: &Value) -> Result<String> {
    let mut server = client::command(store)?;
    let mut server = Pipe::start(server.arg("--data").arg(store.path()))?;
    let answer = server.call(tool, arguments)?;
    server.finish()?;
    Ok(text(&answer)?.to_owned())
}

/// Each call of the conversation in README.md is answered as it stands there, by a server of its own.
#[test]
fn the_conversation_goes_so() -> Result<()> {
    let blocks = pages::blocks("README.md")?;
    let block = blocks.iter().find(|block| block.language == "text").context("no conversation")?;
    let store = Folder::new()?;
    let lines: Vec<&str> = block.text.lines().collect();
    ensure!(lines.len() == 6, "{} lines", lines.len());
    for turn in lines.chunks(2) {
        let [asked, answered] = turn else { bail!("{turn:?}") };
        let asked = asked.strip_prefix("→ ").context("a call")?;
        let (tool, arguments) = asked.split_once(' ').context("arguments")?;
        let text = call(&store, tool, &serde_json::from_str(arguments)?)?;
        let answered = answered.strip_prefix("← ").context("an answer")?;
        assert_eq!(text.lines().next(), Some(answered), "{asked}");
    }
    Ok(())
}

/// The calls of a page, each with its answer. The lines of both may go on behind blanks.
fn exchanges(block: &str) -> Result<Vec<(String, Value, String)>> {
    let mut found = Vec::new();
    for exchange in block.split("→ ").filter(|it| !it.trim().is_empty()) {
        let (asked, answered) = exchange.split_once("\n← ").context("an answer")?;
        let (tool, arguments) = asked.split_once(' ').context("arguments")?;
        let answered = answered.trim_end().replace("\n  ", "\n");
        found.push((tool.to_owned(), serde_json::from_str(arguments)?, answered));
    }
    Ok(found)
}

/// The calls on the page of the analyst are answered as it stands there, by one server.
#[test]
fn the_analyst_answers_so() -> Result<()> {
    let store = Folder::new()?;
    let mut server = client::command(&store)?;
    let sets = "core,state,sessions,staging,analysis";
    let mut server =
        Pipe::start(server.args(["--ephemeral", "--wall-clock", "60s", "--toolsets", sets]))?;
    let mut seen = 0;
    for block in pages::blocks("host/docs/analysis.md")?.iter().filter(|it| it.language == "text") {
        for (tool, arguments, answered) in exchanges(&block.text)? {
            let told = server.call(&tool, &arguments)?;
            assert_eq!(text(&told)?, answered, "{tool} {arguments}");
            seen += 1;
        }
    }
    server.finish()?;
    ensure!(seen > 5, "the page shows {seen} calls");
    Ok(())
}

/// The recorded terminal session is what the commands print now; `BLESS=1` records it anew.
#[test]
fn the_session_goes_so() -> Result<()> {
    let turns = COMMANDS.iter().map(|command| Ok((*command, print(command)?)));
    ensure_recorded(SESSION, "$", &turns.collect::<Result<Vec<_>>>()?)
}

/// The recorded conversation with a session is what the repl shows now; `BLESS=1` records it anew.
#[cfg(target_os = "linux")]
#[test]
fn the_repl_goes_so() -> Result<()> {
    let folder = Folder::new()?;
    let plain = [("NO_COLOR", "1")];
    let Some(mut terminal) = Terminal::open(folder.path(), &plain, "")? else {
        pif_tests::skip("`script` of util-linux is not there")?;
        return Ok(());
    };
    terminal.expect(REPL_PROMPT)?;
    let mut turns = Vec::new();
    for line in LINES {
        terminal.send(line)?;
        terminal.expect(line.get(line.len().saturating_sub(6)..).unwrap_or(line))?;
        terminal.send("\r")?;
        terminal.expect("\n")?;
        let shown = terminal.expect(REPL_PROMPT)?;
        turns.push((line, plain_lines(&shown)));
    }
    terminal.end()?;
    ensure_recorded(REPL, REPL_PROMPT.trim_end(), &turns)
}

/// Lines without the codes that steer the terminal.
#[cfg(target_os = "linux")]
fn plain_lines(shown: &str) -> String {
    let mut text = String::new();
    let mut rest = shown;
    while let Some((before, code)) = rest.split_once('\u{1b}') {
        text.push_str(before);
        rest = code.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
        rest = rest.get(1..).unwrap_or_default();
    }
    text.push_str(rest);
    text.replace('\r', "").trim_end().to_owned()
}

pub(crate) fn ensure_recorded(page: &str, prompt: &str, turns: &[(&str, String)]) -> Result<()> {
    let (path, picture) = (pages::root().join(page), draw(prompt, turns)?);
    if env::var_os("BLESS").is_some() {
        fs::write(&path, &picture)?;
    }
    let recorded = fs::read_to_string(&path).unwrap_or_default();
    ensure!(recorded == picture, "record {page} anew by BLESS=1");
    Ok(())
}

/// Characters of a line of the terminal.
const COLUMNS: usize = 100;
/// Pixels of a line.
const LINE: usize = 20;

/// The session as an SVG.
fn draw(prompt: &str, turns: &[(&str, String)]) -> Result<String> {
    let (mut lines, mut text) = (0, String::new());
    for (command, printed) in turns {
        let typed = std::iter::once(("prompt", format!("{prompt} {command}")));
        let answered = printed.lines().map(|line| (class(line), line.to_owned()));
        for (class, line) in typed.chain(answered) {
            for part in wrap(&line) {
                lines += 1;
                let (y, part) = (lines * LINE + 14, escape(&part));
                writeln!(text, r#"<text x="16" y="{y}" class="{class}">{part}</text>"#)?;
            }
        }
    }
    let (width, height) = (832, lines * LINE + 32);
    let style = "text{font:13px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;\
                 white-space:pre;fill:#d8dee9}.prompt{fill:#ffffff}.fault{fill:#ff8f8f}.hint{fill:#8fd694}";
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\">\n\
         <style>{style}</style>\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"#20242c\"/>\n{text}</svg>\n"
    ))
}

/// How a line of an answer is colored.
fn class(line: &str) -> &'static str {
    let is_code = |word: &str| word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    match line.split_once(": ") {
        Some(("hint", _)) => "hint",
        Some((word, _)) if is_code(word) => "fault",
        _ => "value",
    }
}

fn wrap(line: &str) -> Vec<String> {
    let characters: Vec<char> = line.chars().collect();
    characters.chunks(COLUMNS).map(|chunk| chunk.iter().collect()).collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
