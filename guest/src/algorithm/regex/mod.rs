//! Regular expressions: the syntax of the Rust `regex` crates, compiled to steps over characters.
//! [`search`] explains the search and why it does not use those crates.

pub(crate) mod back;
pub(crate) mod class;
pub(crate) mod effort;
pub mod javascript;
pub(crate) mod memory;
pub(crate) mod script;
pub(crate) mod search;
pub(crate) mod template;

use crate::algorithm::regex::class::{Alphabet, Class};
use crate::algorithm::regex::javascript::{Flags, Parsed, Refused};
use crate::algorithm::regex::memory::Memory;
use crate::algorithm::trouble::Trouble;
use pif_core::fault::Code;
use pif_core::limits::to_u32;
use pif_core::text::quote::shorten;
use regex_syntax::ast::Ast;
use regex_syntax::ast::parse::Parser;
use regex_syntax::hir;
use regex_syntax::hir::translate::Translator;
use regex_syntax::hir::{Hir, HirKind, Repetition};
use std::cell::{Cell, OnceCell, RefCell};

/// The source of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    pub(crate) text: String,
    /// The flags of a pattern of JavaScript. Without them it is one of the Rust crates.
    pub(crate) flags: Option<String>,
}

/// Bytes of the longest pattern.
const PATTERN_BYTES: usize = 4096;
/// Steps of the largest pattern, with repetitions expanded.
const STEPS: u64 = 8192;
/// Ranges of characters in all classes of a pattern.
const RANGES: usize = 1 << 16;

/// A step of a pattern.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    /// Takes a character of a class.
    One {
        class: u32,
        to: u32,
    },
    /// Continues with either step. The first is preferred.
    Either(u32, u32),
    /// Notes the place as the beginning or end of a group.
    Note {
        slot: u32,
        to: u32,
    },
    /// Forgets a group. `slot` is that of its beginning.
    Clear {
        slot: u32,
        to: u32,
    },
    /// Continues if a look holds at the place. `look` is an index into `looks`.
    Look {
        look: u32,
        to: u32,
    },
    /// Continues if a lookahead holds at the place. `ahead` is an index into `aheads`.
    Ahead {
        ahead: u32,
        to: u32,
    },
    Match,
}

/// A test of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Known(hir::Look),
    /// The beginning and the end of a line of JavaScript.
    LineStart,
    LineEnd,
    /// A word begins or ends, or not, where case is ignored with the flag u.
    Word {
        negate: bool,
    },
}

/// What a pattern of JavaScript has besides its steps.
#[derive(Debug, Default)]
struct Kind {
    flags: Option<Flags>,
    aheads: Vec<Ahead>,
    hides_groups: bool,
}

/// A lookahead among the steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ahead {
    /// The step that ends it. Its other steps follow, up to `last`.
    first: u32,
    last: u32,
    /// The step at which it begins.
    start: u32,
    negate: bool,
}

/// A compiled pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    steps: Vec<Step>,
    start: u32,
    classes: Vec<Class>,
    /// Made when enough has been searched.
    alphabet: OnceCell<Option<Alphabet>>,
    /// What the last search has found, and how many bytes all have searched. Both change only time.
    memory: RefCell<Option<Memory>>,
    searched: Cell<usize>,
    /// The kinds of looks, each once.
    looks: Vec<Look>,
    /// The steps that lead to each step without a character, and the index of each step's first
    /// one.
    before: Vec<u32>,
    begins: Vec<u32>,
    /// Steps that take a character.
    takers: Vec<Taker>,
    groups: u32,
    names: Vec<(String, u32)>,
    kind: Kind,
    /// Steps as fuel counts them.
    pub(crate) size: u64,
}

impl Pattern {
    /// Counts the groups, without the whole match.
    pub(crate) fn groups(&self) -> usize {
        self.groups as usize
    }

    /// Iterates over the named groups, with their numbers.
    pub(crate) fn names(&self) -> impl Iterator<Item = (&str, usize)> {
        self.names.iter().map(|(name, group)| (name.as_str(), *group as usize))
    }

    /// Returns the flags of a pattern of JavaScript.
    pub(crate) fn flags(&self) -> Option<Flags> {
        self.kind.flags
    }

    /// Tells whether the texts of some groups are not known, since a lookahead has them.
    pub(crate) fn hides_groups(&self) -> bool {
        self.kind.hides_groups
    }

    /// Returns the number of the group of this name.
    pub(crate) fn group(&self, name: &str) -> Option<usize> {
        self.names().find(|(known, _)| *known == name).map(|(_, group)| group)
    }
}

/// A step that takes a character.
#[derive(Clone, Copy, Debug)]
struct Taker {
    step: u32,
    class: u32,
    to: u32,
}

/// The fault of an invalid pattern.
fn refuse(pattern: &str, reason: &str) -> Trouble {
    Trouble::Regex(format!("`{}` is not a regular expression: {reason}", shorten(pattern)))
}

