//! Makes the store that later versions must be able to open. A schema that was released does not
//! change any more, and neither does its store: this is for versions that are not released.

use anyhow::Result;
use pif_tests::endure::released;
use pif_tests::server::folder::Folder;

/// Makes it.
pub(crate) fn run() -> Result<()> {
    let file = released::make(Folder::new()?.path())?;
    println!("{}", file.display());
    Ok(())
}
