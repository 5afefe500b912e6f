//! `mcp-pif session list`.

use std::process::ExitCode;

use clap::Args;
use pif_domain::Fault;
use pif_domain::text::{self, time};
use pif_server::workshop::Workshop;
use pif_store::session::{Session, SessionKind};
use serde_json::json;

use super::super::print::{MOST_LINE, Output};

#[derive(Debug, Args)]
pub(super) struct List {
    /// Print JSON lines
    #[arg(long)]
    json: bool,
}

impl List {
    pub(super) fn execute(&self, workshop: &Workshop, principal: &str) -> Result<ExitCode, Fault> {
        let mut output = Output::open();
        for standing in [SessionKind::Open, SessionKind::Saved] {
            for session in workshop.sessions(principal, standing)? {
                let count = workshop.bindings_of(&session)?.len();
                output.line(&if self.json {
                    record(&session, count)
                } else {
                    line(&session, count)
                });
            }
        }
        Ok(output.close())
    }
}

fn line(session: &Session, count: usize) -> String {
    let name = session.name();
    let title = text::line(&session.title, MOST_LINE);
    let told = if session.standing == SessionKind::Saved {
        let since = time::format(session.created);
        format!("saved {name}: {count} bindings, since {since} {title}")
    } else {
        let turn = session.turn;
        let until = time::format(session.expires());
        format!("{name}: {turn} turns, {count} bindings, until {until} {title}")
    };
    told.trim_end().to_owned()
}

fn record(session: &Session, count: usize) -> String {
    let is_saved = session.standing == SessionKind::Saved;
    let what = if is_saved { "saved" } else { "session" };
    let mut told = json!({
        what: session.name(),
        "title": session.title,
        "turn": session.turn,
        "bindings": count,
        "created": time::format(session.created),
    });
    if !is_saved {
        told["expires_at"] = time::format(session.expires()).into();
    }
    told.to_string()
}