/// Returns a regular expression as JavaScript writes it.
pub(crate) fn literal(pattern: &str, flags: &str) -> String {
    format!("/{}/{flags}", if pattern.is_empty() { "(?:)" } else { pattern })
}

/// Refuses patterns that are too long to parse.
pub(crate) fn check_length(pattern: &str) -> Result<(), Trouble> {
    if pattern.len() <= PATTERN_BYTES {
        return Ok(());
    }
    Err(refuse(pattern, &format!("it has more than {PATTERN_BYTES} bytes")))
}

/// Parses a pattern. Returns its syntax tree and the fuel of its classes.
pub(crate) fn parse(pattern: &str) -> Result<(Ast, u64), Trouble> {
    let ast = Parser::new().parse(pattern).map_err(|error| {
        let before = pattern.get(..error.span().start.offset).unwrap_or_default();
        let reason = format!("{} at character {}", error.kind(), before.chars().count());
        refuse(pattern, &reason)
    })?;
    let classes = effort::classes(&ast);
    Ok((ast, classes))
}

/// Translates a syntax tree. Returns its meaning and its number of steps.
pub(crate) fn translate(pattern: &str, ast: &Ast) -> Result<(Hir, u64), Trouble> {
    if effort::names_left_out(ast) {
        return Err(refuse(pattern, "Unicode property not found"));
    }
    let hir = Translator::new().translate(pattern, ast);
    let hir = hir.map_err(|error| refuse(pattern, &error.kind().to_string()))?;
    let size = effort::steps(&hir);
    if size > STEPS {
        let reason = format!("with repetitions written out it has more than {STEPS} steps");
        return Err(refuse(pattern, &reason));
    }
    Ok((hir, size))
}

/// Compiles the result of `translate`.
pub(crate) fn compile(pattern: &str, hir: &Hir, size: u64) -> Result<Pattern, Trouble> {
    let mut compiler = Compiler::default();
    compiler.note_groups(hir);
    let end = compiler.push(Step::Match);
    let start = compiler.hir(hir, end);
    finished(pattern, compiler, start, size, Kind::default())
}

/// Parses a pattern of JavaScript.
pub(crate) fn parse_script(pattern: &str, flags: &str) -> Result<Parsed, Trouble> {
    let parsed = javascript::flags(flags).and_then(|flags| javascript::parse(pattern, flags));
    parsed.map_err(|Refused { reason, hint }| {
        let message = format!(
            "`/{}/{}` is not a regular expression: {reason}",
            shorten(pattern),
            shorten(flags)
        );
        match hint {
            Some(hint) => Trouble::with_hint(Code::Regex, message, hint),
            None => Trouble::Regex(message),
        }
    })
}

/// Makes a pattern of its steps.
fn finished(
    pattern: &str,
    compiler: Compiler,
    start: u32,
    size: u64,
    kind: Kind,
) -> Result<Pattern, Trouble> {
    let Compiler { steps, classes, looks, groups, names, .. } = compiler;
    if classes.iter().map(Class::ranges).sum::<usize>() > RANGES {
        return Err(refuse(pattern, &format!("its classes have more than {RANGES} ranges")));
    }
    let (before, begins) = backwards(&steps);
    let takers = steps.iter().enumerate().filter_map(|(step, it)| match it {
        Step::One { class, to } => Some(Taker { step: to_u32(step), class: *class, to: *to }),
        _ => None,
    });
    let takers = takers.collect();
    Ok(Pattern {
        steps,
        start,
        classes,
        alphabet: OnceCell::new(),
        memory: RefCell::new(None),
        searched: Cell::new(0),
        looks,
        before,
        begins,
        takers,
        groups,
        names,
        kind,
        size,
    })
}

/// Finds, for each step, the steps that lead to it without a character.
fn backwards(steps: &[Step]) -> (Vec<u32>, Vec<u32>) {
    let edges = || {
        steps.iter().enumerate().flat_map(|(from, step)| {
            let to = match *step {
                Step::Either(a, b) => [Some(a), Some(b)],
                Step::Note { to, .. }
                | Step::Clear { to, .. }
                | Step::Look { to, .. }
                | Step::Ahead { to, .. } => [Some(to), None],
                Step::One { .. } | Step::Match => [None, None],
            };
            to.into_iter().flatten().map(move |to| (from, to as usize))
        })
    };
    let mut begins = vec![0; steps.len()];
    for (_, to) in edges() {
        begins.get_mut(to).into_iter().for_each(|count| *count += 1);
    }
    let mut total = 0;
    for end in &mut begins {
        total += *end;
        *end = total;
    }
    // This fills each list from its end.
    let mut before = vec![0; total as usize];
    for (from, to) in edges() {
        if let Some(begin) = begins.get_mut(to) {
            *begin -= 1;
            before.get_mut(*begin as usize).into_iter().for_each(|slot| *slot = to_u32(from));
        }
    }
    (before, begins)
}

