//! Keys: which are equal, and the cost of reading them.

use crate::algorithm::canonical::Failed;
use crate::algorithm::grouping::Groups;
use crate::algorithm::keys::{Weighed, weigh};
use crate::algorithm::trouble::Trouble;
use pif_language::prices::units;

use crate::memory::word::Word;
use crate::run::context::Context;
use crate::run::state::{Exit, State};
use std::rc::Rc;

/// Charges for reading the keys of a sort. Returns their weight.
pub(crate) fn pay_keys(
    c: &mut Context<'_>,
    keys: &[Word],
    wrong: impl Fn(&State, Word) -> Exit,
) -> Result<u64, Exit> {
    c.bulk(keys.len() as u64)?;
    let Weighed { work, wrong: found } = weigh(&c.s.heap, keys, c.budget())?;
    c.bulk(work)?;
    found.map_or(Ok(work), |key| Err(wrong(c.s, key)))
}

/// Groups of equal keys.
pub(crate) struct Grouped {
    /// The group of each key.
    pub(crate) of_each: Vec<u32>,
    /// The first key of each group.
    pub(crate) firsts: Vec<u32>,
}

/// Groups keys, after charging for it.
pub(crate) fn grouped(
    c: &mut Context<'_>,
    keys: &[Word],
    wrong: impl Fn(&State, Word) -> Exit,
) -> Result<Grouped, Exit> {
    c.bulk(units::GROUPED_KEY * keys.len() as u64)?;
    let terms = Rc::clone(&c.s.terms);
    let n = keys.len();
    let mut groups = Groups::new(&c.s.heap, &terms, c.budget(), n);
    let firsts = Vec::with_capacity(n.min(Groups::most(&c.s.heap)));
    let mut grouped = Grouped { of_each: Vec::with_capacity(n), firsts };
    let mut failed = None;
    for (i, key) in (0..).zip(keys) {
        match groups.group(*key) {
            Ok(group) => grouped.of_each.push(group),
            Err(why) => {
                failed = Some(why);
                break;
            }
        }
        if groups.len() > grouped.firsts.len() {
            grouped.firsts.push(i);
        }
    }
    let work = groups.work();
    c.bulk(work)?;
    match failed {
        Some(Failed::Incomparable(key)) => Err(wrong(c.s, key)),
        Some(_) => Err(Trouble::Full("the keys would not fit into the memory limit").into()),
        None => Ok(grouped),
    }
}
