//! Patterns that have been compiled, and what that costs.

use super::{Evaluator, script};
use pif::fault::Code;
use pif::javascript;
use pif::javascript::regex::Parsed;
use regex::{Regex, RegexBuilder};
use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{
    Ast, ClassSet, ClassSetItem, ClassUnicode, ClassUnicodeKind, Flag, Flags, GroupKind,
};
use regex_syntax::hir::translate::Translator;
use regex_syntax::hir::{Hir, HirKind};
use std::rc::Rc;

/// The places of a match and of its groups.
pub(super) type Spans = Vec<Option<(usize, usize)>>;

/// A pattern that has been compiled.
#[derive(Clone)]
pub(super) struct Known {
    text: String,
    /// The flags of a pattern of JavaScript.
    flags: Option<String>,
    regex: Compiled,
    steps: u64,
    /// What its first search pays for it.
    owed: u64,
}

#[derive(Clone)]
pub(super) enum Compiled {
    Rust(Regex),
    Script(Rc<Parsed>),
    /// A text that is looked for as it is.
    Text(String),
}

impl Compiled {
    /// The matches in a text: all, or the first.
    pub(super) fn find(&self, s: &str, all: bool) -> Vec<Spans> {
        match self {
            Self::Rust(regex) => {
                let spans = |captures: regex::Captures<'_>| {
                    captures
                        .iter()
                        .map(|part| part.map(|part| (part.start(), part.end())))
                        .collect()
                };
                regex.captures_iter(s).map(spans).collect()
            }
            Self::Script(parsed) => script::matches(parsed, s, all),
            Self::Text(part) => {
                let places = s.match_indices(part.as_str()).map(|(at, part)| (at, at + part.len()));
                places.take(if all { usize::MAX } else { 1 }).map(|span| vec![Some(span)]).collect()
            }
        }
    }

    /// The named groups, in the order of their numbers.
    pub(super) fn names(&self) -> Vec<(String, usize)> {
        match self {
            Self::Rust(regex) => {
                let names = regex.capture_names().enumerate();
                names.filter_map(|(number, name)| Some((name?.to_owned(), number))).collect()
            }
            Self::Script(parsed) => {
                let names = parsed.names.iter();
                names.map(|(name, number)| (name.clone(), *number as usize)).collect()
            }
            Self::Text(_) => Vec::new(),
        }
    }

    /// The number of groups, with the whole.
    pub(super) fn groups(&self) -> usize {
        match self {
            Self::Rust(regex) => regex.captures_len(),
            Self::Script(parsed) => parsed.groups as usize + 1,
            Self::Text(_) => 1,
        }
    }

    /// Fails where the texts of groups are not known.
    pub(super) fn must_have_groups(&self) -> Result<(), Code> {
        match self {
            Self::Script(parsed) if parsed.hides_groups => Err(Code::Regex),
            _ => Ok(()),
        }
    }

    pub(super) fn is_global(&self) -> bool {
        matches!(self, Self::Script(parsed) if parsed.flags.global)
    }
}

/// What makes the classes of a pattern costly, and whether it ignores case anywhere.
#[derive(Default)]
struct Classes {
    large: u64,
    chars: u64,
    folds: bool,
    /// Whether a property is named that the language does not have.
    left_out: bool,
}

impl Classes {
    fn cost(&self) -> u64 {
        if self.folds { 8192 * self.large + self.chars / 4 } else { 256 * self.large }
    }

    fn flags(&mut self, flags: &Flags) {
        let insensitive = flags.flag_state(Flag::CaseInsensitive);
        self.folds |= insensitive.is_some();
    }

    fn ast(&mut self, ast: &Ast) {
        match ast {
            Ast::Flags(set) => self.flags(&set.flags),
            Ast::ClassPerl(_) => self.large += 1,
            Ast::ClassUnicode(class) => {
                self.large += 1;
                self.named(class);
            }
            Ast::ClassBracketed(class) => self.set(&class.kind, 1),
            Ast::Repetition(repetition) => self.ast(&repetition.ast),
            Ast::Group(group) => {
                if let GroupKind::NonCapturing(flags) = &group.kind {
                    self.flags(flags);
                }
                self.ast(&group.ast);
            }
            Ast::Alternation(parts) => parts.asts.iter().for_each(|part| self.ast(part)),
            Ast::Concat(parts) => parts.asts.iter().for_each(|part| self.ast(part)),
            _ => {}
        }
    }

    fn named(&mut self, class: &ClassUnicode) {
        if let ClassUnicodeKind::NamedValue { name, .. } = &class.kind {
            let name = name.to_lowercase().replace(['_', '-', ' '], "");
            let all = "age gcb graphemeclusterbreak wb wordbreak sb sentencebreak";
            self.left_out |= all.split(' ').any(|it| it == name.trim_start_matches("is"));
        }
    }

