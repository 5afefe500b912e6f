//! The values of the limits: a flag and an environment variable for each row of the table.

use std::fmt::Write as _;
use std::thread;
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use pif_domain::quantity::{parse_count, parse_duration, parse_size};
use pif_domain::{Default, Limit, Overrun, Section, Setting, Unit};
use pif_sandbox::{Limits, Net};

use super::error::Error;
use super::profile::Profile;

/// Bytes of JSON that a machine may print. This is far more than a reply shows: it replaces a
/// longer result by its size.
const OUTPUT: u32 = 16 << 20;

/// The value of each limit. Times are in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Values {
    all: [u64; Limit::ALL.len()],
    /// Whether somebody set it.
    given: [bool; Limit::ALL.len()],
}

impl Values {
    /// The value of a limit that counts things or bytes.
    #[must_use]
    pub fn get(&self, limit: Limit) -> u64 {
        self.all.get(limit as usize).copied().unwrap_or_default()
    }

    /// The value of a limit that counts things or bytes, as a `usize`.
    #[must_use]
    pub fn size(&self, limit: Limit) -> usize {
        usize::try_from(self.get(limit)).unwrap_or(usize::MAX)
    }

    /// The value of a limit that is a time.
    #[must_use]
    pub fn time(&self, limit: Limit) -> Duration {
        Duration::from_nanos(self.get(limit))
    }

    /// Whether somebody set it.
    #[must_use]
    pub(super) fn is_given(&self, limit: Limit) -> bool {
        self.given.get(limit as usize).copied().unwrap_or_default()
    }

    /// Makes a time that is shorter as long as this, unless somebody set it.
    pub fn extend(&mut self, limit: Limit, least: Duration) {
        let least = u64::try_from(least.as_nanos()).unwrap_or(u64::MAX);
        let is_given = self.is_given(limit);
        if let Some(time) = self.all.get_mut(limit as usize).filter(|_| !is_given) {
            *time = least.max(*time);
        }
    }

    /// The limits of a run whose call gives none.
    pub(super) fn limits(&self) -> Limits {
        self.of_runs(Limit::Fuel, Limit::Depth, Limit::Memory)
    }

    /// The highest limits that a call may ask for.
    pub(super) fn ceilings(&self) -> Limits {
        self.of_runs(Limit::FuelCeiling, Limit::DepthCeiling, Limit::MemoryCeiling)
    }

    fn of_runs(&self, fuel: Limit, depth: Limit, memory: Limit) -> Limits {
        Limits {
            fuel: self.get(fuel),
            depth: u32::try_from(self.get(depth)).unwrap_or(u32::MAX),
            memory: self.get(memory),
            output: OUTPUT,
        }
    }

    pub(super) fn net(&self) -> Net {
        Net {
            fuel: self.get(Limit::WasmtimeFuel),
            fuel_per_unit: self.get(Limit::WasmtimeFuelPerUnit),
            memory: self.get(Limit::InstanceMemory),
        }
    }
}

/// The limits given on the command line or in the environment.
#[derive(Debug, Clone)]
pub(super) struct Flags([Option<u64>; Limit::ALL.len()]);

