//! Random terms of any form, read off the one table: what a form gives from the result of its
//! example, what it takes from the names of the operands in its syntax.

use super::term::{Generator, Kind};
use super::text::{form, lambda, list, variable};
use super::{calendar, figures, script, world};
use pif::form::{Bare, FORMS, Form, Row, Shape};

/// What an operand is to be.
#[derive(Clone, Copy)]
pub(super) enum Wanted {
    /// A value of a kind.
    Of(Kind),
    /// A value of any kind.
    Any,
    /// One of some literals, or now and then any value of a kind.
    One(&'static [&'static str], Kind),
}

impl Generator {
    /// A form of the table that gives a value of this kind, as a rule.
    pub(super) fn of_table(&mut self, kind: Kind, size: usize) -> String {
        let fits = |row: &&Row| kind_of_result(row).is_none_or(|given| given == kind);
        // A regular expression is an operand of others, written out.
        let rows = FORMS.iter().filter(fits).filter(|row| row.form != Form::Regex);
        let rows: Vec<&Row> = rows.collect();
        let row = self.random.pick(&rows);
        self.written(row, size)
    }

    /// A term of a form, with operands of mostly the right kinds.
    fn written(&mut self, row: &Row, size: usize) -> String {
        let names = operand_names(row.syntax);
        let count = match row.shape {
            Shape::List { bare: Bare::List, .. } => 1,
            Shape::List { least, most: u32::MAX, .. } => least as usize + self.random.below(4),
            Shape::List { least, most, .. } => {
                least as usize + self.random.below((most - least) as usize + 1)
            }
            _ => return self.special(row, size),
        };
        let each = size / count.max(1);
        let operand = |generator: &mut Self, at: usize| {
            let name = names.get(at).or(names.last()).copied().unwrap_or_default();
            let wanted = match row.shape {
                Shape::List { most: u32::MAX, .. } if count == 1 => Wanted::Of(Kind::List),
                _ => wanted(row.form, name),
            };
            generator.operand(wanted, each)
        };
        if row.form == Form::Flatten && self.random.chance(50) {
            let nested = self.operand(Wanted::One(world::NESTED, Kind::List), size);
            let depth = self.random.pick(world::DEPTHS).to_owned();
            return form(row.name, list(&[nested, depth]));
        }
        let operands: Vec<String> = (0..count).map(|at| operand(self, at)).collect();
        match (row.shape, operands.as_slice()) {
            (Shape::List { bare, .. }, [only])
                if bare == Bare::Always || bare != Bare::Never && self.random.chance(30) =>
            {
                form(row.name, only)
            }
            _ => form(row.name, list(&operands)),
        }
    }

    /// An operand of this kind, mostly.
    pub(super) fn operand(&mut self, wanted: Wanted, size: usize) -> String {
        match wanted {
            Wanted::Of(kind) => self.term(kind, size),
            Wanted::Any => self.any(size),
            Wanted::One(literals, kind) if self.random.chance(10) => {
                // What is written out here as well, so that few choices lead to it.
                let literal = self.random.pick(literals).to_owned();
                if kind == Kind::Text {
                    form("concat", list(&[literal, "\"\"".to_owned()]))
                } else {
                    literal
                }
            }
            Wanted::One(_, kind) if self.random.chance(12) => self.term(kind, size),
            Wanted::One(literals, _) => self.random.pick(literals).to_owned(),
        }
    }

    /// A function of what was caught. It sees code and value: the definition knows no more.
    fn handler(&mut self, size: usize) -> String {
        if self.random.chance(5) {
            return self.term(Kind::Number, size);
        }
        let outer = self.scope.len();
        for (member, kind) in [("code", Kind::Text), ("value", Kind::Number)] {
            let caught = [variable("caught"), format!("\"{member}\"")];
            self.scope.push((form("get", list(&caught)), kind));
        }
        let body = self.any(size);
        self.scope.truncate(outer);
        lambda("\"caught\"", &body)
    }

