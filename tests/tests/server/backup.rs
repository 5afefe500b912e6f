//! Backups of a store, made while servers run and brought back; stores that are taken away from under
//! a server; file systems that cannot keep one.

use super::folder::Folder;
use super::kept::{Kept, double};
use anyhow::{Context, Result, ensure};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A store with a tool, a key of the memory and their entries.
fn filled() -> Result<Kept> {
    let kept = Kept::new()?;
    kept.session(|client| {
        client.evolve("double", "Doubles", &double())?;
        let note = json!({"key": "user/units", "value": "metric", "tags": ["user"]});
        client.call("memory_store", &note).map(drop)
    })?;
    Ok(kept)
}

fn path(folder: &Folder, name: &str) -> Result<String> {
    let path = folder.path().join(name);
    Ok(path.to_str().context("a path in UTF-8")?.to_owned())
}

/// Names in a directory, in order.
fn names(directory: &Path) -> Result<Vec<String>> {
    let names = fs::read_dir(directory)?
        .map(|it| Ok::<String, anyhow::Error>(it?.file_name().to_string_lossy().into()));
    let mut names = names.collect::<Result<Vec<String>>>()?;
    names.sort();
    Ok(names)
}

fn ensure_filled(kept: &Kept) -> Result<()> {
    kept.session(|client| {
        assert_eq!(client.text("run", &json!({"tool": "double", "input": 21}))?, "42");
        let found = client.call("memory_retrieve", &json!({"key": "user/units"}))?;
        assert_eq!(found["structuredContent"]["value"], "metric", "{found}");
        Ok(())
    })?;
    kept.prints(&["journal", "verify"]).map(drop)
}

#[test]
fn a_backup_holds_what_a_running_server_has_acknowledged() -> Result<()> {
    let (kept, folder) = (filled()?, Folder::new()?);
    let file = path(&folder, "pif.backup")?;
    let mut client = kept.server(&[])?;
    client.evolve("late", "Triples", &json!({"lam": "x", "body": {"mul": [{"var": "x"}, 3]}}))?;
    let printed = kept.prints(&["backup", &file])?;
    let told = format!("{file}: 2 tools, 1 key of the memory, 3 entries of the journal\n");
    assert_eq!(printed, told);
    assert_eq!(client.text("run", &json!({"tool": "late", "input": 2}))?, "6");
    // It is one file: nothing beside it is needed, and nothing is left there.
    assert_eq!(names(folder.path())?, ["pif.backup"]);
    let other = Kept::new()?;
    let printed = other.prints(&["restore", &file])?;
    ensure!(
        printed.ends_with("2 tools, 1 key of the memory, 3 entries of the journal\n"),
        "{printed}"
    );
    ensure_filled(&other)?;
    other.session(|client| {
        assert_eq!(client.text("run", &json!({"tool": "late", "input": 2}))?, "6");
        Ok(())
    })
}

#[test]
fn a_backup_replaces_nothing_unasked() -> Result<()> {
    let (kept, folder) = (filled()?, Folder::new()?);
    let file = path(&folder, "mine")?;
    fs::write(&file, "mine")?;
    let errors = kept.complains(&["backup", &file])?;
    ensure!(
        errors.contains("there is a file of this name already; --force replaces it"),
        "{errors}"
    );
    assert_eq!(fs::read(&file)?, b"mine");
    kept.prints(&["backup", "--force", &file])?;
    ensure!(fs::read(&file)?.starts_with(b"SQLite format 3"), "it was not replaced");
    assert_eq!(names(folder.path())?, ["mine"]);
    let store = kept.file();
    for own in ["", "-wal"] {
        let own = format!("{}{own}", store.display());
        let errors = kept.complains(&["backup", "--force", &own])?;
        ensure!(errors.contains("this is the store itself"), "{errors}");
    }
    for (place, words) in
        [(path(&folder, "")?, "name a file"), (path(&folder, "no/such")?, "No such")]
    {
        let errors = kept.complains(&["backup", &place])?;
        ensure!(errors.contains(words), "{place}: {errors}");
    }
    let errors = kept.complains(&["backup", "--ephemeral", &file])?;
    ensure!(errors.contains("leave out --ephemeral"), "{errors}");
    let errors = Kept::new()?.complains(&["backup", &path(&folder, "x")?])?;
    ensure!(errors.contains("there is no store"), "{errors}");
    ensure_filled(&kept)
}

