//! Random instances of the rules, each tried by the evaluator: where what a rule asks holds, both sides
//! come to the same.

use crate::equality::derivation::Deriver;
use crate::trial::Inputs;
use crate::trial::random::Random;
use crate::trial::tests::evaluate;
use crate::trial::value::Value;
use crate::trial::whole::{Judge, Trial, drive};
use pif_language::form::Form;
use pif_language::kinds::{ANY, BOOLEAN, FUNCTION, Kinds, LIST, NUMBER, RECORD, STRING};
use pif_proof::check::{check_step, instance};
use pif_proof::context::descend;
use pif_proof::proof::Step;
use pif_proof::rules::{Condition, RULES, Rule, Wanted};
use pif_proof::term::{Bindings, Name, Term, node, read, variable};
use std::env;

/// Instances of each rule, unless the environment asks for more.
const INSTANCES: usize = 60;
/// The variable with the number of instances.
const VARIABLE: &str = "PIF_INSTANCES";

/// What stands for a variable of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Function(usize, Kinds),
    Value(Kinds),
    Integer,
    Integers,
    Data,
    Key,
}

/// What should stand for a variable, by the conditions and by where it stands.
fn sort_of(rule: &Rule, name: &Name) -> Sort {
    if matches!(&**name, "k" | "j")
        || &**name == "i" && arity(&rule.left, &"f".into()).is_none() && !is_folded(rule)
    {
        return Sort::Key;
    }
    if is_subject(&rule.left, name) {
        return Sort::Data;
    }
    let applied = arity(&rule.left, name).or_else(|| arity(&rule.right, name));
    for condition in &rule.conditions {
        match condition {
            Condition::Function(f, count) if f == name => {
                let gives = rule
                    .conditions
                    .iter()
                    .any(|it| matches!(it, Condition::GivesOn(g, _, Wanted::Boolean) if g == name));
                let gives = gives || is_test(&rule.left, name);
                return Sort::Function(*count, if gives { BOOLEAN } else { ANY });
            }
            Condition::Is(t, wanted) if t == name => {
                return match wanted {
                    Wanted::Integer => Sort::Integer,
                    Wanted::Integers => Sort::Integers,
                    Wanted::Data | Wanted::NoText => Sort::Data,
                    wanted => Sort::Value(wanted.as_type().kinds),
                };
            }
            _ => {}
        }
    }
    if let Some(count) = applied {
        let is_test = is_test(&rule.left, name);
        return Sort::Function(count, if is_test { BOOLEAN } else { ANY });
    }
    match kinds_at(&rule.left, name).unwrap_or(ANY) {
        kinds if kinds == FUNCTION => {
            Sort::Function(1, if is_test(&rule.left, name) { BOOLEAN } else { ANY })
        }
        kinds => Sort::Value(kinds),
    }
}

/// Whether a rule folds a list: then `i` is what it begins with.
fn is_folded(rule: &Rule) -> bool {
    matches!(rule.left.form, Form::Reduce | Form::Fold)
}

/// Whether a variable stands where a part of it is read.
fn is_subject(side: &Term, name: &Name) -> bool {
    let first = side.operands.first().filter(|_| matches!(side.form, Form::Get | Form::GetIn));
    first.is_some_and(|it| it.form == Form::Var && it.name() == Some(name))
        || side.operands.iter().any(|it| is_subject(it, name))
}

/// How many arguments a variable is applied to.
fn arity(side: &Term, name: &Name) -> Option<usize> {
    let function = side.operands.first().filter(|_| side.form == Form::App);
    if function.is_some_and(|it| it.name() == Some(name)) {
        return Some(side.operands.len() - 1);
    }
    side.operands.iter().find_map(|it| arity(it, name))
}

/// Whether a function of a rule is to give a boolean, by where it stands.
fn is_test(side: &Term, name: &Name) -> bool {
    let is_it = |it: &Term| {
        it.name() == Some(name) && it.form == Form::Var
            || it.form == Form::App && it.operands.first().and_then(|it| it.name()) == Some(name)
    };
    let tests = match side.form {
        Form::Filter | Form::Any | Form::All | Form::Find => {
            side.operands.first().is_some_and(|function| {
                is_it(function) || function.form == Form::Lam && function.operands.iter().any(is_it)
            })
        }
        Form::Not | Form::And | Form::Or => side.operands.iter().any(is_it),
        Form::If => side.operands.first().is_some_and(is_it),
        _ => false,
    };
    tests || side.operands.iter().any(|it| is_test(it, name))
}