    /// A form whose operands are written in a way of its own.
    fn special(&mut self, row: &Row, size: usize) -> String {
        match row.shape {
            Shape::Literal => {
                let numerals = world::NUMERALS;
                form(row.name, self.random.pick(numerals))
            }
            Shape::Branches => {
                let mut branch = || {
                    let test = self.term(Kind::Boolean, size / 4);
                    list(&[test, self.any(size / 4)])
                };
                let branches = [branch(), branch(), branch()];
                let count = 1 + self.random.below(3);
                form(row.name, list(branches.get(..count).unwrap_or_default()))
            }
            Shape::Try => {
                let tried = self.any(size / 2);
                let handler = self.handler(size / 3);
                let codes = match self.random.below(4) {
                    0 => r#","codes":["fail","type-mismatch"]"#,
                    1 => r#","codes":["divide-by-zero"]"#,
                    _ => "",
                };
                format!(r#"{{"{}":{tried},"catch":{handler}{codes}}}"#, row.name)
            }
            Shape::Name
            | Shape::Bindings
            | Shape::Functions
            | Shape::Lambda
            | Shape::Application => self.any(size),
            Shape::Members(members) => {
                let members = members.iter().zip(operand_kinds(row.form));
                let written = members
                    .map(|(name, kind)| format!(r#""{name}":{}"#, self.operand(kind, size / 3)));
                form(row.name, format!("{{{}}}", written.collect::<Vec<_>>().join(",")))
            }
            Shape::Fields => {
                let (a, b) = (self.any(size / 2), self.any(size / 2));
                form(row.name, format!(r#"{{"a":{a},"é":{b}}}"#))
            }
            Shape::MembersOr(_) | Shape::Named(_) => self.call(row.form, size),
            _ => form(row.name, "true"),
        }
    }
}

/// What a form's example gives: nothing where it is written as more than its JSON.
fn kind_of_result(row: &Row) -> Option<Kind> {
    match row.result.as_bytes().first()? {
        b'[' => Some(Kind::List),
        b'"' => Some(Kind::Text),
        b't' | b'f' => Some(Kind::Boolean),
        b'-' | b'0'..=b'9' => Some(Kind::Number),
        b'{' if row.result.starts_with(r#"{"pair":"#) => Some(Kind::Pair),
        _ => None,
    }
    // Forms whose value is that of an operand.
    .filter(|_| {
        use Form::{Coalesce, Cond, Fold, Get, GetIn, If, Pipe, Reduce, Try};
        !matches!(row.form, If | Cond | Coalesce | Try | Pipe | Get | GetIn | Fold | Reduce)
    })
}

/// The names that a syntax such as `{"slice": [s or list, from, to?]}` gives its operands.
fn operand_names(syntax: &str) -> Vec<&str> {
    let Some((_, rest)) = syntax.split_once(": ") else { return Vec::new() };
    let rest = rest.split_once("} or").map_or(rest, |(first, _)| first);
    let inner = rest.trim_end_matches('}').trim_start_matches('[');
    let inner = inner.strip_suffix(']').unwrap_or(inner);
    let names = inner.split(',').map(|name| name.trim().trim_end_matches('?'));
    // `[key, …]` is one operand.
    names.filter(|name| *name != "…]").collect()
}

/// Of a form with named members, what they are.
fn operand_kinds(form: Form) -> [Wanted; 3] {
    match form {
        Form::If => [Wanted::Of(Kind::Boolean), Wanted::Any, Wanted::Any],
        _ => [Wanted::Any, Wanted::Of(Kind::List), Wanted::Any],
    }
}

/// What the operand of this name in the syntax of a form is to be.
#[expect(clippy::too_many_lines, reason = "a table")]
fn wanted(form: Form, name: &str) -> Wanted {
    use Kind::{Boolean, Function, List, Number, Quoted, Record, Text};
    let texts = |literals| Wanted::One(literals, Text);
    match (form, name) {
        (Form::Truth | Form::Either | Form::Both, _) => Wanted::One(figures::TESTED, Number),
        (Form::Plus, _) => Wanted::One(figures::ADDED, Number),
        (Form::ToNumber | Form::LeadingNumber, "a" | "s") => texts(figures::NUMERALS_THERE),
        (Form::LeadingNumber, _) => Wanted::One(figures::BASES, Number),
        (
            Form::AsText | Form::Typeof | Form::Stringify | Form::NumberIs | Form::NumberText,
            "a",
        )
        | (Form::Math | Form::Bits, "…" | "a" | "b") => {
            Wanted::One(figures::NUMBERS_THERE, Number)
        }
        (Form::Typeof, _) => Wanted::One(world::PATHS, List),
        (Form::Stringify, _) => Wanted::One(world::COUNTS, Number),
        (Form::NumberIs, _) => texts(figures::SORTS),
        (Form::NumberText, "style") => texts(figures::STYLES),
        (Form::Divide, "mode") => texts(figures::MODES),
        (Form::Math, "name") => texts(figures::FUNCTIONS),

        (Form::Bits, _) => texts(figures::OPERATIONS),
        (Form::LocaleCompare, "numeric") => Wanted::Of(Boolean),
        (Form::LocaleCompare, _) => texts(figures::COMPARED),
        (Form::Normalize, "s") => texts(world::ACCENTED),
        (Form::Normalize, _) => texts(world::NORMAL_FORMS),
        (Form::FormatNumber, "n") => Wanted::One(world::NUMBERS, Number),
        (Form::FormatNumber, _) => Wanted::One(world::NUMBER_OPTIONS, Record),
        (Form::FromCharCode, _) => Wanted::One(world::CODES, Number),
        (Form::Regex, "pattern") => texts(script::SCRIPT_PATTERNS),
        (Form::Regex, _) => texts(script::FLAGS),
        (Form::Moment, _) => Wanted::One(script::MOMENTS, Number),
        (Form::MomentPart, "part") => texts(script::DATE_PARTS),
        (Form::MomentPart, _) => Wanted::One(script::DATE_VALUES, Number),
        (Form::Substitute, "replacement") => texts(script::SCRIPT_REPLACEMENTS),
        (_, "text or regex" | "regex or text") | (Form::Split, "sep") => texts(script::SOUGHT),
        (_, "all") => Wanted::Of(Boolean),
        (Form::Contains | Form::IndexOf | Form::StartsWith, "from")
        | (Form::EndsWith, "to")
        | (Form::Split, "limit") => Wanted::One(world::COUNTS, Number),
        (Form::DateParse, "pattern") => texts(calendar::FORMATS),
        (Form::DateParse, _) => texts(calendar::DATES),
        (Form::DateFormat | Form::DateParts | Form::DateAdd, "n") | (Form::DateDiff, "a" | "b") => {
            Wanted::One(calendar::TIMES, Number)
        }
        (Form::DateAdd, _) => Wanted::One(calendar::SPANS, Record),
        (Form::DateFormat, _) => texts(calendar::FORMATS),
        (_, "unit") => texts(calendar::UNITS),
        (Form::ParseInt | Form::ParseFloat, _) => texts(world::NUMERALS),
        (Form::JsonParse, _) => texts(world::JSON),
        (Form::Retry, "options") => Wanted::One(world::RETRIES, Record),
        (Form::Step, "name") => Wanted::One(world::KEYS, Text),
        (Form::CsvParse, "options") => Wanted::One(world::OPTIONS, Record),
        (Form::CsvParse, _) => texts(world::CSV),
        (_, "regex") => texts(world::PATTERNS),
        (Form::Replace, "from") | (_, "sep" | "part" | "fill") => texts(world::PARTS),
        (Form::RegexReplace, "to") => texts(world::REPLACEMENTS),
        (Form::Replace, "to") | (_, "s" | "s or list" | "label") => texts(world::TEXTS),
        (Form::Slice | Form::Range | Form::Contains | Form::IndexOf, "from" | "to")
        | (Form::Range, _)
        | (_, "n" | "i" | "digits" | "p") => Wanted::One(world::COUNTS, Number),
        (Form::Lookup | Form::Insert, "map" | "set") => Wanted::One(world::MAPS, Record),
        (Form::Lookup | Form::Insert, "key" | "x") | (Form::Has | Form::Remove, "key") => {
            Wanted::One(world::ANY_KEYS, Number)
        }
        (Form::Has | Form::Remove | Form::Keys | Form::Values | Form::Entries, "record") => {
            Wanted::One(world::HOLDERS, Record)
        }
        (Form::ToMap, _) => Wanted::One(world::ENTRIES, List),
        (Form::ToSet | Form::Elements, _)
        | (Form::Length | Form::IsEmpty, "l")
        | (Form::Contains, "s or list or set") => Wanted::One(world::HOLDERS, List),
        (Form::Append, _) => Wanted::One(world::HOLDERS, List),
        (Form::Join, "list") => Wanted::One(world::JOINED, List),
        (_, "[a") => Wanted::Of(List),
        (_, "key") => texts(world::KEYS),
        (_, "[key") => Wanted::One(world::PATHS, List),
        (_, "encoding") => texts(world::ENCODINGS),
        (Form::Decode, _) => texts(world::ENCODED),
        (Form::Coalesce, _) => Wanted::One(world::NULLS, Number),
        (Form::FromEntries, _) => Wanted::One(world::ENTRIES, List),
        (Form::SortBy, "order") => texts(world::ORDERS),
        (_, "list") | (Form::Zip, _) => Wanted::Of(List),
        (_, "record") | (Form::Merge, _) => Wanted::Of(Record),
        (_, "f" | "g" | "…") if form == Form::Pipe => Wanted::Of(Function),
        (_, "f") => Wanted::Of(Function),
        (Form::And | Form::Or | Form::Not, _) => Wanted::Of(Boolean),
        (_, "q") => Wanted::Of(Quoted),
        (Form::Eq | Form::ToString | Form::JsonText | Form::TypeOf | Form::Describe, _) => {
            Wanted::Any
        }
        (Form::Pair, _) => Wanted::Any,
        (Form::Concat, _) => Wanted::Of(Text),
        (_, "a" | "b") => Wanted::One(world::NUMBERS, Number),
        _ => Wanted::Any,
    }
}
