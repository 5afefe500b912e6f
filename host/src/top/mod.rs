//! `mcp-pif top`: shows what the servers of a store are doing, as it happens.

mod figures;
mod view;

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;
use pif_domain::text::time;
use pif_server::config::Options;
use pif_server::observe::published;
use pif_store::Place;
use ratatui::DefaultTerminal;
use ratatui::buffer::{Buffer, Cell};
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyModifiers};
use ratatui::layout::Rect;
use ratatui::widgets::Widget as _;

use self::view::View;
use super::print::{Output, is_terminal};
use super::settings::{Directory, start};

/// The interval between two frames.
const FRAME: Duration = Duration::from_secs(1);

/// Columns of a frame that is printed.
const COLUMNS: u16 = 100;

#[derive(Debug, Args)]
pub(super) struct Top {
    /// Print one frame as text and end, as without a terminal
    #[arg(long)]
    once: bool,
    #[command(flatten)]
    place: Directory,
}

impl Top {
    pub(super) fn execute(self, options: Options) -> Result<ExitCode> {
        let config = start(options, Some(&self.place))?;
        let Place::Directory(directory) = &config.place else {
            bail!("without a store there are no servers to show: leave out --ephemeral");
        };
        if self.once || !is_terminal() {
            return Ok(print(directory));
        }
        let mut terminal = ratatui::try_init().context("the terminal cannot be drawn on")?;
        let watched = watch(&mut terminal, directory, !config.no_color);
        ratatui::restore();
        watched.context("the terminal has failed")?;
        Ok(ExitCode::SUCCESS)
    }
}

/// Prints one frame.
fn print(directory: &Path) -> ExitCode {
    let view = View::new(published(directory), time::now(), false);
    let area = Rect::new(0, 0, COLUMNS, view.height());
    let mut buffer = Buffer::empty(area);
    view.render(area, &mut buffer);
    let mut output = Output::open();
    for row in 0..area.height {
        let cells = (0..area.width).filter_map(|column| buffer.cell((column, row)));
        let line: String = cells.map(Cell::symbol).collect();
        output.line(line.trim_end());
    }
    output.close()
}

/// Draws frames until somebody wants no more.
fn watch(terminal: &mut DefaultTerminal, directory: &Path, colors: bool) -> Result<()> {
    loop {
        let view = View::new(published(directory), time::now(), colors);
        terminal.draw(|frame| frame.render_widget(&view, frame.area()))?;
        let until = Instant::now() + FRAME;
        while event::poll(until.saturating_duration_since(Instant::now()))? {
            match event::read()? {
                Event::Key(key) if ends(key) => return Ok(()),
                Event::Resize(..) => break,
                _ => {}
            }
        }
    }
}

/// Whether a key ends the view: q, Esc or Ctrl-C.
fn ends(key: KeyEvent) -> bool {
    match key.code {
        KeyCode::Char('c') => key.modifiers.contains(KeyModifiers::CONTROL),
        KeyCode::Char('q') | KeyCode::Esc => true,
        _ => false,
    }
}
