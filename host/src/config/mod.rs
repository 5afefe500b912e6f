//! Every setting of the server: its flag, its environment variable, its default and what it may
//! be. No other module reads the environment. Nonsense stops the start.

mod environment;
mod profile;
mod state;
mod value;

use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser};
use directories::ProjectDirs;

use crate::harden::Paths;
use crate::quantity::{parse_count, parse_duration, parse_size};
use crate::sandbox::{Limits, MEMORY_CAP, Net};
use crate::state::Place;

pub(crate) use self::environment::expanded;
pub use self::environment::{CommandLine, parse};
pub use self::profile::Profile;
pub use self::state::Journal;
pub(crate) use self::value::directory_parser;

use self::environment::{Environment, without_environment};
use self::state::State;
use self::value::parse_filter;

/// The least memory a machine can start in.
const LEAST_MEMORY: u64 = 1 << 20;

/// The most memory a run may be allowed: the evaluator needs twice that, and room for its input.
const MOST_MEMORY: u64 = 512 << 20;

/// The deepest recursion that may be allowed.
const MOST_DEPTH: u64 = 100_000_000;

/// The most wasmtime fuel: beyond it numbers of wasmtime's overflow.
const MOST_FUEL: u64 = 1 << 62;

/// The least memory that an instance of the evaluator starts in.
const LEAST_INSTANCE: u64 = 4 << 20;

/// The longest text that may be accepted: the component addresses 32 bits, several times over.
const MOST_TEXT: u64 = 256 << 20;

/// Bytes of JSON that a machine may print. This is far more than is ever shown, so that a result
/// which is too long to show is told by its size and not by a fault.
const OUTPUT: u32 = 16 << 20;

/// What is logged if nothing is said.
const DEFAULT_LOG: &str = "warn,rmcp=error";

/// The most characters of a result that may be shown.
const MOST_RESULT: u64 = 2_000_000;

/// The settings as given on the command line or in the environment.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits of a run")]
pub struct Options {
    /// Fuel of a run, a unit for each evaluated node of the calculus, more where a form does more
    #[arg(long, env = "MCP_PIF_FUEL", value_name = "N", default_value = "100M", value_parser = parse_count, global = true)]
    fuel: u64,
    /// The most fuel that a call may ask for
    #[arg(long, env = "MCP_PIF_FUEL_CEILING", value_name = "N", default_value = "1G", value_parser = parse_count, global = true)]
    fuel_ceiling: u64,
    /// Pending evaluations of a run
    #[arg(long, env = "MCP_PIF_DEPTH", value_name = "N", default_value = "1M", value_parser = parse_count, global = true)]
    depth: u64,
    /// The greatest depth that a call may ask for
    #[arg(long, env = "MCP_PIF_DEPTH_CEILING", value_name = "N", default_value = "4M", value_parser = parse_count, global = true)]
    depth_ceiling: u64,
    /// Memory of a run
    #[arg(long, env = "MCP_PIF_MEMORY", value_name = "SIZE", default_value = "64MiB", value_parser = parse_size, global = true)]
    memory: u64,
    /// The most memory that a call may ask for, 512MiB at most
    #[arg(long, env = "MCP_PIF_MEMORY_CEILING", value_name = "SIZE", default_value = "512MiB", value_parser = parse_size, global = true)]
    memory_ceiling: u64,
    /// Wall clock of a run, shared by all steps it drives
    #[arg(long, env = "MCP_PIF_WALL_CLOCK", value_name = "TIME", default_value = "5s", value_parser = parse_duration, global = true)]
    wall_clock: Duration,
    /// Characters of a result; a longer one is reported, not shown [default: 20k, 50k or 200k, by profile]
    #[arg(long, env = "MCP_PIF_MAX_RESULT", value_name = "N", value_parser = parse_count, global = true)]
    max_result: Option<u64>,

    #[command(flatten)]
    mesh: Mesh,
    #[command(flatten)]
    intake: Intake,
    #[command(flatten)]
    service: Service,
    #[command(flatten)]
    state: State,
    #[arg(skip)]
    environment: Environment,
}

