//! Processes of this machine, as `/proc` tells of them.

use std::fs;

/// All other processes in whose command line or environment a text stands.
#[must_use]
pub fn mentioning(text: &str) -> Vec<u32> {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let mentions = |id: &u32| {
        let read = |name| fs::read(format!("/proc/{id}/{name}")).unwrap_or_default();
        let has = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).contains(text);
        *id != std::process::id() && (has(read("cmdline")) || has(read("environ")))
    };
    ids.filter(mentions).collect()
}

/// Whether a process runs. One that has ended and waits to be heard of does not.
#[must_use]
pub fn is_alive(id: u32) -> bool {
    let status = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    !status.is_empty() && !status.contains(") Z ")
}

/// Bytes that a process has written so far, to files and to pipes. None: the system does not tell.
#[must_use]
pub fn written(id: u32) -> Option<u64> {
    let told = fs::read_to_string(format!("/proc/{id}/io")).ok()?;
    told.lines().find_map(|line| line.strip_prefix("wchar: ")?.trim().parse().ok())
}