/// The kinds that a form takes where a variable stands.
fn kinds_at(side: &Term, name: &Name) -> Option<Kinds> {
    for (at, operand) in side.operands.iter().enumerate() {
        if operand.form == Form::Var && operand.name() == Some(name) {
            let is_boolean = matches!(side.form, Form::And | Form::Or | Form::Not)
                || side.form == Form::If && at == 0;
            return Some(if is_boolean { BOOLEAN } else { side.form.accepted(at) });
        }
        if let Some(kinds) = kinds_at(operand, name) {
            return Some(kinds);
        }
    }
    None
}

struct Maker {
    random: Random,
    names: Vec<Name>,
    count: usize,
}

impl Maker {
    fn json(json: &str) -> Term {
        read(json).unwrap_or_else(|reason| panic!("{json}: {reason}"))
    }

    fn form(form: Form, operands: Vec<Term>) -> Term {
        node(form, operands, Vec::new())
    }

    fn sort(&mut self, sort: Sort, depth: usize) -> Term {
        match sort {
            Sort::Function(count, gives) => {
                let before = self.names.len();
                let mut names: Vec<Name> = (0..count).map(|_| self.name()).collect();
                names.dedup();
                while names.len() < count {
                    names.push(self.name());
                    names.dedup();
                }
                self.names.extend(names.iter().cloned());
                let body = self.value(gives, depth);
                self.names.truncate(before);
                node(Form::Lam, vec![body], names)
            }
            Sort::Value(kinds) => self.value(kinds, depth),
            Sort::Integer => self.integer(depth),
            Sort::Integers => self.integers(depth),
            Sort::Data => self.data(),
            Sort::Key => match self.random.below(8) {
                0 => self.value(STRING, 0),
                1 => Self::json("0"),
                2 => Self::json("\"length\""),
                _ => Self::json("\"a\""),
            },
        }
    }

    /// A name, at times one that stands elsewhere, too.
    fn name(&mut self) -> Name {
        self.count += 1;
        if self.random.once_in(4) { "x".into() } else { format!("v{}", self.count).into() }
    }

    fn variable(&mut self) -> Term {
        let name = self.random.one_of(&self.names).cloned().unwrap_or_else(|| "d".into());
        variable(&name)
    }

    fn any(&mut self, depth: usize) -> Term {
        let kinds = [BOOLEAN, NUMBER, STRING, LIST, RECORD, ANY];
        let kinds = self.random.one_of(&kinds).copied().unwrap_or(ANY);
        if kinds == ANY { self.data() } else { self.value(kinds, depth) }
    }

    /// A part of the input.
    fn data(&mut self) -> Term {
        match self.random.below(8) {
            0..4 => self.variable(),
            4 => Self::form(Form::Get, vec![self.variable(), Self::json("\"a\"")]),
            5 => Self::form(
                Form::Get,
                vec![self.variable(), Self::json("\"a\""), Self::json("null")],
            ),
            6 => Self::form(Form::Get, vec![self.variable(), Self::json("0"), Self::json("null")]),
            _ => Self::json(
                self.random
                    .one_of(&["null", "true", "1", "\"a\"", "[]", "[1,\"a\"]"])
                    .unwrap_or(&"0"),
            ),
        }
    }

    fn integer(&mut self, depth: usize) -> Term {
        match self.random.below(if depth == 0 { 2 } else { 7 }) {
            0 | 1 => {
                Self::json(self.random.one_of(&["0", "1", "-1", "2", "3", "10"]).unwrap_or(&"0"))
            }
            2 | 3 => Self::form(Form::Length, vec![self.list(depth - 1)]),
            4 => Self::form(Form::Add, vec![self.integer(depth - 1), self.integer(depth - 1)]),
            5 => Self::form(Form::Mul, vec![self.integer(depth - 1), self.integer(depth - 1)]),
            _ => Self::form(Form::Floor, vec![self.data()]),
        }
    }

    fn integers(&mut self, depth: usize) -> Term {
        let three = |it: &mut Self| (0..3).map(|_| it.integer(0)).collect();
        match self.random.below(if depth == 0 { 2 } else { 5 }) {
            0 => Self::json(
                self.random.one_of(&["[]", "[1]", "[2,1]", "[3,-1,2,2]"]).unwrap_or(&"[]"),
            ),
            1 => Self::form(Form::List, three(self)),
            2 => Self::form(Form::Range, vec![self.integer(depth - 1), self.integer(depth - 1)]),
            3 => Self::form(Form::Range, vec![Self::json("0"), self.data()]),
            _ => {
                let kinds = Sort::Function(1, BOOLEAN);
                Self::form(
                    Form::Filter,
                    vec![self.sort(kinds, depth - 1), self.integers(depth - 1)],
                )
            }
        }
    }

