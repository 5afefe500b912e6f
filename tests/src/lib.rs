//! What the tests of mcp-pif share: the corpus of cases, random programs, three ways to run them
//! (by the definition of the language, on the native machine, in the component), and what fuzzing
//! checks.

pub mod attack;
pub mod case;
#[cfg(feature = "host")]
pub mod component;
#[cfg(all(unix, feature = "host"))]
pub mod database;
pub mod definitional;
#[cfg(feature = "host")]
pub mod embedding;
#[cfg(feature = "host")]
pub mod endure;
#[cfg(feature = "host")]
pub mod excerpt;
pub mod form_types;
pub mod fuzz;
pub mod generate;
pub mod interpret;
pub mod javascript;
pub mod library;
pub mod modules;
pub mod native;
pub mod oracle;
#[cfg(feature = "host")]
pub mod pages;
#[cfg(all(feature = "host", unix))]
pub mod postgres;
pub mod processes;
pub mod reference;
pub mod registry_entry;
pub mod run;
#[cfg(feature = "host")]
pub mod sdk;
#[cfg(feature = "host")]
pub mod server;
#[cfg(target_os = "linux")]
pub mod system;
pub mod types;
pub mod world;

/// Tells why something is not tested here. Continuous integration, which sets `CI`, has everything that
/// tests need: there it fails.
///
/// # Errors
///
/// `CI` is set.
pub fn skip(why: &str) -> anyhow::Result<()> {
    anyhow::ensure!(std::env::var_os("CI").is_none(), "nothing is skipped here: {why}");
    tell(&format!("skipped: {why}"));
    Ok(())
}

/// Tells something beside the results of tests: a figure, or why nothing is tested.
pub fn tell(text: &str) {
    use std::io::Write as _;
    // Nobody may be there to read it.
    let _ = writeln!(std::io::stderr(), "{text}");
}
