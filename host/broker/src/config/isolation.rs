//! How a server is walled in.

use std::path::PathBuf;

use serde::{Deserialize, Deserializer};

use super::error::Error;
use super::reader::Place;
use super::secret::plain;

/// How a server is walled in.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "lowercase", deny_unknown_fields)]
pub enum Isolation {
    /// Not at all.
    None,
    /// It can reach these files only.
    Landlock {
        /// To read, and to execute.
        #[serde(default)]
        read: Vec<PathBuf>,
        /// To read and write.
        #[serde(default)]
        write: Vec<PathBuf>,
    },
    /// `bwrap` gives it namespaces of its own.
    Bwrap {
        /// To read.
        #[serde(default)]
        read: Vec<PathBuf>,
        /// To read and write.
        #[serde(default)]
        write: Vec<PathBuf>,
        /// Whether it has a network.
        #[serde(default)]
        network: bool,
    },
    /// `docker` gives it a container.
    Docker {
        /// The image.
        image: String,
        /// Whether it has a network.
        #[serde(default)]
        network: bool,
    },
}

impl Isolation {
    /// With names of files relative to a directory, and without references.
    pub(super) fn resolve(mut self, place: &Place<'_>) -> Result<Self, Error> {
        match &mut self {
            Self::None => {}
            Self::Landlock { read, write } | Self::Bwrap { read, write, .. } => {
                for path in read.iter_mut().chain(write) {
                    *path = place.directory.join(&path);
                }
            }
            Self::Docker { image, .. } => {
                *image = plain(image, &place.member("docker").member("image"))?;
            }
        }
        Ok(self)
    }
}

/// How the file writes it: a word, or an object with one member.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "write `none`, `bwrap`, {\"landlock\": {\"read\": […], \"write\": […]}}, {\"bwrap\": {\"read\": \
        […], \"write\": […], \"network\": false}} or {\"docker\": {\"image\": NAME, \"network\": false}}"
)]
enum RawIsolation {
    Word(Word),
    Object(#[serde(with = "Isolation")] Isolation),
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Word {
    None,
    Bwrap,
}

impl<'de> Deserialize<'de> for Isolation {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(match RawIsolation::deserialize(from)? {
            RawIsolation::Word(Word::None) => Self::None,
            RawIsolation::Word(Word::Bwrap) => {
                Self::Bwrap { read: Vec::new(), write: Vec::new(), network: false }
            }
            RawIsolation::Object(isolation) => isolation,
        })
    }
}