/// What stops an evaluator that does not keep to the limits of its runs.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "The net below the limits of a run")]
struct Mesh {
    /// Wasm instructions that any call into the evaluator may spend. On top come 64 for each byte of
    /// `--memory`, and 20,000 for each byte of text that it reads
    #[arg(id = "wasmtime-fuel", long, env = "MCP_PIF_WASMTIME_FUEL", value_name = "N", default_value = "10G", value_parser = parse_count, global = true)]
    fuel: u64,
    /// Wasm instructions on top for each unit of a run's fuel
    #[arg(id = "wasmtime-fuel-per-unit", long, env = "MCP_PIF_WASMTIME_FUEL_PER_UNIT", value_name = "N", default_value = "5000", value_parser = parse_count, global = true)]
    fuel_per_unit: u64,
    /// The most memory that an instance of the evaluator gets
    #[arg(id = "instance-memory", long, env = "MCP_PIF_INSTANCE_MEMORY", value_name = "SIZE", default_value = "1280MiB", value_parser = parse_size, global = true)]
    memory: u64,
}

/// What is accepted at all.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Limits of requests")]
struct Intake {
    /// Length of a request line
    #[arg(id = "max-line", long, env = "MCP_PIF_MAX_LINE", value_name = "SIZE", default_value = "16MiB", value_parser = parse_size, global = true)]
    line: u64,
    /// Length of a term
    #[arg(id = "max-code", long, env = "MCP_PIF_MAX_CODE", value_name = "SIZE", default_value = "4MiB", value_parser = parse_size, global = true)]
    code: u64,
    /// Length of input, data and context together
    #[arg(id = "max-data", long, env = "MCP_PIF_MAX_DATA", value_name = "SIZE", default_value = "8MiB", value_parser = parse_size, global = true)]
    data: u64,
    /// Levels of nesting in the arguments of a call
    #[arg(id = "max-nesting", long, env = "MCP_PIF_MAX_NESTING", value_name = "N", default_value = "1000", value_parser = parse_count, global = true)]
    nesting: u64,
}

/// How requests are served.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Service")]
struct Service {
    /// Runs at once [default: the number of processors]
    #[arg(long, env = "MCP_PIF_CONCURRENCY", value_name = "N", value_parser = parse_count, global = true)]
    concurrency: Option<u64>,
    /// Requests that may wait before the server stops reading
    #[arg(long, env = "MCP_PIF_QUEUE", value_name = "N", default_value = "256", value_parser = parse_count, global = true)]
    queue: u64,
    /// How long a run may wait for its turn before it is refused as `busy`, and how long for
    /// another process that is writing to the store
    #[arg(long, env = "MCP_PIF_PATIENCE", value_name = "TIME", default_value = "10s", value_parser = parse_duration, global = true)]
    patience: Duration,
    /// How much replies tell: `slim`, `structured` or `debug`
    #[arg(
        long,
        env = "MCP_PIF_PROFILE",
        value_enum,
        hide_possible_values = true,
        default_value = "structured",
        global = true
    )]
    profile: Profile,
    /// Evolved tools shown in tools/list; all can be called
    #[arg(long, env = "MCP_PIF_LISTED", value_name = "N", default_value = "64", value_parser = parse_count, global = true)]
    listed: u64,
    /// Where the compiled evaluator is kept between starts [default: the platform's cache]
    #[arg(long, env = "MCP_PIF_CACHE", value_name = "DIR", value_parser = directory_parser(), global = true)]
    cache: Option<PathBuf>,
    /// Compile the evaluator at every start and keep nothing
    #[arg(long, env = "MCP_PIF_NO_CACHE", global = true)]
    no_cache: bool,
    /// Keep the leave to open files and sockets and to start processes, which the server gives up
    /// once it has started, where Linux lets it (Landlock and seccomp)
    #[arg(long, env = "MCP_PIF_NO_HARDEN", global = true)]
    no_harden: bool,
    /// Write every evaluation step, environment and closure, and each tool looked up, to stderr
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

