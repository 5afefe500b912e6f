//! Terms and JSON strings as canonical text: keys sorted, but for those of a `record`, which keep
//! their order; no blanks, integers exact.

use crate::form::{Form, Shape};
use crate::term::{TermId, Terms};
use num_bigint::BigInt;
use pif_core::figures;
use pif_core::json::decimal::Powers;
use pif_core::json::escape;
use pif_core::json::number::{float_text, write_integer};
use pif_core::text::order;

/// Pieces left to write; the next one is last.
enum Work {
    Term(TermId),
    Str(&'static str),
    Name(u32),
    /// The operands of a term from an index on, and a closing text.
    Items(TermId, usize, &'static str),
}

/// Returns the canonical JSON of a term.
#[must_use]
pub fn term(terms: &Terms, root: TermId) -> String {
    term_within(terms, root, usize::MAX).unwrap_or_else(|beginning| beginning)
}

/// Returns the canonical JSON of a term if it has at most `limit` bytes. Fails with its beginning
/// otherwise.
pub fn term_within(terms: &Terms, root: TermId, limit: usize) -> Result<String, String> {
    print(terms, root, limit, false)
}

/// Returns the canonical JSON of a term as data: floats read back as floats without their form.
#[must_use]
pub fn data(terms: &Terms, root: TermId) -> String {
    print(terms, root, usize::MAX, true).unwrap_or_else(|beginning| beginning)
}

fn print(terms: &Terms, root: TermId, limit: usize, as_data: bool) -> Result<String, String> {
    let (work, powers) = (vec![Work::Term(root)], Powers::default());
    let mut printer = Printer { terms, work, powers, as_data, out: String::new() };
    while let Some(work) = printer.work.pop() {
        match work {
            Work::Str(text) => printer.out.push_str(text),
            Work::Name(name) => escape::string(terms.name(name), &mut printer.out),
            Work::Items(list, next, close) => printer.items(list, next, close),
            Work::Term(id) if printer.is_beyond(id, limit) => return Err(printer.out),
            Work::Term(id) => printer.term(id),
        }
        if printer.out.len() > limit {
            return Err(printer.out);
        }
    }
    Ok(printer.out)
}

struct Printer<'t> {
    terms: &'t Terms,
    work: Vec<Work>,
    powers: Powers,
    as_data: bool,
    out: String,
}

impl Printer<'_> {
    /// Schedules pieces in reverse, so that the first is written first.
    fn schedule(&mut self, pieces: Vec<Work>) {
        self.work.extend(pieces.into_iter().rev());
    }

    fn term(&mut self, id: TermId) {
        let form = self.terms.form(id);
        match form {
            Form::Unit => self.out.push_str("null"),
            Form::Boolean => {
                self.out.push_str(if self.terms.boolean(id) { "true" } else { "false" });
            }
            Form::Integer => self.out.push_str(&self.terms.integer(id).to_string()),
            Form::BigInteger => {
                if let Some(n) = self.terms.big_integer(id) {
                    write_integer(n, &mut self.powers, &mut self.out);
                }
            }
            Form::FloatNumber => {
                let n = self.terms.float(id);
                // INVARIANT: the text that names revisions never changes, and it has always had
                // `1e16`.
                let text = match n {
                    _ if !n.is_finite() => format!("\"{}\"", figures::text(n)),
                    _ if self.as_data => float_text(n),
                    _ => format!("{n:?}"),
                };
                self.out.push_str("{\"float\":");
                self.out.push_str(&text);
                self.out.push('}');
            }
            Form::Text => escape::string(self.terms.text(id), &mut self.out),
            Form::List => {
                self.out.push('[');
                self.items(id, 0, "]");
            }
            _ => self.form(id, form),
        }
    }

    /// Tells whether a term is an integer of more than `limit` digits. Then finding its digits is a
    /// waste.
    fn is_beyond(&self, id: TermId, limit: usize) -> bool {
        let digits = |n: &BigInt| n.bits() / 4;
        self.terms.form(id) == Form::BigInteger
            && self.terms.big_integer(id).is_some_and(|n| digits(n) > limit as u64)
    }

    /// Writes the operands of a term, with commas between them.
    fn items(&mut self, list: TermId, next: usize, close: &'static str) {
        let Some(item) = self.terms.operands(list).get(next) else {
            self.out.push_str(close);
            return;
        };
        if next > 0 {
            self.out.push(',');
        }
        self.work.extend([Work::Items(list, next + 1, close), Work::Term(*item)]);
    }

    fn open(&mut self, form: Form) {
        self.out.push_str("{\"");
        self.out.push_str(form.name());
        self.out.push_str("\":");
    }

