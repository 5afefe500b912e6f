//! Calls of the library, and the terms that they mean.
//!
//! The calls are written as JavaScript, of which a small part is read here. Terms are shown as
//! `form[operand, …]`.

use super::*;
use crate::tree::{Tree, What};
use pif_language::form::Form;

/// Reads an expression and makes its term as the lowering does.
struct Reader<'s> {
    b: Builder<'s>,
    at: usize,
}

impl<'s> Reader<'s> {
    fn rest(&self) -> &'s str {
        &self.b.source[self.at..]
    }

    fn skip(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn take(&mut self, mark: &str) -> bool {
        self.skip();
        let is_there = self.rest().starts_with(mark);
        self.at += if is_there { mark.len() } else { 0 };
        is_there
    }

    fn word(&mut self, goes_on: fn(char) -> bool) -> &'s str {
        self.skip();
        let rest = self.rest();
        let end = rest.find(|c| !goes_on(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn name(&mut self) -> &'s str {
        self.word(|c| c.is_alphanumeric() || c == '_' || c == '$')
    }

    fn span(&self, start: usize) -> Span {
        (start.try_into().unwrap(), self.at.try_into().unwrap())
    }

    /// The names of parameters, if a function begins here.
    fn parameters(&mut self) -> Option<Vec<Words<'s>>> {
        let start = self.at;
        let names = if self.take("(") {
            let end = self.rest().find(')')?;
            let inside = &self.rest()[..end];
            self.at += end + 1;
            inside.split(',').map(str::trim).filter(|name| !name.is_empty()).collect()
        } else {
            vec![self.name()]
        };
        if self.take("=>") {
            return Some(names.into_iter().map(Words::from).collect());
        }
        self.at = start;
        None
    }

    fn argument(&mut self) -> Result<Argument, Wrong> {
        let is_spread = self.take("...");
        let start = self.at;
        let names = self.parameters();
        self.at = start;
        let id = self.expression()?;
        let known = self.b.tree.form_of(id) == Form::Lam;
        let takes =
            names.map(|names| names.len()).or_else(|| known.then(|| self.b.tree.names(id).len()));
        Ok(Argument { id, is_spread, takes })
    }

    fn arguments(&mut self, end: &str) -> Result<Vec<Argument>, Wrong> {
        let mut arguments = Vec::new();
        while !self.take(end) {
            arguments.push(self.argument()?);
            self.take(",");
        }
        Ok(arguments)
    }

    fn expression(&mut self) -> Result<Id, Wrong> {
        self.skip();
        let start = self.at;
        if let Some(names) = self.parameters() {
            let body = self.expression()?;
            let span = self.span(start);
            return Ok(self.b.function(names, body, span));
        }
        let left = self.path()?;
        if self.take("/ ") {
            let right = self.path()?;
            let span = self.span(start);
            return Ok(self.b.form(Form::Divide, &[left, right], span));
        }
        Ok(left)
    }

    /// An operand and the members behind it.
    fn path(&mut self) -> Result<Id, Wrong> {
        let start = self.at;
        let mut value = self.operand()?;
        while self.take(".") {
            let at = self.at.try_into().unwrap();
            let name = self.name();
            if !self.take("(") {
                let span = self.span(start);
                let key = self.b.text(name, span);
                value = self.b.form(Form::Get, &[value, key], span);
                continue;
            }
            let arguments = self.arguments(")")?;
            let span = self.span(start);
            let call = Call { name: name.into(), at, subject: Some(value), arguments, span };
            value = member(&mut self.b, &call)?.unwrap_or_else(|| self.b.text("MEMBER", span));
        }
        Ok(value)
    }

    fn operand(&mut self) -> Result<Id, Wrong> {
        self.skip();
        let start = self.at;
        if self.take("new ") {
            let name = self.word(|c| c.is_alphanumeric() || c == '.');
            self.take("(");
            let arguments = self.arguments(")")?;
            let span = self.span(start);
            let call = Call { name: name.into(), at: span.0, subject: None, arguments, span };
            return construct(&mut self.b, &call);
        }
        if self.take("[") {
            let items = self.arguments("]")?;
            let ids: Vec<Id> = items.iter().map(|item| item.id).collect();
            let span = self.span(start);
            return Ok(self.b.list(&ids, span));
        }
        if self.take("{") {
            return self.record(start);
        }
        if self.take("(") {
            let inner = self.expression()?;
            self.take(")");
            return Ok(inner);
        }
        if let Some(mark @ ('"' | '/')) = self.rest().chars().next() {
            return Ok(self.quoted(mark, start));
        }
        if self.rest().starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            let digits = self.word(|c| c.is_ascii_digit() || c == '-');
            let span = self.span(start);
            return Ok(self.b.number(digits, span));
        }
        self.named(start)
    }

    fn record(&mut self, start: usize) -> Result<Id, Wrong> {
        let mut members = Vec::new();
        while !self.take("}") {
            let name = self.name();
            self.take(":");
            members.push((name.into(), self.expression()?));
            self.take(",");
        }
        let span = self.span(start);
        Ok(self.b.record(&members, span))
    }

    fn quoted(&mut self, mark: char, start: usize) -> Id {
        self.at += 1;
        let end = self.rest().find(mark).unwrap();
        let text = &self.rest()[..end];
        self.at += end + 1;
        let flags = if mark == '/' { self.word(char::is_alphabetic) } else { "" };
        let span = self.span(start);
        let text = self.b.text(text, span);
        if mark == '"' {
            return text;
        }
        let flags = self.b.text(flags, span);
        self.b.form(Form::Regex, &[text, flags], span)
    }

    /// A variable of a small letter alone, or a name of the library.
    fn named(&mut self, start: usize) -> Result<Id, Wrong> {
        let mut path = self.name().to_owned();
        if [
            "Math", "Number", "Object", "Array", "String", "JSON", "Date", "Promise", "Map",
            "console",
        ]
        .contains(&path.as_str())
            && self.take(".")
        {
            path = format!("{path}.{}", self.name());
        }
        if self.take("(") {
            let arguments = self.arguments(")")?;
            let span = self.span(start);
            let call = Call { name: path.into(), at: span.0, subject: None, arguments, span };
            let made = function(&mut self.b, &call)?;
            return Ok(made.unwrap_or_else(|| self.b.text("FUNCTION", span)));
        }
        let span = self.span(start);
        Ok(match path.as_str() {
            "null" => self.b.null(span),
            "true" => self.b.boolean(true, span),
            _ => constant(&mut self.b, &path, span)
                .or_else(|| as_function(&mut self.b, &path, span))
                .unwrap_or_else(|| self.b.variable(&path.clone().into(), span)),
        })
    }
}

