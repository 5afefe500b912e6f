//! Resources of the system that a process of the server has: the standard streams as its parent left them,
//! variables of the environment, files that only their owner may write, and the rights that the
//! process gives up before it serves.

pub mod environment;
pub mod harden;
mod owned;
mod parent;
pub mod stdio;

pub use self::environment::{common_environment, variable};
pub use self::owned::{ForbiddenAccess, make_private_directory, read_owned};
pub use self::parent::die_with_parent;
