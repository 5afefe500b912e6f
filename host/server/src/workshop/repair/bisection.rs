//! The change of a tool that brought a fault: the run in the states that the registry had.

use std::collections::{BTreeMap, BTreeSet};

use pif_sandbox::Request;
use pif_store::registry::{Past, name};

use super::bench::{Bench, Sign};
use super::report::{Since, Was};
use crate::workshop::world::Tools;

/// The most changes of one tool that are looked at.
const MOST_CHANGES: usize = 1_000;

/// The changes of the tools that a run has come to.
#[derive(Default)]
struct Changes {
    known: BTreeSet<String>,
    /// The changes by their numbers, each with its tool and the hash before.
    all: BTreeMap<i64, (String, Past, Option<String>)>,
}

impl Changes {
    fn add(&mut self, names: &[String], tools: &Tools) {
        for reference in names {
            // A pinned revision does not change.
            let (name, pin) = name::split(reference);
            if pin.is_some() || !self.known.insert(name.to_owned()) {
                continue;
            }
            let history = tools.registered.history(name, MOST_CHANGES).unwrap_or_default();
            let before = history.iter().skip(1).map(|it| it.hash.clone()).chain([None]);
            for (past, before) in history.iter().zip(before) {
                self.all.insert(past.change, (name.to_owned(), past.clone(), before));
            }
        }
    }

    /// The changes after one and up to another.
    fn between(&self, good: i64, bad: i64) -> Vec<i64> {
        self.all.range(good.saturating_add(1)..=bad).map(|it| *it.0).collect()
    }
}

impl Bench<'_> {
    /// The change since which a run fails with a fault of this kind, and the state before it. The state
    /// that is looked at next is the middle one, once one without the fault is known.
    pub(super) fn since(&self, request: &Request, sign: &Sign) -> Option<(Since, Tools)> {
        let now = self.workshop.tools().ok()?;
        let state = |as_of: i64| {
            let registered = self.workshop.registry.snapshot_as_of(as_of);
            Tools { registered, candidates: now.candidates.clone() }
        };
        let mut changes = Changes::default();
        changes.add(&self.run(request, &now)?.tools, &now);
        let (mut good, mut bad) = (None, now.registered.as_of());
        let (mut step, mut was) = (1, Was::Value);
        loop {
            let open = changes.between(good.unwrap_or(-1), bad);
            let probe = match (good, open.as_slice()) {
                (_, []) => return None,
                (Some(_), [only]) => {
                    let (tool, past, before) = changes.all.get(only)?.clone();
                    let Past { hash: revision, entry, time, .. } = past;
                    let since = Since { tool, revision, before, was, entry, time };
                    return Some((since, state(only - 1)));
                }
                (Some(_), open) => *open.get(open.len() / 2)?,
                (None, open) => *open.get(open.len().saturating_sub(step))?,
            };
            step *= 2;
            let tools = state(probe - 1);
            let ran = self.run(request, &tools)?;
            changes.add(&ran.tools, &tools);
            match ran.ending {
                Err(fault) if Sign::kind(&fault) == *sign => bad = probe - 1,
                ending => {
                    good = Some(probe - 1);
                    was = match ending {
                        Ok(_) => Was::Value,
                        Err(fault) => Was::Fault(fault.code.name().to_owned()),
                    };
                }
            }
        }
    }
}
