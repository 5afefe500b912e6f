//! Every setting of the server: its flag, its environment variable, its default and its bounds. No
//! other module reads the environment. An invalid setting stops the start.

mod capabilities;
mod environment;
mod error;
mod limits;
mod profile;
mod state;
mod traces;
mod value;

use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser};
use directories::ProjectDirs;
use pif_broker::Pipes;
use pif_database::Connector;
use pif_domain::{Limit, Prefix, Toolset};
use pif_sandbox::{Limits, Net};
use pif_store::Place;
use pif_store::journal::Policy;
use pif_system::harden::Paths;

pub use self::error::Error;
pub use self::limits::{Values, limits_page};
pub use self::profile::Profile;
pub use self::state::Journal;
pub use self::traces::Traces;
pub use self::value::directory_parser;

use self::capabilities::Capabilities;
use self::environment::{Environment, read, without_environment};
use self::limits::Flags;
use self::state::State;
use self::traces::TraceSettings;
use self::value::{parse_filter, parse_prefix, parse_toolset};

/// The sets of tools that are on by default.
const DEFAULT_TOOLSETS: &str = "core,state,sessions,capabilities";

/// The default filter of the log.
const DEFAULT_LOG: &str = "warn,rmcp=error";

/// The settings from the command line or the environment, before they are checked.
#[derive(Debug, Clone, Args)]
pub struct Options {
    #[command(flatten)]
    limits: Flags,
    #[command(flatten)]
    service: Service,
    #[command(flatten)]
    state: State,
    #[command(flatten)]
    capabilities: Capabilities,
    #[command(flatten)]
    tracing: TraceSettings,
    #[arg(skip)]
    environment: Environment,
}

/// The settings of the service.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Service")]
struct Service {
    /// How much detail replies have: `slim`, `structured` or `debug`
    #[arg(
        long,
        env = "MCP_PIF_PROFILE",
        value_enum,
        hide_possible_values = true,
        default_value = "structured",
        global = true
    )]
    profile: Profile,
    /// Sets of tools that clients see and can call, with commas between them: `core`, `state`,
    /// `sessions`, `capabilities` (where other servers are configured), `staging`, `analysis`, `debug`
    #[arg(
        long,
        env = "MCP_PIF_TOOLSETS",
        value_name = "SETS",
        value_delimiter = ',',
        value_parser = parse_toolset,
        default_value = DEFAULT_TOOLSETS,
        global = true
    )]
    toolsets: Vec<Toolset>,
    /// Take changes of existing tools only by `stage`, `verify` and `commit`. It switches the set
    /// `staging` on
    #[arg(long, env = "MCP_PIF_REQUIRE_STAGING", global = true)]
    require_staging: bool,
    /// What stands before the names of tools, such as `pif_`, for clients that put nothing before them
    #[arg(long, env = "MCP_PIF_PREFIX", value_name = "PREFIX", value_parser = parse_prefix, global = true)]
    prefix: Option<Prefix>,
    /// Directory for the compiled evaluator [default: the platform's cache directory]
    #[arg(long, env = "MCP_PIF_CACHE", value_name = "DIR", value_parser = directory_parser(), global = true)]
    cache: Option<PathBuf>,
    /// Compile the evaluator at every start
    #[arg(long, env = "MCP_PIF_NO_CACHE", global = true)]
    no_cache: bool,
    /// Disable process hardening. With it the server cannot open other files or sockets, nor start
    /// processes, once it has started (Linux: Landlock and seccomp)
    #[arg(long, env = "MCP_PIF_NO_HARDEN", global = true)]
    no_harden: bool,
    /// Write every evaluation step and each tool lookup to stderr
    #[arg(long, env = "MCP_DEBUG", global = true)]
    debug: bool,
    /// What to log to stderr, as `error`, `warn`, `info`, … or by module
    #[arg(
        long,
        env = "RUST_LOG",
        value_name = "FILTER",
        default_value = DEFAULT_LOG,
        value_parser = parse_filter,
        global = true
    )]
    log: String,
}

