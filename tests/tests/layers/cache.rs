//! What compiled evaluators leave on the disk.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, ensure};
use pif_sandbox::{Net, Origin, Sandbox, Setup};

use super::hostile::Evaluator;
use crate::folder::Folder;

/// Makes a file that was last used so many hours ago.
fn leave(folder: &Path, name: &str, hours: u64) -> Result<()> {
    let file = File::create(folder.join(name))?;
    Ok(file.set_modified(SystemTime::now() - Duration::from_hours(hours))?)
}

fn names(folder: &Path) -> Result<Vec<String>> {
    let names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().into_string().ok()));
    let mut names: Vec<String> = names.collect::<Result<Option<_>>>()?.context("UTF-8")?;
    names.sort_unstable();
    Ok(names)
}

fn load(folder: &Path, component: &[u8]) -> Result<Origin> {
    let setup = Setup { component, cache: Some(folder), concurrency: 1, net: Net::WIDE };
    Ok(Sandbox::set_up(&setup)?.origin().clone())
}

#[test]
fn compiled_code_of_other_versions_is_forgotten_but_for_the_latest() -> Result<()> {
    let folder = Folder::new()?;
    let folder = folder.path();
    let other = |n: usize, ending: &str| format!("{n:016x}-{n:064x}.{ending}");
    for n in 1..=6 {
        leave(folder, &other(n, "cwasm"), n as u64)?;
    }
    leave(folder, &other(7, "4711.tmp"), 48)?;
    leave(folder, &other(8, "4711.tmp"), 1)?;
    leave(folder, "notes.cwasm", 1_000)?;
    let component = Evaluator::default().component()?;
    let Origin::Cached(path) = load(folder, &component)? else { anyhow::bail!("not compiled") };
    let own = path.file_name().and_then(|name| name.to_str()).context("a name")?.to_owned();
    let mut expected = vec![other(8, "4711.tmp"), "notes.cwasm".to_owned(), own];
    expected.extend((1..=3).map(|n| other(n, "cwasm")));
    expected.sort_unstable();
    assert_eq!(names(folder)?, expected);
    is_used(folder, &component, &path)
}

/// A file that is loaded counts as used now, so it is not the next to go.
fn is_used(folder: &Path, component: &[u8], path: &PathBuf) -> Result<()> {
    let long_ago = SystemTime::now() - Duration::from_hours(100);
    File::options().write(true).open(path)?.set_modified(long_ago)?;
    assert_eq!(load(folder, component)?, Origin::Loaded(path.clone()));
    ensure!(fs::metadata(path)?.modified()? > long_ago + Duration::from_hours(99));
    Ok(())
}
