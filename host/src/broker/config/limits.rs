//! What one server may take.

use std::time::Duration;

use super::error::Error;
use super::pattern::Pattern;
use super::reader::Node;
use super::rules::by_pattern;
use crate::domain::Limit;

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
}

impl Default for Limits {
    fn default() -> Self {
        let at_once = Limit::UpstreamAtOnce.fixed_count();
        Self { all: OfCall::default(), tools: Vec::new(), at_once, per_minute: None }
    }
}

impl Limits {
    /// What a call may take if nothing else is said.
    pub(super) fn default_timeout(&mut self, timeout: Option<Duration>) {
        self.all.timeout = self.all.timeout.or(timeout);
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
    let longest = longest_call();
    if node.value.is_string() {
        return node.time(longest);
    }
    let number = node.count(1, 86_400_000)?;
    let time =
        if number < 1_000 { Duration::from_secs(number) } else { Duration::from_millis(number) };
    Ok(time.min(longest))
}

fn longest_call() -> Duration {
    Duration::from_nanos(Limit::UpstreamLongest.fixed())
}

pub(super) fn limits(node: &Node<'_>) -> Result<Limits, Error> {
    node.only(&["call_timeout", "answer", "at_once", "per_minute", "tools"])?;
    let default = Limits::default();
    let at_once = node.read("at_once", |it| it.count(1, 64))?;
    Ok(Limits {
        all: of_call(node)?,
        tools: node.read("tools", tools)?.unwrap_or_default(),
        at_once: at_once.and_then(|it| usize::try_from(it).ok()).unwrap_or(default.at_once),
        per_minute: node.read("per_minute", |it| it.count(1, 1_000_000))?,
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
        timeout: node.read("call_timeout", |it| it.time(longest_call()))?,
        answer: node.read("answer", |it| it.size(Limit::UpstreamMostAnswer.fixed()))?,
    })
}