/// The checked settings.
#[derive(Debug, Clone)]
pub struct Config {
    /// The value of each limit.
    pub values: Values,
    /// The limits of a run whose call gives none.
    pub limits: Limits,
    /// The highest limits that a call may ask for.
    pub ceilings: Limits,
    /// The ceilings below the language's own limits.
    pub net: Net,
    /// The detail of replies.
    pub profile: Profile,
    /// Whether people want no colors (<https://no-color.org>).
    pub no_color: bool,
    /// Tools that clients can call.
    pub toolsets: Vec<Toolset>,
    /// Whether existing tools are changed by commits of snapshots only.
    pub requires_staging: bool,
    /// What stands before the names of tools.
    pub prefix: Option<Prefix>,
    /// The place that keeps the state.
    pub place: Place,
    /// The database that keeps the state instead, but for keys, pins and caches.
    pub database: Option<Connector>,
    /// The settings of the journal.
    pub journal: Journal,
    /// The file that names the servers whose tools programs may call.
    pub capabilities: Option<PathBuf>,
    /// The pipes of a broker that runs already.
    pub broker: Option<Pipes>,
    /// Where traces go, if they are written to files.
    pub traces: Option<Traces>,
    /// What traces hold of arguments and results.
    pub trace_payloads: Policy,
    /// The directory that keeps compiled code, if any.
    pub cache: Option<PathBuf>,
    /// The paths that the server can reach once it has started. `None` disables hardening.
    pub harden: Option<Paths>,
    /// Whether runs report their steps to stderr.
    pub debug: bool,
    /// The filter of the log.
    pub log: String,
    /// Messages about settings that are ignored.
    pub notes: Vec<String>,
}

/// A command line whose settings may come from the environment.
pub trait CommandLine: Parser {
    /// The settings in the command line.
    fn options(&mut self) -> &mut Options;
}

/// Reads a command line and the environment. You show the error to the user: it names the invalid
/// setting or contains the requested help.
pub fn parse<L: CommandLine>() -> Result<L, clap::Error> {
    let (mut line, environment) = read::<L>()?;
    line.options().environment = environment;
    Ok(line)
}

impl Config {
    /// Returns the settings of a command line with these flags.
    pub fn from_flags(flags: &[&str]) -> anyhow::Result<Self> {
        #[derive(Debug, Parser)]
        struct Line {
            #[command(flatten)]
            options: Options,
        }
        let command = without_environment(Line::command());
        let matches = command.try_get_matches_from(["mcp-pif"].iter().chain(flags))?;
        Ok(Line::from_arg_matches(&matches)?.options.check()?)
    }
}

impl Options {
    /// Replaces the data directory, if one is given.
    #[must_use]
    pub fn in_directory(mut self, directory: Option<&Path>) -> Self {
        if let Some(directory) = directory {
            self.state.directory = Some(directory.to_owned());
        }
        self
    }

    /// Checks each setting and the settings against each other.
    pub fn check(self) -> Result<Config, Error> {
        self.checked().map_err(|Error { name, reason }| {
            let name =
                name.strip_prefix("--").map(|flag| self.environment.name(flag)).unwrap_or(name);
            Error { name, reason }
        })
    }

    fn checked(&self) -> Result<Config, Error> {
        let Self { limits, service, state, capabilities, tracing, .. } = self;
        let place = state.place()?;
        let values = limits.check(service.profile, |flag| self.environment.name(flag))?;
        let traces = tracing.traces(&values);
        let database = state.database(&values)?;
        let mut notes = self.environment.notes.clone();
        if database.is_some() && values.is_given(Limit::JournalSize) {
            let flag = self.environment.name("journal-size");
            notes.push(format!(
                "{flag} has no effect on a database: `mcp-pif store trim` removes the oldest entries"
            ));
        }
        Ok(Config {
            values,
            limits: values.limits(),
            ceilings: values.ceilings(),
            net: values.net(),
            profile: service.profile,
            no_color: std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty()),
            toolsets: service.toolsets(capabilities.file().is_some()),
            requires_staging: service.require_staging,
            prefix: service.prefix.clone(),
            capabilities: capabilities.file(),
            broker: capabilities.pipes(),
            cache: service.cache(),
            harden: (!service.no_harden).then(|| reachable(&place, traces.as_ref())),
            database,
            journal: state.journal(&values),
            traces,
            trace_payloads: tracing.trace_payloads,
            place,
            debug: service.debug,
            log: service.log.clone(),
            notes,
        })
    }
}

