//! `mcp-pif check`: checks a term without running it.

use std::fs;
use std::path::Path;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use pif_domain::Limit;
use pif_sandbox::Watch;
use pif_server::config::Options;
use pif_server::render;
use pif_server::workshop::Workshop;

use super::open::open_if_any;
use super::print::{fail, print};
use super::settings::{Directory, start};
use super::source::{hyphened, read_code, read_file};

#[derive(Debug, Args)]
pub(super) struct Check {
    /// A program in the notation or as JSON; `-` reads stdin, `@FILE` a file
    #[arg(allow_hyphen_values = true, value_parser = hyphened, required_unless_present = "fix")]
    code: Option<String>,
    /// Repair the program in a file, where the repair is sure
    #[arg(long, value_name = "FILE", conflicts_with = "code")]
    fix: Option<PathBuf>,
    #[command(flatten)]
    place: Directory,
}

impl Check {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let config = start(options, Some(&self.place))?;
        let watch = Watch::new(config.values.time(Limit::WallClock));
        let workshop = open_if_any(config)?;
        if let Some(file) = &self.fix {
            return fix(&workshop, file, &watch);
        }
        let code = read_code(self.code.as_deref().unwrap_or_default())?;
        Ok(match workshop.check(&code, &watch) {
            Ok(summary) => {
                let told = workshop.type_of(&summary, &code, &watch);
                print(&render::describe(&summary, told.as_ref()))
            }
            Err(faults) => fail(&faults),
        })
    }
}

/// Writes a file with all sure repairs, and tells what is wrong with it then.
fn fix(workshop: &Workshop, file: &Path, watch: &Watch) -> Result<ExitCode> {
    let code = read_file(&file.to_string_lossy())?;
    let fixed = match workshop.check(&code, watch) {
        Ok(summary) => render::fixed(&summary.notes).map(str::to_owned),
        Err(faults) => faults.into_iter().find_map(|fault| Some(fault.fix?.fixed)),
    };
    let Some(fixed) = fixed else {
        return Ok(match workshop.check(&code, &watch.again()) {
            Ok(_) => print("nothing to repair"),
            Err(faults) => fail(&faults),
        });
    };
    fs::write(file, &fixed).with_context(|| format!("{} cannot be written", file.display()))?;
    Ok(match workshop.check(&fixed, &watch.again()) {
        Ok(_) => print(&format!("repaired {}", file.display())),
        Err(faults) => fail(&faults),
    })
}
