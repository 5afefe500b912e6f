//! Forms that have the names of JavaScript's functions and members.

use crate::print::printer::Printer;
use crate::print::spelling::{Spelling, Use};
use pif_language::form::Form;
use pif_language::kinds::{LIST, STRING};
use pif_language::term::TermId;

/// The functions of `Math` that a form names, with how many numbers each takes.
const MATH: [(&str, &str, usize); 23] = [
    ("exp", "Math.exp", 1),
    ("expm1", "Math.expm1", 1),
    ("log", "Math.log", 1),
    ("log1p", "Math.log1p", 1),
    ("log2", "Math.log2", 1),
    ("log10", "Math.log10", 1),
    ("cbrt", "Math.cbrt", 1),
    ("sign", "Math.sign", 1),
    ("fround", "Math.fround", 1),
    ("sin", "Math.sin", 1),
    ("cos", "Math.cos", 1),
    ("tan", "Math.tan", 1),
    ("asin", "Math.asin", 1),
    ("acos", "Math.acos", 1),
    ("atan", "Math.atan", 1),
    ("sinh", "Math.sinh", 1),
    ("cosh", "Math.cosh", 1),
    ("tanh", "Math.tanh", 1),
    ("asinh", "Math.asinh", 1),
    ("acosh", "Math.acosh", 1),
    ("atanh", "Math.atanh", 1),
    ("atan2", "Math.atan2", 2),
    ("hypot", "Math.hypot", 0),
];

/// The parts of a date.
const PARTS: [(&str, &str); 10] = [
    ("time", "getTime"),
    ("year", "getUTCFullYear"),
    ("month", "getUTCMonth"),
    ("day", "getUTCDate"),
    ("weekday", "getUTCDay"),
    ("hours", "getUTCHours"),
    ("minutes", "getUTCMinutes"),
    ("seconds", "getUTCSeconds"),
    ("milliseconds", "getUTCMilliseconds"),
    ("text", "toISOString"),
];

