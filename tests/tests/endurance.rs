//! What the store keeps: servers that are killed, the power that fails, disks that are full,
//! files that are damaged, and several servers on one directory.

#![expect(clippy::print_stdout, reason = "tests tell what they measured")]

use pif_tests::server::{binary, client, folder};

mod endurance {
    #[cfg(target_os = "linux")]
    mod calls;
    #[cfg(target_os = "linux")]
    mod durable;
    mod flip;
    #[cfg(unix)]
    mod full;
    mod kill;
    mod obstacle;
    mod pages;
    mod power;
    mod released;
    mod staging;
    mod store;
    mod two;
}