/// A term as `form[operand, …]`.
fn show(tree: &Tree<'_>, id: Id) -> String {
    let shown = |ids: &[Id]| ids.iter().map(|id| show(tree, *id)).collect::<Vec<_>>().join(", ");
    let all = tree.operands(id);
    let names = tree.names(id);
    match &tree.node(id).what {
        What::Null => "null".to_owned(),
        What::Boolean(value) => value.to_string(),
        What::Number(digits) => digits.to_string(),
        What::Text(text) => format!("{text:?}"),
        What::Json(..) => "json".to_owned(),
        What::Form { form, .. } => match (form, all) {
            (Form::Var, _) => names[0].to_string(),
            (Form::List, _) => format!("[{}]", shown(all)),
            (Form::Lam, _) => format!("({}) => {}", names.join(", "), shown(all)),
            (Form::App, [f, rest @ ..]) => format!("{}({})", show(tree, *f), shown(rest)),
            (Form::Record, _) => {
                let members = names.iter().zip(all);
                let members = members.map(|(name, id)| format!("{name}: {}", show(tree, *id)));
                format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
            }
            (Form::Let, [values @ .., body]) => {
                let values = names.iter().zip(values);
                let values = values.map(|(name, id)| format!("{name} = {}", show(tree, *id)));
                let values = values.collect::<Vec<_>>().join(", ");
                format!("let {values} in {}", show(tree, *body))
            }
            _ => format!("{}[{}]", form.name(), shown(all)),
        },
    }
}

/// The term of a program, or its fault.
fn read(text: &str) -> String {
    let mut reader = Reader { b: Builder::new(text), at: 0 };
    match reader.expression() {
        Ok(id) => show(&reader.b.tree, id),
        Err(fault) => {
            let hint = fault.hint.as_ref().map(ToString::to_string).unwrap_or_default();
            format!("! {} / {hint}", fault.message)
        }
    }
}

#[test]
fn calls_mean_terms() {
    let mut wrong = Vec::new();
    let mut blessed = String::new();
    for line in CASES.lines() {
        let (text, wanted) = line.split_once(" ==> ").unwrap_or((line, ""));
        let found = if line.is_empty() { String::new() } else { read(text) };
        if found != wanted {
            wrong.push(format!("{text}\n  is  {found}\n  not {wanted}"));
        }
        blessed.extend(if line.is_empty() {
            vec!["\n"]
        } else {
            vec![text, " ==> ", &found, "\n"]
        });
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(
            concat!(env!("CARGO_MANIFEST_DIR"), "/src/lower/library/cases.txt"),
            blessed,
        )
        .unwrap();
        return;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const CASES: &str = include_str!("cases.txt");
