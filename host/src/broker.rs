//! `mcp-pif broker`: the processes of the broker. The server starts them.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Result;
use clap::{Args, Subcommand};
use pif_broker::{Launch, Quiet, Task, supervise, work};
use pif_database::{self as relay, Address, Target};
use pif_domain::text::Visible;
use pif_server::config::Options;
use pif_system::stdio::Log;
use tracing_subscriber::EnvFilter;

use super::print::complain;

#[derive(Debug, Args)]
pub(super) struct Broker {
    #[command(subcommand)]
    part: Part,
}

#[derive(Debug, Subcommand)]
enum Part {
    /// Carry messages between the server and the worker
    Supervise(Place),
    /// Call other servers
    Work(Place),
    /// Relay sessions with a database
    Relay(Database),
    /// Become another server
    Launch {
        /// Reach no files but these
        #[arg(long)]
        walled: bool,
        /// To read
        #[arg(long)]
        read: Vec<PathBuf>,
        /// To read and write
        #[arg(long)]
        write: Vec<PathBuf>,
        /// The program and its arguments
        #[arg(last = true, required = true)]
        command: Vec<OsString>,
    },
}

#[derive(Debug, Args)]
struct Place {
    /// The configuration
    #[arg(long)]
    file: PathBuf,
    /// Directory for approvals
    #[arg(long)]
    state: Option<PathBuf>,
    /// A server asks, who approves nothing
    #[arg(long)]
    serves: bool,
}

#[derive(Debug, Args)]
struct Database {
    /// The database
    #[arg(long)]
    address: Address,
    /// File with the password
    #[arg(long)]
    password_file: Option<PathBuf>,
    /// How long connecting may take
    #[arg(long)]
    deadline_ms: u64,
    /// Relay, and watch over no other process
    #[arg(long)]
    work: bool,
}

impl Database {
    fn execute(self) -> io::Result<()> {
        let target = Target {
            address: self.address,
            password_file: self.password_file,
            deadline: Duration::from_millis(self.deadline_ms),
        };
        if self.work { relay::work(target) } else { relay::supervise(&target) }
    }
}

impl Place {
    fn task(self) -> Task {
        Task { file: self.file, state: self.state, serves: self.serves }
    }
}

impl Broker {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let task = match self.part {
            Part::Launch { walled, read, write, command } => {
                let error = Launch { walled, read, write, command }.launch();
                complain(&error.to_string());
                return Ok(ExitCode::from(Launch::FAILED));
            }
            Part::Relay(database) => {
                log(options)?;
                database.execute()?;
                return Ok(ExitCode::SUCCESS);
            }
            Part::Supervise(place) => {
                log(options)?;
                supervise(&place.task())?;
                return Ok(ExitCode::SUCCESS);
            }
            Part::Work(place) => place.task(),
        };
        log(options)?;
        Ok(ExitCode::from(u8::try_from(work(&task)?).unwrap_or(u8::MAX)))
    }
}

fn log(options: Options) -> Result<()> {
    let filter = EnvFilter::try_new(options.check()?.log)?;
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(|| Visible(Quiet(Log)))
        .log_internal_errors(false)
        .with_ansi(false)
        .init();
    Ok(())
}
