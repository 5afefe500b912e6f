//! Settings from the environment. Each variable becomes a flag in front of those of the command
//! line and is read like a flag. Errors name the variable.

use std::env;
use std::ffi::{OsStr, OsString};

use clap::builder::Resettable;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, Error, Parser};
use pif_domain::quantity::expanded;

/// The settings that the environment gives.
#[derive(Debug, Clone, Default)]
pub(super) struct Environment {
    /// Flags without their dashes, and the variables that they came from.
    names: Vec<(String, String)>,
    /// Variables that could not be read and are ignored, with reasons.
    pub(super) notes: Vec<String>,
}

impl Environment {
    /// The name under which the user gave a setting: the variable or the flag.
    pub(super) fn name(&self, flag: &str) -> String {
        let found = self.names.iter().find(|(name, _)| name == flag);
        found.map_or_else(|| format!("--{flag}"), |(_, variable)| variable.clone())
    }
}

/// Reads a command line and the environment. You show the error to the user: it names the invalid
/// setting or contains the requested help.
pub(super) fn read<L: Parser>() -> Result<(L, Environment), Error> {
    let mut words: Vec<OsString> = env::args_os().collect();
    let command = L::command();
    let alone = without_environment(L::command());
    let given = match alone.clone().try_get_matches_from(&words) {
        Ok(given) => given,
        // Help texts name the variables.
        Err(error) if !error.use_stderr() => {
            return L::try_parse_from(words).map(|line| (line, Environment::default()));
        }
        Err(error) => return Err(error),
    };
    let mut environment = Environment::default();
    let mut flags = Vec::new();
    for setting in command.get_arguments() {
        flags.extend(environment.flag(setting, &given, &alone)?);
    }
    let place = 1.min(words.len());
    words.splice(place..place, flags);
    let matches = alone.clone().try_get_matches_from(words)?;
    let line = L::from_arg_matches(&matches).map_err(|error| error.format(&mut alone.clone()))?;
    Ok((line, environment))
}

/// Returns the command without its environment variables.
pub(super) fn without_environment(command: Command) -> Command {
    command.mut_args(|setting| setting.env(Resettable::Reset))
}

impl Environment {
    /// The flag that a variable stands for. Returns `None` if the variable is unset or empty, or if
    /// the command line has the flag.
    fn flag(
        &mut self,
        setting: &Arg,
        given: &ArgMatches,
        alone: &Command,
    ) -> Result<Option<OsString>, Error> {
        let Some((variable, flag)) = setting.get_env().zip(setting.get_long()) else {
            return Ok(None);
        };
        let is_said =
            given.value_source(setting.get_id().as_str()) == Some(ValueSource::CommandLine);
        let Some(value) = env::var_os(variable).filter(|value| !is_said && !value.is_empty())
        else {
            return Ok(None);
        };
        let read = word(setting, flag, &value).and_then(|word| {
            let Some(word) = word else { return Ok(None) };
            let line = [OsStr::new("mcp-pif"), &word];
            alone.clone().try_get_matches_from(line).map_err(|error| reason(&error))?;
            Ok(Some(word))
        });
        let variable = variable.to_string_lossy();
        self.names.push((flag.to_owned(), variable.clone().into_owned()));
        match read {
            Err(reason) if setting.get_id() == "log" => {
                let value = value.to_string_lossy();
                self.notes.push(format!("{variable} is `{value}`, which is ignored: {reason}"));
                Ok(None)
            }
            read => read.map_err(|reason| {
                let message = format!("{variable} is `{}`: {reason}", value.to_string_lossy());
                alone.clone().error(ErrorKind::InvalidValue, message)
            }),
        }
    }
}

/// The flag as one word of a command line. Returns `None` for a switch that is off.
fn word(setting: &Arg, flag: &str, value: &OsStr) -> Result<Option<OsString>, String> {
    let mut word = OsString::from(format!("--{flag}"));
    if !matches!(setting.get_action(), ArgAction::SetTrue) {
        word.push("=");
        word.push(value);
        return Ok(Some(word));
    }
    match value.to_string_lossy().trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "y" | "t" | "1" => Ok(Some(word)),
        "false" | "no" | "off" | "n" | "f" | "0" => Ok(None),
        text => {
            expanded(text)?;
            Err("write true or false".to_owned())
        }
    }
}

/// The reason why a value is invalid, without the name of a flag that the user did not write.
fn reason(error: &Error) -> String {
    if let Some(source) = std::error::Error::source(error) {
        return source.to_string();
    }
    match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(known)) => format!("write one of {}", known.join(", ")),
        _ => "it cannot be read".to_owned(),
    }
}
