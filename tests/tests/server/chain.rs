//! The chain of the journal: whether tampering shows, and what becomes of it when entries go.

use super::journal::some_of_everything;
use super::kept::{Kept, run};
use super::text::identity;
use anyhow::{Context, Result, ensure};
use serde_json::json;
use std::fs;

/// The head of the chain as `journal verify` prints it.
pub(super) fn head(kept: &Kept) -> Result<String> {
    let told = kept.prints(&["journal", "verify"])?;
    let head = told.lines().find_map(|line| line.strip_prefix("head "));
    Ok(head.with_context(|| told.clone())?.to_owned())
}

#[test]
fn verify_tells_where_the_chain_stands() -> Result<()> {
    let kept = Kept::new()?;
    kept.session(some_of_everything)?;
    let zeros = "0".repeat(64);
    let told = kept.prints(&["journal", "verify"])?;
    let start = format!("8 entries, each as it was written\nanchor 0:{zeros}\nhead 8:");
    ensure!(told.starts_with(&start), "{told}");
    let before = head(&kept)?;
    kept.session(|client| run(client, &json!(1)).map(drop))?;
    let after = head(&kept)?;
    // What was the head is still part of the chain.
    for expected in [&before, &after, &format!("0:{zeros}")] {
        kept.prints(&["journal", "verify", "--expect", expected])?;
    }
    for (expected, words) in [
        (format!("8:{zeros}"), "entry 8 has the hash"),
        (format!("0:{}", "1".repeat(64)), "entry 0 has the hash"),
        (format!("10:{zeros}"), "ends at entry 9, before 10"),
    ] {
        let errors = kept.complains(&["journal", "verify", "--expect", &expected])?;
        ensure!(errors.contains(words), "{expected}: {errors}");
    }
    // A chain that was cut off at its end is in order by itself; only an expectation tells.
    kept.tamper("DELETE FROM entry WHERE id = 9")?;
    assert_eq!(head(&kept)?, before);
    let errors = kept.complains(&["journal", "verify", "--expect", &after])?;
    ensure!(errors.contains("ends at entry 8, before 9"), "{errors}");
    Ok(())
}

/// Tampering shows at the start of a server, in a replay and in `journal verify`, by the entry.
#[test]
fn a_changed_entry_is_named() -> Result<()> {
    let whole = Kept::new()?;
    whole.session(some_of_everything)?;
    for (sql, entry) in [
        ("UPDATE entry SET body = replace(body, '42', '43') WHERE id = 2", 2),
        ("UPDATE entry SET time = time + 1 WHERE id = 3", 3),
        ("UPDATE entry SET kind = 'run' WHERE id = 5", 5),
        ("UPDATE entry SET subject = NULL WHERE id = 3", 3),
        ("UPDATE entry SET subject = 'half' WHERE id = 4", 4),
        ("UPDATE entry SET ending = 'value' WHERE id = 4", 4),
        ("UPDATE entry SET fuel = fuel + 1 WHERE id = 2", 2),
        ("UPDATE entry SET fuel = NULL WHERE id = 2", 2),
        ("UPDATE entry SET component = NULL WHERE id = 4", 4),
        ("UPDATE component SET hash = 'another'", 2),
        ("UPDATE entry SET ends = ends + 1 WHERE id = 8", 8),
        ("UPDATE entry SET hash = zeroblob(32) WHERE id = 6", 6),
        ("UPDATE entry SET hash = x'00' WHERE id = 6", 6),
        (
            "UPDATE anchor SET hash = x'0000000000000000000000000000000000000000000000000000000000000001'",
            1,
        ),
        ("DELETE FROM entry WHERE id = 7", 7),
        ("DELETE FROM entry WHERE id = 1", 1),
        ("UPDATE entry SET id = id + 1 WHERE id = 8", 8),
    ] {
        let kept = whole.copy()?;
        kept.tamper(sql)?;
        assert_broken(&kept, entry).context(sql)?;
    }
    Ok(())
}

fn assert_broken(kept: &Kept, entry: i64) -> Result<()> {
    let path = kept.file().to_string_lossy().into_owned();
    for command in [&["journal", "verify"][..], &[]] {
        let printed = kept.execute_behind(command)?;
        ensure!(printed.code == Some(1) && printed.output.is_empty(), "{command:?}: {printed:?}");
        let named = format!("the journal is broken at entry {entry}: ");
        let is_named = printed.errors.contains(&named) && printed.errors.contains(&path);
        ensure!(is_named && printed.errors.lines().count() == 1, "{command:?}: {printed:?}");
    }
    Ok(())
}

