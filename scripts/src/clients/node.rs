//! The clients written for Node.js, installed in the target directory with a Node.js of their
//! own: npm picks old versions of packages that refuse the one it runs on.

use crate::{npm, tasks};
use anyhow::{Result, ensure};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const FILES: [&str; 6] = [
    "host/package/manifest.json",
    "tests/clients/node/checks.mjs",
    "tests/clients/node/package.json",
    "tests/clients/node/schemas.mjs",
    "tests/clients/node/v1.mjs",
    "tests/clients/node/v2.mjs",
];

/// A folder with the clients and what they depend on.
pub(super) struct Node {
    folder: PathBuf,
}

impl Node {
    /// Copies the clients next to their packages, which are installed where they are not yet.
    pub(super) fn install(target: &Path) -> Result<Self> {
        let node = Self { folder: target.join("node-clients") };
        let sh = tasks::shell()?;
        sh.create_dir(&node.folder)?;
        for file in FILES {
            sh.copy_file(file, &node.folder)?;
        }
        npm::install(&node.folder)?;
        let own = node.folder.join("node_modules/.bin/node");
        ensure!(own.exists(), "npm did not install Node.js: does it run install scripts?");
        Ok(node)
    }

    /// An empty home directory of this name.
    pub(super) fn new_home(&self, name: &str) -> Result<PathBuf> {
        let home = self.folder.join("homes").join(name);
        let sh = tasks::shell()?;
        sh.remove_path(&home)?;
        Ok(sh.create_dir(&home)?)
    }

    /// A command of the installed packages, with their Node.js first in the path.
    pub(super) fn command(&self, name: &str) -> Result<Command> {
        let commands = self.folder.join("node_modules/.bin");
        let mut command = Command::new(commands.join(name));
        let path = env::var_os("PATH").unwrap_or_default();
        let path = env::join_paths([commands].into_iter().chain(env::split_paths(&path)))?;
        // Neither the clients nor their server know anything of who runs them.
        command.env("PATH", path).env("HOME", &self.folder).current_dir(&self.folder);
        command.env("MCP_PIF_EPHEMERAL", "1");
        Ok(command)
    }

    /// One of our clients, connecting to the server.
    pub(super) fn script(&self, file: &str, server: &Path, mode: Option<&str>) -> Result<Command> {
        let mut command = self.command("node")?;
        command.arg(file).arg(server).args(mode);
        Ok(command)
    }
}