    fn set(&mut self, set: &ClassSet, depth: u64) {
        match set {
            ClassSet::Item(item) => self.item(item, depth),
            ClassSet::BinaryOp(operation) => {
                self.set(&operation.lhs, depth);
                self.set(&operation.rhs, depth);
            }
        }
    }

    fn item(&mut self, item: &ClassSetItem, depth: u64) {
        match item {
            ClassSetItem::Perl(_) => self.large += depth,
            ClassSetItem::Unicode(class) => {
                self.large += depth;
                self.named(class);
            }
            ClassSetItem::Range(range) => {
                self.chars += depth * u64::from(u32::from(range.end.c) - u32::from(range.start.c));
            }
            ClassSetItem::Bracketed(class) => {
                self.large += if class.negated { depth } else { 0 };
                self.set(&class.kind, depth + 1);
            }
            ClassSetItem::Union(union) => union.items.iter().for_each(|it| self.item(it, depth)),
            _ => {}
        }
    }
}

/// Steps, with repetitions written out.
fn steps(hir: &Hir) -> u128 {
    match hir.kind() {
        HirKind::Empty => 0,
        HirKind::Literal(literal) => String::from_utf8_lossy(&literal.0).chars().count() as u128,
        HirKind::Class(_) | HirKind::Look(_) => 1,
        HirKind::Capture(capture) => 2 + steps(&capture.sub),
        HirKind::Concat(parts) => parts.iter().map(steps).sum(),
        HirKind::Alternation(parts) => parts.iter().map(|part| 1 + steps(part)).sum::<u128>() - 1,
        HirKind::Repetition(it) => {
            let (once, min) = (steps(&it.sub).min(1 << 60), u128::from(it.min));
            match it.max {
                None => min.max(1) * once + 1,
                Some(max) => min * once + (u128::from(max) - min) * (once + 1),
            }
        }
    }
}

impl Evaluator {
    /// Which of the recent patterns it is.
    fn known(&self, pattern: &str, flags: Option<&str>) -> Option<usize> {
        let is_it = |known: &Known| known.text == pattern && known.flags.as_deref() == flags;
        self.patterns.iter().position(is_it)
    }

    /// Makes a regular expression: its pattern is compiled, and its first search pays for it again.
    pub(super) fn make_regex(&mut self, pattern: &str, flags: &str) -> Result<(), Code> {
        if self.known(pattern, Some(flags)).is_some() {
            return Ok(());
        }
        let before = self.fuel;
        self.compile(pattern, Some(flags))?;
        let owed = (before - self.fuel) / self.form.work_price();
        let made = self.patterns.front_mut().ok_or(Code::Internal)?;
        made.owed = owed;
        Ok(())
    }

    pub(super) fn compile(
        &mut self,
        pattern: &str,
        flags: Option<&str>,
    ) -> Result<(Compiled, u64), Code> {
        let known = self.known(pattern, flags);
        if let Some(mut known) = known.and_then(|at| self.patterns.remove(at)) {
            self.work(std::mem::take(&mut known.owed))?;
            self.patterns.push_front(known.clone());
            return Ok((known.regex, known.steps));
        }
        if pattern.len() > 4096 {
            return Err(Code::Regex);
        }
        self.work(16 * pattern.len() as u64)?;
        let (regex, steps) = match flags {
            None => self.compile_rust(pattern)?,
            Some(flags) => {
                let flags = javascript::regex::flags(flags).map_err(|_| Code::Regex)?;
                let parsed = javascript::regex::parse(pattern, flags).map_err(|_| Code::Regex)?;
                self.work(parsed.classes)?;
                let steps = javascript::steps(&parsed);
                if steps > 8192 {
                    return Err(Code::Regex);
                }
                self.work(steps)?;
                (Compiled::Script(Rc::new(parsed)), steps)
            }
        };
        self.patterns.truncate(7);
        let (text, flags) = (pattern.to_owned(), flags.map(str::to_owned));
        self.patterns.push_front(Known { text, flags, regex: regex.clone(), steps, owed: 0 });
        Ok((regex, steps))
    }

    fn compile_rust(&mut self, pattern: &str) -> Result<(Compiled, u64), Code> {
        let ast = Parser::new().parse(pattern).map_err(|_| Code::Regex)?;
        let mut classes = Classes::default();
        classes.ast(&ast);
        self.work(classes.cost())?;
        if classes.left_out {
            return Err(Code::Regex);
        }
        let hir = Translator::new().translate(pattern, &ast).map_err(|_| Code::Regex)?;
        let size = u64::try_from(steps(&hir)).unwrap_or(u64::MAX);
        if size > 8192 {
            return Err(Code::Regex);
        }
        self.work(size)?;
        let regex = RegexBuilder::new(pattern).size_limit(1 << 30).build();
        Ok((Compiled::Rust(regex.map_err(|_| Code::Regex)?), size))
    }
}