/// Writes steps from the end of a pattern to its beginning, so that each knows the step after it.
/// Its recursion is as deep as the parser allows patterns to nest: 250 levels.
#[derive(Default)]
struct Compiler {
    steps: Vec<Step>,
    classes: Vec<Class>,
    /// The classes in the order of their ranges.
    known: Vec<u32>,
    /// Classes of parts that are already written, in the order of the parts' addresses.
    written: Vec<(*const hir::Class, u32)>,
    looks: Vec<Look>,
    groups: u32,
    names: Vec<(String, u32)>,
}

impl Compiler {
    fn push(&mut self, step: Step) -> u32 {
        self.steps.push(step);
        to_u32(self.steps.len() - 1)
    }

    fn set(&mut self, at: u32, step: Step) {
        if let Some(slot) = self.steps.get_mut(at as usize) {
            *slot = step;
        }
    }

    fn class(&mut self, ranges: Vec<(u32, u32)>) -> u32 {
        let order = |known: &u32| {
            let known = self.classes.get(*known as usize).map(|class| class.ranges.as_slice());
            known.unwrap_or_default().cmp(&ranges)
        };
        match self.known.binary_search_by(order) {
            Ok(known) => self.known.get(known).copied().unwrap_or_default(),
            Err(place) => {
                let class = to_u32(self.classes.len());
                self.classes.push(Class::new(ranges));
                self.known.insert(place, class);
                class
            }
        }
    }

    fn literal(&mut self, c: char, to: u32) -> u32 {
        let class = self.class(vec![(c.into(), c.into())]);
        self.push(Step::One { class, to })
    }

    fn one(&mut self, class: &hir::Class, to: u32) -> u32 {
        let place = std::ptr::from_ref(class);
        let class = match self.written.binary_search_by_key(&place, |(place, _)| *place) {
            Ok(at) => self.written.get(at).map_or(0, |(_, class)| *class),
            Err(at) => {
                let class = self.class(class::ranges(class));
                self.written.insert(at, (place, class));
                class
            }
        };
        self.push(Step::One { class, to })
    }

    fn look(&mut self, look: Look, to: u32) -> u32 {
        let known = self.looks.iter().position(|known| *known == look);
        let look = known.unwrap_or_else(|| {
            self.looks.push(look);
            self.looks.len() - 1
        });
        self.push(Step::Look { look: to_u32(look), to })
    }

    /// Notes the groups, including those that no step reaches.
    fn note_groups(&mut self, hir: &Hir) {
        if let HirKind::Capture(capture) = hir.kind() {
            self.groups = self.groups.max(capture.index);
            if let Some(name) = &capture.name {
                self.names.push((name.to_string(), capture.index));
            }
        }
        hir.kind().subs().iter().for_each(|sub| self.note_groups(sub));
    }

    /// Writes the steps of a part, followed by step `to`. Returns the first of them.
    fn hir(&mut self, hir: &Hir, to: u32) -> u32 {
        match hir.kind() {
            HirKind::Empty => to,
            HirKind::Literal(literal) => {
                let text = std::str::from_utf8(&literal.0).unwrap_or_default();
                text.chars().rev().fold(to, |to, c| self.literal(c, to))
            }
            HirKind::Class(class) => self.one(class, to),
            HirKind::Look(look) => self.look(Look::Known(*look), to),
            HirKind::Repetition(repetition) => self.repetition(repetition, to),
            HirKind::Capture(capture) => {
                let slot = 2 * capture.index;
                let end = self.push(Step::Note { slot: slot + 1, to });
                let inner = self.hir(&capture.sub, end);
                self.push(Step::Note { slot, to: inner })
            }
            HirKind::Concat(parts) => parts.iter().rev().fold(to, |to, part| self.hir(part, to)),
            HirKind::Alternation(parts) => {
                let mut rest = None;
                for part in parts.iter().rev() {
                    let first = self.hir(part, to);
                    rest = Some(match rest {
                        Some(rest) => self.push(Step::Either(first, rest)),
                        None => first,
                    });
                }
                rest.unwrap_or(to)
            }
        }
    }

    fn repetition(&mut self, repetition: &Repetition, to: u32) -> u32 {
        let Repetition { min, max, greedy, sub } = repetition;
        let choice =
            |more, to| if *greedy { Step::Either(more, to) } else { Step::Either(to, more) };
        let (mut first, mut least) = (to, *min);
        if let Some(max) = max {
            for _ in *min..*max {
                let more = self.hir(sub, first);
                first = self.push(choice(more, to));
            }
        } else {
            let again = self.push(Step::Match);
            let body = self.hir(sub, again);
            self.set(again, choice(body, to));
            // An empty match of the body is preferred to skipping it, as in `(x+)?`.
            let may_be_empty = sub.properties().minimum_len().is_none_or(|least| least == 0);
            first = match *min {
                0 if may_be_empty => self.push(choice(body, to)),
                0 => again,
                _ => body,
            };
            least = least.saturating_sub(1);
        }
        (0..least).fold(first, |to, _| self.hir(sub, to))
    }
}
