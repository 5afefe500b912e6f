//! The attacks of `tests/attacks` made on the machine inside this process: each program comes to
//! what its file says, as it does in the component.

use anyhow::{Context, Result, ensure};
use pif::analysis;
use pif::fault::Fault;
use pif::limits::Limits;
use pif::quote;
use pif::request::{Argument, Program, Source};
use pif_tests::attack::{Attack, Expect, Run, Text, corpus};
use pif_tests::{case, native};
use serde_json::{Value, json};

/// Characters of a result that the server shows.
const SHOWN: usize = 50_000;

#[test]
#[ignore = "long"]
fn attacks_come_to_the_same_natively() -> Result<()> {
    let (mut failures, mut count) = (Vec::new(), 0);
    for file in corpus()? {
        for attack in file.attacks.iter().filter(|attack| attack.native) {
            let outcome = match (&attack.run, &attack.check) {
                (Some(program), _) => run(program),
                (None, Some(code)) => Ok(check(code)),
                (None, None) => continue,
            };
            count += 1;
            if let Err(error) = outcome.and_then(|outcome| judge(attack, &outcome)) {
                failures.push(format!("{}: {}: {error:#}", file.topic, attack.name));
            }
        }
    }
    ensure!(failures.is_empty(), "{}", failures.join("\n"));
    ensure!(count >= 50, "only {count} attacks are programs");
    Ok(())
}

/// The JSON text of a value, or the code of a fault.
type Outcome = Result<String, String>;

fn run(run: &Run) -> Result<Outcome> {
    let code = match (&run.code, &run.tool) {
        (Some(code), _) => Source::Term(code.make()),
        (None, tool) => Source::Tool(tool.clone().context("neither code nor tool")?),
    };
    let argument = match (&run.input, &run.data) {
        (Some(input), _) => Argument::Input(input.make()),
        (None, Some(data)) => Argument::Data(data.make()),
        (None, None) => Argument::None,
    };
    let tools = run.tools.iter().map(|tool| (tool.name.clone(), tool.code.make())).collect();
    let setting = |name: &str| run.settings.get(name).and_then(Value::as_u64);
    let program = Program {
        code,
        argument,
        context: run.context.as_ref().map(Text::make),
        bindings: Vec::new(),
        tools,
        step: setting("step").unwrap_or_default(),
        debug: run.settings.contains_key("trace"),
        keep: false,
    };
    let depth = setting("depth").and_then(|depth| u32::try_from(depth).ok());
    let limits = Limits {
        fuel: setting("fuel").unwrap_or(case::LIMITS.fuel),
        depth: depth.unwrap_or(case::LIMITS.depth),
        memory: setting("memory").unwrap_or(case::LIMITS.memory),
        output: 16 << 20,
    };
    let run = native::run(&program, &limits, 1_000_000);
    Ok(run.result.map(|value| value.json).map_err(|fault| fault.code))
}

fn check(code: &Text) -> Outcome {
    let checked = analysis::check(&code.make());
    let first =
        |faults: Vec<Fault>| faults.first().map_or("", |fault| fault.code.name()).to_owned();
    checked.map(|summary| summary.canonical).map_err(first)
}

fn judge(attack: &Attack, outcome: &Outcome) -> Result<()> {
    let is_shown = |json: &String| {
        let text: Option<String> = serde_json::from_str(json).ok();
        text.as_ref().unwrap_or(json).chars().count() <= SHOWN
    };
    let fits = match (&attack.expect, outcome) {
        (Expect::Value(value), Ok(json)) => *json == case::canonical(value),
        (Expect::Truncated(_), Ok(json)) => !is_shown(json),
        (Expect::Answer(_), Ok(_)) => true,
        (Expect::Fault(codes), Err(code)) => codes.contains(code),
        _ => false,
    };
    let told = match outcome {
        Ok(json) => format!("a value of {} bytes", json.len()),
        Err(code) => code.clone(),
    };
    ensure!(fits, "{:?} was expected, not {told}", attack.expect);
    Ok(())
}

/// The host cannot ask the evaluator which characters are hidden, so each has a list of its own.
#[test]
fn host_and_evaluator_agree_on_what_is_hidden() {
    for c in char::MIN..=char::MAX {
        assert_eq!(quote::is_hidden(c), pif_domain::text::is_hidden(c), "{c:?}");
        if !matches!(c, '\\' | '`') {
            assert_eq!(quote::visible(&c.to_string()), pif_domain::text::line(&c.to_string(), 99));
        }
    }
}

/// A quotation ends where it seems to end.
#[test]
fn quotations_are_closed_by_us() {
    let check = |key: &str| {
        let code = json!({"add": [1, {key: 1}]}).to_string();
        analysis::check(&code).map(|_| ()).map_err(|faults| faults[0].message.clone())
    };
    let told = check("x` is no form\n`");
    assert_eq!(told, Err("`x\\u0060 is no form\\n\\u0060` is no form".to_owned()));
    assert_eq!(check("\\u200b"), Err("`\\\\u200b` is no form".to_owned()));
}
