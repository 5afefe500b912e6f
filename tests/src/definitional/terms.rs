//! Terms made while a program runs: quotes with holes, and terms as data and back.

use super::canonical;
use super::json::{self, array, object};
use super::mapping;
use super::reading::digits_work;
use super::text::units;
use super::value::{Context, Environment, Value};
use super::{Evaluated, Evaluator};
use num_bigint::BigInt;
use pif::fault::Code;
use pif::form::Form;
use pif::number::{Integer, float_text};
use pif::parse::Reading;
use pif::term::{Origin, TermId};

/// The weight of a node.
const NODE: u64 = 8;

fn digits(n: &BigInt) -> u64 {
    digits_work(n.bits().div_ceil(64))
}

/// The names of a node, with a byte after each.
fn names<'n>(names: impl Iterator<Item = &'n str>) -> u64 {
    units(&names.flat_map(|name| [name, ","]).collect::<String>())
}

impl Evaluator {
    /// `quote`: what it holds, with the values of what is unquoted in it.
    pub(super) fn quote(
        &mut self,
        quote: TermId,
        env: &Environment,
        tool: &Context,
        depth: u32,
    ) -> Evaluated {
        let template = self.terms.operand(quote, 0);
        let mut holes = Vec::new();
        self.holes(template, 0, &mut holes);
        if holes.is_empty() {
            return Ok(Value::Quoted(template, None));
        }
        let mut values = Vec::new();
        for hole in holes {
            values.push(self.eval(self.terms.operand(hole, 0), env, tool, depth + 1)?);
        }
        self.form = Form::Quote;
        self.work(self.weight(template, Some(0)))?;
        for value in &values {
            self.pay_for_value(value)?;
        }
        values.reverse();
        Ok(Value::Quoted(self.fill(template, 0, &mut values), None))
    }

    fn inner(&self, term: TermId, level: u32) -> u32 {
        match self.terms.form(term) {
            Form::Quote => level + 1,
            Form::Unquote => level - 1,
            _ => level,
        }
    }

    /// The `unquote`s of a template, `level` quotes inside it.
    fn holes(&self, term: TermId, level: u32, found: &mut Vec<TermId>) {
        if self.terms.form(term) == Form::Unquote && level == 0 {
            return found.push(term);
        }
        for operand in self.terms.operands(term) {
            self.holes(*operand, self.inner(term, level), found);
        }
    }

    fn weight_of_node(&self, term: TermId) -> u64 {
        let terms = &self.terms;
        NODE + match terms.form(term) {
            Form::Text => units(terms.text(term)),
            Form::BigInteger => terms.big_integer(term).map(digits).unwrap_or_default(),
            _ => names(terms.names(term).iter().map(|name| terms.name(*name))),
        }
    }