/// The settings, checked.
#[derive(Debug, Clone)]
pub struct Config {
    /// What a run gets when its call says nothing.
    pub limits: Limits,
    /// What a call may ask for.
    pub ceilings: Limits,
    /// Wall clock of a run.
    pub wall_clock: Duration,
    /// The net below the limits.
    pub net: Net,
    /// How much replies tell.
    pub profile: Profile,
    /// Characters of a result that is shown.
    pub max_result: usize,
    /// Bytes of a request line.
    pub max_line: usize,
    /// Bytes of a term.
    pub max_code: usize,
    /// Bytes of input, data and context together.
    pub max_data: usize,
    /// Levels of nesting in arguments.
    pub max_nesting: usize,
    /// Runs at once.
    pub concurrency: usize,
    /// Requests that may wait.
    pub queue: usize,
    /// How long one may wait.
    pub patience: Duration,
    /// Evolved tools in tools/list.
    pub listed: usize,
    /// Where state is kept.
    pub place: Place,
    /// How the journal is kept.
    pub journal: Journal,
    /// Where compiled code is kept.
    pub cache: Option<PathBuf>,
    /// What the server can reach of the file system once it has started; None: all of it.
    pub harden: Option<Paths>,
    /// Whether runs report their steps to stderr.
    pub debug: bool,
    /// What is logged.
    pub log: String,
    /// What was set and is passed over.
    pub notes: Vec<String>,
}

/// A setting that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {reason}")]
pub struct Error {
    /// The flag or the variable.
    name: String,
    reason: String,
}

impl Error {
    fn of(flag: &str, reason: String) -> Self {
        Self { name: format!("--{flag}"), reason }
    }
}

impl Config {
    /// The settings of a command line that consists of these flags.
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
    /// The same settings with another data directory, if one is given.
    #[must_use]
    pub fn in_directory(mut self, directory: Option<&Path>) -> Self {
        if let Some(directory) = directory {
            self.state.directory = Some(directory.to_owned());
        }
        self
    }

    /// Checks the settings one by one and against each other.
    pub fn check(self) -> Result<Config, Error> {
        self.checked().map_err(|Error { name, reason }| {
            let name =
                name.strip_prefix("--").map(|flag| self.environment.name(flag)).unwrap_or(name);
            Error { name, reason }
        })
    }

    fn checked(&self) -> Result<Config, Error> {
        let Self { intake, service, mesh, state, .. } = self;
        let place = state.place()?;
        let limits = self.limits()?;
        let max_result = self.max_result.unwrap_or(service.profile.result());
        Ok(Config {
            limits,
            ceilings: self.ceilings(limits)?,
            wall_clock: positive("wall-clock", self.wall_clock)?,
            net: mesh.net()?,
            profile: service.profile,
            max_result: bounded("max-result", max_result, 1, MOST_RESULT)?,
            max_line: length("max-line", intake.line)?,
            max_code: length("max-code", intake.code)?,
            max_data: length("max-data", intake.data)?,
            max_nesting: bounded("max-nesting", intake.nesting, 1, 1_000_000)?,
            concurrency: service.concurrency()?,
            queue: bounded("queue", service.queue, 1, 100_000)?,
            patience: positive("patience", service.patience)?,
            listed: bounded("listed", service.listed, 0, 10_000)?,
            cache: service.cache(),
            harden: (!service.no_harden).then(|| reachable(&place)),
            journal: state.journal()?,
            place,
            debug: service.debug,
            log: service.log.clone(),
            notes: self.environment.notes.clone(),
        })
    }

    fn limits(&self) -> Result<Limits, Error> {
        self.ordered("fuel", self.fuel, "fuel-ceiling", self.fuel_ceiling)?;
        self.ordered("depth", self.depth, "depth-ceiling", self.depth_ceiling)?;
        self.ordered("memory", self.memory, "memory-ceiling", self.memory_ceiling)?;
        Ok(Limits {
            fuel: bounded("fuel", self.fuel, 1, u64::MAX)?,
            depth: bounded("depth", self.depth, 1, MOST_DEPTH)?,
            memory: bounded("memory", self.memory, LEAST_MEMORY, MOST_MEMORY)?,
            output: OUTPUT,
        })
    }

