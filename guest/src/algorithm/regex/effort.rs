//! The costs of a pattern. Fuel bounds the time of compiling it and of searching for it.

use pif_language::prices::units;
use regex_syntax::ast;
use regex_syntax::ast::{
    Ast, ClassBracketed, ClassSetItem, ClassUnicode, ClassUnicodeKind, Flag, Flags, FlagsItemKind,
    GroupKind, Visitor,
};
use regex_syntax::hir::{Hir, HirKind, Repetition};
use std::convert::Infallible;

/// Properties whose tables the component lacks, by their names and aliases. The parser may still
/// know them if another crate of the build wants them.
const LEFT_OUT: [&str; 7] =
    ["age", "gcb", "graphemeclusterbreak", "wb", "wordbreak", "sb", "sentencebreak"];

/// Returns the fuel of the classes of a pattern.
pub(crate) fn classes(ast: &Ast) -> u64 {
    let Ok(Effort { folds, large, chars, .. }) = ast::visit(ast, Effort::default());
    if folds {
        large * units::FOLDED_CLASS + chars / units::FOLDED_CHARACTERS
    } else {
        large * units::NAMED_CLASS
    }
}

/// Tells whether a pattern names a property that the component lacks.
pub(crate) fn names_left_out(ast: &Ast) -> bool {
    let Ok(effort) = ast::visit(ast, Effort::default());
    effort.left_out
}

#[derive(Default)]
struct Effort {
    /// Named classes, and negated classes within others.
    large: u64,
    /// Characters in ranges.
    chars: u64,
    folds: bool,
    left_out: bool,
    /// Brackets around the current part. Each bracket processes its content again.
    depth: u64,
}

impl Effort {
    fn flags(&mut self, flags: &Flags) {
        let insensitive = FlagsItemKind::Flag(Flag::CaseInsensitive);
        self.folds |= flags.items.iter().any(|item| item.kind == insensitive);
    }

    fn large(&mut self) {
        self.large += self.depth.max(1);
    }

    fn unicode(&mut self, class: &ClassUnicode) {
        self.large();
        if let ClassUnicodeKind::NamedValue { name, .. } = &class.kind {
            // UAX44-LM3: case, blanks, hyphens, underscores and a leading `is` do not matter.
            let letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' '));
            let plain: String = letters.map(|c| c.to_ascii_lowercase()).collect();
            self.left_out |= LEFT_OUT.contains(&plain.trim_start_matches("is"));
        }
    }

    fn bracketed(&mut self, class: &ClassBracketed) {
        if class.negated && self.depth > 0 {
            self.large();
        }
        self.depth += 1;
    }
}

impl Visitor for Effort {
    type Output = Self;
    type Err = Infallible;

    fn finish(self) -> Result<Self, Infallible> {
        Ok(self)
    }

    fn visit_pre(&mut self, ast: &Ast) -> Result<(), Infallible> {
        match ast {
            Ast::Flags(set) => self.flags(&set.flags),
            Ast::Group(group) => {
                if let GroupKind::NonCapturing(flags) = &group.kind {
                    self.flags(flags);
                }
            }
            Ast::ClassPerl(_) => self.large(),
            Ast::ClassUnicode(class) => self.unicode(class),
            Ast::ClassBracketed(class) => self.bracketed(class),
            _ => {}
        }
        Ok(())
    }

    fn visit_post(&mut self, ast: &Ast) -> Result<(), Infallible> {
        if matches!(ast, Ast::ClassBracketed(_)) {
            self.depth -= 1;
        }
        Ok(())
    }

    fn visit_class_set_item_pre(&mut self, item: &ClassSetItem) -> Result<(), Infallible> {
        match item {
            ClassSetItem::Perl(_) => self.large(),
            ClassSetItem::Unicode(class) => self.unicode(class),
            ClassSetItem::Range(range) => {
                let chars = u32::from(range.end.c).saturating_sub(range.start.c.into());
                self.chars += self.depth * u64::from(chars);
            }
            ClassSetItem::Bracketed(class) => self.bracketed(class),
            _ => {}
        }
        Ok(())
    }

    fn visit_class_set_item_post(&mut self, item: &ClassSetItem) -> Result<(), Infallible> {
        if matches!(item, ClassSetItem::Bracketed(_)) {
            self.depth -= 1;
        }
        Ok(())
    }
}

/// Counts the steps of a pattern, with repetitions expanded.
pub(crate) fn steps(hir: &Hir) -> u64 {
    let sum = |parts: &[Hir]| parts.iter().map(steps).fold(0, u64::saturating_add);
    match hir.kind() {
        HirKind::Empty => 0,
        HirKind::Literal(literal) => {
            std::str::from_utf8(&literal.0).unwrap_or_default().chars().count() as u64
        }
        HirKind::Class(_) | HirKind::Look(_) => 1,
        HirKind::Capture(capture) => steps(&capture.sub).saturating_add(2),
        HirKind::Concat(parts) => sum(parts),
        HirKind::Alternation(parts) => sum(parts).saturating_add(parts.len() as u64 - 1),
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            let (once, min) = (steps(sub), u64::from(*min));
            match max {
                None => once.saturating_mul(min.max(1)).saturating_add(1),
                Some(max) => {
                    let more = u64::from(*max).saturating_sub(min);
                    let optional = once.saturating_add(1).saturating_mul(more);
                    once.saturating_mul(min).saturating_add(optional)
                }
            }
        }
    }
}
