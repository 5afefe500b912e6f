//! One server of the configuration.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pif_domain::{EffectClass, Grant};
use pif_system::variable;
use serde_json::Value;

use super::error::Error;
use super::isolation::{Isolation, isolation};
use super::limits::{Limits, limits, timeout};
use super::oauth::{self, Oauth};
use super::pattern::{Pattern, decide};
use super::reader::Node;
use super::rules::{EFFECTS, by_pattern, grants, located};
use super::secret::{Secret, Template, plain};

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
        /// How its operator logs in.
        oauth: Oauth,
    },
    /// Not at all: why.
    Off(String),
}

impl Manner {
    /// Texts in which secrets may stand, with their names.
    pub(super) fn named(&self) -> &[(String, Template)] {
        match self {
            Self::Process { env: named, .. } | Self::Http { headers: named, .. } => named,
            Self::Off(_) => &[],
        }
    }

    /// The names of the secrets that it needs.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &str> {
        let others = match self {
            Self::Http { url, oauth, .. } => [Some(url), oauth.client_secret.as_ref()],
            Self::Process { .. } | Self::Off(_) => [None, None],
        };
        let others = others.into_iter().flatten();
        self.named().iter().map(|(_, text)| text).chain(others).flat_map(Template::secrets)
    }
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
    /// Whether somebody has to approve it before it is started.
    pub is_unmet: bool,
    /// How long it may have nothing to do before it is stopped.
    pub idle: Duration,
    /// Whether an answer that is not as the tool's schema says has no value.
    pub is_strict: bool,
}

impl Server {
    /// A server that cannot be used as it stands in the file.
    pub(super) fn off(why: String) -> Self {
        Self {
            manner: Manner::Off(why),
            description: String::new(),
            disabled: false,
            grants: Vec::new(),
            effects: Vec::new(),
            limits: Limits::default(),
            is_unmet: false,
            idle: IDLE,
            is_strict: false,
        }
    }

    /// Whether it can be used as it stands in the file.
    #[must_use]
    pub fn is_on(&self) -> bool {
        !self.disabled && !matches!(self.manner, Manner::Off(_))
    }

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
    "oauth",
    "type",
    "disabled",
    "timeout",
    "description",
    "grants",
    "effects",
    "limits",
    "idle",
    "isolate",
    "strict",
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

/// Reads a server. One that cannot be used is off, with a warning.
pub(super) fn read(
    id: &str,
    node: &Node<'_>,
    secrets: &Named,
    directory: &Path,
    warnings: &mut Vec<String>,
) -> Server {
    match read_sound(id, node, secrets, directory, warnings) {
        Ok(server) => server,
        Err(error) => {
            let disabled = node.get("disabled").is_some_and(|it| it.value == true);
            if !disabled {
                warnings.push(format!("{error}: the server is off"));
            }
            Server { disabled, ..Server::off(error.to_string()) }
        }
    }
}

/// Whether a server may have this id.
pub(super) fn is_id(id: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (1..=LONGEST_ID).contains(&id.len()) && id.chars().all(is_letter)
}

/// Reads a server, or says why it cannot be used.
pub(super) fn read_sound(
    id: &str,
    node: &Node<'_>,
    secrets: &Named,
    directory: &Path,
    warnings: &mut Vec<String>,
) -> Result<Server, Error> {
    if !is_id(id) {
        let rule = "the id of a server has 1 to 32 letters, digits, `-` and `_`";
        return Err(node.wrong(rule));
    }
    for (error, is_near) in node.strange(&[MEMBERS, IGNORED].concat())? {
        if is_near {
            return Err(error);
        }
        warnings.push(error.to_string());
    }
    for name in IGNORED.iter().filter(|name| node.get(name).is_some()) {
        let at = &node.at;
        warnings
            .push(format!("{at}/{name} is ignored: write `grants` to say what programs may call"));
    }
    let manner = manner(node, secrets, directory)?;
    let mut limits = node.read("limits", limits)?.unwrap_or_default();
    let timeout = node.read("timeout", timeout)?;
    limits.default_timeout(timeout);
    if let Some(longest) = limits.clamp() {
        let at = &node.at;
        warnings.push(format!("{at}: a call takes {longest:?} at most: longer times become that"));
    }
    Ok(Server {
        manner,
        description: node.read("description", |it| Ok(it.text()?.to_owned()))?.unwrap_or_default(),
        disabled: node.read("disabled", Node::flag)?.unwrap_or(false),
        grants: node.read("grants", grants)?.unwrap_or_default(),
        effects: node
            .read("effects", |it| by_pattern(it, |it| it.word(&EFFECTS)))?
            .unwrap_or_default(),
        limits,
        is_unmet: false,
        idle: node.read("idle", |it| it.time(DAY))?.unwrap_or(IDLE),
        is_strict: node.read("strict", Node::flag)?.unwrap_or(false),
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
        let told =
            "the older transport `sse` cannot be used; most servers have an address for `http` too";
        return Err(node.get("type").map_or_else(|| node.wrong(told), |it| it.wrong(told)));
    }
    let (command, url) = (node.get("command"), node.get("url"));
    match (command, url) {
        (Some(command), None) if kind != Some(Kind::Http) => {
            refuse(node, &["headers", "oauth"], "of a server with a `url`")?;
            process(&command, node, secrets, directory)
        }
        (None, Some(url)) if kind != Some(Kind::Stdio) => {
            refuse(node, &["args", "env", "cwd", "isolate"], "of a server with a `command`")?;
            let (url, headers) = address(&url, node, secrets)?;
            let oauth = node.read("oauth", |it| oauth::read(it, secrets))?.unwrap_or_default();
            Ok(Manner::Http { url, headers, oauth })
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
    let program = home(plain(command, secrets)?);
    let args: Vec<String> = match node.get("args") {
        Some(args) => {
            args.elements()?.iter().map(|it| plain(it, secrets)).collect::<Result<_, _>>()?
        }
        None => Vec::new(),
    };
    // Somebody wrote the whole line of a shell. A path may have blanks in it.
    if let Some((name, rest)) =
        program.split_once(' ').filter(|(name, _)| args.is_empty() && !name.contains('/'))
    {
        let words: Vec<&str> = rest.split_whitespace().collect();
        let (name, words) = (Value::from(name), Value::from(words));
        let told =
            format!("`command` is one program: write \"command\": {name}, \"args\": {words}");
        return Err(command.wrong(told));
    }
    if is_ourselves(&program, &args) {
        return Err(command.wrong("this server is mcp-pif itself, which cannot call itself"));
    }
    let cwd = node.read("cwd", |it| Ok(located(directory, &home(plain(it, secrets)?))))?;
    let variables = node.read("env", |it| templates(it, secrets, is_variable))?;
    let isolation = node.read("isolate", |it| isolation(it, directory, secrets))?;
    Ok(Manner::Process {
        command: program,
        args,
        env: variables.unwrap_or_default(),
        cwd,
        isolation: isolation.unwrap_or(Isolation::None),
    })
}

/// A path in which `~` stands for the home directory, as shells read it.
fn home(path: String) -> String {
    match path.strip_prefix("~/").zip(variable("HOME")) {
        Some((rest, home)) => format!("{home}/{rest}"),
        None => path,
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

/// An address, and the headers that stand beside it.
pub(super) fn address(
    url: &Node<'_>,
    node: &Node<'_>,
    secrets: &Named,
) -> Result<(Template, Vec<(String, Template)>), Error> {
    let address = Template::read(url, secrets)?;
    let written = address.written();
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
    Ok((address, headers))
}
