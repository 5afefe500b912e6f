//! A form that is called, with its operands in the places where the form has them.

use crate::lexer::Wrong;
use crate::parse::Parser;
use crate::table::arguments;
use crate::tree::{Id, Words};
use pif_language::form::{Form, Shape};

impl<'s> Parser<'s> {
    /// A form of these operands, as it is called by its name.
    pub(super) fn form_call(
        &mut self,
        form: Form,
        operands: Vec<Id>,
        span: (u32, u32),
    ) -> Result<Id, Wrong> {
        let count = operands.len();
        let Some(row) = form.row() else { return self.operands_of(span.0, form, count) };
        let given = u32::try_from(count).unwrap_or(u32::MAX);
        let fits = match row.shape {
            Shape::Operands(n) => given == n || form == Form::Range && given == 1,
            Shape::AtLeast(n) => given >= n,
            Shape::Between(a, b) | Shape::BareOr(a, b) => {
                (a..=b).contains(&given) || form == Form::Range && given == 1
            }
            Shape::OperandOr(most) => (1..=most).contains(&given),
            Shape::Extremes => given >= 1,
            Shape::Members(keys) | Shape::Named(keys) => count == keys.len(),
            Shape::Try => given == 2 || given == 3,
            Shape::Ignored => given == 0 || form == Form::SelfRef,
            Shape::Application => given >= 2,
            Shape::Branches => true,
            _ => given == 1,
        };
        if !fits {
            return self.operands_of(span.0, form, count);
        }
        match row.shape {
            Shape::Name => self.variable_call(form, &operands, span),
            Shape::Ignored if count > 0 => {
                let function = self.tree.form(form, &[], span);
                let parts: Vec<(Id, bool)> = operands.into_iter().map(|id| (id, false)).collect();
                self.apply(function, &parts, span)
            }
            Shape::Literal => self.literal_call(form, &operands, span),
            Shape::Branches => self.branches(operands, span),
            Shape::Try => self.attempt(&operands, span),
            Shape::Fields => match operands.first() {
                Some(record) if self.tree.form_of(*record) == Form::Record => Ok(*record),
                _ => self.operands_of(span.0, form, count),
            },
            Shape::Lambda | Shape::Bindings => self.operands_of(span.0, form, count),
            _ if form == Form::Range && count == 1 => {
                let zero = self.tree.number("0", span);
                let to = operands.first().copied().unwrap_or_default();
                Ok(self.tree.form(form, &[zero, to], span))
            }
            _ if arguments(form).is_some() => self.elementwise(form, operands, span),
            _ => Ok(self.tree.form(form, &operands, span)),
        }
    }

    fn variable_call(
        &mut self,
        form: Form,
        operands: &[Id],
        span: (u32, u32),
    ) -> Result<Id, Wrong> {
        let name = operands.first().and_then(|id| self.tree.literal(*id)).map(str::to_owned);
        match name {
            Some(name) => Ok(self.tree.variable(name.into(), span)),
            None => self.operands_of(span.0, form, operands.len()),
        }
    }

    /// `float` and `int` of a literal.
    fn literal_call(&mut self, form: Form, operands: &[Id], span: (u32, u32)) -> Result<Id, Wrong> {
        let operand = operands.first().copied().unwrap_or_default();
        let text = self.tree.digits(operand).or(self.tree.literal(operand)).map(str::to_owned);
        let is_float = form == Form::Float;
        let is_number = text.as_ref().is_some_and(|text| pif_core::json::number::is_json(text));
        let is_whole = text.as_ref().is_some_and(|text| !pif_core::json::number::is_float(text));
        let Some(text) = text.filter(|_| is_number && (is_float || is_whole)) else {
            let hint = if is_float {
                "write to_float(n) of a number, parse_float(s) of a text"
            } else {
                "write to_int(n) of a number, parse_int(s) of a text"
            };
            return self.malformed(span.0, &format!("`{}` takes a literal", form.name()), hint);
        };
        let text = match text.find(['e', 'E']) {
            _ if !is_float || !is_whole => text,
            Some(at) => {
                let (digits, exponent) = text.split_at(at);
                format!("{digits}.0{exponent}")
            }
            None => text + ".0",
        };
        Ok(self.tree.number(text, span))
    }

    fn branches(&mut self, operands: Vec<Id>, span: (u32, u32)) -> Result<Id, Wrong> {
        let mut all = Vec::with_capacity(2 * operands.len());
        for branch in operands {
            let is_pair = self.tree.form_of(branch) == Form::List;
            if let (true, [test, value]) = (is_pair, self.tree.operands(branch)) {
                all.extend([*test, *value]);
            } else {
                let start = self.tree.span(branch).0;
                let hint = "write cond([x < 1, \"a\"], [true, \"b\"])";
                return self.malformed(start, "a branch of `cond` is a list of two", hint);
            }
        }
        Ok(self.tree.form(Form::Cond, &all, span))
    }

    fn attempt(&mut self, operands: &[Id], span: (u32, u32)) -> Result<Id, Wrong> {
        let [tried, handler, ref codes @ ..] = *operands else {
            return self.operands_of(span.0, Form::Try, operands.len());
        };
        let mut names: Vec<Words<'s>> = Vec::new();
        if let Some(list) = codes.first() {
            let codes: Vec<Option<String>> = self
                .tree
                .operands(*list)
                .iter()
                .map(|it| self.tree.literal(*it).map(str::to_owned))
                .collect();
            let is_list = self.tree.form_of(*list) == Form::List && !codes.is_empty();
            let texts: Option<Vec<String>> = codes.into_iter().collect();
            if let Some(texts) = texts.filter(|_| is_list) {
                names.extend(texts.into_iter().map(Words::from));
            } else {
                let hint = "write try(t, e => e.message, [\"divide-by-zero\"])";
                return self.malformed(
                    self.tree.span(*list).0,
                    "the codes of `try` are a list of texts",
                    hint,
                );
            }
        }
        Ok(self.tree.named(Form::Try, &[tried, handler], names.into(), span))
    }
}