    fn list(&mut self, depth: usize) -> Term {
        match self.random.below(if depth == 0 { 3 } else { 9 }) {
            0 | 1 => self.variable(),
            2 => Self::json(
                self.random
                    .one_of(&["[]", "[1]", "[1,1.5,-0.0]", "[\"b\",\"a\",\"b\"]", "[null,2]"])
                    .unwrap_or(&"[]"),
            ),
            3 => self.integers(depth - 1),
            4 => Self::form(
                Form::List,
                (0..self.random.below(4)).map(|_| self.any(depth - 1)).collect(),
            ),
            5 => Self::form(
                Form::Filter,
                vec![self.sort(Sort::Function(1, BOOLEAN), depth - 1), self.variable()],
            ),
            6 => Self::form(
                Form::Map,
                vec![self.sort(Sort::Function(1, ANY), depth - 1), self.variable()],
            ),
            7 => Self::form(Form::Elements, vec![self.variable()]),
            // What is taken for a list.
            _ => Self::json(
                self.random
                    .one_of(&[
                        "{\"to_set\": [[1, 2, 1]]}",
                        "{\"to_map\": [[[1, 2]]]}",
                        "{\"pair\": [1, 2]}",
                        "{\"regex_match\": [\"a1\", \"([a-z])1\"]}",
                    ])
                    .unwrap_or(&"[]"),
            ),
        }
    }

    fn boolean(&mut self, depth: usize) -> Term {
        let inner = depth.saturating_sub(1);
        match self.random.below(if depth == 0 { 4 } else { 9 }) {
            0 => Self::json(if self.random.once_in(2) { "true" } else { "false" }),
            1 | 2 => {
                let forms = [Form::Lt, Form::Gt, Form::Lte, Form::Eq];
                let form = self.random.one_of(&forms).copied().unwrap_or(Form::Lt);
                let literals = ["0", "1", "2.5", "\"a\"", "null"];
                let literal = Self::json(self.random.one_of(&literals).unwrap_or(&"0"));
                Self::form(form, vec![self.variable(), literal])
            }
            3 => Self::form(Form::Truth, vec![self.variable()]),
            4 => Self::form(Form::Not, vec![self.boolean(inner)]),
            5 => Self::form(Form::And, vec![self.boolean(inner), self.boolean(inner)]),
            6 => Self::form(Form::Or, vec![self.boolean(inner), self.boolean(inner)]),
            7 => Self::form(Form::IsEmpty, vec![self.list(inner)]),
            _ => Self::form(Form::Lt, vec![self.integer(inner), self.integer(inner)]),
        }
    }

    fn value(&mut self, kinds: Kinds, depth: usize) -> Term {
        let inner = depth.saturating_sub(1);
        // Now and then what fails, or what is of no type that is wanted.
        match self.random.below(24) {
            0 => return Self::json("{\"fail\": 1}"),
            1 => return Self::form(Form::Div, vec![Self::json("1"), self.variable()]),
            2 | 3 => return self.data(),
            4 => {
                return Self::json(
                    self.random
                        .one_of(&[
                            "{\"float\": \"NaN\"}",
                            "{\"float\": \"Infinity\"}",
                            "{\"moment\": [0]}",
                            "{\"float\": -0.0}",
                        ])
                        .unwrap_or(&"0"),
                );
            }
            _ => {}
        }
        if kinds & BOOLEAN != 0 && kinds & (NUMBER | LIST) == 0 {
            return self.boolean(depth);
        }
        if kinds == LIST || kinds & LIST != 0 && kinds & NUMBER == 0 {
            return self.list(depth);
        }
        if kinds & NUMBER != 0 && kinds & (LIST | BOOLEAN) == 0 {
            return match self.random.below(6) {
                0 | 1 => self.integer(depth),
                2 => Self::json(
                    self.random.one_of(&["0.5", "-1.5", "1e16", "0.1", "1e308"]).unwrap_or(&"0.5"),
                ),
                3 if depth > 0 => {
                    Self::form(Form::Add, vec![self.variable(), self.value(NUMBER, inner)])
                }
                4 if depth > 0 => {
                    Self::form(Form::Mul, vec![self.variable(), self.value(NUMBER, inner)])
                }
                _ => self.variable(),
            };
        }
        if kinds == STRING {
            return match self.random.below(6) {
                0 | 1 => Self::json(
                    self.random
                        .one_of(&["\"\"", "\"a\"", "\"ßé\"", "\"a\\u0301 b\"", "\"ŉǆ\"", "\" x \""])
                        .unwrap_or(&"\"\""),
                ),
                2 if depth > 0 => Self::form(
                    Form::Concat,
                    vec![self.value(STRING, inner), self.value(STRING, inner)],
                ),
                3 => Self::form(Form::AsText, vec![self.variable()]),
                4 => Self::form(Form::Upper, vec![self.variable()]),
                _ => self.variable(),
            };
        }
        if kinds == RECORD || kinds & RECORD != 0 && kinds & (LIST | NUMBER) == 0 {
            let record = |members: &[&str], values: Vec<Term>| {
                node(Form::Record, values, members.iter().map(|it| (*it).into()).collect())
            };
            return match self.random.below(4) {
                0 => record(&["a"], vec![self.any(inner.min(1))]),
                1 => record(&["b", "a", "1"], (0..3).map(|_| self.data()).collect()),
                2 => record(&[], Vec::new()),
                _ => self.variable(),
            };
        }
        if kinds == pif_language::kinds::PAIR {
            return Self::form(Form::Pair, vec![self.data(), self.data()]);
        }
        self.any(depth)
    }
}