    fn form(&mut self, id: TermId, form: Form) {
        let terms = self.terms;
        let operands = terms.operands(id);
        let Some(row) = form.row() else { return };
        let is_list = operands.first().is_some_and(|it| terms.form(*it) == Form::List);
        match row.shape {
            Shape::Name => {
                self.open(form);
                self.schedule(vec![Work::Name(terms.only_name(id)), Work::Str("}")]);
            }
            Shape::Ignored => {
                self.open(form);
                self.out.push_str("null}");
            }
            Shape::List { bare, .. } if bare.is_written(operands.len(), is_list) => {
                self.open(form);
                self.schedule(vec![Work::Term(terms.operand(id, 0)), Work::Str("}")]);
            }
            Shape::List { .. } => {
                self.open(form);
                self.out.push('[');
                self.items(id, 0, "]}");
            }
            Shape::Branches => {
                self.open(form);
                self.branches(operands);
            }
            Shape::Try => self.attempt(id),
            // Literal forms become literals when they are read.
            Shape::Literal => {}
            Shape::Members(members) | Shape::MembersOr(members) | Shape::Named(members) => {
                self.open(form);
                let key = |at: usize| members[at];
                let order = order::order_of(members.len().min(operands.len()), &key);
                let sorted = order.filter_map(|at| Some((key(at), *operands.get(at)?)));
                self.members(sorted.map(|(key, t)| (key, Work::Term(t))), "}}");
            }
            Shape::Fields => {
                self.open(form);
                self.fields(id);
            }
            Shape::Lambda => self.lambda(id),
            Shape::Application => self.application(operands),
            Shape::Bindings | Shape::Functions => self.bindings(id, row.name),
        }
    }

    fn attempt(&mut self, id: TermId) {
        let codes = self.terms.names(id);
        let operand = |at: usize| Work::Term(self.terms.operand(id, at));
        let mut pieces = vec![Work::Str("{\"catch\":"), operand(1)];
        for (index, code) in codes.iter().enumerate() {
            let before = if index == 0 { ",\"codes\":[" } else { "," };
            pieces.extend([Work::Str(before), Work::Name(*code)]);
        }
        if !codes.is_empty() {
            pieces.push(Work::Str("]"));
        }
        pieces.extend([Work::Str(",\"try\":"), operand(0), Work::Str("}")]);
        self.schedule(pieces);
    }

    fn members(
        &mut self,
        members: impl Iterator<Item = (&'static str, Work)>,
        close: &'static str,
    ) {
        let mut pieces = vec![Work::Str("{")];
        for (index, (key, value)) in members.enumerate() {
            pieces.push(Work::Str(if index > 0 { ",\"" } else { "\"" }));
            pieces.extend([Work::Str(key), Work::Str("\":"), value]);
        }
        pieces.push(Work::Str(close));
        self.schedule(pieces);
    }

    fn branches(&mut self, operands: &[TermId]) {
        let mut pieces = vec![Work::Str("[")];
        for (index, branch) in operands.chunks_exact(2).enumerate() {
            pieces.push(Work::Str(if index > 0 { ",[" } else { "[" }));
            for (half, term) in branch.iter().enumerate() {
                pieces.push(Work::Str(if half > 0 { "," } else { "" }));
                pieces.push(Work::Term(*term));
            }
            pieces.push(Work::Str("]"));
        }
        pieces.push(Work::Str("]}"));
        self.schedule(pieces);
    }

    fn fields(&mut self, id: TermId) {
        let mut pieces = vec![Work::Str("{")];
        for (index, (name, value)) in
            self.terms.names(id).iter().zip(self.terms.operands(id)).enumerate()
        {
            if index > 0 {
                pieces.push(Work::Str(","));
            }
            pieces.extend([Work::Name(*name), Work::Str(":"), Work::Term(*value)]);
        }
        pieces.push(Work::Str("}}"));
        self.schedule(pieces);
    }

    fn lambda(&mut self, id: TermId) {
        let names = self.terms.names(id);
        let several = names.len() > 1;
        let mut pieces = vec![Work::Str("{\"body\":"), Work::Term(self.terms.operand(id, 0))];
        pieces.push(Work::Str(if several { ",\"lam\":[" } else { ",\"lam\":" }));
        for (index, name) in names.iter().enumerate() {
            if index > 0 {
                pieces.push(Work::Str(","));
            }
            pieces.push(Work::Name(*name));
        }
        pieces.push(Work::Str(if several { "]}" } else { "}" }));
        self.schedule(pieces);
    }

    fn application(&mut self, operands: &[TermId]) {
        let Some((function, arguments)) = operands.split_first() else { return };
        let (open, close) = match arguments {
            [_] => ("{\"app\":{\"arg\":", ",\"func\":"),
            _ => ("{\"app\":{\"args\":[", "],\"func\":"),
        };
        self.out.push_str(open);
        let mut pieces = Vec::new();
        for (index, argument) in arguments.iter().enumerate() {
            if index > 0 {
                pieces.push(Work::Str(","));
            }
            pieces.push(Work::Term(*argument));
        }
        pieces.extend([Work::Str(close), Work::Term(*function), Work::Str("}}")]);
        self.schedule(pieces);
    }

    fn bindings(&mut self, id: TermId, key: &'static str) {
        let operands = self.terms.operands(id);
        let Some((body, bound)) = operands.split_last() else { return };
        let mut pieces = vec![Work::Str("{\"in\":"), Work::Term(*body)];
        pieces.extend([Work::Str(",\""), Work::Str(key), Work::Str("\":[")]);
        for (index, (name, term)) in self.terms.names(id).iter().zip(bound).enumerate() {
            pieces.push(Work::Str(if index > 0 { ",[" } else { "[" }));
            pieces.extend([Work::Name(*name), Work::Str(","), Work::Term(*term), Work::Str("]")]);
        }
        pieces.push(Work::Str("]}"));
        self.schedule(pieces);
    }
}
