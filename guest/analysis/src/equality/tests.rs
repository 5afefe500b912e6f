//! Pairs of programs: what is proved, what is refuted, and that nothing wrong is proved.

use super::{Comparison, Verdict};
use crate::Request;
use crate::trial::drive;
use crate::trial::random::Random;
use crate::trial::tests::evaluate;
use crate::trial::whole::Tried;
use pif_proof::term::{self, Term, integer, is_same};
use pif_proof::{Derivation, Proof, check};

fn pairs(text: &'static str) -> Vec<(&'static str, &'static str)> {
    let lines = text.lines().filter(|it| !it.is_empty() && !it.starts_with('#'));
    lines
        .map(|line| {
            let (first, second) = line.rsplit_once(" === ").expect("a pair");
            (first, second)
        })
        .collect()
}

fn compared(first: &str, second: &str) -> (Comparison, Verdict) {
    let request = |code| Request { code, ..Request::default() };
    let read = Comparison::read(&request(first), &request(second));
    let comparison = read.unwrap_or_else(|fault| panic!("{first} === {second}: {fault:?}"));
    let tried: Vec<Tried> =
        comparison.trials().into_iter().map(|it| drive(it, |run| evaluate(run, "0"))).collect();
    let proof = comparison.prove();
    if let (Some(proof), Some(found)) =
        (&proof, tried.iter().find_map(|it| it.counterexample.as_ref()))
    {
        panic!("{first} === {second} is proved and differs on {found:?}: {}", proof.json());
    }
    let verdict = comparison.verdict(proof, &tried);
    (comparison, verdict)
}

#[test]
fn programs_that_are_equal_are_proved() {
    let pairs = pairs(include_str!("equal.txt"));
    let (mut proved, mut left) = (0, Vec::new());
    for (first, second) in &pairs {
        let (comparison, verdict) = compared(first, second);
        match verdict {
            Verdict::Equal(_) => proved += 1,
            other => {
                left.push(format!("{first} === {second}: {other:?} {:?}", comparison.simplified()))
            }
        }
    }
    assert!(pairs.len() >= 60 && proved + 4 >= pairs.len(), "proved {proved}, not {left:#?}");
}

#[test]
fn programs_that_differ_are_refuted() {
    let pairs = pairs(include_str!("different.txt"));
    let (mut refuted, mut left) = (0, Vec::new());
    for (first, second) in &pairs {
        match compared(first, second).1 {
            Verdict::Equal(proof) => panic!("{first} === {second}: {}", proof.json()),
            Verdict::Different(_) => refuted += 1,
            Verdict::Unknown(reason) => left.push(format!("{first} === {second}: {reason}")),
        }
    }
    assert!(pairs.len() >= 40 && left.is_empty(), "refuted {refuted}, not {left:#?}");
}

/// Mutations of each proof.
const MUTATIONS: usize = 30;

/// A term with a number that stands nowhere in place of one of its parts.
fn spoiled(term: &Term, random: &mut Random) -> Term {
    let places = super::rewrite::places(term);
    let place = random.one_of(&places).cloned().unwrap_or_default();
    term::replace(term, &place, &integer(987_654_321)).expect("a place")
}

/// Another proof, which is wrong. None if such a change makes none of this proof.
fn mutated(proof: &Proof, kind: usize, random: &mut Random) -> Option<Proof> {
    let mut wrong = proof.clone();
    if kind == 12 || kind == 13 {
        wrong.equal[kind - 12] =
            term::replace(&proof.equal[kind - 12], &[0], &integer(987_654_321))?;
        return (wrong != *proof).then_some(wrong);
    }
    let count = proof.steps.len();
    let number = random.below(count);
    let before = number.checked_sub(1).map_or(&proof.equal[0], |it| &proof.steps[it].after);
    let changes = !is_same(before, &proof.steps.get(number)?.after);
    let step = wrong.steps.get_mut(number)?;
    match kind {
        0 if changes => {
            wrong.steps.remove(number);
        }
        1 if changes => step.is_backward = !step.is_backward,
        2 => step.rule = "not-a-rule".to_owned(),
        3 => step.at.push(9),
        4 if changes && step.rule != "rename" => {
            step.at.pop()?;
        }
        5 => {
            let name = step.bindings.keys().nth(random.below(step.bindings.len())).cloned()?;
            step.bindings.insert(name, integer(987_654_321));
        }
        6 => {
            step.bindings.pop_first()?;
        }
        7 if pif_proof::rules::rule(&step.rule).is_some() => {
            step.bindings.insert("extra".into(), integer(1));
        }
        8 => {
            step.conditions.pop()?;
        }
        9 => step.conditions.push(Derivation::by("value", Vec::new(), Vec::new())),
        10 => *step.conditions.first_mut()? = Derivation::by("any", Vec::new(), Vec::new()),
        11 => step.after = spoiled(&step.after, random),
        14 if changes => wrong.steps.insert(number, proof.steps[number].clone()),
        15 if count > 1 && number + 1 < count && changes => wrong.steps.swap(number, number + 1),
        16 => {
            let derivation = step.conditions.iter_mut().find(|it| !it.from.is_empty())?;
            derivation.from.pop();
            derivation.from.push(Derivation::by("not-a-rule", Vec::new(), Vec::new()));
        }
        17 => {
            let derivation =
                step.conditions.iter_mut().find(|it| it.by == "fact" || it.by == "needed")?;
            *derivation.at.first_mut()? = 999;
        }
        18 if !is_same(before, &proof.equal[1]) => wrong.steps.truncate(number),
        19 if changes && step.rule != "rename" => {
            let other = pif_proof::rules::RULES.iter().find(|it| it.name != step.rule)?;
            step.rule.clone_from(&other.name);
        }
        _ => return None,
    }
    (wrong != *proof).then_some(wrong)
}

