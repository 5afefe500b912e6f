//! A frame: the servers, their calls, and what went wrong last.

use pif_domain::text::{self, time};
use pif_server::observe::{Snapshot, Times};
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::widgets::{Paragraph, Row, Sparkline, Table, Widget};

use super::figures::{age, count, micros};

/// The most characters of a name.
const MOST_NAME: usize = 40;

/// The most characters of what is told of a step.
const MOST_STEP: usize = 100;

/// The most faults of a frame.
const MOST_FAULTS: usize = 10;

/// Seconds that the present rate is taken from.
const RECENT: usize = 5;

/// The rows of the curve of calls.
const CURVE: u16 = 3;

/// A frame.
#[derive(Debug)]
pub(super) struct View {
    servers: Vec<Snapshot>,
    /// Calls in each of the last seconds, of all servers.
    rate: Vec<u64>,
    now: i64,
    colors: bool,
}

/// A table: its heading, its columns, and its rows.
struct Part {
    heading: Vec<String>,
    widths: Vec<Constraint>,
    /// The cells of each row, and whether it tells of failures.
    rows: Vec<(Vec<String>, bool)>,
}

impl View {
    pub(super) fn new(servers: Vec<Snapshot>, now: i64, colors: bool) -> Self {
        let mut rate = Vec::new();
        for server in &servers {
            let own = shifted(&server.rate, now / 1_000 - server.now / 1_000);
            rate.resize(rate.len().max(own.len()), 0);
            rate.iter_mut().zip(own).for_each(|(sum, calls)| *sum += calls);
        }
        Self { servers, rate, now, colors }
    }

    /// The rows that show everything.
    pub(super) fn height(&self) -> u16 {
        let parts = self.parts();
        let rows = parts.iter().map(Part::height).sum::<u16>();
        2 + if self.servers.is_empty() { 0 } else { CURVE + 2 + rows }
    }

    fn title(&self) -> String {
        let moment = time::format(self.now).replace('T', " ");
        let moment = moment.split('.').next().unwrap_or_default();
        match self.servers.len() {
            0 => format!("mcp-pif top, {moment} UTC: no server of this store runs"),
            1 => format!("mcp-pif top, {moment} UTC: 1 server"),
            n => format!("mcp-pif top, {moment} UTC: {n} servers"),
        }
    }

    fn rates(&self) -> String {
        let recent: u64 = self.rate.iter().rev().take(RECENT).sum();
        let minute: u64 = self.rate.iter().sum();
        let each = |calls: u64, seconds: usize| {
            let tenths = calls * 10 / u64::try_from(seconds.max(1)).unwrap_or(1);
            format!("{}.{}", tenths / 10, tenths % 10)
        };
        format!(
            "{} calls a second now, {} in the last minute",
            each(recent, RECENT),
            each(minute, self.rate.len())
        )
    }

    fn parts(&self) -> Vec<Part> {
        let all = [self.own(), self.works(), self.tools(), self.upstream(), self.faults()];
        all.into_iter().filter(|part| !part.rows.is_empty()).collect()
    }

    fn own(&self) -> Part {
        let row = |it: &Snapshot| {
            let slots = it.slots;
            let reduction = it.last.reduction().map_or("-".to_owned(), |it| format!("{it}×"));
            let cells = vec![
                it.process.to_string(),
                age(self.now - it.started),
                it.sessions.to_string(),
                format!("{}/{}", slots.taken, slots.places),
                slots.waiting.to_string(),
                count(it.calls),
                count(it.errors),
                micros(it.last.queue.p95),
                reduction,
            ];
            (cells, slots.waiting > 0)
        };
        let heading = [
            "server",
            "up",
            "clients",
            "runs",
            "waiting",
            "calls",
            "failed",
            "queue p95",
            "reduction",
        ];
        Part::new(&heading, 12, self.servers.iter().map(row).collect())
    }

    fn works(&self) -> Part {
        let works = self.servers.iter().flat_map(|it| &it.works);
        let row = |it: &pif_server::observe::WorkSnapshot| {
            let cells = vec![it.run.to_string(), count(it.steps), text::line(&it.step, MOST_STEP)];
            (cells, false)
        };
        let heading = ["durable run", "steps done", "now"];
        let mut part = Part::new(&heading, 12, works.map(row).collect());
        part.widths = vec![Constraint::Length(12), Constraint::Length(12), Constraint::Fill(1)];
        part
    }

