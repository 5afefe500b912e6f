//! The language's reference says what the table of forms says.

use anyhow::{Result, ensure};
use pif_tests::reference;
use std::fs;

#[test]
fn the_reference_is_made_from_the_table() -> Result<()> {
    let text = fs::read_to_string(reference::path())?;
    ensure!(reference::renew(&text)? == text, "renew it by `cargo x reference`");
    Ok(())
}
