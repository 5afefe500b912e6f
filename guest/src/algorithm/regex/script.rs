//! From a pattern of JavaScript to steps. Two things differ from the patterns of the Rust crates:
//!
//! - A repetition forgets the groups in it each time.
//! - Beyond the least number of times, a repetition that takes nothing counts as none. So a part that
//!   can be empty is written twice within a repetition: where it has taken nothing yet, and where it
//!   has. Only the second leads on.
//!
//! A lookahead is a pattern of its own among the steps, whose end is reached at every place. The pass
//! from the end of the text finds the places where it matches like those of the whole.

use super::javascript::{Look, Node, Parsed};
use super::{Ahead, Compiler, Kind, Pattern, STEPS, Step, finished, refuse, to_u32};
use crate::algorithm::trouble::Trouble;
use regex_syntax::hir;

/// What the steps of a part cost.
#[derive(Clone, Copy, Default)]
struct Cost {
    /// Steps of the part.
    plain: u64,
    /// Steps of the part where it may not have taken anything.
    fresh: u64,
    may_be_empty: bool,
    /// Groups that need not take part in a match of it, and all.
    loose: u64,
    groups: u64,
}

/// Counts the steps of a pattern, with repetitions written out.
#[must_use]
pub fn steps(parsed: &Parsed) -> u64 {
    let mut aheads = 0;
    let cost = cost(&parsed.node, &mut aheads);
    cost.plain.saturating_add(aheads)
}

fn cost(node: &Node, aheads: &mut u64) -> Cost {
    let one = Cost { plain: 1, fresh: 1, ..Cost::default() };
    match node {
        Node::Empty => Cost { may_be_empty: true, ..Cost::default() },
        Node::Class(_) => one,
        Node::Look(_) => Cost { may_be_empty: true, ..one },
        Node::Ahead { node, .. } => {
            *aheads = aheads.saturating_add(cost(node, aheads).plain.saturating_add(1));
            Cost { may_be_empty: true, ..one }
        }
        Node::Group(node, _) => {
            let inner = cost(node, aheads);
            let (plain, fresh) = (inner.plain.saturating_add(2), inner.fresh.saturating_add(3));
            Cost { plain, fresh, groups: inner.groups + 1, ..inner }
        }
        Node::Concat(parts) => {
            let mut all = Cost { may_be_empty: true, ..Cost::default() };
            for part in parts {
                let part = cost(part, aheads);
                all.fresh = all.fresh.saturating_add(part.fresh).saturating_add(part.plain);
                all.plain = all.plain.saturating_add(part.plain);
                all.may_be_empty &= part.may_be_empty;
                (all.loose, all.groups) = (all.loose + part.loose, all.groups + part.groups);
            }
            all.settled()
        }
        Node::Alternation(parts) => {
            let more = parts.len() as u64 - 1;
            let mut all = Cost { plain: more, fresh: more, ..Cost::default() };
            for part in parts {
                let part = cost(part, aheads);
                all.fresh = all.fresh.saturating_add(part.fresh);
                all.plain = all.plain.saturating_add(part.plain);
                all.may_be_empty |= part.may_be_empty;
                all.groups += part.groups;
            }
            Cost { loose: all.groups, ..all }.settled()
        }
        Node::Repeat { node, min, max, .. } => {
            let inner = cost(node, aheads);
            let clears = if *max == Some(1) { 0 } else { inner.loose };
            let once = inner.fresh.saturating_add(clears).saturating_add(1);
            let plain = inner.plain.saturating_add(clears);
            let least = plain.saturating_mul((*min).into());
            let more = u64::from(max.map_or(1, |max| max - min));
            let all = least.saturating_add(once.saturating_mul(more));
            let fresh = all
                .saturating_add(inner.fresh.saturating_add(clears).saturating_mul((*min).into()));
            Cost {
                plain: all,
                fresh: fresh.saturating_add(once),
                may_be_empty: *min == 0 || inner.may_be_empty,
                loose: if *min == 0 { inner.groups } else { inner.loose },
                groups: inner.groups,
            }
            .settled()
        }
    }
}

