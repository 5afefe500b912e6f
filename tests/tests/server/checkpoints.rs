//! Checkpoints of the journal: signed notes that show whether all of it is still there.

use super::kept::{Kept, run};
use super::receipts::{another, file};
use super::text::identity;
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a server may take for a checkpoint of what was there when it started.
const PATIENCE: Duration = Duration::from_secs(30);

/// A store with keys and so many entries.
fn store(entries: usize) -> Result<Kept> {
    let kept = Kept::new()?;
    add(&kept, entries)?;
    kept.prints(&["keys", "new"])?;
    Ok(kept)
}

fn add(kept: &Kept, entries: usize) -> Result<()> {
    kept.session(|client| (0..entries).try_for_each(|n| run(client, &json!(n)).map(drop)))
}

/// The checkpoint that a server makes when it starts.
fn checkpoint(kept: &Kept, size: usize) -> Result<String> {
    let begun = Instant::now();
    kept.session(|_| {
        while begun.elapsed() < PATIENCE {
            let printed = kept.execute(&["journal", "checkpoint"], "")?;
            if printed.output.lines().nth(1) == Some(&size.to_string()) {
                return Ok(());
            }
            sleep(Duration::from_millis(50));
        }
        Err(anyhow::anyhow!("there is no checkpoint of {size} entries"))
    })?;
    kept.prints(&["journal", "checkpoint"])
}

#[test]
fn a_checkpoint_shows_that_nothing_is_gone() -> Result<()> {
    let kept = store(3)?;
    let errors = kept.complains(&["journal", "checkpoint"])?;
    ensure!(errors.contains("there is no checkpoint"), "{errors}");
    let first = file(&kept, "first.txt", &checkpoint(&kept, 3)?)?;
    kept.prints(&["journal", "verify", "--expect", &first])?;
    add(&kept, 4)?;
    let text = checkpoint(&kept, 7)?;
    ensure!(text.lines().any(|line| line.starts_with("before ")), "{text}");
    // A server adds none where nothing came.
    assert_eq!(checkpoint(&kept, 7)?, text);
    let second = file(&kept, "second.txt", &text)?;
    add(&kept, 1)?;
    let told = kept.prints(&["journal", "verify", "--expect", &first, "--expect", &second])?;
    ensure!(told.contains("\nthe last checkpoint holds: "), "{told}");
    // Keys of others do not count.
    let other = store(1)?;
    let keys = file(&other, "keys.pem", &other.prints(&["keys", "export"])?)?;
    let verify = ["journal", "verify", "--expect", &first, "--trust", &keys];
    ensure!(kept.complains(&verify)?.contains("no checkpoint that a trusted key"));
    let keys = file(&kept, "keys.pem", &kept.prints(&["keys", "export"])?)?;
    let verify = ["journal", "verify", "--expect", &first, "--trust", &keys];
    ensure!(other.complains(&verify)?.contains("this is a different journal"));
    kept.prints(&verify)?;
    Ok(())
}

/// Somebody who changes an entry and makes the chain right again is told by the checkpoint.
#[test]
fn a_forged_journal_is_told() -> Result<()> {
    let kept = store(5)?;
    let note = file(&kept, "note.txt", &checkpoint(&kept, 5)?)?;
    let keys = file(&kept, "keys.pem", &kept.prints(&["keys", "export"])?)?;
    let verify = ["journal", "verify", "--expect", &note, "--trust", &keys];
    kept.tamper("UPDATE entry SET time = time + 1 WHERE id = 2")?;
    kept.forge()?;
    let errors = kept.complains(&["journal", "verify"])?;
    ensure!(errors.contains("were changed"), "{errors}");
    // Without the checkpoints in the store only the one that was kept tells.
    kept.tamper("DELETE FROM checkpoint")?;
    kept.prints(&["journal", "verify"])?;
    ensure!(kept.complains(&verify)?.contains("were changed"));
    kept.tamper("DELETE FROM entry WHERE id = 5")?;
    let errors = kept.complains(&verify)?;
    ensure!(errors.contains("entry 5, with which chain 0 ended, is not there"), "{errors}");
    Ok(())
}

/// Entries that were removed to keep the journal within its size count still, and a checkpoint that ended with one
/// says so. Nothing is kept of it: not even the file grows.
#[test]
fn entries_that_were_removed_are_counted() -> Result<()> {
    let kept = store(4)?;
    let old = file(&kept, "old.txt", &checkpoint(&kept, 4)?)?;
    let fill = |rounds: usize| {
        kept.session_with(&["--journal-size", "1MiB"], |client| {
            (0..rounds).try_for_each(|_| {
                let data = "x".repeat(60_000);
                client.call("run", &json!({"code": identity(), "data": data})).map(drop)
            })
        })
    };
    fill(20)?;
    let told = kept.prints(&["journal", "verify"])?;
    ensure!(!told.contains("anchor 0:"), "nothing was removed: {told}");
    let errors = kept.complains(&["journal", "verify", "--expect", &old])?;
    ensure!(errors.contains("entry 4, with which chain 0 ended, was removed"), "{errors}");
    let new = file(&kept, "new.txt", &checkpoint(&kept, 24)?)?;
    kept.prints(&["journal", "verify", "--expect", &new])?;
    fill(5)?;
    kept.prints(&["journal", "verify", "--expect", &new]).map(drop)
}

/// Python verifies a checkpoint and computes the root from the exported journal.
#[test]
#[ignore = "needs a package index for Python"]
fn another_implementation_agrees() -> Result<()> {
    for entries in [1, 2, 7] {
        let kept = store(entries)?;
        let note = file(&kept, "note.txt", &checkpoint(&kept, entries)?)?;
        let keys = file(&kept, "keys.pem", &kept.prints(&["keys", "export"])?)?;
        add(&kept, 1)?;
        let export = file(&kept, "export.jsonl", &kept.prints(&["journal", "export"])?)?;
        let said = another("checkpoint.py", &[&note, &keys, &export])?;
        let count = said.lines().filter(|line| line.starts_with("ok ")).count();
        (count == 3).then_some(()).context(said)?;
    }
    Ok(())
}