/// Nobody works on a store that was tampered with, but everybody may look at it.
#[test]
fn a_broken_journal_can_be_read_and_nothing_else() -> Result<()> {
    let kept = Kept::new()?;
    kept.session(some_of_everything)?;
    kept.tamper("UPDATE entry SET fuel = 6 WHERE id = 2")?;
    ensure!(kept.prints(&["journal"])?.contains("value, 6 fuel"));
    ensure!(kept.export()?.len() == 8);
    for command in
        [&["replay", "--all"][..], &["export", "double"], &["run", "1"], &["import", "-"]]
    {
        // In `run` the directory goes before the command.
        let printed = kept.execute_behind(command)?;
        ensure!(printed.code == Some(1) && printed.output.is_empty(), "{command:?}: {printed:?}");
        let named = "the journal is broken at entry 2: ";
        ensure!(printed.errors.contains(named), "{command:?}: {printed:?}");
    }
    Ok(())
}

/// Whoever does not go by way of the database is found out too.
#[test]
fn changed_bytes_are_named() -> Result<()> {
    let whole = Kept::new()?;
    whole.session(some_of_everything)?;
    let changes: [(&str, &[u8]); 4] = [
        (r#""value":"42""#, br#""value":"43""#),
        (r#""input":"21""#, br#""input":"20""#),
        ("empty-list", b"empty-lisp"),
        // No text any more.
        (r#""message":"#, b"\"mess\xffge\":"),
    ];
    for (text, other) in changes {
        let kept = whole.copy()?;
        let mut bytes = fs::read(kept.file())?;
        let entry = kept.database()?.query_row(
            "SELECT min(id) FROM entry WHERE instr(body, ?1) OR ending = ?1",
            [text],
            |row| row.get(0),
        )?;
        let places: Vec<usize> = (0..bytes.len() - text.len())
            .filter(|at| bytes[*at..].starts_with(text.as_bytes()))
            .collect();
        for at in places {
            bytes[at..at + text.len()].copy_from_slice(other);
        }
        fs::write(kept.file(), bytes)?;
        assert_broken(&kept, entry).with_context(|| text.to_owned())?;
    }
    Ok(())
}

/// The oldest entries go, so many that the rest is well within the size, and the chain goes on.
#[test]
fn a_journal_keeps_within_its_size() -> Result<()> {
    let kept = Kept::new()?;
    kept.session_with(&["--journal-size", "1MiB"], |client| {
        for n in 0..40 {
            let data = format!("{n}{}", "x".repeat(30_000));
            client.text("run", &json!({"code": identity(), "data": data}))?;
        }
        // What is gone is said to be gone.
        let fault = client.fault("replay", &json!({"entry": 1}))?;
        assert_eq!(fault["code"], "unknown-entry");
        ensure!(fault["hint"].as_str().context("a hint")?.contains("were removed"), "{fault}");
        assert_eq!(
            client.call("replay", &json!({"entry": 40}))?["structuredContent"]["verdict"],
            "equal"
        );
        Ok(())
    })?;
    let told = kept.prints(&["journal", "verify"])?;
    let count: i64 = told.split(' ').next().context("a number")?.parse()?;
    let anchor = told.lines().find_map(|line| line.strip_prefix("anchor ")).context("an anchor")?;
    let removed: i64 = anchor.split(':').next().context("an entry")?.parse()?;
    ensure!(removed > 0 && removed + count == 40, "{told}");
    let size: i64 =
        kept.database()?.query_row("SELECT sum(length(body)) FROM entry", [], |row| row.get(0))?;
    ensure!(size > 700_000 && size <= 1 << 20, "{size} bytes");
    assert_eq!(i64::try_from(kept.export()?.len())?, count);
    // The anchor is as good as an entry, what is before it cannot be told any more.
    kept.prints(&["journal", "verify", "--expect", anchor])?;
    let errors =
        kept.complains(&["journal", "verify", "--expect", &format!("1:{}", "0".repeat(64))])?;
    ensure!(errors.contains("was removed"), "{errors}");
    let all = kept.prints(&["replay", "--all"])?;
    ensure!(all.ends_with(&format!("\n{count} equal, 0 different, 0 skipped\n")), "{all}");
    kept.tamper(&format!("UPDATE anchor SET id = {}", removed - 1))?;
    assert_broken(&kept, removed)
}
