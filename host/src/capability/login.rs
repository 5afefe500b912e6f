//! `mcp-pif capability login`: the operator logs in at a server, in a browser. It works beside servers
//! that run: their brokers see the token with their next request.

use std::fmt::Write as _;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Result, anyhow};
use clap::Args;
use pif_broker::{LoginGrant, LoginRequest};
use pif_domain::Limit;
use pif_domain::quantity::parse_duration;
use pif_domain::text;
use pif_server::config::Config;

use super::super::print::{MOST_LINE, Output, complain};
use super::target::target;

/// What opens a page in the browser of the user.
const OPENER: &str = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };

#[derive(Debug, Args)]
pub(super) struct Login {
    /// The id of the server
    name: String,
    /// Print the address, and open no browser
    #[arg(long)]
    no_browser: bool,
    /// What the token shall allow, instead of what the server says
    #[arg(long, value_name = "SCOPES")]
    scope: Option<String>,
    /// How long to wait for the browser, 5 minutes at most
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = parse_duration)]
    wait: Duration,
}

impl Login {
    pub(super) async fn execute(self, config: &Config) -> Result<ExitCode> {
        let target = target(config, &self.name)?;
        let scopes = self.scope.as_deref().map(|it| it.split_whitespace().map(str::to_owned));
        let within = self.wait.min(Duration::from_nanos(Limit::UpstreamLogin.fixed()));
        let wish = LoginRequest { scopes: scopes.map(Iterator::collect), within };
        let show = |address: &str| {
            let is_open = !self.no_browser && open(address);
            complain(if is_open {
                "mcp-pif: a browser opens to log you in; if none does, open this address:"
            } else {
                "mcp-pif: open this address in a browser of this machine to log in:"
            });
            let mut output = Output::open();
            output.line(address);
            output.flush();
        };
        let granted = target.login(wish, show).await;
        let granted = granted.map_err(|it| anyhow!(target.redact(&it.to_string())))?;
        let mut output = Output::open();
        output.line(&target.redact(&message(&self.name, &granted)));
        Ok(output.close())
    }
}

/// Opens an address in a browser. False: nothing here can.
fn open(address: &str) -> bool {
    let mut command = Command::new(OPENER);
    command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok()
}

fn message(name: &str, granted: &LoginGrant) -> String {
    let mut told = format!("{name}: logged in by {}", granted.issuer);
    if !granted.scopes.is_empty() {
        let _ = write!(told, ", for {}", granted.scopes.join(" "));
    }
    let _ = match (granted.is_renewable, granted.lasts) {
        (true, _) => write!(told, "; the login is renewed by itself"),
        (false, Some(lasts)) => write!(told, "; the login ends in {} s", lasts.as_secs()),
        (false, None) => Ok(()),
    };
    text::line(&told, MOST_LINE)
}
