//! The real binary, driven over standard input and output by a client that knows no more than
//! lines and JSON, and from the command line.

mod server {
    mod attacks;
    pub(crate) mod binary;
    pub(crate) mod client;
    mod command_line;
    mod conformance;
    mod ending;
    mod examples;
    mod faults;
    pub(crate) mod folder;
    mod hostile;
    mod requests;
    mod results;
    mod sessions;
    mod text;
    mod wire;
}
