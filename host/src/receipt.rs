//! `mcp-pif receipt`: a signed statement about a run, and whether one holds.

use std::process::ExitCode;

use anyhow::{Context, Result, anyhow};
use clap::{Args, Subcommand};
use pif_domain::Limit;
use pif_receipt::{PublicKey, Trust};
use pif_sandbox::Watch;
use pif_server::config::Options;
use pif_server::render;
use pif_server::workshop::{Receipt as Signed, Verdict};

use super::open::{open, open_if_any};
use super::print::{fail, print};
use super::settings::{Directory, existing, start};
use super::source::{read_file, read_file_within};

/// Bytes that a receipt may have.
const MOST: u64 = 256 << 20;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct Receipt {
    #[command(subcommand)]
    task: Option<Task>,
    /// The number of the entry of a run
    #[arg(required = true)]
    entry: Option<i64>,
    /// Leave out the texts: the receipt has digests only, and a replay needs this store
    #[arg(long)]
    bare: bool,
    #[command(flatten)]
    place: Directory,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Check a receipt: its signature, its digests, and with `--replay` the run
    Verify(Verify),
}

#[derive(Debug, Args)]
struct Verify {
    /// The file; `-` reads standard input
    file: String,
    /// A file with public keys in PEM, as `mcp-pif keys export` prints them; may be given again
    #[arg(long, value_name = "FILE", required = true)]
    trust: Vec<String>,
    /// A file with the ids of keys, each with the moment from which its signatures do not count
    #[arg(long, value_name = "FILE")]
    revoked: Option<String>,
    /// Run it again and compare
    #[arg(long)]
    replay: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Directory,
}

impl Receipt {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        if let Some(Task::Verify(verify)) = self.task {
            return verify.execute(options);
        }
        let entry = self.entry.context("name an entry")?;
        let config = existing(options, &self.place)?;
        let workshop = open(&config)?;
        Ok(match workshop.receipt(entry) {
            Ok(receipt) if self.bare => print(&receipt.bare().to_json()),
            Ok(receipt) => print(&receipt.to_json()),
            Err(fault) => fail(&[fault]),
        })
    }
}

impl Verify {
    fn execute(self, options: Options) -> Result<ExitCode> {
        let config = start(options, Some(&self.place))?;
        let trust = trust(&self.trust, self.revoked.as_deref())?;
        let text = read_file_within(&self.file, MOST)?;
        let checked = match Signed::read(&text).and_then(|receipt| receipt.check(&trust)) {
            Ok(checked) => checked,
            Err(fault) => return Ok(fail(&[fault])),
        };
        let replayed = if self.replay {
            let watch = Watch::new(config.values.time(Limit::WallClock));
            let workshop = open_if_any(config)?;
            match workshop.replay_receipt(&checked, &watch) {
                Ok(replayed) => Some(replayed),
                Err(fault) => return Ok(fail(&[fault])),
            }
        } else {
            None
        };
        let verdict = replayed.as_ref().map(|it| &it.verdict);
        let told = render::receipt(&checked, verdict);
        let code = print(&if self.json { told.record() } else { told.text().to_owned() });
        let is_good = matches!(verdict, None | Some(Verdict::Equal));
        Ok(if is_good { code } else { ExitCode::FAILURE })
    }
}

/// The keys of these files, without those that were revoked.
pub(super) fn trust(files: &[String], revoked: Option<&str>) -> Result<Trust> {
    let mut keys = Vec::new();
    for file in files {
        let found = PublicKey::all_from_pem(&read_file(file)?).with_context(|| file.clone())?;
        if found.is_empty() {
            return Err(anyhow!(
                "{file}: there is no public key; `mcp-pif keys export` prints some"
            ));
        }
        keys.extend(found);
    }
    let mut trust = Trust::new(keys);
    if let Some(file) = revoked {
        trust.revoke(&read_file(file)?).map_err(|line| {
            anyhow!(
                "{file}: line {line} is not the id of a key and a moment, as in `3f… 2026-01-31`"
            )
        })?;
    }
    Ok(trust)
}
