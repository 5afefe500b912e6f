//! Other servers, called through the broker of the real binary: what may be called, what comes of it,
//! and what is left when something dies.
#![cfg(target_os = "linux")]

mod broker {
    pub(crate) use pif_tests::server::{client, folder};

    mod answers;
    mod approvals;
    mod asks;
    mod authorization;
    mod batches;
    mod calls;
    mod cost;
    mod discovery;
    mod durable;
    mod early_faults;
    mod faulty_http;
    mod faulty_servers;
    mod guide;
    mod hardening;
    mod harm;
    mod hostile;
    mod http;
    mod install;
    mod kills;
    mod login;
    mod login_attacks;
    mod meaning;
    mod metrics;
    mod model;
    mod native;
    mod processes;
    mod programs;
    mod real;
    mod registry_servers;
    mod repair;
    mod secrets;
    mod shop;
    mod steps;
    mod task;
    mod tasks;
    mod team;
    mod waits;
}
