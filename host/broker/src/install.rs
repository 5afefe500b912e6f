//! Servers that a model has installed, as far as the operator's patterns allow: kept in a file, so that
//! they outlast this process. What a pattern does not allow any more is not there.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use pif_domain::Limit;
use pif_domain::text;
use serde::{Deserialize, Serialize};

use super::cached_file::{CachedFile, FileFormat};
use super::config::{Error, Install, Origin, Server, ensure_plain};

/// The name of the file in the data directory.
const FILE: &str = "capabilities-installed.json";

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct InstallFile {
    version: u32,
    servers: BTreeMap<String, Origin>,
}

impl FileFormat for InstallFile {
    const VERSION: u32 = 1;

    fn version(&mut self) -> &mut u32 {
        &mut self.version
    }
}

/// What was installed, and what may be.
#[derive(Debug)]
pub(super) struct InstallState {
    kept: CachedFile<InstallFile>,
    policy: Vec<Install>,
}

impl InstallState {
    pub(super) fn open(directory: Option<PathBuf>, policy: Vec<Install>) -> io::Result<Self> {
        Ok(Self { kept: CachedFile::open(directory, FILE)?, policy })
    }

    /// The servers that there are now.
    pub(super) fn servers(&mut self) -> io::Result<BTreeMap<String, Server>> {
        self.kept.refresh()?;
        let mut servers = BTreeMap::new();
        for (id, origin) in &self.kept.contents.servers {
            match self.permit(id, origin) {
                Ok(server) => drop(servers.insert(id.clone(), server)),
                Err(reason) => {
                    tracing::warn!(server = id, "an installed server is left out: {reason}");
                }
            }
        }
        Ok(servers)
    }

    /// The server of an origin, as the first pattern has it that allows it.
    fn permit(&self, id: &str, origin: &Origin) -> Result<Server, String> {
        ensure_plain(origin)?;
        let built = self.policy.iter().find_map(|install| install.server(id, origin));
        let built = built.ok_or_else(|| {
            let allowed: Vec<String> = self.policy.iter().map(ToString::to_string).collect();
            let origin = text::quote_one(&origin.to_string());
            match allowed.as_slice() {
                [] => {
                    "the operator allows no installs: `allow_install` in capabilities.json names \
                    commands"
                        .to_owned()
                }
                allowed => {
                    format!("{origin} is not allowed; the operator allows {}", text::quote(allowed))
                }
            }
        })?;
        built.map_err(|error: Error| error.to_string())
    }

    /// Installs a server. Says whether it was there before.
    pub(super) fn add(&mut self, id: &str, origin: &Origin) -> Result<bool, String> {
        self.permit(id, origin)?;
        let most = Limit::UpstreamInstalled.fixed_count();
        let added = self.kept.change(|InstallFile { servers, .. }| {
            match servers.get(id) {
                Some(known) if known == origin => return Ok(true),
                Some(_) => {
                    return Err(format!(
                        "another server is installed as `{id}`: uninstall it first"
                    ));
                }
                None if servers.len() >= most => {
                    return Err(format!(
                        "{most} servers are installed already: uninstall one first"
                    ));
                }
                None => {}
            }
            servers.insert(id.to_owned(), origin.clone());
            Ok(false)
        });
        added.map_err(|error| error.to_string())?
    }

    /// Removes a server. Says whether it was there.
    pub(super) fn remove(&mut self, id: &str) -> Result<bool, String> {
        let removed = self.kept.change(|it| it.servers.remove(id).is_some());
        removed.map_err(|error| error.to_string())
    }

    /// The patterns, as the operator wrote them.
    pub(super) fn patterns(&self) -> Vec<String> {
        self.policy.iter().map(ToString::to_string).collect()
    }
}