/// What is damaged gets no name.
#[test]
fn a_backup_is_verified() -> Result<()> {
    let (kept, folder) = (filled()?, Folder::new()?);
    kept.tamper("UPDATE entry SET subject = 'other' WHERE id = 1")?;
    let errors = kept.complains(&["backup", &path(&folder, "pif.backup")?])?;
    ensure!(errors.contains("entry 1"), "{errors}");
    assert_eq!(names(folder.path())?, [""; 0]);
    Ok(())
}

#[test]
fn a_restore_takes_no_place_unasked() -> Result<()> {
    let (kept, other, folder) = (filled()?, Kept::new()?, Folder::new()?);
    let file = path(&folder, "pif.backup")?;
    kept.prints(&["backup", &file])?;
    other.session(|client| client.evolve("mine", "Mine", &double()).map(drop))?;
    let errors = other.complains(&["restore", &file])?;
    ensure!(errors.contains("there is a store already; --force keeps it"), "{errors}");
    let client = other.server(&[])?;
    let errors = other.complains(&["restore", "--force", &file])?;
    ensure!(errors.contains("a server has the store open: end it first"), "{errors}");
    drop(client.finish()?);
    let printed = other.execute(&["restore", "--force", &file], "")?;
    ensure!(printed.code == Some(0), "{printed:?}");
    ensure!(printed.errors.contains("mcp-pif.db.old-1"), "{printed:?}");
    ensure_filled(&other)?;
    // What had the place is whole.
    let aside = other.file().with_file_name("mcp-pif.db.old-1");
    let third = Kept::new()?;
    third.prints(&["restore", aside.to_str().context("a path")?])?;
    third.session(|client| {
        assert_eq!(client.text("run", &json!({"tool": "mine", "input": 21}))?, "42");
        Ok(())
    })
}

#[test]
fn a_store_that_is_damaged_makes_room_with_all_its_files() -> Result<()> {
    let (kept, folder) = (filled()?, Folder::new()?);
    let file = path(&folder, "pif.backup")?;
    kept.prints(&["backup", &file])?;
    fs::write(kept.file(), vec![7; 8_192])?;
    fs::write(format!("{}-wal", kept.file().display()), [7; 5_000])?;
    kept.complains(&["journal", "verify"])?;
    let printed = kept.execute(&["restore", "--force", &file], "")?;
    ensure!(printed.code == Some(0), "{printed:?}");
    ensure_filled(&kept)?;
    let aside = kept.file().with_file_name("mcp-pif.db.old-1");
    assert_eq!(fs::read(aside)?, vec![7; 8_192]);
    Ok(())
}

#[test]
fn what_is_no_backup_is_refused() -> Result<()> {
    let (kept, other, folder) = (filled()?, Kept::new()?, Folder::new()?);
    let file = path(&folder, "pif.backup")?;
    kept.prints(&["backup", &file])?;
    let whole = fs::read(&file)?;
    let mut garbled = whole.clone();
    let middle = garbled.len() / 2;
    garbled[4_096..middle].fill(0x5a);
    let database = path(&folder, "other.db")?;
    Connection::open(&database)?.execute_batch("CREATE TABLE note (text)")?;
    for (what, bytes, words) in [
        ("half", whole[..whole.len() / 2].to_vec(), "damaged"),
        ("a text", b"no database".repeat(400), "damaged"),
        ("nothing", Vec::new(), "there is no store in it"),
        ("garbled", garbled, ""),
        ("another's", fs::read(&database)?, "not one of mcp-pif"),
    ] {
        fs::write(&file, bytes)?;
        let errors = other.complains(&["restore", &file])?;
        ensure!(errors.contains(words) && errors.lines().count() == 1, "{what}: {errors}");
        ensure!(!other.file().exists(), "{what} was restored");
    }
    let errors = other.complains(&["restore", &path(&folder, "none")?])?;
    ensure!(errors.contains("No such file"), "{errors}");
    Ok(())
}

