//! `mcp-pif search`: one ranked list of everything that words find.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use clap::builder::PossibleValuesParser;
use pif_domain::Fault;
use pif_server::config::Options;
use pif_server::render::{matches, matches_record};
use pif_server::workshop::{Sought, Workshop};
use pif_store::find::Kind;

use super::open::open_if_any;
use super::print::{Output, fail};
use super::settings::{Directory, start};

/// What a command can look for: it asks no other servers.
const KINDS: [Kind; 6] =
    [Kind::Tool, Kind::Library, Kind::Form, Kind::Memory, Kind::Journal, Kind::Session];

#[derive(Debug, Args)]
pub(super) struct Search {
    /// Words
    #[arg(required = true)]
    query: Vec<String>,
    /// Look only there; may be given again
    #[arg(long = "in", value_name = "WHERE", value_parser = PossibleValuesParser::new(KINDS.map(Kind::plural)))]
    places: Vec<String>,
    /// Show callers, callees, tools used together and entries with the same tags
    #[arg(long)]
    neighbors: bool,
    /// At most N results
    #[arg(long, value_name = "N", default_value = "10")]
    limit: usize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    place: Directory,
}

impl Search {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let workshop = open_if_any(start(options, Some(&self.place))?)?;
        Ok(self.search(&workshop).unwrap_or_else(|fault| fail(&[fault])))
    }

    fn search(self, workshop: &Workshop) -> Result<ExitCode, Fault> {
        let kinds: Vec<Kind> = match self.places.as_slice() {
            [] => KINDS.to_vec(),
            places => places.iter().filter_map(|name| Kind::find(name)).collect(),
        };
        let query = self.query.join(" ");
        let neighbors = self.neighbors;
        let most = self.limit;
        let sought = Sought { query, kinds, offers: Vec::new(), neighbors, meaning: None, most };
        let (found, total) = workshop.search(&sought)?;
        let mut output = Output::open();
        if self.json {
            output.line(&matches_record(&found, total).to_string());
        } else {
            output.line(&matches(&found, total));
        }
        Ok(output.close())
    }
}
