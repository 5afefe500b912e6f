//! One server of the configuration.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::Error;
use super::pattern::{Pattern, decide};
use super::reader::Node;
use super::rules::{EFFECTS, by_pattern, grants, located};
use super::secret::{Secret, Template};
use crate::domain::{EffectClass, Grant, Limit};

/// How to call one or all tools of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct OfCall {
    timeout: Option<Duration>,
    answer: Option<u64>,
}

/// What one server may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    all: OfCall,
    tools: Vec<(Pattern, OfCall)>,
    /// Calls at the same time.
    pub at_once: usize,
    /// Calls within a minute; none: any number.
    pub per_minute: Option<u64>,
}

impl Default for Limits {
    fn default() -> Self {
        let at_once = Limit::UpstreamCalls.fixed_count();
        Self { all: OfCall::default(), tools: Vec::new(), at_once, per_minute: None }
    }
}

impl Limits {
    /// How long a call of a tool may take.
    #[must_use]
    pub fn timeout(&self, tool: &str) -> Duration {
        let timeout = self.of(tool).timeout.or(self.all.timeout);
        timeout.unwrap_or(Duration::from_nanos(Limit::UpstreamCall.fixed()))
    }

    /// Bytes of an answer of a tool.
    #[must_use]
    pub fn answer(&self, tool: &str) -> usize {
        let answer = self.of(tool).answer.or(self.all.answer);
        answer
            .and_then(|it| usize::try_from(it).ok())
            .unwrap_or(Limit::UpstreamAnswer.fixed_count())
    }

    fn of(&self, tool: &str) -> OfCall {
        let matching = self.tools.iter().filter(|(pattern, _)| pattern.matches(tool));
        let best = matching.max_by_key(|(pattern, _)| pattern.weight());
        best.map(|(_, said)| *said).unwrap_or_default()
    }
}

/// How a server is walled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Isolation {
    /// Not at all.
    None,
    /// It can reach these files only.
    Landlock {
        /// To read, and to execute.
        read: Vec<PathBuf>,
        /// To read and write.
        write: Vec<PathBuf>,
    },
    /// `bwrap` gives it namespaces of its own.
    Bwrap {
        /// To read.
        read: Vec<PathBuf>,
        /// To read and write.
        write: Vec<PathBuf>,
        /// Whether it has a network.
        network: bool,
    },
    /// `docker` gives it a container.
    Docker {
        /// The image.
        image: String,
        /// Whether it has a network.
        network: bool,
    },
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Manner {
    /// A process that speaks on its standard streams.
    Process {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// Its environment.
        env: Vec<(String, Template)>,
        /// Its working directory.
        cwd: Option<PathBuf>,
        /// Its walls.
        isolation: Isolation,
    },
    /// Streamable HTTP.
    Http {
        /// The address.
        url: Template,
        /// Headers of each request.
        headers: Vec<(String, Template)>,
    },
}

/// A server whose tools programs may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// How it is reached.
    pub manner: Manner,
    /// What it is for.
    pub description: String,
    /// Whether it is switched off.
    pub disabled: bool,
    /// What programs may do with its tools.
    pub grants: Vec<(Pattern, Grant)>,
    /// What its tools do, where its own word does not count.
    pub effects: Vec<(Pattern, EffectClass)>,
    /// What it may take.
    pub limits: Limits,
    /// How long it may have nothing to do before it is stopped.
    pub idle: Duration,
}

impl Server {
    /// What the operator says of the effects of a tool.
    #[must_use]
    pub fn effect(&self, tool: &str) -> Option<EffectClass> {
        // Of two equally specific words the worse one counts.
        let reversed = |(pattern, class): &(Pattern, EffectClass)| {
            (pattern.clone(), std::cmp::Reverse(rank(*class)))
        };
        let ranked: Vec<_> = self.effects.iter().map(reversed).collect();
        let worst = decide(&ranked, tool)?.0;
        EFFECTS.iter().map(|(_, class)| *class).find(|class| rank(*class) == worst)
    }
}

