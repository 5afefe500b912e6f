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
    mod flip;
    mod kill;
    mod pages;
    mod power;
    mod store;
    mod two;
}
