//! How a server is walled in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::error::Error;
use super::reader::Node;
use super::rules::located;
use super::secret::{Secret, plain};

/// How a server is walled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Isolation {
    /// Not at all.
    None,
    /// It can reach these files only.
    Landlock {
        /// To read, and to execute.
        read: Vec<PathBuf>,
        /// To read and write.
        write: Vec<PathBuf>,
    },
    /// `bwrap` gives it namespaces of its own.
    Bwrap {
        /// To read.
        read: Vec<PathBuf>,
        /// To read and write.
        write: Vec<PathBuf>,
        /// Whether it has a network.
        network: bool,
    },
    /// `docker` gives it a container.
    Docker {
        /// The image.
        image: String,
        /// Whether it has a network.
        network: bool,
    },
}

pub(super) fn isolation(
    node: &Node<'_>,
    directory: &Path,
    secrets: &BTreeMap<String, Secret>,
) -> Result<Isolation, Error> {
    if node.value.is_string() {
        return node.word(&[("none", ()), ("bwrap", ())]).map(|()| match node.value.as_str() {
            Some("bwrap") => {
                Isolation::Bwrap { read: Vec::new(), write: Vec::new(), network: false }
            }
            _ => Isolation::None,
        });
    }
    node.only(&["landlock", "bwrap", "docker"])?;
    let members = node.members()?;
    let [(kind, inner)] = members.as_slice() else {
        return Err(node.wrong("write one of `landlock`, `bwrap` and `docker`"));
    };
    let paths = |name: &str| -> Result<Vec<PathBuf>, Error> {
        let paths = inner.read(name, Node::texts)?.unwrap_or_default();
        Ok(paths.iter().map(|path| located(directory, path)).collect())
    };
    let network = |known: &[&str]| -> Result<bool, Error> {
        inner.only(known)?;
        Ok(inner.read("network", Node::flag)?.unwrap_or(false))
    };
    match *kind {
        "landlock" => {
            inner.only(&["read", "write"])?;
            Ok(Isolation::Landlock { read: paths("read")?, write: paths("write")? })
        }
        "bwrap" => {
            let network = network(&["read", "write", "network"])?;
            Ok(Isolation::Bwrap { read: paths("read")?, write: paths("write")?, network })
        }
        _ => {
            let network = network(&["image", "network"])?;
            let image = inner.get("image").ok_or_else(|| inner.wrong("write the `image`"))?;
            Ok(Isolation::Docker { image: plain(&image, secrets)?, network })
        }
    }
}
