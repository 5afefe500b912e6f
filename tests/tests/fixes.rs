//! Programs as people and models write them by habit of another language, each with what its writer
//! meant: the fixed program has that value. Where nothing is sure, there is no fix.

use anyhow::{Context, Result, bail, ensure};
use pif::analysis;
use pif::fault::Fault;
use pif::request::Step;
use pif::{Limits, Machine, Program};
use pif_tests::{case, component, native};
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Cases {
    /// The data of all programs.
    data: Value,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    /// The language of the habit.
    habit: String,
    wrong: String,
    /// What its writer meant. Nothing, where that is not sure.
    value: Option<Value>,
    /// `none`: there is no sure repair.
    fix: Option<String>,
    /// Why nothing is sure.
    why: Option<String>,
}

fn cases() -> Result<Cases> {
    Ok(serde_json::from_str(include_str!("../fixes.json"))?)
}

fn run(code: &str, data: &str, limits: Limits) -> Result<Value, Box<Fault>> {
    match Machine::start(Program::term(code).with_data(data), limits)?.run_alone() {
        Step::Done(done) => Ok(serde_json::from_str(&done.json).unwrap_or(Value::Null)),
        Step::Failed(fault) => Err(fault),
        step => panic!("{code} comes to {step:?}"),
    }
}

/// Numbers are equal by their value: Python has `2.0` where the notation has 2.
fn plain(value: &Value) -> Value {
    match value {
        Value::Number(n) => n.as_f64().map_or_else(|| value.clone(), |n| format!("{n}").into()),
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| (key.clone(), plain(value)));
            // Records are equal whatever the order of their members.
            members.collect::<BTreeMap<String, Value>>().into_iter().collect()
        }
        _ => value.clone(),
    }
}

/// The program with the fixes of its fault, and of those that come then. A member that data lacks is
/// found only by running.
fn fixed(code: &str, data: &str) -> Result<Option<String>> {
    let mut text: Option<String> = None;
    for _ in 0..4 {
        let Err(fault) = run(text.as_deref().unwrap_or(code), data, case::LIMITS) else {
            return Ok(text);
        };
        text = match fault.fix {
            Some(fix) => Some(fix.fixed),
            None if text.is_some() => bail!("{code}: the fixed program fails: {}", fault.message),
            None => return Ok(None),
        };
    }
    bail!("{code}: its fixes do not end")
}

#[test]
fn fixed_programs_have_the_value_that_was_meant() -> Result<()> {
    let Cases { data, cases } = cases()?;
    let data = data.to_string();
    let (mut wrong, mut right, mut none) = (Vec::new(), 0, 0);
    let mut habits = BTreeMap::<&str, usize>::new();
    for case in &cases {
        *habits.entry(&case.habit).or_default() += 1;
        let code = &case.wrong;
        let fixed = match fixed(code, &data) {
            Ok(fixed) => fixed,
            Err(error) => {
                wrong.push(format!("{error:#}"));
                continue;
            }
        };
        match (fixed, &case.fix) {
            (None, Some(fix)) if fix == "none" && case.why.is_some() => none += 1,
            (Some(fixed), None) => {
                let found = run(&fixed, &data, case::LIMITS);
                let meant = case.value.clone().unwrap_or(Value::Null);
                match found {
                    Ok(found) if plain(&found) == plain(&meant) => right += 1,
                    found => wrong.push(format!("{code}\nfixed: {fixed}\n{found:?}, not {meant}")),
                }
            }
            (fixed, fix) => wrong.push(format!("{code}: the fix is {fixed:?}, not {fix:?}")),
        }
    }
    ensure!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
    ensure!(right >= 300 && none >= 40, "{right} fixes, {none} without");
    ensure!(habits.len() >= 7 && habits.values().all(|count| *count >= 20), "{habits:?}");
    Ok(())
}

/// A check tells the fixes that need no run, and each part is one of the program.
#[test]
fn a_check_tells_each_part() -> Result<()> {
    let Cases { cases, .. } = cases()?;
    let mut told = 0;
    for Case { wrong: code, .. } in &cases {
        let fixes: Vec<_> = match analysis::check(code) {
            Ok(summary) => summary.notes.into_iter().filter_map(|note| note.fix).collect(),
            Err(faults) => faults.into_iter().filter_map(|fault| fault.fix).collect(),
        };
        for fix in &fixes {
            ensure!(code.contains(&fix.was), "{code}: {fix:?}");
            ensure!(fix.fixed.contains(&fix.now) && fix.fixed != *code, "{code}: {fix:?}");
            ensure!(fix.fixed == fixes.first().context("no fix")?.fixed, "{code}: {fixes:?}");
            ensure!(analysis::check(&fix.fixed).is_ok(), "{code}: {fix:?} is not read");
        }
        told += usize::from(!fixes.is_empty());
    }
    ensure!(told >= 250, "{told}");
    Ok(())
}

/// The component tells what the native machine tells.
#[test]
fn the_component_fixes_alike() -> Result<()> {
    let Cases { data, cases } = cases()?;
    let data = data.to_string();
    let sandbox = component::open()?;
    let mut fixed = 0;
    for Case { wrong: code, .. } in &cases {
        let program = Program::term(code.as_str()).with_data(data.as_str());
        let native = native::run(&program, &case::LIMITS, u64::MAX);
        let component = component::measured(&sandbox, &program, &case::LIMITS, u64::MAX).0;
        ensure!(native == component, "{code}: {native:?}, {component:?}");
        fixed += usize::from(native.result.is_err_and(|fault| fault.fix.is_some()));
    }
    ensure!(fixed >= 300, "{fixed}");
    Ok(())
}

