//! What one server may take.

use std::time::Duration;

use pif_domain::Limit;

use super::error::Error;
use super::pattern::Pattern;
use super::reader::Node;
use super::rules::by_pattern;

/// The longest time that can be written; how long a call may take is less.
const DAY: Duration = Duration::from_hours(24);

/// How to call one or all tools of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct OfCall {
    timeout: Option<Duration>,
    answer: Option<u64>,
}

/// What one server may take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    all: OfCall,
    tools: Vec<(Pattern, OfCall)>,
    /// Calls at the same time.
    pub at_once: usize,
    /// Calls within a minute; none: any number.
    pub per_minute: Option<u64>,
    /// Whether the time of a call begins anew whenever its server tells of progress.
    pub progress: bool,
}

impl Default for Limits {
    fn default() -> Self {
        let at_once = Limit::UpstreamAtOnce.fixed_count();
        Self {
            all: OfCall::default(),
            tools: Vec::new(),
            at_once,
            per_minute: None,
            progress: false,
        }
    }
}

impl Limits {
    /// What a call may take if nothing else is said.
    pub(super) fn default_timeout(&mut self, timeout: Option<Duration>) {
        self.all.timeout = self.all.timeout.or(timeout);
    }

    /// Cuts times that are too long. Gives the longest, if there was one.
    pub(super) fn clamp(&mut self) -> Option<Duration> {
        let longest = Duration::from_nanos(Limit::UpstreamLongest.fixed());
        let tools = self.tools.iter_mut().map(|(_, of_call)| of_call);
        let times = tools.chain([&mut self.all]).filter_map(|it| it.timeout.as_mut());
        let long: Vec<&mut Duration> = times.filter(|time| **time > longest).collect();
        let is_cut = !long.is_empty();
        for time in long {
            *time = longest;
        }
        is_cut.then_some(longest)
    }

    /// How long the longest call may take.
    pub(super) fn longest(&self) -> Duration {
        if self.progress {
            return Duration::from_nanos(Limit::UpstreamLongest.fixed());
        }
        let tools = self.tools.iter().filter_map(|(_, of_call)| of_call.timeout);
        tools.chain([self.timeout("")]).max().unwrap_or_default()
    }

    /// How long a call of a tool may take.
    #[must_use]
    pub fn timeout(&self, tool: &str) -> Duration {
        let timeout = self.of(tool).timeout.or(self.all.timeout);
        timeout.unwrap_or(Duration::from_nanos(Limit::UpstreamCall.fixed()))
    }

    /// Bytes of an answer of a tool.
    #[must_use]
    pub fn answer(&self, tool: &str) -> usize {
        let answer = self.of(tool).answer.or(self.all.answer);
        answer
            .and_then(|it| usize::try_from(it).ok())
            .unwrap_or(Limit::UpstreamAnswer.fixed_count())
    }

    fn of(&self, tool: &str) -> OfCall {
        let matching = self.tools.iter().filter(|(pattern, _)| pattern.matches(tool));
        let best = matching.max_by_key(|(pattern, _)| pattern.weight());
        best.map(|(_, said)| *said).unwrap_or_default()
    }
}

/// Other clients write seconds or milliseconds here: a number from 1000 on is taken for the latter.
pub(super) fn timeout(node: &Node<'_>) -> Result<Duration, Error> {
    if node.value.is_string() {
        return node.time(DAY);
    }
    let number = node.count(1, DAY.as_secs() * 1_000)?;
    Ok(if number < 1_000 { Duration::from_secs(number) } else { Duration::from_millis(number) })
}

pub(super) fn limits(node: &Node<'_>) -> Result<Limits, Error> {
    node.only(&["call_timeout", "answer", "at_once", "per_minute", "progress", "tools"])?;
    let default = Limits::default();
    let at_once = node.read("at_once", |it| it.count(1, 64))?;
    Ok(Limits {
        all: of_call(node)?,
        tools: node.read("tools", tools)?.unwrap_or_default(),
        at_once: at_once.and_then(|it| usize::try_from(it).ok()).unwrap_or(default.at_once),
        per_minute: node.read("per_minute", |it| it.count(1, 1_000_000))?,
        progress: node.read("progress", Node::flag)?.unwrap_or(false),
    })
}

fn tools(node: &Node<'_>) -> Result<Vec<(Pattern, OfCall)>, Error> {
    by_pattern(node, |node| {
        node.only(&["call_timeout", "answer"])?;
        of_call(node)
    })
}

fn of_call(node: &Node<'_>) -> Result<OfCall, Error> {
    Ok(OfCall {
        timeout: node.read("call_timeout", |it| it.time(DAY))?,
        answer: node.read("answer", |it| it.size(Limit::UpstreamMostAnswer.fixed()))?,
    })
}