impl Cost {
    /// A part that always takes something needs no second writing.
    fn settled(self) -> Self {
        let fresh = if self.may_be_empty { self.fresh } else { self.plain };
        Self { fresh, ..self }
    }
}

fn may_be_empty(node: &Node) -> bool {
    match node {
        Node::Class(_) => false,
        Node::Empty | Node::Look(_) | Node::Ahead { .. } => true,
        Node::Group(node, _) => may_be_empty(node),
        Node::Concat(parts) => parts.iter().all(may_be_empty),
        Node::Alternation(parts) => parts.iter().any(may_be_empty),
        Node::Repeat { node, min, .. } => *min == 0 || may_be_empty(node),
    }
}

/// Finds the groups of a part that need not take part in a match of it.
fn loose(node: &Node, is_loose: bool, found: &mut Vec<u32>) {
    match node {
        Node::Empty | Node::Class(_) | Node::Look(_) | Node::Ahead { .. } => {}
        Node::Group(node, number) => {
            found.extend(is_loose.then_some(*number));
            loose(node, is_loose, found);
        }
        Node::Concat(parts) => parts.iter().for_each(|part| loose(part, is_loose, found)),
        Node::Alternation(parts) => parts.iter().for_each(|part| loose(part, true, found)),
        Node::Repeat { node, min, .. } => loose(node, is_loose || *min == 0, found),
    }
}

/// Counts the steps of a pattern, unless there are too many.
pub(crate) fn size(pattern: &str, parsed: &Parsed) -> Result<u64, Trouble> {
    let size = steps(parsed);
    if size > STEPS {
        let reason = format!("with repetitions written out it has more than {STEPS} steps");
        return Err(refuse(pattern, &reason));
    }
    Ok(size)
}

/// Compiles a pattern whose number of steps is known.
pub(crate) fn compile(pattern: &str, parsed: &Parsed, size: u64) -> Result<Pattern, Trouble> {
    let mut writer = Writer {
        to: Compiler::default(),
        aheads: Vec::new(),
        places: Vec::new(),
        dead: None,
        folds: parsed.flags.unicode && parsed.flags.ignore_case,
    };
    let end = writer.to.push(Step::Match);
    writer.write_aheads(&parsed.node);
    let start = writer.plain(&parsed.node, end);
    let Writer { mut to, aheads, .. } = writer;
    (to.groups, to.names) = (parsed.groups, parsed.names.clone());
    let kind = Kind { flags: Some(parsed.flags), aheads, hides_groups: parsed.hides_groups };
    finished(pattern, to, start, size, kind)
}

/// Writes steps. Its recursion is as deep as the parser allows patterns to nest.
struct Writer {
    to: Compiler,
    /// The lookaheads, inner ones first.
    aheads: Vec<Ahead>,
    /// The number of each lookahead, in the order of the addresses of their parts.
    places: Vec<(*const Node, u32)>,
    /// A step that no match has.
    dead: Option<u32>,
    /// Whether case is ignored with the flag u.
    folds: bool,
}

impl Writer {
    /// Writes the steps of the lookaheads, each after those within it.
    fn write_aheads(&mut self, node: &Node) {
        match node {
            Node::Empty | Node::Class(_) | Node::Look(_) => {}
            Node::Group(node, _) | Node::Repeat { node, .. } => self.write_aheads(node),
            Node::Concat(parts) | Node::Alternation(parts) => {
                parts.iter().for_each(|part| self.write_aheads(part));
            }
            Node::Ahead { node, negate } => {
                self.write_aheads(node);
                let first = self.to.push(Step::Match);
                let dead = self.dead.take();
                let start = self.plain(node, first);
                self.dead = dead;
                let last = to_u32(self.to.steps.len());
                let number = to_u32(self.aheads.len());
                self.aheads.push(Ahead { first, last, start, negate: *negate });
                let place = std::ptr::from_ref::<Node>(node);
                if let Err(at) = self.places.binary_search_by_key(&place, |(place, _)| *place) {
                    self.places.insert(at, (place, number));
                }
            }
        }
    }

