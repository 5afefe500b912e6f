//! `mcp-pif serve`: the server, on standard input and output or over HTTP.

use std::env;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;
use pif_broker::Client;
use pif_database::Connector;
use pif_domain::Limit;
use pif_sandbox::Sandbox;
use pif_server::config::{Config, Options};
use pif_server::mcp;
use pif_server::observe::TraceFiles;
use pif_server::transport::Stdio;
use pif_server::workshop::Workshop;
use pif_store::Place;
use pif_system::harden::{self, Hardening, Network};
use pif_system::{make_private_directory, stdio};
use tokio::runtime::Builder;

use super::checkpoints;
use super::compile::start_compiler;
use super::http::{HttpOptions, HttpServer};
use super::open::{join, open_link, open_with, warn_unkept};
use super::print::complain;
use super::settings::{Directory, start};

/// Threads for blocking work, in addition to those of runs.
const OTHER_THREADS: usize = 64;

/// The message on stderr if standard input is a terminal.
const WAITING: &str = "mcp-pif waits for an MCP client on standard input. To try it by hand, type \
    mcp-pif run '{\"add\":[1,2]}' or mcp-pif --help";

#[derive(Debug, Args)]
pub(super) struct Serve {
    #[command(flatten)]
    http: HttpOptions,
    #[command(flatten)]
    place: Directory,
}

impl Serve {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let config = start(options, Some(&self.place))?;
        match self.http.wanted() {
            None => wait_for_client(config),
            Some(http) => serve(config, Some(http)),
        }
    }
}

/// Serves if the command line has no command.
pub(super) fn serve_by_default(options: Options) -> Result<ExitCode> {
    wait_for_client(start(options, None)?)
}

fn wait_for_client(config: Config) -> Result<ExitCode> {
    if io::stdin().is_terminal() {
        complain(WAITING);
    }
    serve(config, None)
}

/// Serves over HTTP, or else on standard input and output.
fn serve(mut config: Config, http: Option<HttpOptions>) -> Result<ExitCode> {
    let network = Network { accepts: http.is_some(), receives: config.database.is_some() };
    // No second thread may start until the files are closed.
    stdio::hold();
    let traces = config.traces.as_ref().map(TraceFiles::open).transpose()?;
    // It may start the process anew, without the secrets of its environment.
    let link = open_link(&mut config, false)?;
    // Its process starts before this one is sealed.
    config.database = config.database.map(|it| relayed(it, &config.place)).transpose()?;
    let http = http.map(|options| options.open(&config)).transpose()?;
    if let Some(http) = &http {
        complain(&format!("mcp-pif serves at {}", http.place));
        if let Some(paths) = &mut config.harden {
            paths.readable.extend(http.readable.iter().cloned());
        }
    }
    let (sandbox, state, opening) =
        open_with(&config, |setup| Ok(Sandbox::begin(setup, start_compiler)?))?;
    // One thread receives requests and answers the quick ones. Other threads run programs.
    let threads = config.values.size(Limit::Concurrency) + OTHER_THREADS;
    let many = http.is_some();
    let build = || {
        stdio::release();
        // Many clients may send at once.
        let mut builder =
            if many { Builder::new_multi_thread() } else { Builder::new_current_thread() };
        builder.enable_all().max_blocking_threads(threads).build()
    };
    let (runtime, seal) = harden::begin(config.harden.as_ref(), build);
    let runtime = runtime?;
    let workshop = join(&config, sandbox, state)?;
    warn_shadowed(&workshop);
    let broker = {
        let _entered = runtime.enter();
        link.map(Client::new).transpose()?
    };
    let hardening = Arc::<OnceLock<Hardening>>::default();
    let sealed = Arc::clone(&hardening);
    let close = move || {
        // This is set only once.
        let _ = sealed.set(seal.close(network));
    };
    let (sandbox, settings) = (Arc::clone(&workshop.sandbox), config.clone());
    match opening {
        None => close(),
        Some(opening) => {
            let finish = move || {
                opening.finish(close);
                warn_unkept(&settings, &sandbox);
            };
            thread::Builder::new().spawn(finish).context("no thread can be started")?;
        }
    }
    let workshop = workshop.calling(broker);
    checkpoints::start(&workshop, config.database.is_some()).context("no thread can be started")?;
    let served = match http {
        None => runtime.block_on(mcp::serve(config, workshop, hardening, traces, Stdio)),
        Some(HttpServer { http, .. }) => {
            runtime.block_on(mcp::serve_http(config, workshop, hardening, http, traces))
        }
    };
    // Threads that wait for input must not keep the process alive.
    runtime.shutdown_timeout(Duration::ZERO);
    served?;
    Ok(ExitCode::SUCCESS)
}

/// Has another process of this program connect to the database. Keys, pins and caches are in a directory.
fn relayed(database: Connector, place: &Place) -> Result<Connector> {
    if let Place::Directory(directory) = place {
        make_private_directory(directory).with_context(|| directory.display().to_string())?;
    }
    let program = env::current_exe()?;
    database.relayed(&program).context("the process that connects to the database cannot start")
}

/// Warns of tools whose names were reserved for the server later.
fn warn_shadowed(workshop: &Workshop) {
    match workshop.shadowed() {
        Ok(names) => names.iter().for_each(|name| {
            tracing::warn!(
                "the tool `{name}` has a name that the server itself has now: a direct call means \
                 the server's tool, and `run` with `tool` calls yours"
            );
        }),
        Err(fault) => tracing::error!("{}", fault.message),
    }
}
