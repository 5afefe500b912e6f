//! Forms that are called by their names, before or after the point; applications.

use crate::lexer::is_name;
use crate::lower::library;
use crate::print::layout::Piece;
use crate::print::printer::{
    Ask, BREAK, CLOSE, OPEN, Printer, Work, begin, end, quoted, text, whole,
};
use crate::print::spelling::{Spelling, Use};
use crate::table::{ATOM, ROOT, SUBJECT};
use pif_language::form::{Form, Shape};
use pif_language::term::TermId;

impl<'t> Printer<'t> {
    /// A form that is no literal, variable, function, binding or record.
    pub(super) fn form(&mut self, id: TermId, ask: Ask, spelling: Spelling) {
        let terms = self.terms;
        match spelling {
            Spelling::Plain => {}
            Spelling::Choice => self.choice(id, ask),
            Spelling::StrictIf => {
                let mut out = vec![text("if(")];
                self.items(terms.operands(id), Ask::Value, &mut out);
                end(3, ")", &mut out);
                self.schedule(&out);
            }
            Spelling::Not => self.prefix(id, "!"),
            Spelling::Neg => self.prefix(id, "-"),
            Spelling::Prefix(mark) => self.prefix(id, mark),
            Spelling::Unequal => self.unequal(id),
            Spelling::Bare => self.term(terms.operand(id, 0), ROOT, Ask::There),
            Spelling::Operation(row, from) => self.operation((id, ask), row, row.mark, from),
            Spelling::Template => self.template(id),
            Spelling::Regex => self.regex(id),
            Spelling::Member | Spelling::Method(_) => self.chain(id, ask),
            Spelling::Strict => self.strict(id),
            Spelling::Path => self.safe_path(id, ask),
            Spelling::Rounded(mark) => self.rounded(id, mark),
            Spelling::Call(usage) => {
                let mut out = Vec::new();
                self.call(id, usage, None, &mut out);
                self.schedule(&out);
            }
            Spelling::Application => self.application(id),
            Spelling::Tool => {
                let name = self.key(terms.text(terms.operand(id, 0)));
                self.schedule(&[text("@"), name]);
            }
            Spelling::SelfRef => self.say("self"),
        }
    }

    /// A member that has to be there, where the reader asks whether it is.
    fn strict(&mut self, id: TermId) {
        if !self.is_bound("get") {
            let mut out = Vec::new();
            self.call(id, Use::of("get"), None, &mut out);
            return self.schedule(&out);
        }
        self.schedule(&[text("Object("), Work::Term(id, ROOT, Ask::Value), text(")")]);
    }

    /// The subject before the point of a member or a call.
    fn subject(&self, id: TermId, ask: Ask) -> Option<TermId> {
        match self.spelled(id, ask)? {
            Spelling::Member => Some(self.terms.operand(id, 0)),
            Spelling::Method(usage) => Some(self.terms.operand(id, usage.subject)),
            _ => None,
        }
    }

    /// Members of a subject and calls after it. Each of two or more calls has a line of its own where
    /// they do not fit on one.
    fn chain(&mut self, id: TermId, ask: Ask) {
        let mut at = id;
        let mut asked = ask;
        let mut links = Vec::new();
        let mut calls = 0;
        while let Some(subject) = self.subject(at, asked) {
            links.push(at);
            calls += usize::from(!self.is_member(at));
            (at, asked) = (subject, Ask::Value);
        }
        let is_broken = calls > 1;
        let mut out = vec![Work::Term(at, SUBJECT, Ask::Value)];
        if is_broken {
            out.push(OPEN);
        }
        while let Some(link) = links.pop() {
            let Some(Spelling::Method(usage)) = self.spelled(link, Ask::Value) else {
                self.member(link, &mut out);
                continue;
            };
            if is_broken {
                out.push(BREAK);
            }
            out.push(text("."));
            self.call(link, usage, Some(usage.subject), &mut out);
        }
        if is_broken {
            out.push(CLOSE);
        }
        self.schedule(&out);
    }

    /// A form's name and its operands, without that before the point.
    fn call(&mut self, id: TermId, usage: Use, subject: Option<usize>, out: &mut Vec<Work<'t>>) {
        let terms = self.terms;
        let form = terms.form(id);
        out.extend_from_slice(&[text(usage.name), text("(")]);
        let operands: Vec<TermId> = terms
            .operands(id)
            .iter()
            .enumerate()
            .filter(|(at, _)| Some(*at) != subject && usage.has(*at))
            .map(|(_, id)| *id)
            .collect();
        let shape = form.row().map(|row| row.shape);
        let mut count = operands.len();
        if shape == Some(Shape::Branches) {
            for (index, pair) in operands.chunks(2).enumerate() {
                begin(index, out);
                out.push(text("["));
                self.items(pair, Ask::Value, out);
                end(2, "]", out);
            }
        } else if usage.has_null {
            count += 1;
            for (index, id) in operands.iter().enumerate() {
                begin(2 * index, out);
                out.push(whole(*id));
                if index == 0 {
                    begin(1, out);
                    out.push(text("null"));
                }
            }
        } else {
            // The reader takes the value of these functions as a test.
            let is_test = subject.is_some() && library::is_test_callback(usage.name);
            self.items(&operands, if is_test { Ask::Truth } else { Ask::Value }, out);
        }
        let codes = if shape == Some(Shape::Try) { terms.names(id) } else { &[] };
        if !codes.is_empty() {
            begin(count, out);
            let codes: Vec<String> = codes.iter().map(|name| quoted(terms.name(*name))).collect();
            out.push(self.made(format!("[{}]", codes.join(", "))));
        }
        end(count, ")", out);
    }