    fn ahead(&mut self, node: &Node, to: u32) -> u32 {
        let place = std::ptr::from_ref(node);
        let at = self.places.binary_search_by_key(&place, |(place, _)| *place);
        let number = at.ok().and_then(|at| self.places.get(at)).map_or(0, |(_, number)| *number);
        self.to.push(Step::Ahead { ahead: number, to })
    }

    fn look(&mut self, look: Look, to: u32) -> u32 {
        let look = match look {
            Look::Start => super::Look::Known(hir::Look::Start),
            Look::End => super::Look::Known(hir::Look::End),
            Look::Word if self.folds => super::Look::Word { negate: false },
            Look::NotWord if self.folds => super::Look::Word { negate: true },
            Look::Word => super::Look::Known(hir::Look::WordAscii),
            Look::NotWord => super::Look::Known(hir::Look::WordAsciiNegate),
            Look::LineStart => super::Look::LineStart,
            Look::LineEnd => super::Look::LineEnd,
        };
        self.to.look(look, to)
    }

    fn class(&mut self, class: &hir::ClassUnicode, to: u32) -> u32 {
        let ranges = class.ranges().iter();
        let ranges = ranges.map(|range| (u32::from(range.start()), u32::from(range.end())));
        let class = self.to.class(ranges.collect());
        self.to.push(Step::One { class, to })
    }

    fn dead(&mut self) -> u32 {
        if let Some(dead) = self.dead {
            return dead;
        }
        let class = self.to.class(Vec::new());
        let dead = self.to.push(Step::One { class, to: 0 });
        self.dead = Some(dead);
        dead
    }

    /// Writes a part, followed by step `to`. Returns the first of its steps.
    fn plain(&mut self, node: &Node, to: u32) -> u32 {
        match node {
            Node::Empty => to,
            Node::Class(class) => self.class(class, to),
            Node::Look(look) => self.look(*look, to),
            Node::Ahead { node, .. } => self.ahead(node, to),
            Node::Group(node, number) => {
                let end = self.to.push(Step::Note { slot: 2 * number + 1, to });
                let inner = self.plain(node, end);
                self.to.push(Step::Note { slot: 2 * number, to: inner })
            }
            Node::Concat(parts) => parts.iter().rev().fold(to, |to, part| self.plain(part, to)),
            Node::Alternation(parts) => {
                let firsts: Vec<u32> = parts.iter().map(|part| self.plain(part, to)).collect();
                self.either(&firsts)
            }
            Node::Repeat { node, min, max, greedy } => {
                let repeat = Repeat::new(node, *max, *greedy);
                let (mut to, mut least) = (to, *min);
                match max {
                    Some(max) => {
                        for _ in *min..*max {
                            let more = self.once(&repeat, to);
                            to = self.choice(&repeat, more, to);
                        }
                    }
                    None => {
                        let (again, body) = self.star(&repeat, to);
                        to = again;
                        if least > 0 && !repeat.may_be_empty {
                            (to, least) = (body, least - 1);
                        }
                    }
                }
                (0..least).fold(to, |to, _| {
                    let first = self.plain(node, to);
                    self.clear(&repeat, first)
                })
            }
        }
    }

