//! Logging in: each way that the database asks for, and each way that it fails.

use super::way::{keep, refusal, whoami};
use anyhow::{Context as _, Result, ensure};
use pif_tests::database::Database;
use std::fs::{Permissions, set_permissions};
use std::net::{IpAddr, UdpSocket};
use std::os::unix::fs::PermissionsExt as _;
use tempfile::tempdir;

const PASSWORD: &str = "cor:rect\\ ho\u{fc}rse";

const RULES: &str = "\
local all trusted trust
local all scram scram-sha-256
host all trusted 127.0.0.1/32 trust
host all scram 127.0.0.1/32 scram-sha-256
host all md5 127.0.0.1/32 md5
host all clear all password
";

fn database() -> Result<Database> {
    let database = Database::start(RULES)?;
    for role in ["trusted", "scram", "md5", "clear"] {
        database.create(role)?;
        let way = if role == "md5" { "md5" } else { "scram-sha-256" };
        let set =
            format!("SET password_encryption = '{way}'; ALTER ROLE {role} PASSWORD '{PASSWORD}'");
        database.query("postgres", &set)?;
    }
    Ok(database)
}

/// An address of this machine that others can reach.
fn outer() -> Result<IpAddr> {
    let socket = UdpSocket::bind("0.0.0.0:0")?;
    // Nothing is sent: the system only says by which of its addresses it would be.
    socket.connect("192.0.2.1:9")?;
    let address = socket.local_addr()?.ip();
    ensure!(!address.is_loopback() && !address.is_unspecified(), "this machine has no network");
    Ok(address)
}

#[test]
#[ignore = "needs PostgreSQL"]
fn each_way_of_logging_in_works() -> Result<()> {
    let (database, folder) = (database()?, tempdir()?);
    let password = || keep(folder.path(), "password", &format!("{PASSWORD}\n")).map(Some);
    let port = database.port();
    for role in ["scram", "md5", "clear"] {
        let url = format!("postgres://{role}@localhost:{port}/{role}");
        assert_eq!(whoami(&url, password()?)?, format!("{role}@{role}"));
    }
    let url = format!("postgres://trusted@127.0.0.1:{port}/scram");
    assert_eq!(whoami(&url, None)?, "trusted@scram");
    let host = database.folder().to_str().context("a name")?.replace('/', "%2F");
    for (role, file) in [("trusted", None), ("scram", password()?)] {
        let url = format!("postgres://{role}@{host}:{port}");
        assert_eq!(whoami(&url, file)?, format!("{role}@{role}"));
    }
    Ok(())
}

#[test]
#[ignore = "needs PostgreSQL"]
fn who_is_not_let_in_is_told_what_to_do() -> Result<()> {
    let (mut database, folder) = (database()?, tempdir()?);
    let port = database.port();
    let url = |role: &str, name: &str| format!("postgres://{role}@localhost:{port}/{name}");
    let wrong = keep(folder.path(), "wrong", "incorrect\n")?;
    for role in ["scram", "md5", "clear"] {
        let told = refusal(&url(role, role), Some(wrong.clone()))?;
        ensure!(told.contains("--store-password-file FILE or ~/.pgpass"), "{told}");
        ensure!(!told.contains("incorrect"), "{told}");
    }
    let told = refusal(&url("scram", "scram"), None)?;
    ensure!(told.contains(&format!("`localhost:{port}:scram:scram:PASSWORD`")), "{told}");
    let told = refusal(&url("trusted", "nowhere"), None)?;
    ensure!(told.contains("createdb nowhere"), "{told}");
    let told = refusal(&url("stranger", "scram"), None)?;
    ensure!(told.contains("pg_hba.conf"), "{told}");
    let told = refusal(&url("scram", "scram"), Some(folder.path().join("absent")))?;
    ensure!(told.contains("absent: No such file"), "{told}");
    set_permissions(&wrong, Permissions::from_mode(0o644))?;
    let told = refusal(&url("scram", "scram"), Some(wrong))?;
    ensure!(told.contains("chmod 600"), "{told}");
    let empty = keep(folder.path(), "empty", "\n")?;
    ensure!(refusal(&url("scram", "scram"), Some(empty))?.contains("it is empty"));
    database.stop()?;
    let told = refusal(&url("trusted", "scram"), None)?;
    ensure!(told.contains("is it running?"), "{told}");
    Ok(())
}

#[test]
#[ignore = "needs PostgreSQL"]
fn a_password_in_clear_text_stays_on_this_machine() -> Result<()> {
    let (database, folder) = (database()?, tempdir()?);
    let password = keep(folder.path(), "password", PASSWORD)?;
    let url =
        |host: &str| format!("postgres://clear@{host}:{}/clear?sslmode=disable", database.port());
    assert_eq!(whoami(&url("127.0.0.1"), Some(password.clone()))?, "clear@clear");
    let told = refusal(&url(&outer()?.to_string()), Some(password))?;
    ensure!(told.contains("asks for the password in clear text and gets none"), "{told}");
    ensure!(told.contains("scram-sha-256"), "{told}");
    Ok(())
}
