//! One server of the configuration.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pif_domain::{EffectClass, Grant};
use pif_system::variable;
use serde::Deserialize;
use serde_json::Value;

use super::address::{address, headers};
use super::error::Error;
use super::isolation::Isolation;
use super::limits::Limits;
use super::oauth::{self, Oauth};
use super::pattern::{Pattern, decide};
use super::reader::{Object, Place, find};
use super::secret::{Template, plain, templates};
use super::values::{ByPattern, time, timeout};

/// How a server is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
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

impl Transport {
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
    pub manner: Transport,
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
            manner: Transport::Off(why),
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
        !self.disabled && !matches!(self.manner, Transport::Off(_))
    }

    /// What the operator says of the effects of a tool.
    #[must_use]
    pub fn effect(&self, tool: &str) -> Option<EffectClass> {
        // Of two equally specific words the worse one counts, which comes last among the classes.
        let reversed = |(pattern, class): &(Pattern, EffectClass)| {
            (pattern.clone(), std::cmp::Reverse(*class as u8))
        };
        let ranked: Vec<_> = self.effects.iter().map(reversed).collect();
        let worst = decide(&ranked, tool)?.0;
        self.effects.iter().map(|(_, class)| *class).find(|class| *class as u8 == worst)
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

/// A server as the file writes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawServer {
    command: Option<String>,
    args: Option<Vec<String>>,
    env: Option<BTreeMap<String, String>>,
    cwd: Option<String>,
    url: Option<String>,
    headers: Option<BTreeMap<String, String>>,
    oauth: Option<oauth::RawLogin>,
    #[serde(rename = "type")]
    kind: Option<Kind>,
    disabled: Option<bool>,
    #[serde(default, deserialize_with = "timeout")]
    timeout: Option<Duration>,
    description: Option<String>,
    grants: Option<ByPattern<Grant>>,
    effects: Option<ByPattern<EffectClass>>,
    limits: Option<Limits>,
    #[serde(default, deserialize_with = "time")]
    idle: Option<Duration>,
    isolate: Option<Isolation>,
    strict: Option<bool>,
}

/// What is written under `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Stdio,
    #[serde(alias = "streamable-http", alias = "streamableHttp", alias = "streamable_http")]
    Http,
    Sse,
}

/// Reads a server. One that cannot be used is off, with a warning.
pub(super) fn read(
    id: &str,
    value: &Value,
    place: &Place<'_>,
    warnings: &mut Vec<String>,
) -> Server {
    match read_sound(id, value, place, warnings) {
        Ok(server) => server,
        Err(error) => {
            let disabled = value.get("disabled").is_some_and(|it| *it == true);
            if !disabled {
                warnings.push(format!("{error}: the server is off"));
            }
            Server { disabled, ..Server::off(error.to_string()) }
        }
    }
}

/// The id of what programs can call of this server itself.
pub(super) const OWN: &str = "pif";

/// Whether a server may have this id.
pub(super) fn is_id(id: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    (1..=LONGEST_ID).contains(&id.len()) && id.chars().all(is_letter)
}

/// Reads a server, or says why it cannot be used.
pub(super) fn read_sound(
    id: &str,
    value: &Value,
    place: &Place<'_>,
    warnings: &mut Vec<String>,
) -> Result<Server, Error> {
    if id == OWN {
        return Err(place.wrong("`pif` is the server's own: give the server another id"));
    }
    if !is_id(id) {
        return Err(place.wrong("the id of a server has 1 to 32 letters, digits, `-` and `_`"));
    }
    let written = known(value, place, warnings)?;
    let manner = written.manner(place)?;
    let mut limits = written.limits.unwrap_or_default();
    limits.default_timeout(written.timeout);
    if let Some(longest) = limits.clamp() {
        warnings
            .push(format!("{place}: a call takes {longest:?} at most: longer times become that"));
    }
    Ok(Server {
        manner,
        description: written.description.unwrap_or_default(),
        disabled: written.disabled.unwrap_or(false),
        grants: written.grants.unwrap_or_default().0,
        effects: written.effects.unwrap_or_default().0,
        limits,
        is_unmet: false,
        idle: written.idle.unwrap_or(IDLE),
        is_strict: written.strict.unwrap_or(false),
    })
}