    /// Writes a part that is followed by step `used` if something has been taken since the current
    /// repetition began, else by step `fresh`. Nothing has been taken before the part.
    fn fresh(&mut self, node: &Node, used: u32, fresh: u32) -> u32 {
        match node {
            _ if !may_be_empty(node) => self.plain(node, used),
            Node::Empty | Node::Class(_) => fresh,
            Node::Look(look) => self.look(*look, fresh),
            Node::Ahead { node, .. } => self.ahead(node, fresh),
            Node::Group(node, number) => {
                let slot = 2 * number + 1;
                let [used, fresh] = [used, fresh].map(|to| self.to.push(Step::Note { slot, to }));
                let inner = self.fresh(node, used, fresh);
                self.to.push(Step::Note { slot: 2 * number, to: inner })
            }
            Node::Concat(parts) => {
                let (mut used, mut fresh) = (used, fresh);
                for (at, part) in parts.iter().enumerate().rev() {
                    fresh = self.fresh(part, used, fresh);
                    if at > 0 {
                        used = self.plain(part, used);
                    }
                }
                fresh
            }
            Node::Alternation(parts) => {
                let firsts = parts.iter().map(|part| self.fresh(part, used, fresh));
                let firsts: Vec<u32> = firsts.collect();
                self.either(&firsts)
            }
            Node::Repeat { node, min, max, greedy } => {
                let repeat = Repeat::new(node, *max, *greedy);
                let (mut used, mut fresh) = (used, fresh);
                match max {
                    Some(max) => {
                        for left in (*min..*max).rev() {
                            let more = self.once(&repeat, used);
                            // The first of them is the last one written.
                            if left == *min {
                                fresh = self.choice(&repeat, more, fresh);
                            }
                            used = self.choice(&repeat, more, used);
                        }
                    }
                    None => {
                        let (again, body) = self.star(&repeat, used);
                        used = again;
                        fresh = self.choice(&repeat, body, fresh);
                    }
                }
                for _ in 0..*min {
                    let first = self.fresh(node, used, fresh);
                    fresh = self.clear(&repeat, first);
                    let first = self.plain(node, used);
                    used = self.clear(&repeat, first);
                }
                fresh
            }
        }
    }

    fn either(&mut self, firsts: &[u32]) -> u32 {
        let mut firsts = firsts.iter().rev().copied();
        let last = firsts.next().unwrap_or_default();
        firsts.fold(last, |rest, first| self.to.push(Step::Either(first, rest)))
    }

    fn choice(&mut self, repeat: &Repeat<'_>, more: u32, to: u32) -> u32 {
        self.to.push(repeat.choice(more, to))
    }

    /// Writes a repetition without end. Returns the step where it may end and the one where it goes
    /// on.
    fn star(&mut self, repeat: &Repeat<'_>, to: u32) -> (u32, u32) {
        let again = self.to.push(Step::Match);
        let body = self.once(repeat, again);
        self.to.set(again, repeat.choice(body, to));
        (again, body)
    }

    /// Writes the part of a repetition once. It must take something.
    fn once(&mut self, repeat: &Repeat<'_>, to: u32) -> u32 {
        let first = if repeat.may_be_empty {
            let dead = self.dead();
            self.fresh(repeat.node, to, dead)
        } else {
            self.plain(repeat.node, to)
        };
        self.clear(repeat, first)
    }

    /// Forgets the groups that the part need not set.
    fn clear(&mut self, repeat: &Repeat<'_>, to: u32) -> u32 {
        repeat.loose.iter().fold(to, |to, group| self.to.push(Step::Clear { slot: 2 * group, to }))
    }
}

/// A repetition.
struct Repeat<'n> {
    node: &'n Node,
    greedy: bool,
    may_be_empty: bool,
    loose: Vec<u32>,
}

impl<'n> Repeat<'n> {
    fn new(node: &'n Node, max: Option<u32>, greedy: bool) -> Self {
        let mut groups = Vec::new();
        if max != Some(1) {
            loose(node, false, &mut groups);
        }
        Self { node, greedy, may_be_empty: may_be_empty(node), loose: groups }
    }

    fn choice(&self, more: u32, to: u32) -> Step {
        if self.greedy { Step::Either(more, to) } else { Step::Either(to, more) }
    }
}
