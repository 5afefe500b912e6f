//! Renders the answers to what is asked about a program.

use pif_domain::text::quote;
use pif_sandbox::Summary;
use serde_json::Value;

use super::reply::Reply;
use super::summary::lines_of;
use super::types::{cost, typed};
use crate::workshop::{Answered, Asked};

/// The answers as text and as a record.
pub fn analyzed(answered: &Answered) -> Reply {
    let Answered { summary, told, asked } = answered;
    let revision = summary.hash.get(..12).unwrap_or_default();
    let mut lines = vec![format!("revision {revision}")];
    if asked.contains(&Asked::Type) {
        match told {
            Some(told) => lines.extend(typed(told)),
            None => lines.push("type: unknown".to_owned()),
        }
    }
    if asked.contains(&Asked::Cost) {
        let told = told.as_ref().and_then(|it| it.cost.as_ref());
        lines.push(told.and_then(cost).unwrap_or_else(|| "cost: unknown".to_owned()));
    }
    if let Some(normal) = told.as_ref().and_then(|it| it.normal.as_ref()) {
        lines.push(format!("normal form: {}", lines_of(&normal.notation)));
        lines.extend(normal.hash.as_ref().map(|hash| format!("normal hash: {hash}")));
    }
    if asked.contains(&Asked::Needs) {
        lines.extend(needs(summary));
    }
    Reply::new(lines.join("\n"), Value::Object(answered.record()))
}

fn needs(summary: &Summary) -> Vec<String> {
    let names: Vec<String> = summary.needs.iter().map(|it| it.name.clone()).collect();
    let computed = if summary.computed { "yes" } else { "" };
    let lists = [
        ("tools", quote(&summary.names())),
        ("tools of other servers", quote(&names)),
        ("computes names of others", computed.to_owned()),
        ("pure", if summary.pure { "yes" } else { "no, it can call other servers" }.to_owned()),
    ];
    let given = lists.into_iter().filter(|(_, list)| !list.is_empty());
    given.map(|(title, list)| format!("{title}: {list}")).collect()
}
