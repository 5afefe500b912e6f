//! Renders what comes of checking a receipt.

use serde_json::{Value, json};

use super::reply::Reply;
use crate::workshop::{ReceiptCheck, Verdict};

/// Who signed a receipt, what it says, and what came of the replay.
pub fn receipt(checked: &ReceiptCheck, verdict: Option<&Verdict>) -> Reply {
    let ReceiptCheck { signer, statement, .. } = checked;
    let run = &statement.predicate["run"];
    let word = |name: &str| run[name].as_str().unwrap_or_default();
    let number = &run["entry"]["number"];
    let time = word("time");
    let ending = word("ending");
    let fuel = &run["fuel"];
    let mut lines = vec![
        format!("signed by {signer}"),
        format!("entry {number} of {time}: {ending}, fuel {fuel}"),
    ];
    for subject in &statement.subject {
        lines.push(format!("{} sha256:{}", subject.name, subject.digest.sha256));
    }
    lines.extend(verdict.map(|verdict| match verdict {
        Verdict::Skipped(reason) => format!("replay skipped: {reason}"),
        verdict => format!("replay {}", verdict.name()),
    }));
    let replay = verdict.map_or(Value::Null, |it| it.name().into());
    let record = json!({"signer": signer, "statement": statement, "replay": replay});
    Reply::new(lines.join("\n"), record)
}
