//! Programs as models write them, with the values that node gives: data tasks in JavaScript, at
//! the first attempt, and random programs. `tests/javascript/README.md` tells what a line holds.

use anyhow::Result;
use pif_tests::generate::javascript::DATA;
use pif_tests::javascript::{Answers, equal, run};
use serde::Deserialize;
use serde_json::Value;

/// A program, what it sees, and what comes of it.
#[derive(Deserialize)]
struct Case {
    id: String,
    code: String,
    #[serde(default)]
    data: Value,
    #[serde(default)]
    calls: Answers,
    #[serde(default, deserialize_with = "present")]
    expected: Option<Value>,
    refused: Option<String>,
}

/// A value that is null is a value, too.
fn present<'de, D: serde::Deserializer<'de>>(reader: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(reader).map(Some)
}

/// What is wrong with what came of a case; nothing if it is right.
fn trouble(case: &Case) -> Result<Option<String>> {
    let came = run(&case.code, &case.data, &case.calls)?;
    Ok(match (&came, &case.expected, &case.refused) {
        (Ok(value), Some(expected), _) if equal(value, expected) => None,
        (Ok(value), Some(expected), _) => Some(format!("gave {value}, not {expected}")),
        (Ok(value), None, _) => Some(format!("gave {value}, and is to be refused")),
        (Err(_), Some(_), Some(_)) => None,
        (Err(told), None, Some(words)) if words.split('|').any(|word| told.contains(word)) => None,
        (Err(told), ..) => Some(format!("refused: {told}")),
    })
}

#[test]
fn programs_of_models_run() -> Result<()> {
    let text = include_str!("../javascript/programs.jsonl");
    let (mut count, mut wrong) = (0, Vec::new());
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let case: Case = serde_json::from_str(line)?;
        count += 1;
        if let Some(told) = trouble(&case)? {
            wrong.push(format!("{}: {told}\n{}", case.id, case.code));
        }
    }
    let most = count / 50;
    assert!(wrong.len() <= most, "{} of {count} programs:\n\n{}", wrong.len(), wrong.join("\n\n"));
    Ok(())
}

/// A random program, and the value that node gives.
#[derive(Deserialize)]
struct Recorded {
    code: String,
    value: Value,
}

/// Random programs of a file: how many, and those that are refused. None gives another value.
fn try_recorded(lines: &str) -> Result<(usize, Vec<String>)> {
    let data: Value = serde_json::from_str(DATA)?;
    let (mut count, mut refused, mut wrong) = (0, Vec::new(), Vec::new());
    for line in lines.lines() {
        let Recorded { code, value } = serde_json::from_str(line)?;
        count += 1;
        match run(&code, &data, &Answers::new())? {
            Ok(given) if equal(&given, &value) => {}
            Ok(given) => wrong.push(format!("gave {given}, not {value}\n{code}")),
            Err(told) => refused.push(format!("{told}\n{code}")),
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n\n{}", wrong.len(), wrong.join("\n\n"));
    Ok((count, refused))
}

#[test]
fn random_programs_give_what_node_gives() -> Result<()> {
    let (count, refused) = try_recorded(include_str!("../javascript/recorded.jsonl"))?;
    let most = count * 3 / 100;
    assert!(refused.len() <= most, "{} of {count}:\n\n{}", refused.len(), refused.join("\n\n"));
    Ok(())
}

/// What one name changes another one sees, or the program is refused.
#[test]
fn programs_that_change_shared_values_give_what_node_gives_or_are_refused() -> Result<()> {
    for lines in
        [include_str!("../javascript/sharing.jsonl"), include_str!("../javascript/keeping.jsonl")]
    {
        let (count, refused) = try_recorded(lines)?;
        assert!(count >= 500 && refused.len() < count * 3 / 4, "{} of {count}", refused.len());
    }
    Ok(())
}
