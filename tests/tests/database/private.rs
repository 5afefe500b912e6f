//! TLS with the database.

use super::way::{keep, refusal, whoami};
use anyhow::{Result, ensure};
use pif_tests::database::Database;
use pif_tests::database::authority::Authority;
use tempfile::tempdir;

#[test]
#[ignore = "needs PostgreSQL"]
fn who_the_database_is_must_be_certain() -> Result<()> {
    let (ours, other, folder) = (Authority::new()?, Authority::new()?, tempdir()?);
    let trusted = keep(folder.path(), "ours.pem", ours.certificate())?;
    let strange = keep(folder.path(), "other.pem", other.certificate())?;
    let mut database = Database::start("hostssl all secure 127.0.0.1/32 scram-sha-256\n")?;
    database.create("secure")?;
    database.query("postgres", "ALTER ROLE secure PASSWORD 'secret word'")?;
    let password = Some(keep(folder.path(), "password", "secret word")?);
    let port = database.port();
    let url = |host: &str, rest: &str| format!("postgres://secure@{host}:{port}/secure?{rest}");
    let [full, ca, require, authority] = [
        url("localhost", &format!("sslrootcert={}", trusted.display())),
        url("127.0.0.1", &format!("sslmode=verify-ca&sslrootcert={}", trusted.display())),
        url("127.0.0.1", "sslmode=require"),
        url("localhost", &format!("sslrootcert={}", strange.display())),
    ];
    let name = url("127.0.0.1", &format!("sslrootcert={}", trusted.display()));
    let system = url("localhost", "sslmode=verify-full");
    let clear = url("localhost", "sslmode=disable");
    // It does not speak TLS yet.
    let told = refusal(&full, password.clone())?;
    ensure!(told.contains("ssl = on") && told.contains("sslmode=disable"), "{told}");
    let (certificate, key) = ours.vouch("localhost")?;
    database.speak_tls(&certificate, &key)?;
    for url in [&full, &ca, &require] {
        assert_eq!(whoami(url, password.clone())?, "secure@secure", "{url}");
    }
    for (url, word) in [
        (&name, "is for another name than `127.0.0.1`"),
        (&authority, "sslrootcert=FILE"),
        (&system, "sslrootcert=FILE"),
        (&clear, "pg_hba.conf"),
    ] {
        let told = refusal(url, password.clone())?;
        ensure!(told.contains(word), "{url}: {told}");
    }
    let absent = url("localhost", "sslrootcert=/nowhere.pem");
    let told = refusal(&absent, password)?;
    ensure!(told.contains("sslrootcert /nowhere.pem"), "{told}");
    Ok(())
}
