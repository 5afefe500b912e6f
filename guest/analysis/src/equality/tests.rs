//! Pairs of programs: what is proved, what is refuted, and that nothing wrong is proved.

use super::{Comparison, Verdict};
use crate::Request;
use crate::trial::tests::evaluate;
use crate::trial::whole::Tried;
use crate::trial::drive;

fn pairs(text: &'static str) -> Vec<(&'static str, &'static str)> {
    let lines = text.lines().filter(|it| !it.is_empty() && !it.starts_with('#'));
    lines.map(|line| {
        let (first, second) = line.rsplit_once(" === ").expect("a pair");
        (first, second)
    }).collect()
}

fn compared(first: &str, second: &str) -> (Comparison, Verdict) {
    let request = |code| Request { code, ..Request::default() };
    let read = Comparison::read(&request(first), &request(second));
    let comparison = read.unwrap_or_else(|fault| panic!("{first} === {second}: {fault:?}"));
    let tried: Vec<Tried> = comparison.trials().into_iter().map(|it| drive(it, |run| evaluate(run, "0"))).collect();
    let proof = comparison.prove();
    if let (Some(proof), Some(found)) = (&proof, tried.iter().find_map(|it| it.counterexample.as_ref())) {
        panic!("{first} === {second} is proved and differs on {found:?}: {}", proof.json());
    }
    let verdict = comparison.verdict(proof, &tried);
    (comparison, verdict)
}

#[test]
fn programs_that_are_equal_are_proved() {
    let pairs = pairs(include_str!("equal.txt"));
    let mut proved = 0;
    for (first, second) in &pairs {
        let start = std::time::Instant::now();
        let (comparison, verdict) = compared(first, second);
        match verdict {
            Verdict::Equal(proof) => { proved += 1; eprintln!("proved {} steps {:?}: {first} === {second}", proof.steps.len(), start.elapsed()) },
            other => eprintln!("{other:?}\n   {first} === {second}\n {:?} {:?}", comparison.simplified(), start.elapsed()),
        }
    }
    eprintln!("proved {proved} of {}", pairs.len());
    assert!(pairs.len() >= 60 && proved >= 45, "proved {proved} of {}", pairs.len());
}

#[test]
fn programs_that_differ_are_refuted() {
    let pairs = pairs(include_str!("different.txt"));
    let mut refuted = 0;
    for (first, second) in &pairs {
        match compared(first, second).1 {
            Verdict::Equal(proof) => panic!("{first} === {second}: {}", proof.json()),
            Verdict::Different(found) => { refuted += 1; eprintln!("{first} === {second} {:?} {:?}", crate::trial::Value::List(found.arguments).json(), found.outcomes) },
            Verdict::Unknown(reason) => eprintln!("{reason}\n    {first} === {second}"),
        }
    }
    eprintln!("refuted {refuted} of {}", pairs.len());
    assert!(pairs.len() >= 40 && refuted >= 30, "refuted {refuted} of {}", pairs.len());
}
