//! Landlock: the file system shrinks to the writable directories, TCP and the abstract sockets
//! and signals of other processes go. What is open stays open: the standard streams, the
//! compiled evaluator, the page map of this process.

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, make_bitflags,
};

use super::layer::{Layer, Paths};

/// The version that has files, TCP and scopes. A kernel that offers more is asked for more.
const COMPLETE: ABI = ABI::V6;

/// The latest version whose rights we know.
const LATEST: ABI = ABI::V9;

/// What may be done in a writable directory: no execution, no devices, no sockets, no links.
const WRITING: BitFlags<AccessFs> = make_bitflags!(AccessFs::{
    ReadFile | ReadDir | WriteFile | Truncate | MakeReg | MakeDir | RemoveFile | RemoveDir
});

/// Why nothing was restricted.
#[derive(Debug, thiserror::Error)]
pub(super) enum Error {
    /// A writable directory cannot be opened.
    #[error("{0}")]
    Path(#[from] landlock::PathFdError),
    /// The kernel has Landlock and refuses.
    #[error("{0}")]
    Ruleset(#[from] RulesetError),
}

/// Restricts this thread and those it will start; says how far, and the kernel's version.
pub(super) fn restrict(paths: &Paths) -> Result<(Layer, i32), Error> {
    let mut rules = Ruleset::default()
        .handle_access(AccessFs::from_all(LATEST))?
        .handle_access(AccessNet::from_all(LATEST))?
        .scope(Scope::from_all(LATEST))?
        .create()?;
    for path in &paths.writable {
        rules = rules.add_rule(PathBeneath::new(PathFd::new(path)?, WRITING))?;
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
