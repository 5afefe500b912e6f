//! Command lines of what walls servers in: `bwrap` and `docker`.

use std::ffi::OsString;
use std::path::PathBuf;

use super::super::config::{Isolation, Template};

/// What `bwrap` gives to every server: programs and settings to read, and nothing that lasts.
const BWRAP: &str = "bwrap --die-with-parent --new-session --unshare-all \
    --ro-bind /usr /usr --ro-bind /etc /etc --symlink usr/bin /bin --symlink usr/lib /lib \
    --symlink usr/lib64 /lib64 --symlink usr/sbin /sbin --proc /proc --dev /dev --tmpfs /tmp";

/// How `docker` runs every server. Nothing is downloaded.
const DOCKER: &str = "docker run --rm --interactive --init --pull never \
    --security-opt no-new-privileges --cap-drop ALL --cpus 1 --memory 2g --pids-limit 256";

/// A command, and the walls around it.
pub(super) struct SandboxedCommand<'a> {
    pub(super) command: &'a str,
    pub(super) env: &'a [(String, Template)],
    pub(super) isolation: &'a Isolation,
}

impl SandboxedCommand<'_> {
    /// The words before the arguments of the command.
    pub(super) fn words(&self) -> Vec<OsString> {
        match self.isolation {
            Isolation::None | Isolation::Landlock { .. } => vec![self.command.into()],
            Isolation::Bwrap { read, write, network } => {
                let mut words = split(BWRAP);
                if *network {
                    words.push("--share-net".into());
                }
                words.extend(bind("--ro-bind", read));
                words.extend(bind("--bind", write));
                words.extend(["--".into(), self.command.into()]);
                words
            }
            Isolation::Docker { image, network } => {
                let mut words = split(DOCKER);
                if !network {
                    words.extend(split("--network none"));
                }
                // Their values are in the environment of the process that reads this.
                words.extend(self.env.iter().flat_map(|(name, _)| ["--env".into(), name.into()]));
                words.extend(["--entrypoint".into(), self.command.into(), image.into()]);
                words
            }
        }
    }
}

fn split(words: &str) -> Vec<OsString> {
    words.split_whitespace().map(Into::into).collect()
}

/// Paths that stay where they are.
fn bind(flag: &str, paths: &[PathBuf]) -> impl Iterator<Item = OsString> {
    paths.iter().flat_map(move |path| [flag.into(), path.into(), path.into()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(isolation: &Isolation) -> String {
        let words = SandboxedCommand { command: "server", env: &[], isolation }.words();
        let words: Vec<String> = words.iter().map(|it| it.to_string_lossy().into_owned()).collect();
        words.join(" ")
    }

    #[test]
    fn walls_stand_before_the_command() {
        assert_eq!(line(&Isolation::None), "server");
        let bwrap = Isolation::Bwrap {
            read: vec!["/srv".into()],
            write: vec!["/var/x".into()],
            network: false,
        };
        let told = line(&bwrap);
        assert!(told.starts_with("bwrap --die-with-parent ") && !told.contains("--share-net"));
        assert!(told.ends_with("--ro-bind /srv /srv --bind /var/x /var/x -- server"), "{told}");
        let docker = Isolation::Docker { image: "mcp/time".into(), network: false };
        let told = line(&docker);
        assert!(told.ends_with("--network none --entrypoint server mcp/time"), "{told}");
    }
}