#[test]
fn each_change_of_a_proof_is_refused() {
    let mut random = Random::new(1);
    let mut proofs = 0;
    for (first, second) in pairs(include_str!("equal.txt")) {
        let request = |code| Request { code, ..Request::default() };
        let comparison = Comparison::read(&request(first), &request(second)).expect("programs");
        let Some(proof) = comparison.prove() else { continue };
        proofs += 1;
        // It is the same after a journey as JSON.
        let read = Proof::read(&proof.json()).expect("a proof");
        assert_eq!(check(&read), Ok(()), "{first} === {second}");
        let (mut refused, mut kind) = (0, 0);
        while refused < MUTATIONS {
            kind += 1;
            assert!(kind < 2000, "{first} === {second}: {refused} changes");
            let Some(wrong) = mutated(&proof, kind % 20, &mut random) else { continue };
            let read = Proof::read(&wrong.json());
            let outcome = read.map(|it| check(&it));
            assert!(
                !matches!(outcome, Ok(Ok(()))),
                "{first} === {second}, {}: {}",
                kind % 20,
                wrong.json()
            );
            refused += 1;
        }
    }
    assert!(proofs >= 45, "{proofs} proofs");
}

/// Bytes of the stack in the component.
const STACK: usize = 128 << 10;

/// Programs that are deep, long, or of many variants: the search ends, on a small stack.
#[test]
fn the_search_ends_on_a_small_stack() {
    let deep = |before: &str, inner: &str, after: &str| {
        format!("{}{inner}{}", before.repeat(90), after.repeat(90))
    };
    let sum = |from: u32| {
        let terms: Vec<String> = (from..from + 60).map(|n| format!("(data.a{n} * 2)")).collect();
        terms.join(" * ")
    };
    let pairs = [
        [deep("{\"not\":", "true", "}"), deep("{\"not\":", "false", "}")],
        [deep("[", "1", "]"), deep("[", "2", "]")],
        [deep("{\"lam\":\"x\",\"body\":", "1", "}"), deep("{\"lam\":\"y\",\"body\":", "2", "}")],
        [
            deep("{\"abs\":", "{\"var\":\"data\"}", "}"),
            deep("{\"neg\":", "{\"var\":\"data\"}", "}"),
        ],
        [deep("{\"add\":[1,", "2", "]}"), deep("{\"add\":[", "2", ",1]}")],
        [deep("{\"add\":[1,", "{\"fail\":1}", "]}"), deep("{\"add\":[", "2", ",1]}")],
        [sum(1), sum(2)],
        [deep("{\"not\":", "true", "}").repeat(1), format!("[{}]", "[1],".repeat(5000) + "1")],
    ];
    for [first, second] in &pairs {
        let work = || {
            let request = |code| Request { code, ..Request::default() };
            Comparison::read(&request(first), &request(second)).expect("programs").prove()
        };
        let build = std::thread::Builder::new().stack_size(STACK);
        std::thread::scope(|scope| build.spawn_scoped(scope, work).expect("a thread").join())
            .expect("an end");
    }
}

#[test]
fn programs_are_compared_as_the_page_shows_it() {
    for (code, expected) in crate::tests::blocks("compare") {
        let [first, second] = code[..] else { panic!("{code:?}") };
        let told = match compared(first, second).1 {
            Verdict::Equal(_) => "equal".to_owned(),
            Verdict::Different(found) => {
                format!("different on {}", crate::trial::Value::List(found.arguments).json())
            }
            Verdict::Unknown(reason) => reason,
        };
        assert_eq!(told, expected, "{first} === {second}");
    }
}
