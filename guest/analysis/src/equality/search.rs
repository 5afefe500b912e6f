//! The search for a proof: both programs are simplified, and where that does not make them one, they
//! are varied from both sides until two variants meet.

use super::rewrite::{Chain, others};
use pif_proof::proof::{Proof, Step};
use pif_proof::term::{Bindings, Term, canonical, is_same};
use pif_proof::{check, term};
use std::collections::{BTreeMap, VecDeque};

/// Most variants of both programs together.
const MOST: usize = 160;
/// Most nodes of all of them.
const MOST_NODES: usize = 8000;

/// What a search came to.
#[derive(Clone, Debug)]
pub(crate) struct Searched {
    /// The proof, if there is one.
    pub(crate) proof: Option<Proof>,
    /// The programs as simple as the rules made them.
    pub(crate) simplified: [String; 2],
}

/// Looks for a proof that two programs are equal.
pub(crate) fn search(programs: &[Term; 2]) -> Searched {
    let mut sides = programs.each_ref().map(|program| Side::new(program));
    let simplified = sides.each_ref().map(|side| side.first());
    let mut met = meeting(&sides);
    let mut turn = 0;
    while met.is_none() && sides.iter().map(|it| it.known.len()).sum::<usize>() < MOST {
        if sides.iter().map(|it| it.nodes).sum::<usize>() > MOST_NODES {
            break;
        }
        let Some(side) = sides.get_mut(turn) else { break };
        let is_open = side.vary();
        turn = 1 - turn;
        met = meeting(&sides);
        if !is_open && sides.iter().all(|it| it.open.is_empty()) {
            break;
        }
    }
    let proof = met.and_then(|key| join(programs, &sides, &key));
    let proof = proof.filter(|it| check(it).is_ok());
    Searched { proof, simplified }
}

/// The variants of one program.
struct Side {
    /// By their canonical terms.
    known: BTreeMap<Term, Chain>,
    /// Those that are still to be varied.
    open: VecDeque<Term>,
    /// Those that came last.
    new: Vec<Term>,
    /// The nodes of all.
    nodes: usize,
}

impl Side {
    fn new(program: &Term) -> Self {
        let mut side =
            Self { known: BTreeMap::new(), open: VecDeque::new(), new: Vec::new(), nodes: 0 };
        let mut chain = Chain::new(program.clone());
        chain.simplify();
        side.add(chain);
        side
    }

    fn first(&self) -> String {
        self.open.front().map(term::json).unwrap_or_default()
    }

    fn add(&mut self, chain: Chain) {
        let key = canonical(&chain.term);
        if !self.known.contains_key(&key) {
            self.nodes += key.size();
            self.open.push_back(key.clone());
            self.new.push(key.clone());
            self.known.insert(key, chain);
        }
    }

    /// Varies one variant. Returns whether there was one.
    fn vary(&mut self) -> bool {
        let Some(chain) = self.open.pop_front().and_then(|key| self.known.get(&key).cloned())
        else {
            return false;
        };
        for step in others(&chain.term) {
            let mut chain = chain.clone();
            chain.push(step);
            self.add(chain.clone());
            chain.simplify();
            self.add(chain);
        }
        true
    }
}

/// A term that both sides know.
fn meeting(sides: &[Side; 2]) -> Option<Term> {
    let [a, b] = sides;
    let mut all = a.new.iter().chain(&b.new);
    all.find(|key| a.known.contains_key(*key) && b.known.contains_key(*key)).cloned()
}

/// The proof by way of a term that both sides know.
fn join(programs: &[Term; 2], sides: &[Side; 2], key: &Term) -> Option<Proof> {
    let [a, b] = sides;
    let (forth, back) = (a.known.get(key)?, b.known.get(key)?);
    let mut steps = forth.steps.clone();
    if forth.term != back.term {
        steps.push(renaming(&back.term));
    }
    let [_, second] = programs;
    for (number, step) in back.steps.iter().enumerate().rev() {
        let before = number.checked_sub(1).and_then(|it| back.steps.get(it));
        let after = before.map_or(second, |it| &it.after).clone();
        steps.push(Step { is_backward: !step.is_backward, after, ..step.clone() });
    }
    let [first, _] = programs;
    Some(Proof { equal: programs.clone(), steps: straight(first, &steps) })
}

/// The step to a term that differs in names alone.
fn renaming(after: &Term) -> Step {
    let (rule, at, conditions) = ("rename".to_owned(), Vec::new(), Vec::new());
    let (bindings, after) = (Bindings::new(), after.clone());
    Step { rule, at, is_backward: false, bindings, conditions, after }
}

/// The steps without those that lead back to a term.
fn straight(first: &Term, steps: &[Step]) -> Vec<Step> {
    let (mut kept, mut current, mut next) = (Vec::new(), first, 0);
    while let Some(step) = steps.get(next) {
        let later =
            steps.iter().rposition(|it| is_same(&it.after, current)).filter(|it| *it >= next);
        let reached = later.and_then(|it| steps.get(it)).map(|it| &it.after);
        match (later, reached) {
            (Some(later), Some(after)) => {
                if after != current {
                    kept.push(renaming(after));
                }
                current = after;
                next = later + 1;
            }
            _ => {
                kept.push(step.clone());
                current = &step.after;
                next += 1;
            }
        }
    }
    kept
}
