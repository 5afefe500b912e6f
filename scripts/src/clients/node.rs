//! The clients written for Node.js, installed in the target directory with a Node.js of their
//! own: npm picks old versions of packages that refuse the one it runs on.

use crate::npm;
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

const FILES: [&str; 5] = ["checks.mjs", "package.json", "schemas.mjs", "v1.mjs", "v2.mjs"];

/// A folder with the clients and what they depend on.
pub(super) struct Node {
    folder: PathBuf,
}

impl Node {
    /// Copies the clients next to their packages, which are installed where they are not yet.
    pub(super) fn install(target: &Path) -> Result<Self> {
        let node = Self { folder: target.join("node-clients") };
        let sources = crate::tasks::root().join("tests/clients/node");
        fs::create_dir_all(&node.folder)?;
        for file in FILES {
            fs::copy(sources.join(file), node.folder.join(file)).with_context(|| file)?;
        }
        npm::install(&node.folder)?;
        let own = node.folder.join("node_modules/.bin/node");
        ensure!(own.exists(), "npm did not install Node.js: does it run install scripts?");
        Ok(node)
    }

    /// An empty home directory of this name.
    pub(super) fn new_home(&self, name: &str) -> Result<PathBuf> {
        let home = self.folder.join("homes").join(name);
        if home.exists() {
            fs::remove_dir_all(&home)?;
        }
        fs::create_dir_all(&home)?;
        Ok(home)
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