    fn tools(&self) -> Part {
        let mut tools: Vec<_> = self.servers.iter().flat_map(|it| &it.last.tools).collect();
        tools.sort_by_key(|it| std::cmp::Reverse(it.calls));
        let row = |it: &&pif_server::observe::OfTool| {
            let [p50, p95, max] = render_times(it.times);
            let fuel = count(it.fuel);
            let memory = format!("{}B", count(it.memory));
            let failed = it.errors;
            (
                vec![name(&it.tool), count(it.calls), count(failed), p50, p95, max, fuel, memory],
                failed > 0,
            )
        };
        let heading = ["tool", "calls", "failed", "p50", "p95", "max", "fuel", "memory"];
        Part::new(&heading, 24, tools.iter().map(row).collect())
    }

    fn upstream(&self) -> Part {
        let mut tools: Vec<_> = self.servers.iter().flat_map(|it| &it.last.upstream).collect();
        tools.sort_by_key(|it| std::cmp::Reverse(it.calls));
        let row = |it: &&pif_server::observe::OfUpstream| {
            let [p50, p95, max] = render_times(it.times);
            let failed = it.outcomes.iter().filter(|(outcome, _)| outcome.as_str() != "ok");
            let failed: u64 = failed.map(|(_, count)| count).sum();
            (vec![name(&it.tool), count(it.calls), count(failed), p50, p95, max], failed > 0)
        };
        let heading = ["tool of another server", "calls", "failed", "p50", "p95", "max"];
        Part::new(&heading, 24, tools.iter().map(row).collect())
    }

    fn faults(&self) -> Part {
        let mut faults: Vec<_> = self.servers.iter().flat_map(|it| &it.faults).collect();
        faults.sort_by_key(|it| std::cmp::Reverse(it.time));
        let row = |it: &&pif_server::observe::LastFault| {
            (vec![name(&it.code), name(&it.tool), format!("{} ago", age(self.now - it.time))], true)
        };
        let rows = faults.iter().take(MOST_FAULTS).map(row).collect();
        Part::new(&["last faults", "tool", ""], 24, rows)
    }

    fn style(&self, has_failed: bool) -> Style {
        if has_failed && self.colors { Style::new().fg(Color::LightRed) } else { Style::new() }
    }
}

impl Widget for &View {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        let bold = Style::new().add_modifier(Modifier::BOLD);
        let parts = self.parts();
        let mut rows =
            vec![Constraint::Length(2), Constraint::Length(CURVE), Constraint::Length(2)];
        rows.extend(parts.iter().map(|part| Constraint::Length(part.height())));
        rows.push(Constraint::Min(0));
        let areas = Layout::vertical(rows).split(area);
        let mut areas = areas.iter().copied();
        let mut next = || areas.next().unwrap_or_default();
        Paragraph::new(self.title()).style(bold).render(next(), buffer);
        if self.servers.is_empty() {
            return;
        }
        let curve = Sparkline::default().data(&self.rate);
        let curve = if self.colors { curve.style(Style::new().fg(Color::Cyan)) } else { curve };
        curve.render(next(), buffer);
        Paragraph::new(self.rates()).render(next(), buffer);
        for part in parts {
            let rows: Vec<Row<'_>> = part
                .rows
                .into_iter()
                .map(|(cells, has_failed)| Row::new(cells).style(self.style(has_failed)))
                .collect();
            let heading = Row::new(part.heading).style(bold);
            Widget::render(Table::new(rows, part.widths).header(heading), next(), buffer);
        }
    }
}

impl Part {
    /// A table whose first column has this width; the others share the rest.
    fn new(heading: &[&str], first: u16, rows: Vec<(Vec<String>, bool)>) -> Self {
        let others = heading.iter().skip(1).map(|_| Constraint::Fill(1));
        let widths = std::iter::once(Constraint::Length(first)).chain(others).collect();
        Self { heading: heading.iter().map(|it| (*it).to_owned()).collect(), widths, rows }
    }

    /// Its rows, the heading and an empty one included.
    fn height(&self) -> u16 {
        u16::try_from(self.rows.len()).unwrap_or(u16::MAX - 2) + 2
    }
}

/// A name, which cannot steer the terminal.
fn name(text: &str) -> String {
    text::line(text, MOST_NAME)
}

fn render_times(Times { p50, p95, max }: Times) -> [String; 3] {
    [p50, p95, max].map(micros)
}

/// Calls of seconds, as of so many seconds later.
fn shifted(rate: &[u32], seconds: i64) -> Vec<u64> {
    let gone = usize::try_from(seconds).unwrap_or(0).min(rate.len());
    let kept = rate.get(gone..).unwrap_or_default().iter().copied().map(u64::from);
    kept.chain(std::iter::repeat_n(0, gone)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_ages() {
        assert_eq!(shifted(&[1, 2, 3], 1), [2, 3, 0]);
        assert_eq!(shifted(&[1, 2, 3], 9), [0, 0, 0]);
        assert_eq!(shifted(&[1, 2, 3], -1), [1, 2, 3]);
    }
}
