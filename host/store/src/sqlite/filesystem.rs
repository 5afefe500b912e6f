//! The requirements of a store on its file system: locks, memory shared between processes, and
//! files that survive a power failure after synchronization. Network file systems often lack one of
//! these.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, ffi};

use crate::Error;

/// The advice for a file system that cannot hold a store.
pub(super) const LOCAL: &str = "which a store needs: name a directory on a local disk by --data DIR, or keep nothing by --ephemeral";

/// The missing feature that an extended SQLite error code indicates.
pub(super) fn lack(code: i32) -> Option<&'static str> {
    match code {
        ffi::SQLITE_IOERR_LOCK
        | ffi::SQLITE_IOERR_RDLOCK
        | ffi::SQLITE_IOERR_UNLOCK
        | ffi::SQLITE_IOERR_CHECKRESERVEDLOCK => Some(NO_LOCKS),
        ffi::SQLITE_IOERR_SHMOPEN
        | ffi::SQLITE_IOERR_SHMSIZE
        | ffi::SQLITE_IOERR_SHMLOCK
        | ffi::SQLITE_IOERR_SHMMAP => {
            Some("the file system has no memory that several processes share")
        }
        ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC => {
            Some("the file system does not synchronize files")
        }
        _ => None,
    }
}

const NO_LOCKS: &str = "the file system has no locks";

/// Refuses a file system without locks: one where even a new, private file counts as locked.
pub(super) fn ensure_locks(path: &Path) -> Result<(), Error> {
    let scratch = path.with_extension(format!("{}.probe", std::process::id()));
    let has_locks = has_locks(&scratch);
    // SQLite leaves the file empty and creates no files beside it.
    let _ = std::fs::remove_file(&scratch);
    match has_locks {
        Ok(false) => {
            let reason = format!("{NO_LOCKS}, {LOCAL}");
            Err(Error::Unusable { path: path.to_owned(), reason })
        }
        // Other errors appear again when the store itself is opened.
        _ => Ok(()),
    }
}

fn has_locks(scratch: &Path) -> rusqlite::Result<bool> {
    let connection = Connection::open(scratch)?;
    connection.busy_timeout(Duration::ZERO)?;
    match connection.execute_batch("BEGIN EXCLUSIVE; ROLLBACK") {
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(false),
        locked => locked.map(|()| true),
    }
}

/// Warns if a directory is on a network file system.
pub(super) fn warn_of_network(directory: &Path) {
    if let Some(kind) = network(directory) {
        tracing::warn!(
            directory = %directory.display(),
            "the store is on a network file system ({kind}), where locks and shared memory may fail \
             and damage it: name a directory on a local disk by --data DIR"
        );
    }
}

#[cfg(target_os = "linux")]
fn network(directory: &Path) -> Option<String> {
    use std::os::unix::fs::MetadataExt;
    let device = device_of(std::fs::metadata(directory).ok()?.dev());
    network_of(&std::fs::read_to_string("/proc/self/mountinfo").ok()?, &device)
}

/// A device as `mountinfo` writes it, from Linux's packed form of its two numbers.
#[cfg(target_os = "linux")]
fn device_of(packed: u64) -> String {
    let major = ((packed >> 32) & 0xffff_f000) | ((packed >> 8) & 0xfff);
    let minor = ((packed >> 12) & 0xffff_ff00) | (packed & 0xff);
    format!("{major}:{minor}")
}

#[cfg(not(target_os = "linux"))]
fn network(_directory: &Path) -> Option<String> {
    None
}

/// The type of a device's file system if it is a network file system. `mounts` is the text of
/// `/proc/self/mountinfo`.
#[cfg(any(target_os = "linux", test))]
fn network_of(mounts: &str, device: &str) -> Option<String> {
    const KINDS: [&str; 18] = [
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "9p",
        "afs",
        "ceph",
        "coda",
        "lustre",
        "ncpfs",
        "fuse.sshfs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.gcsfuse",
        "fuse.glusterfs",
        "fuse.ceph",
        "fuse.curlftpfs",
    ];
    let kind = mounts.lines().find_map(|line| {
        let (mount, source) = line.split_once(" - ")?;
        (mount.split(' ').nth(2)? == device).then(|| source.split(' ').next())?
    })?;
    KINDS.contains(&kind).then(|| kind.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_are_known_by_their_names() {
        let mounts = "\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:44 / /home rw,relatime shared:9 - nfs4 server:/home rw,vers=4.2
41 22 0:45 / /mnt/c rw,noatime - 9p drvfs rw,dirsync
42 22 0:46 / /mnt/there rw,nosuid - fuse.sshfs me@there: rw,user_id=0
43 22 0:47 / /mnt/share rw - cifs //there/share rw
44 22 0:48 / /mnt/disk rw - fuseblk /dev/sdb1 rw
";
        let found = |device| network_of(mounts, device);
        assert_eq!(found("8:1"), None);
        assert_eq!(found("0:48"), None);
        assert_eq!(found("9:9"), None);
        for (device, kind) in
            [("0:44", "nfs4"), ("0:45", "9p"), ("0:46", "fuse.sshfs"), ("0:47", "cifs")]
        {
            assert_eq!(found(device).as_deref(), Some(kind), "{device}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_file_system_of_a_directory_is_found() -> std::io::Result<()> {
        use std::os::unix::fs::MetadataExt;
        let mounts = std::fs::read_to_string("/proc/self/mountinfo")?;
        let device = device_of(std::fs::metadata("/proc")?.dev());
        let is_found = mounts.lines().any(|line| line.contains(&format!(" {device} / /proc ")));
        assert!(is_found, "{device}: {mounts}");
        Ok(())
    }

    #[test]
    fn a_file_system_with_locks_is_known_as_one() {
        let path = std::env::temp_dir().join(format!("pif-locks-{}", std::process::id()));
        assert!(ensure_locks(&path).is_ok());
        assert!(!path.exists());
    }
}