fn rank(class: EffectClass) -> u8 {
    match class {
        EffectClass::Read => 0,
        EffectClass::Write => 1,
        EffectClass::Destructive => 2,
    }
}

const MEMBERS: &[&str] = &[
    "command",
    "args",
    "env",
    "cwd",
    "url",
    "headers",
    "type",
    "disabled",
    "timeout",
    "description",
    "grants",
    "effects",
    "limits",
    "idle",
    "isolate",
];

/// What other clients keep here, and what is nothing to us: a client's approvals are not grants.
const IGNORED: &[&str] = &[
    "autoApprove",
    "alwaysAllow",
    "trust",
    "disabledTools",
    "enabledTools",
    "includeTools",
    "excludeTools",
];

/// The longest name of a server.
const LONGEST_ID: usize = 32;

/// How long a server may have nothing to do if nothing is said.
const IDLE: Duration = Duration::from_mins(10);

const DAY: Duration = Duration::from_hours(24);

type Named = BTreeMap<String, Secret>;

pub(super) fn read(
    id: &str,
    node: &Node<'_>,
    secrets: &Named,
    directory: &Path,
    warnings: &mut Vec<String>,
) -> Result<Server, Error> {
    let is_letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if !(1..=LONGEST_ID).contains(&id.len()) || !id.chars().all(is_letter) {
        let rule = "the id of a server has 1 to 32 of the characters a-z, 0-9 and `-`";
        return Err(node.wrong(rule));
    }
    node.only(&[MEMBERS, IGNORED].concat())?;
    for name in IGNORED.iter().filter(|name| node.get(name).is_some()) {
        let at = &node.at;
        warnings
            .push(format!("{at}/{name} is ignored: write `grants` to say what programs may call"));
    }
    let manner = manner(node, secrets, directory)?;
    let mut limits = node.read("limits", limits)?.unwrap_or_default();
    let timeout = node.read("timeout", timeout)?;
    limits.all.timeout = limits.all.timeout.or(timeout);
    Ok(Server {
        manner,
        description: node.read("description", |it| Ok(it.text()?.to_owned()))?.unwrap_or_default(),
        disabled: node.read("disabled", Node::flag)?.unwrap_or(false),
        grants: node.read("grants", grants)?.unwrap_or_default(),
        effects: node
            .read("effects", |it| by_pattern(it, |it| it.word(&EFFECTS)))?
            .unwrap_or_default(),
        limits,
        idle: node.read("idle", |it| it.time(DAY))?.unwrap_or(IDLE),
    })
}

/// What is written under `type`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Stdio,
    Http,
    Sse,
}

const KINDS: [(&str, Kind); 6] = [
    ("stdio", Kind::Stdio),
    ("http", Kind::Http),
    ("streamable-http", Kind::Http),
    ("streamableHttp", Kind::Http),
    ("streamable_http", Kind::Http),
    ("sse", Kind::Sse),
];

fn manner(node: &Node<'_>, secrets: &Named, directory: &Path) -> Result<Manner, Error> {
    let kind = node.read("type", |it| it.word(&KINDS))?;
    if kind == Some(Kind::Sse) {
        let told = "servers with the older transport `sse` cannot be called; most of them have an address for `http` too";
        return Err(node.get("type").map_or_else(|| node.wrong(told), |it| it.wrong(told)));
    }
    let (command, url) = (node.get("command"), node.get("url"));
    match (command, url) {
        (Some(command), None) if kind != Some(Kind::Http) => {
            refuse(node, &["headers"], "of a server with a `url`")?;
            process(&command, node, secrets, directory)
        }
        (None, Some(url)) if kind != Some(Kind::Stdio) => {
            refuse(node, &["args", "env", "cwd", "isolate"], "of a server with a `command`")?;
            http(&url, node, secrets)
        }
        (Some(_), Some(url)) => Err(url.wrong("a server has a `command` or a `url`, not both")),
        (None, None) => Err(node.wrong("write a `command` with `args`, or a `url`")),
        (Some(it), None) | (None, Some(it)) => Err(it.wrong("the `type` says otherwise")),
    }
}

