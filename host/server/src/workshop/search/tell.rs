//! What is told of something that was found.

use pif_broker::sample;
use pif_domain::text::{line, time};
use pif_domain::{Fault, named};
use pif_store::find::{Kind, Query, SearchHit};
use pif_store::registry::Definition;
use pif_store::session::SessionKind;
use serde_json::{Value, json};

use super::super::library::library;
use super::super::opening::Workshop;
use super::super::refusal::{refused, stored};
use super::language::{LanguageTopic, known};
use super::neighbors::Neighbor;
use super::sought::Sought;

/// The most characters of a snippet, and those of it before the word that was found.
const SNIPPET: usize = 200;
const BEFORE: usize = 60;

/// The most characters of a title.
const TITLE: usize = 100;

/// Something that a search has found.
#[derive(Debug, Clone)]
pub struct Match {
    /// Its kind.
    pub kind: Kind,
    /// Its name among those of its kind.
    pub place: String,
    /// How well it fits.
    pub score: f64,
    /// What it is, in a few words.
    pub title: String,
    /// The part of its text that tells most.
    pub snippet: String,
    /// How to go on from here: a call that is ready, or to be filled in.
    pub call: Option<String>,
    /// What stands near.
    pub neighbors: Vec<Neighbor>,
}

/// Title, snippet and call.
type Description = (String, String, Option<String>);

impl Workshop {
    /// What is told of something that was found; None if it has gone meanwhile.
    pub(super) fn describe(
        &self,
        found: &SearchHit,
        query: &Query,
        sought: &Sought,
    ) -> Result<Option<Match>, Fault> {
        let place = found.place.as_str();
        let told: Option<Description> = match found.kind {
            Kind::Tool => {
                let tool = self.tools()?.registered.find(place).map_err(refused)?;
                tool.map(|tool| of_tool(&tool, query))
            }
            Kind::Library => library().find(place).map(|tool| of_tool(tool, query)),
            Kind::Form => known(place).map(of_known),
            Kind::Memory => self.memory.get(place).map_err(stored)?.map(|memo| {
                let title = match memo.context.as_str() {
                    "" => memo.tags.join(", "),
                    context => context.to_owned(),
                };
                let value = memo.value.unwrap_or_default();
                let call = call("memory_retrieve", &json!({"key": place}));
                (title, snippet(&value, query), Some(call))
            }),
            Kind::Upstream => sought.offers.iter().find(|it| it.name == place).map(|offer| {
                let title = if offer.title.is_empty() { &offer.signature } else { &offer.title };
                (title.clone(), snippet(&offer.description, query), Some(sample(offer)))
            }),
            Kind::Journal => self.describe_entry(place, query)?,
            Kind::Session => self.describe_session(place, query)?,
        };
        Ok(told.map(|(title, snippet, call)| Match {
            kind: found.kind,
            place: line(place, TITLE),
            score: found.score,
            title: line(&title, TITLE),
            snippet,
            call,
            neighbors: Vec::new(),
        }))
    }

    fn describe_entry(&self, place: &str, query: &Query) -> Result<Option<Description>, Fault> {
        let id: i64 = place.parse().unwrap_or_default();
        let Some(entry) = self.journal.entry(id).map_err(stored)? else { return Ok(None) };
        let subject = entry.subject.as_deref().unwrap_or("a program");
        let (kind, ending) = (&entry.kind, &entry.ending);
        let title = format!("{kind} {subject}: {ending}, {}", time::format(entry.time));
        let request = entry.read_body().and_then(|body| body.request);
        let text = request.map(|it| it.text().to_owned()).unwrap_or_default();
        let call = call("journal_recent", &json!({"before": id + 1, "limit": 1}));
        Ok(Some((title, snippet(&text, query), Some(call))))
    }

    fn describe_session(&self, place: &str, query: &Query) -> Result<Option<Description>, Fault> {
        let sessions = self.own_sessions()?;
        let Some(session) = sessions.iter().find(|it| it.name() == place) else { return Ok(None) };
        let codes = self.codes_of(session)?.join("; ");
        let call = match session.standing {
            SessionKind::Saved => call("session_start", &json!({"restore": place})),
            _ => call("session_inspect", &json!({"session": place})),
        };
        Ok(Some((session.title.clone(), snippet(&codes, query), Some(call))))
    }
}

fn of_tool(tool: &Definition, query: &Query) -> Description {
    let examples: Value = serde_json::from_str(&tool.examples).unwrap_or_default();
    let example = examples.get(0).and_then(|it| {
        let input = |name: &str| it.get(name).map(|value| (name.to_owned(), value.clone()));
        input("input").or_else(|| input("data"))
    });
    let call = match example {
        Some((name, value)) if value.to_string().len() <= SNIPPET => {
            call("run", &json!({"tool": tool.name, name: value}))
        }
        _ => call("inspect", &json!({"tool": tool.name})),
    };
    let about = tool.description.split_whitespace().collect::<Vec<_>>().join(" ");
    let title = about.split_inclusive(". ").next().unwrap_or_default().trim_end().to_owned();
    (title, snippet(&about, query), Some(call))
}

fn of_known(known: LanguageTopic) -> Description {
    match known {
        LanguageTopic::Form(form) => {
            let call = call("help", &json!({"form": form.name}));
            let snippet = format!("{} {} → {}", form.doc, form.notation, form.result);
            (format!("form of {}", form.group), line(&snippet, SNIPPET), Some(call))
        }
        LanguageTopic::Spelling(it) => {
            let snippet = format!("{} {} → {}", it.doc, it.example, it.result);
            ("as in JavaScript".to_owned(), line(&snippet, SNIPPET), None)
        }
    }
}

fn call(tool: &str, arguments: &Value) -> String {
    format!("{} {arguments}", named(&format!("`{tool}`")).replace('`', ""))
}

/// The part of a text around the first word that was asked for.
fn snippet(text: &str, query: &Query) -> String {
    let small = text.to_lowercase();
    // Small letters may take more room: then the beginning is told.
    let at = if small.len() == text.len() { query.first_in(&small) } else { None };
    let before = text.get(..at.unwrap_or_default()).unwrap_or_default().chars().count();
    let skipped = before.saturating_sub(BEFORE);
    let part: String = text.chars().skip(skipped).take(SNIPPET).collect();
    let (left, right) = (
        if skipped > 0 { "…" } else { "" },
        if text.chars().count() > skipped + SNIPPET { "…" } else { "" },
    );
    format!("{left}{}{right}", line(&part, SNIPPET))
}
