//! `mcp-pif stage`, `verify`, `commit`, `discard`: changes that are tried before they count.

use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Args;
use pif_domain::{Fault, Limit};
use pif_sandbox::Watch;
use pif_server::config::{Config, Options};
use pif_server::render::{self, Reply};
use pif_server::workshop::{Verify as Asked, Workshop};
use serde_json::json;
use serde_json::value::RawValue;

use super::open::open;
use super::print::{fail, print};
use super::settings::{Directory, existing, start};
use super::source::read_code;

#[derive(Debug, Args)]
pub(super) struct Stage {
    /// Operations as a JSON list, `[{"evolve": {…}}, {"rename": ["old", "new"]}]`; `-` reads stdin,
    /// `@FILE` a file. Without them your snapshots are listed
    operations: Option<String>,
    /// Add to this snapshot
    #[arg(long, value_name = "N")]
    snapshot: Option<i64>,
    /// Apply the operations of a snapshot on the registry as it is now
    #[arg(long, value_name = "N", conflicts_with_all = ["operations", "snapshot"])]
    rebase: Option<i64>,
    #[command(flatten)]
    place: Directory,
}

#[derive(Debug, Args)]
pub(super) struct Verify {
    /// The number of the snapshot
    snapshot: i64,
    /// A name, a pattern such as `tax_*`, or an example as JSON; may be given again
    #[arg(long = "test", value_name = "TEST")]
    tests: Vec<String>,
    /// A tool of another server that may be needed now; may be given again
    #[arg(long = "allow-need", value_name = "TOOL")]
    allow_needs: Vec<String>,
    #[command(flatten)]
    place: Directory,
}

#[derive(Debug, Args)]
pub(super) struct Commit {
    /// The number of the snapshot
    snapshot: i64,
    /// Commit without a verification that passed
    #[arg(long)]
    force: bool,
    /// Why, for the journal
    #[arg(short, long)]
    message: Option<String>,
    #[command(flatten)]
    place: Directory,
}

#[derive(Debug, Args)]
pub(super) struct Discard {
    /// The number of the snapshot
    snapshot: i64,
    #[command(flatten)]
    place: Directory,
}

impl Stage {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let (config, workshop) = begin(start(options, Some(&self.place))?)?;
        let expires = |area: &_| workshop.expires(area);
        let watch = Watch::new(config.values.time(Limit::WallClock));
        if let Some(snapshot) = self.rebase {
            let arguments = json!({ "snapshot": snapshot, "rebase": true }).to_string();
            let staged = workshop.rebase(snapshot, &arguments, &watch);
            return Ok(print_reply(staged.map(|it| render::staged(&it, expires(&it.area)))));
        }
        let Some(operations) = &self.operations else {
            return Ok(print_reply(
                workshop.areas().map(|areas| render::snapshots(&areas, expires)),
            ));
        };
        let text = read_code(operations)?;
        let list: Vec<&RawValue> = serde_json::from_str(&text).context("the operations")?;
        let list: Vec<String> = list.iter().map(|raw| raw.get().to_owned()).collect();
        let staged = workshop.stage(self.snapshot, &list, &text, &watch);
        Ok(print_reply(staged.map(|it| render::staged(&it, expires(&it.area)))))
    }
}

impl Verify {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let (config, workshop) = begin(existing(options, &self.place)?)?;
        let is_json = |test: &str| test.trim_start().starts_with('{');
        let tests = self.tests.into_iter().map(|test| match is_json(&test) {
            true => test,
            false => json!(test).to_string(),
        });
        let asked = Asked { tests: tests.collect(), allow_needs: self.allow_needs };
        let arguments = json!({ "snapshot": self.snapshot }).to_string();
        let watch = Watch::new(config.values.time(Limit::WallClock));
        let verified = match workshop.verify(self.snapshot, &asked, &arguments, &watch) {
            Ok(verified) => verified,
            Err(fault) => return Ok(fail(&[fault])),
        };
        let passed = verified.passed;
        let printed = print(render::verified(verified).text());
        Ok(if passed { printed } else { ExitCode::FAILURE })
    }
}

impl Commit {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let (_, workshop) = begin(existing(options, &self.place)?)?;
        let Self { snapshot, force, message, .. } = self;
        let arguments = json!({ "snapshot": snapshot, "message": message }).to_string();
        let done = workshop.commit(snapshot, force, &arguments);
        Ok(print_reply(done.map(|it| render::committed(snapshot, &it))))
    }
}

impl Discard {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let (_, workshop) = begin(existing(options, &self.place)?)?;
        let arguments = json!({ "snapshot": self.snapshot }).to_string();
        Ok(match workshop.discard(self.snapshot, &arguments) {
            Ok(area) => print(&format!("discarded snapshot {}", area.id)),
            Err(fault) => fail(&[fault]),
        })
    }
}

fn begin(config: Config) -> Result<(Config, Workshop)> {
    let workshop = open(&config)?;
    Ok((config, workshop))
}

fn print_reply(reply: Result<Reply, Fault>) -> ExitCode {
    match reply {
        Ok(reply) => print(reply.text()),
        Err(fault) => fail(&[fault]),
    }
}
