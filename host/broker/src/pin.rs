//! Pins: which definitions of tools are approved, and what servers offered last. The broker keeps
//! them in a file of its own, so that a server which is down is still listed, and that what was
//! approved stays approved. All processes that share the file see the changes of the others.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use pif_domain::Pin;
use serde::{Deserialize, Serialize};

use super::cached_file::{CachedFile, FileFormat};
use super::definition::Definition;

/// The name of the file in the data directory.
const FILE: &str = "capabilities-approved.json";

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct PinFile {
    version: u32,
    servers: BTreeMap<String, ServerPins>,
}

impl FileFormat for PinFile {
    const VERSION: u32 = 1;

    fn version(&mut self) -> &mut u32 {
        &mut self.version
    }

    fn derive(&mut self) {
        for known in self.servers.values_mut() {
            let hashes = known.offered.iter().map(|it| (it.name.clone(), it.hash()));
            known.hashes = hashes.collect();
        }
    }
}

/// Which handshake a server takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Era {
    /// `initialize`, up to 2025-11-25.
    Older,
    /// `server/discover`, from 2026-07-28 on.
    Newer,
}

/// What is known of a server.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct ServerPins {
    /// Whether it was met with grants: what it offered then is approved.
    met: bool,
    /// The hashes of approved definitions, by the names of tools.
    approved: BTreeMap<String, String>,
    /// What it offered last.
    offered: Vec<Definition>,
    /// Which handshake it took last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    era: Option<Era>,
    /// The hashes of that, by the names of tools.
    #[serde(skip)]
    hashes: BTreeMap<String, String>,
}

/// The pins of all servers.
#[derive(Debug, Default)]
pub(super) struct Pins {
    kept: CachedFile<PinFile>,
}

impl Pins {
    /// Opens the file in a directory, or keeps everything in memory.
    pub(super) fn open(directory: Option<PathBuf>) -> io::Result<Self> {
        Ok(Self { kept: CachedFile::open(directory, FILE)? })
    }

    /// Reads the file if another process has written it.
    pub(super) fn refresh(&mut self) -> io::Result<()> {
        self.kept.refresh().map(drop)
    }

    /// Hears what a server offers now. `granted` says whether the operator grants anything of it: then
    /// what it offers first is approved.
    pub(super) fn observe(
        &mut self,
        server: &str,
        granted: bool,
        offered: Vec<Definition>,
    ) -> io::Result<()> {
        self.refresh()?;
        if let Some(known) = self.kept.contents.servers.get(server)
            && known.offered == offered
            && known.met >= granted
        {
            return Ok(());
        }
        self.kept.change(|contents| {
            let known = contents.servers.entry(server.to_owned()).or_default();
            if granted && !known.met {
                known.met = true;
                let hashes = offered.iter().map(|it| (it.name.clone(), it.hash()));
                known.approved = hashes.collect();
            }
            known.offered = offered;
        })
    }

    /// Whether a server has to be asked what it offers: nobody has, or nobody has since something of it
    /// is granted. What it offers then is approved.
    #[must_use]
    pub(super) fn is_strange(&self, server: &str, granted: bool) -> bool {
        self.kept.contents.servers.get(server).is_none_or(|known| granted && !known.met)
    }

    /// Which handshake a server took last.
    #[must_use]
    pub(super) fn era(&self, server: &str) -> Option<Era> {
        self.kept.contents.servers.get(server)?.era
    }

    /// Remembers which handshake a server takes; None: it is not known any more.
    pub(super) fn meet(&mut self, server: &str, era: Option<Era>) -> io::Result<()> {
        if self.era(server) == era {
            return Ok(());
        }
        self.kept.change(|contents| {
            if let Some(known) = contents.servers.get_mut(server) {
                known.era = era;
            }
        })
    }

    /// What a server offered last; None: nobody has asked it yet.
    #[must_use]
    pub(super) fn offered(&self, server: &str) -> Option<&[Definition]> {
        self.kept.contents.servers.get(server).map(|known| known.offered.as_slice())
    }