fn refuse(node: &Node<'_>, names: &[&str], whose: &str) -> Result<(), Error> {
    let found = names.iter().find_map(|name| node.get(name).map(|it| (name, it)));
    found.map_or(Ok(()), |(name, it)| Err(it.wrong(format!("`{name}` is a member {whose}"))))
}

fn process(
    command: &Node<'_>,
    node: &Node<'_>,
    secrets: &Named,
    directory: &Path,
) -> Result<Manner, Error> {
    let program = plain(command)?;
    let args = match node.get("args") {
        Some(args) => args.elements()?.iter().map(plain).collect::<Result<_, _>>()?,
        None => Vec::new(),
    };
    if is_ourselves(&program, &args) {
        return Err(command.wrong("this server is mcp-pif itself, which cannot call itself"));
    }
    let cwd = node.read("cwd", |it| Ok(located(directory, &plain(it)?)))?;
    let env = node.read("env", |it| templates(it, secrets, is_variable))?.unwrap_or_default();
    let isolation = node.read("isolate", |it| isolation(it, directory))?.unwrap_or(Isolation::None);
    Ok(Manner::Process { command: program, args, env, cwd, isolation })
}

/// A text that other processes can see, so that no secret may be in it.
fn plain(node: &Node<'_>) -> Result<String, Error> {
    let text = node.text()?;
    match text {
        "" => Err(node.wrong("the text is empty")),
        text if text.contains('\0') => Err(node.wrong("the text has a null character")),
        text if text.contains("${") => Err(node.wrong(
            "`${NAME}` stands for secrets, which other users would see here; put it into `env`, `headers` or `url`",
        )),
        text => Ok(text.to_owned()),
    }
}