impl Args for Flags {
    fn augment_args(command: Command) -> Command {
        let flags = Limit::ALL.iter().filter_map(|limit| argument(*limit));
        flags.fold(command, Command::arg)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut given = [None; Limit::ALL.len()];
        for (limit, given) in Limit::ALL.iter().zip(&mut given) {
            if let Setting::Flag { flag, .. } = limit.row().setting {
                let is_usual = matches.value_source(flag) == Some(ValueSource::DefaultValue);
                *given = matches.get_one::<u64>(flag).copied().filter(|_| !is_usual);
            }
        }
        Ok(Self(given))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The flag of a limit, if it has one.
fn argument(limit: Limit) -> Option<Arg> {
    let row = limit.row();
    let Setting::Flag { flag, default, .. } = row.setting else { return None };
    let argument = Arg::new(flag)
        .long(flag)
        .env(variable(flag))
        .global(true)
        .help_heading(row.section.title());
    let argument = match row.unit {
        Unit::Count => argument.value_name("N").value_parser(parse_count),
        Unit::Size => argument.value_name("SIZE").value_parser(parse_size),
        Unit::Time => argument.value_name("TIME").value_parser(parse_time),
    };
    Some(match default {
        Default::Text(text) => argument.help(row.help).default_value(text),
        Default::Processors | Default::Profile => {
            argument.help(format!("{} [default: {}]", row.help, default.text()))
        }
    })
}

/// The environment variable of a flag.
pub(super) fn variable(flag: &str) -> String {
    format!("MCP_PIF_{}", flag.replace('-', "_").to_uppercase())
}

fn parse_time(text: &str) -> Result<u64, String> {
    let time = parse_duration(text)?;
    u64::try_from(time.as_nanos()).map_err(|_| "write a shorter time".to_owned())
}

impl Flags {
    /// Returns the value of each limit, or an error if one is out of bounds.
    pub(super) fn check(
        &self,
        profile: Profile,
        name: impl Fn(&str) -> String,
    ) -> Result<Values, Error> {
        let given = self.0.map(|it| it.is_some());
        let mut values = Values { all: [0; Limit::ALL.len()], given };
        for (value, (limit, given)) in values.all.iter_mut().zip(Limit::ALL.iter().zip(self.0)) {
            *value = match limit.row().setting {
                Setting::Fixed { value, .. } => value,
                Setting::Flag { default, .. } => {
                    given.unwrap_or_else(|| usual(default, limit.row().unit, profile))
                }
            };
        }
        for limit in Limit::ALL {
            ensure(*limit, &values, &name)?;
        }
        Ok(values)
    }
}

/// The default value of a limit.
fn usual(default: Default, unit: Unit, profile: Profile) -> u64 {
    let read = |text: &str| match unit {
        Unit::Count => parse_count(text),
        Unit::Size => parse_size(text),
        Unit::Time => parse_time(text),
    };
    match default {
        Default::Text(text) => read(text).unwrap_or_default(),
        Default::Processors => thread::available_parallelism()
            .ok()
            .and_then(|count| u64::try_from(count.get()).ok())
            .unwrap_or(1),
        Default::Profile => profile.result(),
    }
}

/// Refuses a value beyond the bounds of its limit, or above its ceiling.
fn ensure(limit: Limit, values: &Values, name: impl Fn(&str) -> String) -> Result<(), Error> {
    let Setting::Flag { flag, least, most, ceiling, .. } = limit.row().setting else {
        return Ok(());
    };
    let value = values.get(limit);
    if let Some(Setting::Flag { flag: above, .. }) = ceiling.map(|ceiling| ceiling.row().setting) {
        let ceiling = ceiling.map(|ceiling| values.get(ceiling)).unwrap_or_default();
        if value > ceiling {
            let reason = format!("{value} is more than {} allows, which is {ceiling}", name(above));
            return Err(Error::of(flag, reason));
        }
    }
    if !(least..=most).contains(&value) {
        let reason = match limit.row().unit {
            Unit::Time if most == u64::MAX => "write a time that is longer than 0".to_owned(),
            Unit::Time => {
                let time = |nanoseconds| format!("{:?}", Duration::from_nanos(nanoseconds));
                format!("{} is not between {} and {}", time(value), time(least), time(most))
            }
            Unit::Count | Unit::Size => format!("{value} is not between {least} and {most}"),
        };
        return Err(Error::of(flag, reason));
    }
    Ok(())
}

/// The page of all limits, in Markdown.
#[must_use]
pub fn limits_page() -> String {
    let mut page = "\
# Limits

A run, a request and the server have limits. You set most of them with a flag or with an environment
variable; a call may ask for more fuel, depth and memory, up to the ceilings. A fault names the limit that
was met in its member `limit`: `{\"name\": \"fuel\", \"used\": 2000000000, \"limit\": 2000000000}`.
`server_info` shows the values in force.

Counts are written `1000`, `10k`, `1.5M` or `1G`; sizes `65536`, `64MiB` or `64MB`; times `500ms`, `2.5s`,
`90` (seconds) or `2min`. An empty variable counts as not set. A flag overrules its variable. A value that
cannot be read or is out of bounds stops the start.
"
    .to_owned();
    for section in Section::ALL {
        let head = "| limit | flag | variable | default | beyond it | meaning |";
        let _ = write!(page, "\n## {}\n\n{head}\n|---|---|---|---|---|---|\n", section.title());
        for limit in Limit::ALL.iter().filter(|limit| limit.row().section == section) {
            page.push_str(&line(*limit));
        }
    }
    page
}

fn line(limit: Limit) -> String {
    let row = limit.row();
    let (flag, variable, default, why) = match row.setting {
        Setting::Flag { flag, default, .. } => {
            (format!("`--{flag}`"), format!("`{}`", variable(flag)), default.text().to_owned(), "")
        }
        Setting::Fixed { value, why } => {
            ("none".to_owned(), "none".to_owned(), limit.shown(value).to_string(), why)
        }
    };
    let why = if why.is_empty() { String::new() } else { format!(". {why}") };
    let beyond = match row.beyond {
        Overrun::Fault(code) => format!("`{code}`"),
        Overrun::Other(text) => text.to_owned(),
    };
    format!("| `{}` | {flag} | {variable} | {default} | {beyond} | {}{why} |\n", row.name, row.help)
}