/// Tries instances of a rule. Returns how many said something.
fn try_rule(rule: &Rule, wanted: usize) -> (usize, usize) {
    let seed = rule
        .name
        .bytes()
        .fold(7, |seed: u64, byte| seed.wrapping_mul(131).wrapping_add(byte.into()));
    let mut maker = Maker { random: Random::new(seed), names: vec!["d".into()], count: 0 };
    let shapes = [
        "any",
        "integer[]",
        "number[]",
        "number",
        "text",
        "{a: any}",
        "{a: number}[]",
        "text[]",
        "any[]",
        "{a: {a: {a: number | null}}}",
        "{a: text}",
    ];
    let mut inputs: Vec<Inputs> = shapes
        .iter()
        .map(|it| Inputs::new(vec![crate::text::read(it).expect("a type")], seed))
        .collect();
    let (mut done, mut with_value) = (0, 0);
    for _ in 0..wanted * 400 {
        if done >= wanted && with_value >= wanted / 50 {
            break;
        }
        let mut bindings = Bindings::new();
        for name in &rule.variables {
            let sort = sort_of(rule, name);
            let depth = 1 + maker.random.below(2);
            bindings.insert(name.clone(), maker.sort(sort, depth));
        }
        let side = |side| {
            node(Form::Lam, vec![instance(side, &bindings, &rule.variables)], vec!["d".into()])
        };
        let (before, after) = (side(&rule.left), side(&rule.right));
        let Ok(context) = descend(&before, &[0], false) else { continue };
        let Some(conditions) = Deriver::conditions(rule, &bindings, &context) else { continue };
        let step = Step {
            rule: rule.name.clone(),
            at: vec![0],
            is_backward: false,
            bindings,
            conditions,
            after: after.clone(),
        };
        let codes = [&before, &after].map(pif_proof::term::json);
        if let Err(reason) = check_step(&before, &step) {
            panic!("{}: {reason}: {codes:?}", rule.name);
        }
        let at = maker.random.below(inputs.len());
        let some: Vec<Vec<Value>> =
            inputs.get_mut(at).into_iter().flat_map(|it| it.take(2)).collect();
        for arguments in some {
            let mut trial = Trial::new(&codes, Judge::AreEqual, Inputs::only(arguments));
            trial = trial.with_most(1);
            let tried = drive(trial, |run| evaluate(run, "0"));
            assert!(
                tried.counterexample.is_none(),
                "{}: {codes:?} {:?}",
                rule.name,
                tried.counterexample
            );
            done += tried.inputs;
            with_value += tried.with_value;
        }
    }
    (done, with_value)
}

#[test]
fn both_sides_of_each_rule_come_to_the_same() {
    let wanted = env::var(VARIABLE).ok().and_then(|it| it.parse().ok()).unwrap_or(INSTANCES);
    let mut wrong = Vec::new();
    for rule in RULES.iter() {
        let tried = std::panic::catch_unwind(|| try_rule(rule, wanted));
        match tried {
            // Where both sides always fail, nothing is shown.
            Ok((done, with_value)) if done >= wanted && with_value >= wanted / 50 => {}
            Ok((done, with_value)) => {
                wrong.push(format!("{}: {with_value} of {done} instances have a value", rule.name));
            }
            Err(_) => wrong.push(format!("{} does not hold", rule.name)),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