impl Printer<'_> {
    /// A form by the name that JavaScript has for it, if that reads back.
    pub(super) fn script(&self, id: TermId, form: Form) -> Option<Spelling> {
        let found = self.script_call(id, form)?;
        let (Spelling::Call(usage) | Spelling::Method(usage)) = found else { return Some(found) };
        let operands = self.terms.operands(id);
        if matches!(found, Spelling::Method(_)) {
            let before = operands.get(usage.subject).copied().unwrap_or_default();
            return self.can_be_subject(before, usage.name).then_some(found);
        }
        let name = usage.name.split('.').next().unwrap_or_default();
        (name.starts_with("new ") || !self.is_bound(name)).then_some(found)
    }

    fn script_call(&self, id: TermId, form: Form) -> Option<Spelling> {
        let terms = self.terms;
        let operands = terms.operands(id);
        let kind = |at: usize| operands.get(at).map_or(0, |id| self.kind(*id));
        let is = |at: usize, form: Form| {
            operands.get(at).is_some_and(|id| terms.form(*id) == form && !self.facts.is_json(*id))
        };
        let call = |name| Some(Spelling::Call(Use::of(name)));
        let method = |name| Some(Spelling::Method(Use::of(name)));
        match form {
            Form::Truth if kind(0) != pif_language::kinds::BOOLEAN => call("Boolean"),
            Form::ToNumber => {
                let is_number = is(0, Form::ToNumber)
                    || is(0, Form::Integer)
                    || is(0, Form::BigInteger)
                    || is(0, Form::FloatNumber);
                if is_number { None } else { call("Number") }
            }
            Form::AsText if kind(0) != STRING => call("String"),
            Form::Stringify if operands.len() == 1 => call("JSON.stringify"),
            Form::Stringify if !is(1, Form::Unit) => {
                Some(Spelling::Call(Use { has_null: true, ..Use::of("JSON.stringify") }))
            }
            Form::Sort if operands.len() == 1 => method("toSorted"),
            Form::Reverse => method("toReversed"),
            Form::SortWith => {
                let first = terms.operand(id, 0);
                let fits = self.takes(first).is_none_or(|count| count == 2);
                let usage = Use { subject: 1, ..Use::of("toSorted") };
                (fits && terms.form(first) != Form::Unit).then_some(Spelling::Method(usage))
            }
            Form::Math => self.math(operands),
            Form::Bits => match (self.marker(operands, 0)?, operands.len()) {
                ("imul", 3) => Some(Spelling::Call(Use::of("Math.imul").without(0))),
                ("clz32", 2) => Some(Spelling::Call(Use::of("Math.clz32").without(0))),
                _ => None,
            },
            Form::LeadingNumber => match self.marker(operands, 1) {
                Some("float") => Some(Spelling::Call(Use::of("parseFloat").without(1))),
                _ => call("parseInt"),
            },
            Form::NumberText => self.number_text(operands),
            Form::NumberIs => self.number_is(operands),
            Form::LocaleCompare if operands.len() == 2 => method("localeCompare"),
            Form::Substitute => self.substitute(operands),
            Form::RegexMatch if kind(1) != STRING => method("match"),
            Form::RegexMatchAll if kind(1) != STRING => method("matchAll"),
            Form::ToSet | Form::ToMap => {
                let usage = Use::of(if form == Form::ToSet { "new Set" } else { "new Map" });
                let is_empty = is(0, Form::List) && terms.operands(terms.operand(id, 0)).is_empty();
                if is(0, Form::Unit) {
                    return None;
                }
                Some(Spelling::Call(if is_empty { usage.without(0) } else { usage }))
            }
            Form::Lookup if operands.len() == 3 && is(2, Form::Unit) => {
                Some(Spelling::Method(Use::of("get").without(2)))
            }
            Form::Moment => call("new Date"),
            Form::MomentPart => {
                let part = self.marker(operands, 1)?;
                let (_, name) = PARTS.iter().find(|(known, _)| *known == part)?;
                Some(Spelling::Method(Use::of(name).without(1)))
            }
            Form::Elements if kind(0) != LIST && !is(0, Form::Record) => call("Array.from"),
            _ => None,
        }
    }

    /// A text that stands for a name among the operands.
    fn marker(&self, operands: &[TermId], at: usize) -> Option<&str> {
        let id = *operands.get(at)?;
        (self.terms.form(id) == Form::Text).then(|| self.terms.text(id))
    }

    fn math(&self, operands: &[TermId]) -> Option<Spelling> {
        let wanted = self.marker(operands, 0)?;
        let (_, name, count) = MATH.iter().find(|(known, ..)| *known == wanted)?;
        let fits = *count == 0 || operands.len() == count + 1;
        fits.then_some(Spelling::Call(Use::of(name).without(0)))
    }

    fn number_text(&self, operands: &[TermId]) -> Option<Spelling> {
        let method = |name| Some(Spelling::Method(Use::of(name).without(1)));
        match (self.marker(operands, 1)?, operands.len()) {
            ("fixed", 3) => method("toFixed"),
            ("precision", 3) => method("toPrecision"),
            ("exponential", _) => method("toExponential"),
            ("radix", 3) => {
                let radix = operands.get(2).copied().unwrap_or_default();
                let is_ten =
                    self.terms.form(radix) == Form::Integer && self.terms.integer(radix) == 10;
                if is_ten { None } else { method("toString") }
            }
            ("locale", 2) => method("toLocaleString"),
            _ => None,
        }
    }

    fn number_is(&self, operands: &[TermId]) -> Option<Spelling> {
        let name = match self.marker(operands, 1)? {
            "nan" => "Number.isNaN",
            "finite" => "Number.isFinite",
            "integer" => "Number.isInteger",
            "safe" => "Number.isSafeInteger",
            _ => return None,
        };
        let value = *operands.first()?;
        let is_moment = |it: TermId| self.terms.form(it) == Form::Moment;
        let is_part = self.terms.form(value) == Form::MomentPart;
        let is_date = is_moment(value) || is_part && is_moment(self.terms.operand(value, 0));
        (!is_date).then_some(Spelling::Call(Use::of(name).without(1)))
    }

    /// `s.replace(a, b)`, `s.replaceAll(a, b)`
    fn substitute(&self, operands: &[TermId]) -> Option<Spelling> {
        let [_, _, replacement, ref all @ ..] = *operands else { return None };
        let form = self.terms.form(replacement);
        let is_number = matches!(form, Form::Integer | Form::BigInteger | Form::FloatNumber);
        if is_number || form == Form::Lam || self.takes(replacement).is_some() {
            return None;
        }
        match all.first() {
            None => Some(Spelling::Method(Use::of("replace"))),
            Some(all) if self.terms.form(*all) == Form::Boolean && self.terms.boolean(*all) => {
                Some(Spelling::Method(Use::of("replaceAll").without(3)))
            }
            Some(_) => None,
        }
    }
}
