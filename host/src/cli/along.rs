//! The flag `--memory` of `mcp-pif export` and `mcp-pif import`.

use anyhow::Result;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

use crate::config::parse_size;

/// Whether the memory comes along. Elsewhere `--memory SIZE` is the limit of a run; so it is here
/// where a size is given, before the command or as `--memory=SIZE`.
#[derive(Debug)]
pub(super) struct Along(pub(super) bool);

/// The name of the flag, and of the limit that it hides.
const MEMORY: &str = "memory";

/// What stands for a flag without a size: the default of the limit as nobody else writes it.
const NO_SIZE: &str = "65536KiB";

impl Args for Along {
    fn augment_args(command: Command) -> Command {
        let flag = Arg::new(MEMORY).long(MEMORY).value_name("SIZE").value_parser(parse_size);
        let flag = flag.num_args(0..=1).require_equals(true).default_missing_value(NO_SIZE);
        command.arg(flag.help("Include the memory; with a size, the memory limit of a run"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Along {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let given = matches.get_raw(MEMORY);
        Ok(Self(given.is_some_and(|mut given| given.any(|it| it == NO_SIZE))))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
