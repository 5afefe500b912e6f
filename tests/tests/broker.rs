//! Other servers, called through the broker of the real binary: what may be called, what comes of it,
//! and what is left when something dies.
#![cfg(target_os = "linux")]

mod broker {
    pub(crate) use pif_tests::server::{client, folder};

    mod answers;
    mod approvals;
    mod asks;
    mod batches;
    mod calls;
    mod cost;
    mod discovery;
    mod durable;
    mod foreseen;
    mod guarded;
    mod guide;
    mod harm;
    mod hostile;
    mod http;
    mod install;
    mod installed;
    mod kills;
    mod login;
    mod meaning;
    mod measured;
    mod model;
    mod native;
    mod processes;
    mod programs;
    mod real;
    mod repair;
    mod sealed;
    mod secrets;
    mod shop;
    mod steps;
    mod strayed;
    mod task;
    mod tasks;
    mod team;
    mod waits;
    mod wayward;
    mod wayward_http;
}
