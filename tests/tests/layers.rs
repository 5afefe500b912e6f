//! The layers between a program and the world: for each a test in which it and no other is the one
//! that fires, with evaluators made for the purpose where the embedded one would never get there.
//! `host/docs/limits.md` holds the table.

#![expect(clippy::print_stdout, reason = "tests tell what they measured")]

use pif_tests::server::{binary, client, folder, text};

mod layers {
    mod cache;
    mod cancel;
    pub(crate) mod hostile;
    mod limits;
    mod malicious;
    mod net;
    mod table;
}