    /// Whether somebody has approved anything of a server, or it was trusted at first contact.
    pub(super) fn is_met(&mut self, server: &str) -> io::Result<bool> {
        self.refresh()?;
        Ok(self.kept.contents.servers.get(server).is_some_and(|known| known.met))
    }

    /// Forgets a server: another one may come by its name.
    pub(super) fn forget(&mut self, server: &str) -> io::Result<()> {
        self.kept.change(|contents| drop(contents.servers.remove(server)))
    }

    /// The hash of the definition that a server offers now.
    #[must_use]
    pub(super) fn hash(&self, server: &str, tool: &str) -> Option<&str> {
        self.kept.contents.servers.get(server)?.hashes.get(tool).map(String::as_str)
    }

    /// How the definition of a tool that has this hash stands to the approved one.
    #[must_use]
    pub(super) fn pin(&self, server: &str, tool: &str, hash: &str) -> Pin {
        let known = self.kept.contents.servers.get(server);
        match known.and_then(|known| known.approved.get(tool)) {
            None => Pin::Pending,
            Some(approved) if approved == hash => Pin::Approved,
            Some(_) => Pin::Changed,
        }
    }

    /// Approves what a server offers now: one tool, or all. Gives the names of those that were not
    /// approved before.
    pub(super) fn approve(&mut self, server: &str, tool: Option<&str>) -> io::Result<Vec<String>> {
        self.kept.change(|contents| {
            let Some(known) = contents.servers.get_mut(server) else { return Vec::new() };
            let mut changed = Vec::new();
            for definition in &known.offered {
                if tool.is_some_and(|tool| tool != definition.name) {
                    continue;
                }
                let hash = definition.hash();
                let before = known.approved.insert(definition.name.clone(), hash.clone());
                if before.as_ref() != Some(&hash) {
                    changed.push(definition.name.clone());
                }
            }
            known.met = true;
            changed
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, description: &str) -> Definition {
        Definition {
            name: name.into(),
            title: String::new(),
            description: description.into(),
            input: serde_json::json!({"type": "object"}),
            output: None,
            annotations: serde_json::Value::Null,
        }
    }

    fn pin(pins: &Pins, tool: &Definition) -> Pin {
        pins.pin("s", &tool.name, &tool.hash())
    }

    #[test]
    fn the_first_contact_is_trusted_and_what_comes_later_is_not() {
        let directory = tempfile::tempdir().expect("a directory");
        let mut pins = Pins::open(Some(directory.path().into())).expect("pins");
        pins.observe("s", true, vec![tool("a", "x")]).expect("written");
        assert_eq!(pin(&pins, &tool("a", "x")), Pin::Approved);
        assert_eq!(pin(&pins, &tool("a", "y")), Pin::Changed);
        assert_eq!(pin(&pins, &tool("b", "x")), Pin::Pending);
        pins.observe("s", true, vec![tool("a", "y"), tool("b", "x")]).expect("written");

        // Another process approves one of them, and this one hears of it.
        let mut other = Pins::open(Some(directory.path().into())).expect("pins");
        assert_eq!(other.approve("s", Some("a")).expect("written"), ["a"]);
        pins.refresh().expect("read");
        assert_eq!(pin(&pins, &tool("a", "y")), Pin::Approved);
        assert_eq!(pin(&pins, &tool("b", "x")), Pin::Pending);
        assert_eq!(other.approve("s", None).expect("written"), ["b"]);
    }

    #[test]
    fn a_server_without_grants_is_not_met() {
        let mut pins = Pins::open(None).expect("pins");
        pins.observe("s", false, vec![tool("a", "x")]).expect("kept");
        assert_eq!(pin(&pins, &tool("a", "x")), Pin::Pending);
        pins.observe("s", true, vec![tool("a", "x")]).expect("kept");
        assert_eq!(pin(&pins, &tool("a", "x")), Pin::Approved);
    }
}
