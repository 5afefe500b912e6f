//! Keys: which of them are equal, and what looking at them costs.

use crate::algorithm::canonical::Failed;
use crate::algorithm::grouping::Groups;
use crate::algorithm::keys::{Weighed, weigh};
use crate::algorithm::trouble::Trouble;
use crate::memory::types::type_name;

use crate::memory::word::Word;
use crate::run::context::Context;
use crate::run::state::Exit;
use std::rc::Rc;

/// Pays for looking at the keys of a sort; gives their weight.
pub(crate) fn pay_keys(
    c: &mut Context<'_>,
    keys: &[Word],
    wrong: impl Fn(&'static str) -> Trouble,
) -> Result<u64, Exit> {
    c.bulk(keys.len() as u64)?;
    let Weighed { work, wrong: found } = weigh(&c.s.heap, keys, c.budget())?;
    c.bulk(work)?;
    match found {
        Some(key) => Err(wrong(type_name(&c.s.heap, key)).into()),
        None => Ok(work),
    }
}

/// Which keys are equal.
pub(crate) struct Grouped {
    /// The group of each key.
    pub(crate) of_each: Vec<u32>,
    /// The first key of each group.
    pub(crate) firsts: Vec<u32>,
}

/// Fuel of a key that is looked up.
const GROUPED: u64 = 4;

/// Pays for grouping keys, and groups them.
pub(crate) fn grouped(
    c: &mut Context<'_>,
    keys: &[Word],
    wrong: impl Fn(&'static str) -> Trouble,
) -> Result<Grouped, Exit> {
    c.bulk(GROUPED * keys.len() as u64)?;
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
        Some(Failed::Incomparable(key)) => Err(wrong(type_name(&c.s.heap, key)).into()),
        Some(_) => Err(Trouble::TooLarge("the keys would not fit into the memory limit").into()),
        None => Ok(grouped),
    }
}
