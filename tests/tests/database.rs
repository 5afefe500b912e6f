//! The way to a real PostgreSQL database: logging in, TLS, the process that relays sessions, and servers
//! that share the database.

#[cfg(unix)]
mod database {
    #[cfg(target_os = "linux")]
    mod copies;
    #[cfg(target_os = "linux")]
    mod keys;
    #[cfg(target_os = "linux")]
    mod killed;
    #[cfg(target_os = "linux")]
    mod leases;
    mod login;
    mod odd;
    mod packages;
    mod private;
    mod relay;
    #[cfg(target_os = "linux")]
    mod servers;
    mod speed;
    mod way;
}