/// Whether a command starts this program.
fn is_ourselves(command: &str, args: &[String]) -> bool {
    let own = env::current_exe().and_then(|path| path.canonicalize()).ok();
    let is_own = |word: &str| {
        let path = Path::new(word);
        // A package may have its version behind it, and a folder before it.
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        let name = name.split('@').next().unwrap_or_default();
        let is_file = own.is_some() && path.is_absolute() && path.canonicalize().ok() == own;
        matches!(name, "mcp-pif" | "mcp-pif.exe") || is_file
    };
    // Only what starts other programs has them among its arguments.
    let starter = Path::new(command).file_stem().and_then(OsStr::to_str).unwrap_or_default();
    let starters = [
        "npx", "npm", "pnpm", "bunx", "uvx", "uv", "pipx", "cargo", "docker", "podman", "env",
        "sh", "bash", "nice", "timeout",
    ];
    is_own(command)
        || (starters.contains(&starter)
            && args.iter().flat_map(|arg| arg.split_whitespace()).any(is_own))
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

fn is_header(name: &str) -> bool {
    !name.is_empty()
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.!#$%&'*+^`|~".contains(&b))
}

/// Headers that the protocol sets itself.
const RESERVED: [&str; 8] = [
    "accept",
    "content-type",
    "content-length",
    "host",
    "mcp-session-id",
    "mcp-protocol-version",
    "transfer-encoding",
    "connection",
];

fn templates(
    node: &Node<'_>,
    secrets: &Named,
    is_name: impl Fn(&str) -> bool,
) -> Result<Vec<(String, Template)>, Error> {
    let mut read = Vec::new();
    for (name, member) in node.members()? {
        if !is_name(name) {
            return Err(member.wrong("this name cannot be"));
        }
        read.push((name.to_owned(), Template::read(&member, secrets)?));
    }
    Ok(read)
}

fn http(url: &Node<'_>, node: &Node<'_>, secrets: &Named) -> Result<Manner, Error> {
    let address = Template::read(url, secrets)?;
    let written = url.text()?;
    let rest = written.strip_prefix("https://").or_else(|| written.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or_default();
    if host.is_empty() || host.contains("${") {
        return Err(
            url.wrong("write an address that begins with `https://` or `http://` and a host")
        );
    }
    if host.contains('@') {
        return Err(url.wrong("an address has no user in it; put the token into `headers`"));
    }
    let is_local = ["localhost", "127.0.0.1", "[::1]"].iter().any(|local| {
        host == *local || host.strip_prefix(local).is_some_and(|rest| rest.starts_with(':'))
    });
    if written.starts_with("http://") && !is_local {
        return Err(url.wrong("without `https` only servers on this machine can be called"));
    }
    let headers = node.read("headers", |it| templates(it, secrets, is_header))?.unwrap_or_default();
    let reserved = |name: &str| RESERVED.contains(&name.to_ascii_lowercase().as_str());
    if let Some((name, _)) = headers.iter().find(|(name, _)| reserved(name)) {
        let at = node.get("headers");
        let told = format!("the protocol sets the header `{name}` itself");
        return Err(at.map_or_else(|| node.wrong(&told), |it| it.wrong(&told)));
    }
    Ok(Manner::Http { url: address, headers })
}

/// Other clients write seconds or milliseconds here: a number from 1000 on is taken for the latter.
fn timeout(node: &Node<'_>) -> Result<Duration, Error> {
    let longest = longest_call();
    if node.value.is_string() {
        return node.time(longest);
    }
    let number = node.count(1, 86_400_000)?;
    let time =
        if number < 1_000 { Duration::from_secs(number) } else { Duration::from_millis(number) };
    Ok(time.min(longest))
}

fn longest_call() -> Duration {
    Duration::from_nanos(Limit::UpstreamLongest.fixed())
}

fn limits(node: &Node<'_>) -> Result<Limits, Error> {
    node.only(&["call_timeout", "answer", "at_once", "per_minute", "tools"])?;
    let default = Limits::default();
    let at_once = node.read("at_once", |it| it.count(1, 64))?;
    Ok(Limits {
        all: of_call(node)?,
        tools: node.read("tools", tools)?.unwrap_or_default(),
        at_once: at_once.and_then(|it| usize::try_from(it).ok()).unwrap_or(default.at_once),
        per_minute: node.read("per_minute", |it| it.count(1, 1_000_000))?,
    })
}

fn tools(node: &Node<'_>) -> Result<Vec<(Pattern, OfCall)>, Error> {
    by_pattern(node, |node| {
        node.only(&["call_timeout", "answer"])?;
        of_call(node)
    })
}

fn of_call(node: &Node<'_>) -> Result<OfCall, Error> {
    Ok(OfCall {
        timeout: node.read("call_timeout", |it| it.time(longest_call()))?,
        answer: node.read("answer", |it| it.size(Limit::UpstreamMostAnswer.fixed()))?,
    })
}

fn isolation(node: &Node<'_>, directory: &Path) -> Result<Isolation, Error> {
    if node.value.is_string() {
        return node.word(&[("none", ()), ("bwrap", ())]).map(|()| match node.value.as_str() {
            Some("bwrap") => {
                Isolation::Bwrap { read: Vec::new(), write: Vec::new(), network: false }
            }
            _ => Isolation::None,
        });
    }
    node.only(&["landlock", "bwrap", "docker"])?;
    let members = node.members()?;
    let [(kind, inner)] = members.as_slice() else {
        return Err(node.wrong("write one of `landlock`, `bwrap` and `docker`"));
    };
    let paths = |name: &str| -> Result<Vec<PathBuf>, Error> {
        let paths = inner.read(name, Node::texts)?.unwrap_or_default();
        Ok(paths.iter().map(|path| located(directory, path)).collect())
    };
    let network = |known: &[&str]| -> Result<bool, Error> {
        inner.only(known)?;
        Ok(inner.read("network", Node::flag)?.unwrap_or(false))
    };
    match *kind {
        "landlock" => {
            inner.only(&["read", "write"])?;
            Ok(Isolation::Landlock { read: paths("read")?, write: paths("write")? })
        }
        "bwrap" => {
            let network = network(&["read", "write", "network"])?;
            Ok(Isolation::Bwrap { read: paths("read")?, write: paths("write")?, network })
        }
        _ => {
            let network = network(&["image", "network"])?;
            let image = inner.get("image").ok_or_else(|| inner.wrong("write the `image`"))?;
            Ok(Isolation::Docker { image: plain(&image)?, network })
        }
    }
}
