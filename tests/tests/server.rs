//! The real binary, driven over standard input and output by a client that knows no more than
//! lines and JSON, and from the command line.

mod server {
    pub(crate) use pif_tests::server::{binary, client, folder, text};

    mod aliases;
    mod analyze;
    mod answers;
    mod attacks;
    mod backup;
    mod bound;
    mod certificates;
    mod chain;
    mod checkpoints;
    mod collector;
    mod command_line;
    mod conformance;
    mod debug_tool;
    mod ending;
    mod examples;
    mod faults;
    mod handshake;
    #[cfg(target_os = "linux")]
    mod hardening;
    mod hostile;
    mod javascript;
    mod journal;
    mod kept;
    mod large_files;
    #[cfg(target_os = "linux")]
    mod leases;
    mod library;
    mod listing;
    mod memory;
    mod notation;
    mod oracle;
    mod prefix;
    mod profiles;
    mod push;
    mod receipts;
    mod registry;
    mod repair;
    #[cfg(target_os = "linux")]
    mod repl;
    mod replay;
    mod requests;
    mod resources;
    mod results;
    mod schema;
    mod search;
    mod session_limits;
    mod session_rules;
    mod sessions;
    mod several;
    mod shelf;
    mod spellings;
    mod staging;
    mod start;
    #[cfg(unix)]
    mod streams;
    mod toolsets;
    #[cfg(target_os = "linux")]
    mod top;
    mod traces;
    mod transfer;
    mod turns;
    mod types;
    mod wire;
}
