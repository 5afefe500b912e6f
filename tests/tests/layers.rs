//! The layers between a program and the world: for each a test in which it and no other is the one
//! that fires, with evaluators made for the purpose where the embedded one would never get there.
//! `host/docs/limits.md` holds the table.

#![expect(clippy::print_stdout, reason = "tests tell what they measured")]

#[path = "server/binary.rs"]
mod binary;
#[path = "server/client.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod client;
#[path = "server/folder.rs"]
mod folder;
#[path = "server/text.rs"]
mod text;

mod layers {
    mod cache;
    mod cancel;
    pub(crate) mod hostile;
    mod limits;
    mod malicious;
    mod net;
    mod table;
}
