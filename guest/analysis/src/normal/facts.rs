//! What is known of a term's evaluation: whether it may fault or call somebody, and what it gives.

use super::scratch::{Facts, Scratch};
use pif_language::form::Form;
use pif_language::kinds::{
    BOOLEAN, CONTINUATION, FLOAT, FUNCTION, INTEGER, Kinds, LIST, MAP, NULL, NUMBER, ODD, RECORD,
    SET, STRING, UNKNOWN,
};
use pif_language::term::TermId;
use pif_language::typing::{Rule, Type};

/// What of an evaluation is not that of operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Own {
    pub(super) faults: bool,
    pub(super) calls: bool,
}

/// Forms that apply a function to each element of a list, and take a boolean of it.
pub(super) fn is_test(form: Form) -> bool {
    matches!(form, Form::Filter | Form::Find | Form::Any | Form::All | Form::Partition)
}

/// Forms that apply the function that is their first operand to each element of their second.
pub(super) fn is_each(form: Form) -> bool {
    is_test(form) || matches!(form, Form::Map | Form::FlatMap)
}

impl Scratch {
    /// What is known of a term.
    pub(super) fn facts(&mut self, root: TermId) -> Facts {
        if let Some(known) = self.memo.get(&root) {
            return *known;
        }
        let mut work = vec![(root, false)];
        while let Some((term, is_entered)) = work.pop() {
            if self.memo.contains_key(&term) {
                continue;
            }
            if is_entered {
                let facts = self.found(term);
                self.memo.insert(term, facts);
                continue;
            }
            self.step();
            work.push((term, true));
            if self.form(term) != Form::Quote {
                work.extend(self.terms.operands(term).iter().map(|it| (*it, false)));
            }
        }
        self.memo.get(&root).copied().unwrap_or_default()
    }

    /// What is known of an operand, of which all is known already.
    fn known(&self, term: TermId) -> Facts {
        self.memo.get(&term).copied().unwrap_or(Facts {
            kinds: Kinds::MAX,
            faults: true,
            calls: self.observed.calls,
            size: 1,
        })
    }

    pub(super) fn kinds(&mut self, term: TermId) -> Kinds {
        self.facts(term).kinds
    }

    /// Whether a value surely has one of these kinds.
    pub(super) fn is_of(&mut self, term: TermId, kinds: Kinds) -> bool {
        self.kinds(term) & !kinds == 0
    }

    /// Whether an evaluation surely has a value and calls nobody.
    pub(super) fn is_total(&mut self, term: TermId) -> bool {
        let facts = self.facts(term);
        !facts.faults && !facts.calls
    }

    fn found(&self, term: TermId) -> Facts {
        let form = self.form(term);
        let own = self.own(term);
        let mut facts = Facts { kinds: self.given(term), size: 1, ..Facts::default() };
        if form == Form::Quote {
            return facts;
        }
        for operand in self.terms.operands(term) {
            let operand = self.known(*operand);
            facts.size = facts.size.saturating_add(operand.size);
            facts.faults |= operand.faults;
            facts.calls |= operand.calls;
        }
        if matches!(form, Form::Lam | Form::Letrec) {
            let body = self.terms.operands(term).last().map(|it| self.known(*it));
            let is_called = form == Form::Letrec;
            facts.faults = is_called && body.is_some_and(|it| it.faults);
            facts.calls = is_called && body.is_some_and(|it| it.calls);
        } else if form.application_price() > 0 {
            // The bodies of functions that are written out count: they are applied here.
            for body in self.terms.operands(term).iter().filter_map(|it| self.body(*it)) {
                let body = self.known(body);
                facts.faults |= body.faults;
                facts.calls |= body.calls;
            }
        }
        facts.faults |= own.faults;
        facts.calls |= own.calls;
        facts
    }

    /// The body of a function of one parameter or two that is written out.
    pub(super) fn body(&self, function: TermId) -> Option<TermId> {
        (self.form(function) == Form::Lam).then(|| self.terms.operand(function, 0))
    }