/// Words that programs are made of, outside of texts and comments.
fn words(code: &str) -> Vec<(usize, usize)> {
    let bytes = code.as_bytes();
    let (mut words, mut at, mut quote) = (Vec::new(), 0, None);
    while at < bytes.len() {
        let byte = bytes[at];
        match quote {
            Some(open) => {
                at += usize::from(byte == b'\\');
                quote = if byte == open { None } else { quote };
            }
            None if matches!(byte, b'"' | b'\'' | b'`') => quote = Some(byte),
            None if byte.is_ascii_alphabetic() || byte == b'_' => {
                let rest = bytes[at..].iter();
                let end =
                    at + rest.take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
                words.push((at, end));
                at = end;
                continue;
            }
            None => {}
        }
        at += 1;
    }
    words
}

/// A random number below one.
fn below(seed: &mut u64, most: usize) -> usize {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    usize::try_from(*seed >> 33).unwrap_or_default() % most.max(1)
}

/// A word with one character too few, too many, exchanged, or of another letter.
fn typo(word: &str, seed: &mut u64) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let at = below(seed, letters.len());
    let letter = char::from(b'a' + u8::try_from(below(seed, 26)).unwrap_or_default());
    match below(seed, 4) {
        0 => {
            letters.remove(at);
        }
        1 => letters.insert(at, letter),
        2 => letters[at] = letter,
        _ if at + 1 < letters.len() => letters.swap(at, at + 1),
        _ => letters.insert(at, letters[at]),
    }
    letters.into_iter().collect()
}

/// A fix of a typo never changes what the program means. The keys of records are left as they are:
/// nobody can tell a wrong key from another key.
#[test]
fn fixes_of_typos_change_no_meaning() -> Result<()> {
    const MOST: u64 = 200_000;
    let limits = Limits { fuel: MOST, ..case::LIMITS };
    let (mut seed, mut fixed, mut tried, mut wrong) = (1, 0, 0, Vec::new());
    for file in case::corpus()? {
        for program in file.cases.iter().map(|case| &case.program) {
            let pif::request::Source::Term(code) = &program.code else { continue };
            let is_notation = !code.trim_start().starts_with(['{', '[']) && code.len() < 2_000;
            if !is_notation {
                continue;
            }
            let meant = native::run(program, &limits, u64::MAX);
            let Ok(meant) = meant.result else { continue };
            let words = words(code);
            for _ in 0..12 {
                let Some((from, to)) = words.get(below(&mut seed, words.len())).copied() else {
                    break;
                };
                let rest = code[to..].trim_start();
                // A member that is written gives a record a key, too.
                let is_written = code[..from].ends_with('.')
                    && rest.trim_start_matches(['+', '-', '*', '/', '?']).starts_with('=')
                    && !rest.starts_with("==");
                let is_key = is_written || rest.starts_with([':', ',', '}']);
                if to - from < 3 || is_key {
                    continue;
                }
                let text = [&code[..from], &typo(&code[from..to], &mut seed), &code[to..]].concat();
                let run = |text: String| {
                    let program =
                        Program { code: pif::request::Source::Term(text), ..program.clone() };
                    native::run(&program, &limits, u64::MAX).result
                };
                tried += 1;
                let Err(fault) = run(text.clone()) else { continue };
                let Some([.., repaired]) = fault.fix else { continue };
                fixed += 1;
                match run(repaired.clone()) {
                    Ok(found) if found.json == meant.json => {}
                    Ok(found) => wrong.push(format!(
                        "{code}\ntypo: {text}\nfixed: {repaired}\n{}, not {}",
                        found.json, meant.json
                    )),
                    // What is left to repair is told then.
                    Err(_) => {}
                }
            }
        }
    }
    ensure!(wrong.is_empty(), "{} of {fixed}:\n{}", wrong.len(), wrong.join("\n"));
    ensure!(tried >= 2_000 && fixed >= 500, "{fixed} of {tried}");
    println!("{fixed} of {tried} typos are fixed");
    Ok(())
}

/// Of fixes of any wrong character, brackets and commas included, all but a few per mille give what was
/// meant: an exchange of two characters may make another name of one and another number of the next.
#[test]
fn fixes_of_wrong_characters_are_right() -> Result<()> {
    const MARKS: [char; 14] =
        ['(', ')', '[', ']', '{', '}', ',', ';', ':', '.', '=', '>', 'a', ' '];
    let Cases { data, cases } = cases()?;
    let data = data.to_string();
    let (mut seed, mut right, mut wrong) = (42, 0, Vec::new());
    for case in cases.iter().filter(|case| case.fix.is_none()) {
        let Some(meant) = fixed(&case.wrong, &data)? else { continue };
        let value = run(&meant, &data, case::LIMITS);
        let Ok(value) = value else { continue };
        let letters: Vec<char> = meant.chars().collect();
        for _ in 0..6 {
            let (mut text, at) = (letters.clone(), below(&mut seed, letters.len()));
            match below(&mut seed, 3) {
                0 => {
                    text.remove(at);
                }
                1 => text.insert(at, MARKS[below(&mut seed, MARKS.len())]),
                _ if at + 1 < text.len() => text.swap(at, at + 1),
                _ => continue,
            }
            let text: String = text.into_iter().collect();
            let Err(fault) = run(&text, &data, case::LIMITS) else { continue };
            let Some(fix) = fault.fix else { continue };
            match run(&fix.fixed, &data, case::LIMITS) {
                Ok(found) if found == value => right += 1,
                Ok(found) => {
                    wrong.push(format!("{text}\nfixed: {}\n{found}, not {value}", fix.fixed))
                }
                // What is left to repair is told then.
                Err(_) => {}
            }
        }
    }
    ensure!(wrong.len() * 200 <= right, "{} of {right}:\n{}", wrong.len(), wrong.join("\n"));
    ensure!(right >= 300, "{right}");
    Ok(())
}
