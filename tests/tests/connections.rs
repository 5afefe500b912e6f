//! Several clients at once on one server in this process, over a transport that only tests have: a
//! pair of sockets. And runs that wait for the world, which only tests grant.

#[cfg(unix)]
mod connections {
    mod calls;
    mod clients;
    mod metrics;
    mod shop;
    mod waiting;
}