    /// Whether two terms are the same: pays for the nodes of the first as far as they are.
    pub(super) fn same_terms(&mut self, a: TermId, b: TermId) -> Result<bool, Code> {
        self.work(self.weight_of_node(a))?;
        let terms = &self.terms;
        let (left, right) = (terms.operands(a).to_vec(), terms.operands(b).to_vec());
        let form = terms.form(a);
        let alike = form == terms.form(b) && left.len() == right.len();
        // The text of a node without operands is short, or has been paid for.
        let alike = alike && terms.names(a) == terms.names(b);
        if !alike || left.is_empty() && self.text_of(a) != self.text_of(b) {
            return Ok(false);
        }
        for (a, b) in left.into_iter().zip(right) {
            if !self.same_terms(a, b)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The weight of a term; of a template, that of the nodes that are not in its holes.
    pub(super) fn weight(&self, term: TermId, level: Option<u32>) -> u64 {
        let form = self.terms.form(term);
        if form == Form::Unquote && level == Some(0) {
            return 0;
        }
        let level = level.map(|level| self.inner(term, level));
        let operands = self.terms.operands(term).iter();
        let below: u64 = operands.map(|operand| self.weight(*operand, level)).sum();
        self.weight_of_node(term) + below
    }

    /// Pays for the literal of a value; there is none of functions and continuations.
    fn pay_for_value(&mut self, value: &Value) -> Result<(), Code> {
        match value {
            Value::Match(found) => self.pay_for_value(&Value::List(found.list.clone())),
            Value::Date(_) => self.work(2 * NODE),
            Value::Regex(regex) => self.work(3 * NODE + units(&regex.0) + units(&regex.1)),
            Value::Function(_) | Value::Continuation(_) => Err(Code::TypeMismatch),
            Value::Quoted(term, _) => self.work(self.weight(*term, None)),
            Value::Text(text) => self.work(NODE + units(text)),
            Value::Integer(n) => self.work(NODE + digits(n)),
            Value::Unit | Value::Boolean(_) | Value::Float(_) | Value::NotNumber => self.work(NODE),
            Value::List(items) => {
                self.work(NODE)?;
                items.iter().try_for_each(|item| self.pay_for_value(item))
            }
            Value::Pair(pair) => {
                self.work(NODE)?;
                self.pay_for_value(&pair.0)?;
                self.pay_for_value(&pair.1)
            }
            Value::Map(of) => {
                self.work(NODE * (2 + of.len() as u64))?;
                of.iter().try_for_each(|(_, key, value)| {
                    self.pay_for_value(key)?;
                    self.pay_for_value(value)
                })
            }
            Value::Set(of) => {
                self.work(NODE * 2)?;
                of.iter().try_for_each(|(_, key, _)| self.pay_for_value(key))
            }
            Value::Record(members) => {
                self.work(NODE + names(members.iter().map(|(key, _)| key.as_str())))?;
                members.iter().try_for_each(|(_, value)| self.pay_for_value(value))
            }
        }
    }

    /// The template with the literals of values, the first of which is the last of the list.
    fn fill(&mut self, term: TermId, level: u32, values: &mut Vec<Value>) -> TermId {
        let form = self.terms.form(term);
        if form == Form::Unquote && level == 0 {
            let value = values.pop().unwrap_or(Value::Unit);
            return self.literal(&value);
        }
        if self.terms.operands(term).is_empty() {
            return term;
        }
        let (level, names) = (self.inner(term, level), self.terms.names(term).to_vec());
        let operands = self.terms.operands(term).to_vec();
        let operands: Vec<TermId> =
            operands.into_iter().map(|operand| self.fill(operand, level, values)).collect();
        self.terms.add(form, 0, &operands, &names)
    }

    fn literal(&mut self, value: &Value) -> TermId {
        let terms = &mut self.terms;
        match value {
            Value::Boolean(b) => terms.add_boolean(0, *b),
            Value::Integer(n) => {
                let small = i64::try_from(n).map(Integer::Small);
                terms.add_integer(0, small.unwrap_or_else(|_| Integer::Big(n.clone())))
            }
            Value::Float(n) => terms.add_float(0, *n),
            Value::NotNumber => terms.add_float(0, f64::NAN),
            Value::Text(text) => terms.add_new_text(0, text).unwrap_or_default(),
            Value::Quoted(term, _) => *term,
            Value::List(items) => {
                let items: Vec<TermId> = items.iter().map(|item| self.literal(item)).collect();
                self.terms.add(Form::List, 0, &items, &[])
            }
            Value::Pair(pair) => {
                let halves = [self.literal(&pair.0), self.literal(&pair.1)];
                self.terms.add(Form::Pair, 0, &halves, &[])
            }
            Value::Map(of) | Value::Set(of) => {
                let is_map = matches!(value, Value::Map(_));
                let list = self.literal(&mapping::as_list(of, is_map));
                let form = if is_map { Form::ToMap } else { Form::ToSet };
                self.terms.add(form, 0, &[list], &[])
            }
            Value::Record(members) => {
                let names: Vec<_> = members.iter().map(|(key, _)| terms.intern(key)).collect();
                let values: Vec<_> = members.iter().map(|(_, v)| self.literal(v)).collect();
                self.terms.add(Form::Record, 0, &values, &names)
            }
            Value::Match(found) => self.literal(&Value::List(found.list.clone())),
            Value::Date(ms) => {
                let ms = terms.add_integer(0, Integer::Small(*ms));
                self.terms.add(Form::Moment, 0, &[ms], &[])
            }
            Value::Regex(regex) => {
                let texts = [&regex.0, &regex.1];
                let texts = texts.map(|text| terms.add_new_text(0, text).unwrap_or_default());
                self.terms.add(Form::Regex, 0, &texts, &[])
            }
            Value::Unit | Value::Function(_) | Value::Continuation(_) => terms.add_unit(0),
        }
    }

    pub(super) fn term_to_data(&mut self, term: TermId) -> Evaluated {
        self.work(self.weight(term, None))?;
        json::read(&canonical::data(&self.terms, term))
    }

    pub(super) fn data_to_term(&mut self, data: &Value) -> Evaluated {
        self.pay_for_value(data)?;
        if has_odd(data) {
            return Err(Code::NotFinite);
        }
        let text = self.plain_text(data);
        let term = self.parse(&text, Origin::Code, Reading::Code)?;
        Ok(Value::Quoted(term, None))
    }

    fn plain_text(&self, data: &Value) -> String {
        match data {
            Value::Boolean(b) => b.to_string(),
            Value::Integer(n) => n.to_string(),
            Value::Float(n) => float_text(*n),
            Value::NotNumber => String::new(),
            Value::Text(text) => json::quote(text),
            Value::List(items) => array(items.iter().map(|item| self.plain_text(item))),
            Value::Pair(pair) => {
                let halves = array([self.plain_text(&pair.0), self.plain_text(&pair.1)]);
                object([("pair", halves)])
            }
            Value::Record(members) => {
                object(members.iter().map(|(key, value)| (key, self.plain_text(value))))
            }
            Value::Map(of) | Value::Set(of) => {
                self.plain_text(&mapping::as_list(of, matches!(data, Value::Map(_))))
            }
            Value::Quoted(term, _) => self.text_of(*term),
            Value::Match(found) => self.plain_text(&Value::List(found.list.clone())),
            Value::Date(ms) => object([("moment", array([ms.to_string()]))]),
            Value::Regex(regex) => {
                object([("regex", array([json::quote(&regex.0), json::quote(&regex.1)]))])
            }
            Value::Unit | Value::Function(_) | Value::Continuation(_) => "null".to_owned(),
        }
    }
}

/// Whether a part of a value is infinite or not a number.
fn has_odd(value: &Value) -> bool {
    match value {
        Value::NotNumber => true,
        Value::Float(n) => n.is_infinite(),
        Value::List(items) => items.iter().any(has_odd),
        Value::Pair(pair) => has_odd(&pair.0) || has_odd(&pair.1),
        Value::Record(members) => members.iter().any(|(_, member)| has_odd(member)),
        _ => false,
    }
}