/// Reads the members that are known. Others are ignored with a warning, unless they look misspelt.
fn known(value: &Value, place: &Place<'_>, warnings: &mut Vec<String>) -> Result<RawServer, Error> {
    let mut members: Object = place.read(value)?;
    for (error, is_near) in place.unknown(&members, &[MEMBERS, IGNORED].concat()) {
        if is_near {
            return Err(error);
        }
        warnings.push(error.to_string());
    }
    for name in IGNORED.iter().filter(|name| find(&members, name).is_some()) {
        warnings.push(format!(
            "{place}/{name} is ignored: write `grants` to say what programs may call"
        ));
    }
    members.retain(|name, _| MEMBERS.contains(&name.as_str()));
    place.read(&Value::Object(members))
}

impl RawServer {
    fn manner(&self, place: &Place<'_>) -> Result<Transport, Error> {
        let of_url = [("headers", self.headers.is_some()), ("oauth", self.oauth.is_some())];
        let of_command = [
            ("args", self.args.is_some()),
            ("env", self.env.is_some()),
            ("cwd", self.cwd.is_some()),
            ("isolate", self.isolate.is_some()),
        ];
        if self.kind == Some(Kind::Sse) {
            let message = "the older transport `sse` cannot be used; most servers have an address for `http` too";
            return Err(place.member("type").wrong(message));
        }
        match (&self.command, &self.url) {
            (Some(command), None) if self.kind != Some(Kind::Http) => {
                refuse(&of_url, place, "of a server with a `url`")?;
                self.process(command, place)
            }
            (None, Some(url)) if self.kind != Some(Kind::Stdio) => {
                refuse(&of_command, place, "of a server with a `command`")?;
                let none = BTreeMap::new();
                let named = self.headers.as_ref().unwrap_or(&none);
                let oauth = self.oauth.clone().unwrap_or_default();
                Ok(Transport::Http {
                    url: address(url, &place.member("url"))?,
                    headers: headers(named, &place.member("headers"))?,
                    oauth: oauth.resolve(&place.member("oauth"))?,
                })
            }
            (Some(_), Some(_)) => {
                Err(place.member("url").wrong("a server has a `command` or a `url`, not both"))
            }
            (None, None) => Err(place.wrong("write a `command` with `args`, or a `url`")),
            (Some(_), None) => Err(place.member("command").wrong("`type` contradicts `command`")),
            (None, Some(_)) => Err(place.member("url").wrong("`type` contradicts `url`")),
        }
    }

    fn process(&self, command: &str, place: &Place<'_>) -> Result<Transport, Error> {
        let here = place.member("command");
        let program = home(plain(command, &here)?);
        let args = self.args.iter().flatten().enumerate();
        let args: Vec<String> = args
            .map(|(index, arg)| plain(arg, &place.member("args").member(index)))
            .collect::<Result<_, _>>()?;
        // Somebody wrote the whole line of a shell. A path may have blanks in it.
        if let Some((name, rest)) =
            program.split_once(' ').filter(|(name, _)| args.is_empty() && !name.contains('/'))
        {
            let words: Vec<&str> = rest.split_whitespace().collect();
            let name = Value::from(name);
            let words = Value::from(words);
            let message =
                format!("`command` is one program: write \"command\": {name}, \"args\": {words}");
            return Err(here.wrong(message));
        }
        if is_ourselves(&program, &args) {
            return Err(here.wrong("this server is mcp-pif itself, which cannot call itself"));
        }
        let cwd = self.cwd.as_ref().map(|it| plain(it, &place.member("cwd"))).transpose()?;
        let isolate = self.isolate.clone().unwrap_or(Isolation::None);
        Ok(Transport::Process {
            command: program,
            args,
            env: templates(self.env.iter().flatten(), &place.member("env"), is_variable)?,
            cwd: cwd.map(|it| place.directory.join(home(it))),
            isolation: isolate.resolve(&place.member("isolate"))?,
        })
    }
}

/// Refuses members that are there and belong to a server of another kind.
fn refuse(members: &[(&str, bool)], place: &Place<'_>, whose: &str) -> Result<(), Error> {
    match members.iter().find(|(_, is_there)| *is_there) {
        Some((name, _)) => Err(place.member(name).wrong(format!("`{name}` is a member {whose}"))),
        None => Ok(()),
    }
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
