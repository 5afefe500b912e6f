//! The layers between a program and the world: for each a test in which it and no other is the one
//! that fires, with evaluators made for the purpose where the embedded one would never get there.
//! README.md holds the table.

mod layers {
    pub(crate) mod hostile;
    mod malicious;
    mod net;
}