    fn ceilings(&self, limits: Limits) -> Result<Limits, Error> {
        Ok(Limits {
            fuel: self.fuel_ceiling,
            depth: bounded("depth-ceiling", self.depth_ceiling, 1, MOST_DEPTH)?,
            memory: bounded("memory-ceiling", self.memory_ceiling, LEAST_MEMORY, MOST_MEMORY)?,
            ..limits
        })
    }
}

impl Options {
    fn ordered(&self, flag: &str, value: u64, above: &str, ceiling: u64) -> Result<(), Error> {
        if value <= ceiling {
            return Ok(());
        }
        let above = self.environment.name(above);
        Err(Error::of(flag, format!("{value} is more than {above} allows, which is {ceiling}")))
    }
}

impl Mesh {
    fn net(&self) -> Result<Net, Error> {
        Ok(Net {
            fuel: bounded("wasmtime-fuel", self.fuel, 1, MOST_FUEL)?,
            fuel_per_unit: bounded("wasmtime-fuel-per-unit", self.fuel_per_unit, 0, MOST_FUEL)?,
            memory: bounded("instance-memory", self.memory, LEAST_INSTANCE, MEMORY_CAP)?,
        })
    }
}

impl Service {
    fn concurrency(&self) -> Result<usize, Error> {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        match self.concurrency {
            None => Ok(processors),
            Some(asked) => bounded("concurrency", asked, 1, 1_000),
        }
    }

    fn cache(&self) -> Option<PathBuf> {
        if self.no_cache {
            return None;
        }
        let platform = || ProjectDirs::from("", "", "mcp-pif").map(|dirs| dirs.cache_dir().into());
        self.cache.clone().or_else(platform)
    }
}

/// What has to stay within reach: the directory that state is kept in.
fn reachable(place: &Place) -> Paths {
    match place {
        Place::Memory => Paths::default(),
        Place::Directory(directory) => Paths { writable: vec![directory.clone()] },
    }
}

fn bounded<T: TryFrom<u64>>(flag: &str, value: u64, least: u64, most: u64) -> Result<T, Error> {
    let reason = || format!("{value} is not between {least} and {most}");
    let fits = (least..=most).contains(&value).then(|| T::try_from(value).ok()).flatten();
    fits.ok_or_else(|| Error::of(flag, reason()))
}

fn length(flag: &str, value: u64) -> Result<usize, Error> {
    bounded(flag, value, 1, MOST_TEXT)
}

fn positive(flag: &str, value: Duration) -> Result<Duration, Error> {
    if value.is_zero() {
        return Err(Error::of(flag, "no time at all lets nothing run".to_owned()));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(flags: &[&str]) -> Result<Config, String> {
        Config::from_flags(flags).map_err(|e| e.to_string())
    }

    #[test]
    fn documents_its_defaults() {
        let config = check(&[]).expect("the defaults are valid");
        assert_eq!((config.limits.fuel, config.limits.depth), (100_000_000, 1_000_000));
        assert_eq!((config.limits.memory, config.ceilings.memory), (64 << 20, 512 << 20));
        assert_eq!((config.ceilings.fuel, config.ceilings.depth), (1_000_000_000, 4_000_000));
        assert_eq!((config.max_line, config.max_result), (16 << 20, 50_000));
        assert_eq!(config.wall_clock, Duration::from_secs(5));
        assert_eq!(config.net, Net::WIDE);
    }

    #[test]
    fn profiles_have_their_own_caps() {
        for (profile, shown) in [("slim", 20_000), ("structured", 50_000), ("debug", 200_000)] {
            let config = check(&["--profile", profile]).expect("a profile");
            assert_eq!((config.profile.name(), config.max_result), (profile, shown));
            let config = check(&["--profile", profile, "--max-result", "7"]).expect("a cap");
            assert_eq!(config.max_result, 7);
        }
    }

    #[test]
    fn refuses_nonsense_by_the_name_of_the_flag() {
        for (arguments, culprit) in [
            (["--fuel", "lots"], "--fuel"),
            (["--fuel", "2G"], "--fuel-ceiling"),
            (["--memory-ceiling", "2GiB"], "--memory-ceiling"),
            (["--wall-clock", "0s"], "--wall-clock"),
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
