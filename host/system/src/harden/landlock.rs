//! Landlock restricts the file system to the writable directories. It blocks TCP, and the abstract
//! sockets and signals of other processes. Open files stay open: the standard streams, the compiled
//! evaluator, and the page map of this process.

use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, make_bitflags,
};

use super::layer::{Layer, Paths};

/// The version that covers files, TCP and scopes. A newer kernel restricts more.
const COMPLETE: ABI = ABI::V6;

/// The latest version whose rights this module knows.
const LATEST: ABI = ABI::V9;

/// The rights in a writable directory: no execution, no devices, no sockets, no links.
const WRITING: BitFlags<AccessFs> = make_bitflags!(AccessFs::{
    ReadFile | ReadDir | WriteFile | Truncate | MakeReg | MakeDir | RemoveFile | RemoveDir
});

/// The reason why nothing was restricted.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    /// A writable directory cannot be opened.
    #[error("{0}")]
    Path(#[from] landlock::PathFdError),
    /// The kernel has Landlock but refuses the rules.
    #[error("{0}")]
    Ruleset(#[from] RulesetError),
}

/// Restricts this thread and the threads it will start. Returns the state of the layer and the
/// kernel's version of Landlock.
pub(super) fn restrict(paths: &Paths) -> Result<(Layer, i32), Error> {
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(LATEST))?
        .handle_access(AccessNet::from_all(LATEST))?
        .scope(Scope::from_all(LATEST))?
        .create()?;
    for path in &paths.writable {
        rules = rules.add_rule(PathBeneath::new(PathFd::new(path)?, WRITING))?;
    }
    for path in &paths.readable {
        let reading = make_bitflags!(AccessFs::{ReadFile});
        rules = rules.add_rule(PathBeneath::new(PathFd::new(path)?, reading))?;
    }
    let status = rules.restrict_self()?;
    let LandlockStatus::Available { effective_abi, kernel_abi } = status.landlock else {
        return Ok((Layer::Unsupported, 0));
    };
    let layer = match status.ruleset {
        RulesetStatus::NotEnforced => Layer::Unsupported,
        _ if effective_abi < COMPLETE => Layer::Partial,
        _ => Layer::Enforced,
    };
    Ok((layer, kernel_abi.unwrap_or(effective_abi as i32)))
}

/// Folders without which hardly any program starts.
const SYSTEM: [&str; 10] =
    ["/bin", "/dev", "/etc", "/lib", "/lib64", "/nix", "/opt", "/proc", "/sbin", "/usr"];

/// Restricts this process, and what it becomes, to files of the system and these.
pub(super) fn confine(read: &[PathBuf], write: &[PathBuf]) -> Result<Layer, Error> {
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(LATEST))?
        .scope(Scope::from_all(LATEST))?
        .create()?;
    for path in SYSTEM.iter().filter_map(|path| PathFd::new(path).ok()) {
        rules = rules.add_rule(PathBeneath::new(path, AccessFs::from_read(LATEST)))?;
    }
    // Programs write to these without a thought.
    if let Ok(devices) = PathFd::new("/dev") {
        rules = rules.add_rule(PathBeneath::new(devices, make_bitflags!(AccessFs::{WriteFile})))?;
    }
    for path in read {
        rules =
            rules.add_rule(PathBeneath::new(PathFd::new(path)?, AccessFs::from_read(LATEST)))?;
    }
    for path in write {
        rules = rules.add_rule(PathBeneath::new(PathFd::new(path)?, AccessFs::from_all(LATEST)))?;
    }
    Ok(match rules.restrict_self()?.ruleset {
        RulesetStatus::NotEnforced => Layer::Unsupported,
        RulesetStatus::PartiallyEnforced => Layer::Partial,
        RulesetStatus::FullyEnforced => Layer::Enforced,
    })
}
