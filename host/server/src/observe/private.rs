//! Files that only their owner can read.

use std::fs::OpenOptions;

/// Makes a new file private.
#[cfg(unix)]
pub(super) fn own(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(0o600)
}

/// Leaves a new file as the system makes it.
#[cfg(not(unix))]
pub(super) fn own(options: &mut OpenOptions) -> &mut OpenOptions {
    options
}
