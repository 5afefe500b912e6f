//! Makes the store that later versions must be able to open. A schema that was released does not
//! change any more, and neither does its store: this is for versions that are not released.

use anyhow::{Context, Result, ensure};
use pif_tests::endure::released;

/// Makes it.
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    ensure!(arguments.is_empty(), "`store` takes no arguments");
    let (target, _) = crate::clients::server()?;
    let place = target.join("store");
    if place.exists() {
        std::fs::remove_dir_all(&place).context("what an earlier time has left")?;
    }
    let file = released::make(&place)?;
    println!("{}", file.display());
    Ok(())
}
