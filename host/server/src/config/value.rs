//! Parsers for the values of settings: directories, sets of tools, and log filters.

use std::ffi::OsString;
use std::path::{Component, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};
use directories::BaseDirs;
use pif_domain::quantity::expanded;
use pif_domain::{Prefix, Toolset};
use tracing_subscriber::EnvFilter;

/// Parses the path of a directory. Replaces `~` or `$HOME` at its beginning by the home directory,
/// because most clients start the server without a shell.
pub fn directory_parser() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().try_map(parse_directory)
}

fn parse_directory(name: OsString) -> Result<PathBuf, String> {
    let path = PathBuf::from(name);
    expanded(&path.to_string_lossy())?;
    let mut parts = path.components();
    match parts.next() {
        None => Err("the name of the directory is empty".to_owned()),
        Some(Component::Normal(first)) if first == "~" || first == "$HOME" => {
            let directories = BaseDirs::new().ok_or("there is no home directory: write it out")?;
            Ok(directories.home_dir().join(parts))
        }
        Some(_) => Ok(path),
    }
}

/// Takes the address of a database as it is written: it may hold a password, so no message of ours repeats
/// it. A placeholder that a client has left there is no address.
pub(super) fn parse_store(address: &str) -> Result<String, String> {
    if !address.contains("://") {
        expanded(address)?;
    }
    Ok(address.to_owned())
}

/// Parses the name of a set of tools.
pub(super) fn parse_toolset(name: &str) -> Result<Toolset, String> {
    expanded(name)?;
    Toolset::find(name.trim()).ok_or_else(|| {
        let names = Toolset::ALL.map(Toolset::name).join("`, `");
        format!("there is no set of tools `{name}`; the sets are `{names}`")
    })
}

/// Parses what stands before the names of tools.
pub(super) fn parse_prefix(text: &str) -> Result<Prefix, String> {
    expanded(text)?;
    Prefix::parse(text)
}

/// Checks that a text is a valid log filter.
pub(super) fn parse_filter(text: &str) -> Result<String, String> {
    expanded(text)?;
    match EnvFilter::try_new(text) {
        Ok(_) => Ok(text.to_owned()),
        Err(error) => {
            Err(format!("{error}; write a level, or modules with levels: `warn,rmcp=error`"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_directory_stands_only_at_the_beginning() {
        let read = |name: &str| parse_directory(name.into());
        let home = BaseDirs::new().expect("a home directory").home_dir().to_owned();
        assert_eq!(read("~"), Ok(home.clone()));
        assert_eq!(read("~/a/~"), Ok(home.join("a/~")));
        assert_eq!(read("$HOME/a"), Ok(home.join("a")));
        for name in ["~other/a", "a/~", "./~", "$HOMES", "/$HOME"] {
            assert_eq!(read(name), Ok(name.into()));
        }
        assert!(read("").is_err() && read("${HOME}/a").is_err());
    }
}
