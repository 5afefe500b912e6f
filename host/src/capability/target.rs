//! A server of the configuration, for who logs in or out.

use anyhow::{Context as _, Result};
use pif_broker::Target;
use pif_server::config::Config;

/// What is told where there is no configuration.
pub(super) const NO_FILE: &str =
    "no servers are configured: write capabilities.json, or name it by --capabilities FILE";

/// Finds a server by its id.
pub(super) fn target(config: &Config, name: &str) -> Result<Target> {
    let file = config.capabilities.as_ref().context(NO_FILE)?;
    let state = config.place.file().and_then(|file| Some(file.parent()?.to_owned()));
    Ok(Target::find(file, state, name)?)
}
