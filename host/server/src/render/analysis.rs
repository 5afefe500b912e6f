//! Renders the answers to what is asked about a program.

use pif_domain::text::{line, quote};
use pif_sandbox::{Came, Counterexample, Summary};
use serde_json::Value;

use super::record::MOST_LINE;
use super::reply::Reply;
use super::summary::lines_of;
use super::types::{cost, typed};
use crate::workshop::{Analysis, Equality, InquiryResult, LawsResult, PropertyResult, Question};

/// The most characters of an input, a value or a property.
const MOST_SHOWN: usize = 300;

/// The answers as text and as a record.
pub fn analyzed(answered: &Analysis) -> Reply {
    let Analysis { summary, told, asked, .. } = answered;
    let revision = summary.hash.get(..12).unwrap_or_default();
    let mut lines = vec![format!("revision {revision}")];
    if asked.contains(&Question::Type) {
        match told {
            Some(told) => lines.extend(typed(told)),
            None => lines.push("type: unknown".to_owned()),
        }
    }
    if asked.contains(&Question::Cost) {
        let told = told.as_ref().and_then(|it| it.cost.as_ref());
        lines.push(told.and_then(cost).unwrap_or_else(|| "cost: unknown".to_owned()));
    }
    if let Some(normal) = told.as_ref().and_then(|it| it.normal.as_ref()) {
        lines.push(format!("normal form: {}", lines_of(&normal.notation)));
        lines.extend(normal.hash.as_ref().map(|hash| format!("normal hash: {hash}")));
    }
    if asked.contains(&Question::Needs) {
        lines.extend(needs(summary));
    }
    lines.extend(answered.equality.iter().flat_map(equality));
    if let Some(laws) = &answered.laws {
        let each: Vec<String> = laws.iter().map(law).collect();
        let none = "laws: none, since it is no function".to_owned();
        lines.extend(if each.is_empty() { vec![none] } else { each });
    }
    lines.extend(answered.properties.iter().flat_map(property));
    Reply::new(lines.join("\n"), Value::Object(answered.record()))
}

/// Whether two programs are equal.
fn equality(told: &Equality) -> Vec<String> {
    match told {
        Equality::Equal(proof) => {
            let told = "equal: `proof` has the steps, and `mcp-pif proof check` checks them";
            let is_filled = proof.starts_with("{\"holds_for\":");
            let holds = if is_filled { "; it holds for the revisions in `holds_for`" } else { "" };
            vec![format!("{told}{holds}")]
        }
        Equality::Different(tried) => {
            let found = tried.found().map(|it| format!("different for {}", outcomes(it)));
            found.into_iter().collect()
        }
        Equality::Unknown { tried, untreated } => {
            let why = untreated.as_deref().map_or_else(
                || "no proof was found".to_owned(),
                |why| format!("no proof was looked for ({why})"),
            );
            vec![line(
                &format!("unknown: {why}, and no difference on {}", inputs(tried)),
                MOST_LINE,
            )]
        }
    }
}

/// What is known of a law.
fn law(told: &LawsResult) -> String {
    let verdict = told.verdict();
    let name = &told.law;
    match &told.tried {
        None => format!("{name}: {verdict} for all inputs"),
        Some(tried) => match tried.found() {
            Some(found) => format!("{name}: {verdict} by {}", outcomes(found)),
            None => format!("{name}: {verdict} on {}", inputs(tried)),
        },
    }
}

/// What came of a property.
fn property(told: &PropertyResult) -> Vec<String> {
    let property = line(&told.property, MOST_SHOWN);
    let verdict = told.verdict();
    let Some(found) = told.tried.found() else {
        return vec![format!("{property}: {verdict}, tried on {}", inputs(&told.tried))];
    };
    let mut lines = vec![format!("{property}: {verdict} for {}", outcomes(found))];
    for (title, text) in [("call of run", &found.call), ("example", &found.example)] {
        lines.extend(text.as_ref().map(|text| format!("  {title}: {}", line(text, MOST_LINE))));
    }
    lines
}

/// An input with the outcome of each program.
fn outcomes(found: &Counterexample) -> String {
    let told = |came: &Came| match came {
        Came::Value((json, _)) => line(json, MOST_SHOWN),
        Came::Fault(code) => format!("the fault {code}"),
        Came::Nothing => "nothing".to_owned(),
    };
    let outcomes: Vec<String> = found.outcomes.iter().map(told).collect();
    format!("{}: {}", line(&found.arguments, MOST_SHOWN), outcomes.join(" and "))
}

/// How many inputs were tried.
fn inputs(tried: &InquiryResult) -> String {
    let silent: u64 = tried.tried.iter().map(|it| it.silent).sum();
    let count = tried.inputs();
    let mut told = format!("{count} input{}", if count == 1 { "" } else { "s" });
    if silent > 0 {
        told.push_str(&format!(", {silent} more said nothing"));
    }
    if tried.is_late {
        told.push_str(", and then the time was over");
    } else if tried.tried.iter().any(|it| it.is_cut) {
        told.push_str(", and then the fuel was used up");
    }
    told
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