    /// What of an evaluation is not that of its operands, of which all is known.
    pub(super) fn own(&self, term: TermId) -> Own {
        let form = self.form(term);
        let kinds = |at: usize| self.known(self.terms.operand(term, at)).kinds;
        let all = |wanted: Kinds| {
            self.terms.operands(term).iter().all(|it| self.known(*it).kinds & !wanted == 0)
        };
        let is = |at: usize, wanted: Kinds| kinds(at) & !wanted == 0;
        let has_value = match form {
            _ if form.is_literal() => true,
            Form::Var => self.bound.contains_key(&self.terms.only_name(term)),
            Form::List | Form::Record | Form::Pair | Form::Lam | Form::Let | Form::Letrec => true,
            Form::Quote | Form::Nil | Form::Truth | Form::Either | Form::Both => true,
            Form::Coalesce | Form::NumberIs | Form::TypeOf => true,
            Form::Typeof => self.terms.operands(term).len() == 1,
            Form::If => is(0, BOOLEAN),
            Form::And | Form::Or | Form::Not => all(BOOLEAN),
            Form::Eq => {
                const PLAIN: Kinds = NULL | BOOLEAN | NUMBER | ODD | STRING;
                (is(0, PLAIN) || is(1, PLAIN)) && all(!(FUNCTION | CONTINUATION))
            }
            Form::Lt | Form::Gt | Form::Lte | Form::Gte => all(NUMBER) || all(STRING),
            Form::Add | Form::Sub | Form::Mul | Form::Neg | Form::Abs => all(INTEGER),
            Form::Plus => all(INTEGER) || all(STRING),
            Form::Concat => all(STRING),
            Form::Length => is(0, LIST | STRING | MAP | SET),
            Form::IsEmpty => is(0, LIST | MAP | SET),
            Form::Cons => is(1, LIST),
            Form::Append => all(LIST),
            Form::Reverse | Form::Enumerate => is(0, LIST),
            Form::Zip => all(LIST),
            Form::Keys | Form::Values | Form::Entries => is(0, RECORD | LIST),
            Form::Merge => all(RECORD),
            _ if is_each(form) => self.each_has_value(term, kinds(1)),
            _ => false,
        };
        let applies = matches!(form, Form::App | Form::Apply | Form::Pipe)
            || form.application_price() > 0
                && self.terms.operands(term).first().is_none_or(|it| self.body(*it).is_none());
        let is_call = matches!(form, Form::Call | Form::Calls | Form::Perform | Form::Trace);
        let is_unknown = matches!(form, Form::Tool | Form::SelfRef) || applies;
        Own { faults: !has_value, calls: self.observed.calls && (is_call || is_unknown) }
    }

    fn each_has_value(&self, term: TermId, list: Kinds) -> bool {
        let form = self.form(term);
        let function = self.terms.operand(term, 0);
        let Some(body) = self.body(function) else { return false };
        let is_boolean = self.known(body).kinds & !BOOLEAN == 0;
        let is_of_one = self.terms.names(function).len() == 1;
        list & !LIST == 0 && is_of_one && (is_boolean || !is_test(form))
    }

    /// The kinds of the value of a term, of whose operands all is known.
    fn given(&self, term: TermId) -> Kinds {
        let form = self.form(term);
        let operands = self.terms.operands(term);
        let kinds = |at: usize| operands.get(at).map_or(Kinds::MAX, |it| self.known(*it).kinds);
        let joined = |from: usize| {
            let rest = operands.get(from..).unwrap_or_default();
            rest.iter().fold(0, |kinds, it| kinds | self.known(*it).kinds)
        };
        match form {
            Form::Unit => NULL,
            Form::Integer | Form::BigInteger => INTEGER,
            Form::FloatNumber if self.terms.float(term).is_finite() => FLOAT,
            Form::FloatNumber => FLOAT | ODD,
            Form::Var => {
                let bound = self.bound.get(&self.terms.only_name(term));
                bound.map_or(Kinds::MAX, |it| self.known(*it).kinds)
            }
            Form::Let | Form::Letrec => operands.last().map_or(0, |it| self.known(*it).kinds),
            Form::If => kinds(1) | kinds(2),
            Form::Either | Form::Both | Form::Coalesce => joined(0),
            Form::Add | Form::Sub | Form::Mul | Form::Neg | Form::Abs | Form::Plus
                if joined(0) & !INTEGER == 0 =>
            {
                INTEGER
            }
            Form::Plus if joined(0) & !STRING == 0 => STRING,
            Form::Put if kinds(0) & !RECORD == 0 => RECORD,
            _ => of_row(form),
        }
    }
}

/// The kinds of the value of a form, whatever its operands are.
fn of_row(form: Form) -> Kinds {
    let given = form.given();
    let given = if given == UNKNOWN { Kinds::MAX } else { given };
    match form.row().map(|row| row.typing) {
        Some(Rule::Signature { gives: Type::Of(kinds), .. }) => kinds,
        Some(Rule::Signature { gives: Type::Numeric, .. }) => NUMBER,
        _ if given & NUMBER != 0 => given | ODD,
        _ => given,
    }
}