impl Service {
    /// The sets that are on: that of other servers only if there are some.
    fn toolsets(&self, has_servers: bool) -> Vec<Toolset> {
        let mut sets = self.toolsets.clone();
        sets.retain(|set| *set != Toolset::Capabilities || has_servers);
        if self.require_staging && !sets.contains(&Toolset::Staging) {
            sets.push(Toolset::Staging);
        }
        sets
    }

    fn cache(&self) -> Option<PathBuf> {
        if self.no_cache {
            return None;
        }
        let platform = || ProjectDirs::from("", "", "mcp-pif").map(|dirs| dirs.cache_dir().into());
        self.cache.clone().or_else(platform)
    }
}

/// The paths that hardening leaves writable: the directories of the state and of the traces.
fn reachable(place: &Place, traces: Option<&Traces>) -> Paths {
    let state = match place {
        Place::Memory => None,
        Place::Directory(directory) => Some(directory.clone()),
    };
    let traces = traces.map(|traces| traces.directory.clone());
    Paths { writable: state.into_iter().chain(traces).collect(), ..Paths::default() }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn check(flags: &[&str]) -> Result<Config, String> {
        Config::from_flags(flags).map_err(|e| e.to_string())
    }

    #[test]
    fn documents_its_defaults() {
        let config = check(&[]).expect("the defaults are valid");
        assert_eq!((config.limits.fuel, config.limits.depth), (2_000_000_000, 1_000_000));
        assert_eq!((config.limits.memory, config.ceilings.memory), (512 << 20, 512 << 20));
        assert_eq!((config.ceilings.fuel, config.ceilings.depth), (10_000_000_000, 4_000_000));
        assert_eq!(config.values.get(Limit::Line), 16 << 20);
        assert_eq!(config.values.get(Limit::Result), 50_000);
        assert_eq!(config.values.time(Limit::WallClock), Duration::from_secs(20));
        assert_eq!(config.net, Net::WIDE);
    }

    #[test]
    fn profiles_have_their_own_caps() {
        for (profile, shown) in [("slim", 20_000), ("structured", 50_000), ("debug", 200_000)] {
            let config = check(&["--profile", profile]).expect("a profile");
            assert_eq!((config.profile.name(), config.values.get(Limit::Result)), (profile, shown));
            let config = check(&["--profile", profile, "--max-result", "7"]).expect("a cap");
            assert_eq!(config.values.get(Limit::Result), 7);
        }
    }

    #[test]
    fn refuses_nonsense_by_the_name_of_the_flag() {
        for (arguments, culprit) in [
            (["--fuel", "lots"], "--fuel"),
            (["--fuel", "20G"], "--fuel-ceiling"),
            (["--memory-ceiling", "2GiB"], "--memory-ceiling"),
            (["--wall-clock", "0s"], "--wall-clock"),
            (["--lease", "1h"], "3600s is not between 100ms and 600s"),
            (["--concurrency", "0"], "--concurrency"),
            (["--max-line", "0"], "--max-line"),
            (["--wasmtime-fuel", "0"], "--wasmtime-fuel"),
            (["--wasmtime-fuel-per-unit", "many"], "--wasmtime-fuel-per-unit"),
            (["--instance-memory", "4GiB"], "--instance-memory"),
            (["--profile", "loud"], "--profile"),
        ] {
            let error = check(&arguments).expect_err("refused");
            assert!(error.contains(culprit), "{arguments:?}: {error}");
        }
    }
}
