//! Regular expressions, by the `regex` crate.

use super::value::Value;
use super::{Evaluated, Evaluator, text};
use pif_guest::fault::Code;
use pif_guest::form::Form;
use regex::{Regex, RegexBuilder};
use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{
    Ast, ClassSet, ClassSetItem, ClassUnicode, ClassUnicodeKind, Flag, Flags, GroupKind,
};
use regex_syntax::hir::translate::Translator;
use regex_syntax::hir::{Hir, HirKind};
use std::collections::BTreeMap;
use std::rc::Rc;

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

/// Whether a pattern has all the groups that a replacement names.
fn groups_are_known(regex: &Regex, to: &str) -> bool {
    let Ok(names) = Regex::new(r"\$(?:\$|([0-9A-Za-z_]+)|\{([^}]*)\})") else { return false };
    names.captures_iter(to).all(|found| {
        let name = found.get(1).or(found.get(2)).map(|name| name.as_str());
        name.is_none_or(|name| match name.parse::<u32>() {
            Ok(number) => (number as usize) < regex.captures_len(),
            Err(_) => regex.capture_names().flatten().any(|known| known == name),
        })
    })
}

impl Evaluator {
    pub(super) fn regex(&mut self, form: Form, operands: &[Value]) -> Evaluated {
        let [Value::Text(s), Value::Text(pattern), rest @ ..] = operands else {
            return Err(Code::TypeMismatch);
        };
        let to = match (form, rest) {
            (Form::RegexReplace, [Value::Text(to)]) => to,
            (Form::RegexReplace, _) => return Err(Code::TypeMismatch),
            _ => pattern,
        };
        let (regex, size) = self.compile(pattern)?;
        self.work(s.len() as u64 * (8 + size) / 16)?;
        match form {
            Form::Matches => Ok(Value::Boolean(regex.is_match(s))),
            Form::RegexSplit => {
                let parts = regex.split(s).map(text::text);
                self.made_list(parts.collect())
            }
            Form::Captures => {
                let names: Vec<_> = regex.capture_names().enumerate().collect();
                let mut records = Vec::new();
                for found in regex.captures_iter(s) {
                    self.work(1 + names.len() as u64)?;
                    let member = |(number, name): &(usize, Option<&str>)| {
                        let key = name.map_or_else(|| number.to_string(), str::to_owned);
                        let part = found.get(*number).map(|part| text::text(part.as_str()));
                        (key, part.unwrap_or(Value::Unit))
                    };
                    let members: BTreeMap<String, Value> = names.iter().map(member).collect();
                    records.push(Value::Record(Rc::new(members.into_iter().collect())));
                }
                Ok(Value::List(records.into_iter().collect()))
            }
            Form::FindAll => {
                let found = regex.find_iter(s).map(|found| text::text(found.as_str()));
                self.made_list(found.collect())
            }
            _ => {
                if names_a_group_otherwise(to) {
                    self.warnings.arise("likely-mistake", self.at);
                }
                self.regex_replace(&regex, s, to)
            }
        }
    }

    fn compile(&mut self, pattern: &str) -> Result<(Regex, u64), Code> {
        let known = self.patterns.iter().position(|(known, ..)| known == pattern);
        if let Some(known) = known.and_then(|at| self.patterns.remove(at)) {
            self.patterns.push_front(known.clone());
            return Ok((known.1, known.2));
        }
        if pattern.len() > 4096 {
            return Err(Code::Regex);
        }
        self.work(16 * pattern.len() as u64)?;
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
        let regex = regex.map_err(|_| Code::Regex)?;
        self.patterns.truncate(7);
        self.patterns.push_front((pattern.to_owned(), regex.clone(), size));
        Ok((regex, size))
    }

    fn regex_replace(&mut self, regex: &Regex, s: &str, to: &str) -> Evaluated {
        self.charge_texts(&[to])?;
        let dollars = to.matches('$').count() as u64;
        self.work(dollars)?;
        if !groups_are_known(regex, to) {
            return Err(Code::Regex);
        }
        let (mut out, mut copied) = (String::new(), 0);
        for captures in regex.captures_iter(s) {
            self.work(1 + dollars)?;
            let (start, end) = captures.get(0).map_or((0, 0), |whole| (whole.start(), whole.end()));
            out.push_str(&s[copied..start]);
            captures.expand(to, &mut out);
            copied = end;
            if out.len() as u64 > self.longest() / 2 {
                return Err(Code::TooLarge);
            }
        }
        out.push_str(&s[copied..]);
        if out.len() as u64 > self.longest() / 2 {
            return Err(Code::TooLarge);
        }
        self.made(&out)
    }
}

/// Whether a replacement has a group as other languages write it: `\1`, `$&`, `$<name>`, `\g<name>`.
/// A mark that stands twice is none.
fn names_a_group_otherwise(to: &str) -> bool {
    let other = regex::Regex::new(r"^(?:\\[0-9]|\$&|(?:\$|\\g)<[0-9A-Za-z_]+>)");
    let Ok(other) = other else { return false };
    let mut rest = to;
    while let Some(at) = rest.find(['\\', '$']) {
        let (mark, after) = rest[at..].split_at(1);
        if other.is_match(&rest[at..]) {
            return true;
        }
        rest = after.strip_prefix(mark).unwrap_or(after);
    }
    false
}