/// What a server says to a change and to a run once its store is gone.
fn ensure_told(client: &mut super::client::Client, words: &str) -> Result<()> {
    let evolve = json!({"name": "late", "description": "d", "code": double()});
    let note = json!({"key": "late", "value": 1});
    let run = json!({"code": {"add": [40, 2]}});
    for (tool, arguments) in [("evolve", &evolve), ("memory_store", &note), ("run", &run)] {
        let fault = client.fault(tool, arguments)?;
        let told = fault["message"].as_str().unwrap_or_default();
        ensure!(fault["code"] == "storage" && told.contains(words), "{tool}: {fault}");
    }
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_store_that_was_deleted_or_replaced_acknowledges_nothing() -> Result<()> {
    let beside = |file: &Path, suffix: &str| PathBuf::from(format!("{}{suffix}", file.display()));
    for suffix in ["", "-wal", "-shm"] {
        let kept = filled()?;
        let mut client = kept.server(&[])?;
        let (file, away) = (beside(&kept.file(), suffix), beside(&kept.file(), ".away"));
        fs::rename(&file, &away)?;
        ensure_told(&mut client, "the store was deleted or moved while it was in use")?;
        fs::write(&file, "another")?;
        ensure_told(&mut client, "another file took the place of the store")?;
        // Once it is back, the server goes on.
        fs::rename(&away, &file)?;
        client.evolve("late", "d", &double())?;
        drop(client.finish()?);
        ensure_filled(&kept)?;
    }
    let kept = filled()?;
    let mut client = kept.server(&[])?;
    let directory = kept.file().parent().context("a directory")?.to_owned();
    let away = beside(&directory, "-away");
    fs::rename(&directory, &away)?;
    ensure_told(&mut client, "the directory of the store was deleted or moved")?;
    fs::rename(&away, &directory)?;
    client.evolve("late", "d", &double()).map(drop)
}

#[test]
fn the_memory_travels_if_it_is_wanted() -> Result<()> {
    let (from, to) = (filled()?, Kept::new()?);
    from.session(|client| {
        let note = json!({"key": "a \"key\"", "value": {"n": [1.50, null]}});
        client.call("memory_store", &note).map(drop)
    })?;
    let exported = from.prints(&["export", "--with-memory"])?;
    let file: Value = serde_json::from_str(&exported)?;
    assert_eq!((&file["version"], &file["tools"]), (&json!(1), &json!([])));
    assert_eq!(
        file["memory"][0],
        json!({"key": "user/units", "tags": ["user"], "value": "metric", "confidence": 0.8})
    );
    ensure!(exported.contains("1.5,null"), "{exported}");
    let told: Value = serde_json::from_str(&from.prints(&["export", "double"])?)?;
    ensure!(told.get("memory").is_none() && told["version"] == 1, "{told}");
    let printed = to.execute(&["import", "-"], &exported)?;
    ensure!(
        printed.output.is_empty() && printed.errors.contains("`--with-memory` imports it"),
        "{printed:?}"
    );
    let both = from.prints(&["export", "double", "--with-memory"])?;
    let printed = to.execute(&["import", "--with-memory", "-"], &both)?;
    ensure!(
        printed.output.ends_with("memory user/units: stored\nmemory a \"key\": stored\n"),
        "{printed:?}"
    );
    ensure_filled(&to)?;
    assert_eq!(to.prints(&["export", "double", "--with-memory"])?, both);
    // `--memory` is the limit of a run.
    let plain = from.prints(&["export", "double"])?;
    assert_eq!(from.prints(&["export", "double", "--memory=32MiB"])?, plain);
    let directory = from.file().parent().and_then(Path::to_str).context("a path")?.to_owned();
    let limited = ["--memory", "64MiB", "export", "double", "--data", &directory];
    let folder = Folder::new()?;
    let mut command = super::client::command(&folder)?;
    command.args(limited);
    assert_eq!(super::kept::execute(command, "")?.output, plain);
    let again = to.execute(&["import", "--with-memory", "-"], &both)?;
    ensure!(
        again.output.ends_with("memory user/units: unchanged\nmemory a \"key\": unchanged\n"),
        "{again:?}"
    );
    // A key that is here with another value stays, and with it everything else.
    to.session(|client| {
        client.call("memory_store", &json!({"key": "user/units", "value": "imperial"})).map(drop)
    })?;
    let refused = to.execute(&["import", "--with-memory", "-"], &both)?;
    ensure!(refused.errors.contains("`user/units` is in the memory already"), "{refused:?}");
    ensure!(
        refused.code == Some(1) && refused.errors.contains("nothing was imported"),
        "{refused:?}"
    );
    let replaced = to.execute(&["import", "--with-memory", "--replace", "-"], &both)?;
    ensure!(replaced.output.contains("memory user/units: changed"), "{replaced:?}");
    ensure_filled(&to)
}

/// What was learned travels with the values: when they help, how sure their author was, what came of them.
#[test]
fn what_was_learned_travels_with_the_memory() -> Result<()> {
    let (from, to) = (Kept::new()?, Kept::new()?);
    let context = "monthly report of invoices";
    let recall = |client: &mut super::client::Client| -> Result<Value> {
        let found = client.call("memory_retrieve", &json!({"context": context}))?;
        Ok(found["structuredContent"]["entries"][0].clone())
    };
    let mut learned = Value::Null;
    from.session(|client| {
        let note =
            json!({"key": "sum", "value": "by month", "context": context, "confidence": 0.5});
        client.call("memory_store", &note)?;
        for outcome in ["helped", "helped", "failed"] {
            client.call("memory_store", &json!({"key": "sum", "outcome": outcome}))?;
        }
        learned = recall(client)?;
        Ok(())
    })?;
    ensure!(learned["confidence"] == 0.6, "{learned}");
    let exported = from.prints(&["export", "--with-memory"])?;
    let file: Value = serde_json::from_str(&exported)?;
    let memory = &file["memory"][0];
    ensure!(memory["context"] == context && memory["confidence"] == 0.5, "{memory}");
    ensure!(memory["outcomes"] == json!({"successes": 2, "tries": 3}), "{memory}");
    for expected in ["stored", "unchanged"] {
        let printed = to.execute(&["import", "--with-memory", "-"], &exported)?;
        ensure!(printed.output == format!("memory sum: {expected}\n"), "{printed:?}");
    }
    to.session(|client| {
        let found = recall(client)?;
        ensure!(found["confidence"] == learned["confidence"], "{found} {learned}");
        Ok(())
    })?;
    assert_eq!(to.prints(&["export", "--with-memory"])?, exported);
    Ok(())
}

/// A library that lets system calls fail as file systems do; none without a compiler.
#[cfg(target_os = "linux")]
fn shim(folder: &Folder) -> Result<Option<PathBuf>> {
    let (source, library) = (folder.path().join("lack.c"), folder.path().join("lack.so"));
    fs::write(&source, include_str!("lack.c"))?;
    let compiled =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    match compiled {
        Ok(status) if status.success() => Ok(Some(library)),
        Ok(status) => anyhow::bail!("cc: {status}"),
        Err(_) => Ok(None),
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_system_that_cannot_keep_a_store_is_told_as_one() -> Result<()> {
    let folder = Folder::new()?;
    let Some(library) = shim(&folder)? else { return Ok(()) };
    for (lack, words) in [
        ("locks", "the file system has no locks"),
        ("lock-support", "the file system has no locks"),
        ("sharing", "the file system has no memory that several processes share"),
        ("synchronizing", "the file system does not synchronize files"),
    ] {
        let kept = Kept::new()?;
        let mut command = kept.command(&["import", "-", "--patience", "3s"])?;
        command.env("LD_PRELOAD", &library).env("PIF_LACK", lack);
        let printed = super::kept::execute(command, "{}")?;
        ensure!(printed.code == Some(1), "{lack}: {printed:?}");
        ensure!(printed.errors.contains(words), "{lack}: {printed:?}");
        ensure!(printed.errors.contains("on a local disk by --data DIR"), "{lack}: {printed:?}");
        let directory = kept.file().parent().context("a directory")?.to_owned();
        let left = names(&directory)?;
        ensure!(!left.iter().any(|name| name.contains("probe")), "{lack}: {left:?}");
    }
    Ok(())
}
