//! The real binary over HTTP, driven by a client that knows heads, bodies and JSON.

#[cfg(unix)]
mod http {
    pub(crate) use pif_tests::server::{client, folder, web};

    mod access;
    mod call;
    mod corpus;
    mod doors;
    mod eras;
    #[cfg(target_os = "linux")]
    mod hardening;
    mod hostile;
    mod issuer;
    mod load;
    mod own;
    mod sessions;
    mod strange;
    mod streams;
}
