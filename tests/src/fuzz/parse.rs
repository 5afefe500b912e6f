//! Any text as a term, in code and in input, and as plain JSON: it is refused or understood, and what
//! was understood reads the same when it is written down.

use anyhow::{Context, Result, ensure};
use pif::analysis;
use pif::form::Form;
use pif::json::{Tape, Token, TokenId};
use pif::limits::Limits;
use pif::machine::Machine;
use pif::notation::read_code;
use pif::parse::{Reading, parse};
use pif::print;
use pif::request::{Answer, Argument, Program, Step};
use pif::term::{Origin, TermId, Terms};
use serde_json::Value;

/// Names that are variables of submitted code.
const FREE: [&str; 2] = ["data", "input"];

/// Levels of nesting that `serde_json` reads; deeper text is read by the evaluator alone.
const NESTING: usize = 100;

/// Reads the text as a whole, and its lines: those are the parts of a program in this corpus.
pub fn check(bytes: &[u8]) -> Result<()> {
    let Ok(text) = str::from_utf8(bytes) else { return Ok(()) };
    check_text(text)?;
    if text.contains('\n') {
        text.split('\n').try_for_each(check_text)?;
    }
    Ok(())
}

fn check_text(text: &str) -> Result<()> {
    check_term(text, Reading::Code).context("as code")?;
    check_term(text, Reading::Input).context("as input")?;
    check_json(text).context("as JSON")?;
    check_data(text).context("as data")
}

/// A term is the same after printing and parsing.
fn check_term(text: &str, reading: Reading) -> Result<()> {
    let mut terms = Terms::default();
    let parsed = match reading {
        Reading::Code => read_code(&mut terms, text, Origin::Code, &FREE),
        Reading::Input => parse(&mut terms, text, Origin::Code, reading),
    };
    if reading == Reading::Code {
        let checked = analysis::check(text);
        let is_same = match (&checked, &parsed) {
            (Ok(summary), Ok(parsed)) => summary.notes.starts_with(&parsed.notes),
            (Err(faults), Err(first)) => faults.first() == Some(first),
            _ => false,
        };
        ensure!(is_same, "check: {checked:?}, parse: {parsed:?}");
    }
    let Ok(parsed) = parsed else { return Ok(()) };
    let canonical = print::term(&terms, parsed.root);
    let mut others = Terms::default();
    let other = parse(&mut others, &canonical, Origin::Code, Reading::Code)
        .with_context(|| format!("`{canonical}` is not understood"))?;
    // A likely mistake stays one however it is spelled.
    let spelled = other.notes.iter().find(|note| note.code != "likely-mistake");
    ensure!(spelled.is_none(), "{canonical}: {spelled:?}");
    let is_same = is_same((&terms, parsed.root), (&others, other.root));
    ensure!(is_same, "`{canonical}` is another term");
    let again = print::term(&others, other.root);
    ensure!(again == canonical, "`{canonical}` is written `{again}` the next time");
    Ok(())
}

/// Whether two terms are made of the same forms, names and literals.
fn is_same(a: (&Terms, TermId), b: (&Terms, TermId)) -> bool {
    let ((terms, root), (others, other)) = (a, b);
    let mut pairs = vec![(root, other)];
    while let Some((a, b)) = pairs.pop() {
        let names = |terms: &Terms, id| -> Vec<String> {
            terms.names(id).iter().map(|name| terms.name(*name).to_owned()).collect()
        };
        let (left, right) = (terms.operands(a), others.operands(b));
        let equal = terms.form(a) == others.form(b)
            && left.len() == right.len()
            && names(terms, a) == names(others, b)
            && match terms.form(a) {
                Form::Boolean => terms.boolean(a) == others.boolean(b),
                Form::Integer => terms.integer(a) == others.integer(b),
                Form::BigInteger => terms.big_integer(a) == others.big_integer(b),
                Form::Text => terms.text(a) == others.text(b),
                _ => true,
            };
        if !equal {
            return false;
        }
        pairs.extend(left.iter().copied().zip(right.iter().copied()));
    }
    true
}

/// The evaluator and `serde_json` accept the same texts and find the same in them.
fn check_json(text: &str) -> Result<()> {
    let mut tape = Tape::default();
    let read = tape.parse(text);
    if nesting(text) > NESTING {
        return Ok(());
    }
    let other: Result<Value, _> = serde_json::from_str(text);
    match (read, other) {
        (Ok(root), Ok(other)) => {
            let value = value(&tape, root)?;
            ensure!(same_json(&value, &other), "{value} is {other} to others");
        }
        (Err(fault), Ok(_)) => {
            ensure!(fault.code.name() == "duplicate-key", "{fault} in good JSON");
        }
        (Ok(_), Err(error)) => {
            anyhow::bail!("good JSON to the evaluator only: {error}");
        }
        (Err(_), Err(_)) => {}
    }
    Ok(())
}

/// No fewer levels than the text has.
fn nesting(text: &str) -> usize {
    text.bytes().filter(|byte| matches!(byte, b'[' | b'{')).count()
}

fn value(tape: &Tape, id: TokenId) -> Result<Value> {
    Ok(match tape.token(id) {
        Token::Null => Value::Null,
        Token::Boolean(b) => b.into(),
        Token::Integer(n) => n.into(),
        Token::Number(span) => Value::Number(tape.str(span).parse()?),
        Token::Text(span) => tape.str(span).into(),
        Token::Array { .. } => {
            let items: Result<_> = tape.items(id).map(|item| value(tape, item)).collect();
            Value::Array(items?)
        }
        Token::Object { .. } => {
            let members = tape.members(id);
            let members = members.map(|(key, id)| Ok((tape.str(key).to_owned(), value(tape, id)?)));
            Value::Object(members.collect::<Result<_>>()?)
        }
    })
}

/// Equal but for zeros that are written with a minus.
fn same_json(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || (a.as_str() == "0" && b.as_str() == "-0"),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same_json(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let mut pairs = a.iter().zip(b);
            a.len() == b.len() && pairs.all(|(a, b)| a.0 == b.0 && same_json(a.1, b.1))
        }
        _ => a == b,
    }
}

/// What comes out of a function that gives back its argument goes in again and comes out the same.
fn check_data(text: &str) -> Result<()> {
    let Some(first) = identity(text)? else { return Ok(()) };
    let second = identity(&first)?;
    ensure!(second.as_deref() == Some(first.as_str()), "{first} comes back as {second:?}");
    Ok(())
}

/// The data as a value and back; none if it is refused.
fn identity(data: &str) -> Result<Option<String>> {
    let mut program = Program::term(r#"{"lam":"x","body":{"var":"x"}}"#);
    program.argument = Argument::Data(data.to_owned());
    let limits = Limits { fuel: 100, depth: 100, memory: 64 << 20, output: 1 << 24 };
    let Ok(mut machine) = Machine::start(program, limits) else { return Ok(None) };
    match machine.resume(Answer::None, u64::MAX) {
        Step::Done(done) => Ok(Some(done.json)),
        step => anyhow::bail!("{step:?}"),
    }
}