    /// Operands between parentheses. What is asked is asked of the value of a function.
    fn items(&self, operands: &[TermId], ask: Ask, out: &mut Vec<Work<'t>>) {
        let attached = self.attached(operands);
        for (index, id) in operands.iter().enumerate() {
            begin(index, out);
            if let Some((at, is_always)) = attached
                && at == index
            {
                out.push(Work::Piece(Piece::Attach(is_always)));
            }
            out.push(Work::Term(*id, ROOT, ask));
        }
    }

    /// The operand that can begin on the line of the parenthesis, as it has lines of its own, and
    /// whether it does so even where it fits on a line.
    fn attached(&self, operands: &[TermId]) -> Option<(usize, bool)> {
        let form = |id: &TermId| self.terms.form(*id);
        let (last, others) = operands.split_last()?;
        if let [first] = others
            && form(first) == Form::Lam
            && form(last) != Form::Lam
            && self.is_braced(*first)
        {
            return Some((0, true));
        }
        let is_always = self.is_braced(*last);
        let is_sole = others.iter().all(|id| form(id) != form(last));
        let can_be = is_always || others.is_empty() || form(last) == Form::Lam;
        (is_sole && can_be).then_some((others.len(), is_always))
    }

    /// Tells whether a term, or the value of a function, stands between braces or brackets.
    fn is_braced(&self, id: TermId) -> bool {
        let mut at = id;
        while self.terms.form(at) == Form::Lam {
            at = self.terms.operand(at, 0);
        }
        matches!(self.terms.form(at), Form::Record | Form::List | Form::Let | Form::Letrec)
    }

    /// Tells whether an application is written with its arguments behind the function.
    pub(super) fn is_direct(&self, id: TermId) -> bool {
        let terms = self.terms;
        let Some((function, arguments)) = terms.operands(id).split_first() else { return false };
        let fits = |count: usize| count == arguments.len();
        match terms.form(*function) {
            _ if self.facts.is_json(*function) => true,
            Form::Var => self.facts.takes(*function).is_none_or(fits),
            Form::Lam => fits(terms.names(*function).len()),
            Form::Get if self.is_member(*function) => self.is_called_member(*function),
            // A call behind a path would be one of its last member.
            Form::GetIn => !self.is_safe_path(*function),
            _ => true,
        }
    }

    /// Tells whether a member that is called is a member, and no name of a form or of a tool.
    fn is_called_member(&self, id: TermId) -> bool {
        let key = self.terms.operand(id, 1);
        let is_named = self.terms.form(key) == Form::Text && is_name(self.terms.text(key));
        !is_named || !library::is_member(self.terms.text(key)) && !self.is_of_server(id)
    }

    /// Tells whether a call of a member would be one of a tool: what nothing binds is taken for a server.
    pub(super) fn is_of_server(&self, id: TermId) -> bool {
        let terms = self.terms;
        let mut at = id;
        while self.is_member(at) && !self.facts.is_json(at) {
            let key = terms.operand(at, 1);
            if terms.form(key) != Form::Text || !is_name(terms.text(key)) {
                return false;
            }
            at = terms.operand(at, 0);
        }
        terms.form(at) == Form::Var
            && !self.facts.is_json(at)
            && !self.is_bound(terms.name(terms.only_name(at)))
    }

    fn application(&mut self, id: TermId) {
        let terms = self.terms;
        let Some((function, arguments)) = terms.operands(id).split_first() else { return };
        let (function, form) = (*function, terms.form(*function));
        let mut out = Vec::new();
        if !self.is_direct(id) {
            out.push(text("app("));
            self.items(terms.operands(id), Ask::Value, &mut out);
            end(arguments.len() + 1, ")", &mut out);
            return self.schedule(&out);
        }
        let is_closed = match form {
            Form::Var => {
                let name = terms.name(terms.only_name(function));
                !self.facts.is_json(function) && (self.is_bound(name) || self.is_plain(name))
            }
            Form::Tool | Form::SelfRef | Form::App | Form::Get => true,
            _ => self.facts.is_json(function),
        };
        if is_closed {
            out.push(Work::Term(
                function,
                if form == Form::Get { SUBJECT } else { ATOM },
                Ask::Value,
            ));
        } else {
            out.extend_from_slice(&[text("("), whole(function), text(")")]);
        }
        out.push(text("("));
        self.items(arguments, Ask::Value, &mut out);
        end(arguments.len(), ")", &mut out);
        self.schedule(&out);
    }

    /// Tells whether a term is written with a brace before all else.
    pub(super) fn begins_with_brace(&self, id: TermId, ask: Ask) -> bool {
        let terms = self.terms;
        let mut at = id;
        let mut asked = ask;
        loop {
            let Some(spelling) = self.spelled(at, asked) else { return false };
            let form = terms.form(at);
            let (next, next_ask) = match spelling {
                Spelling::Plain => {
                    return matches!(form, Form::Record | Form::Let | Form::Letrec);
                }
                Spelling::Choice => (terms.operand(at, 0), Ask::Truth),
                Spelling::Bare => (terms.operand(at, 0), Ask::There),
                Spelling::Path | Spelling::Member => (terms.operand(at, 0), Ask::Value),
                Spelling::Unequal => (terms.operand(terms.operand(at, 0), 0), Ask::There),
                Spelling::Operation(_, from) => (terms.operand(at, from), asked),
                Spelling::Method(usage) => (terms.operand(at, usage.subject), Ask::Value),
                Spelling::Application if self.is_direct(at) && form == Form::App => {
                    (terms.operand(at, 0), Ask::Value)
                }
                _ => return false,
            };
            (at, asked) = (next, next_ask);
        }
    }
}
