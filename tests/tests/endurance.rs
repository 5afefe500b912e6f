//! What the store keeps: servers that are killed, the power that fails, disks that are full,
//! files that are damaged, and several servers on one directory.

#![expect(clippy::print_stdout, reason = "tests tell what they measured")]

#[path = "server/binary.rs"]
mod binary;
#[path = "server/client.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod client;
#[path = "server/folder.rs"]
mod folder;

mod endurance {
    #[cfg(target_os = "linux")]
    mod calls;
    mod flip;
    #[cfg(unix)]
    mod full;
    mod kill;
    mod obstacle;
    mod pages;
    mod power;
    mod released;
    mod store;
    mod two;
}
