//! Bindings, and what a value that was kept as a term must come to: the value itself.

use super::value::{Closure, Context, Environment, Value};
use super::{Code, Evaluator, SUBMITTED};
use pif::form::Form;
use pif::parse::Reading;
use pif::print;
use pif::term::{NameId, Origin, TermId};
use std::collections::BTreeSet;
use std::rc::Rc;

/// What a term names.
#[derive(Default)]
struct Named {
    /// Variables that it evaluates and does not bind.
    free: BTreeSet<NameId>,
    /// Variables in its quotes.
    quoted: BTreeSet<NameId>,
    has_eval: bool,
    has_self: bool,
}

impl Evaluator {
    /// The variables of the submitted code that it names. They cost nothing, but for the tools that
    /// they name.
    pub(super) fn bindings(
        &mut self,
        code: TermId,
        bindings: &[(String, Option<String>)],
    ) -> Result<Environment, Code> {
        let named = self.named(code);
        let is_named = |name: &NameId| {
            named.has_eval || named.free.contains(name) || named.quoted.contains(name)
        };
        let mut terms = Vec::new();
        let texts: std::collections::BTreeMap<_, _> = bindings.iter().cloned().collect();
        for (name, text) in texts {
            let name_id = self.terms.intern(&name);
            if let Some(text) = text.filter(|_| is_named(&name_id)) {
                terms.push((name_id, self.parse(&text, Origin::Binding(name), Reading::Code)?));
            }
        }
        for (_, term) in &terms {
            self.make_tools(*term)?;
        }
        let mut env = Environment::default();
        for (name, term) in terms {
            env = env.with(name, self.bound(term)?);
        }
        Ok(env)
    }

    /// The tools whose values are part of a binding's.
    fn make_tools(&mut self, term: TermId) -> Result<(), Code> {
        let operands = self.terms.operands(term).to_vec();
        match (self.terms.form(term), operands.as_slice()) {
            (Form::Lam | Form::Quote, _) => {}
            (Form::Tool, [name]) => {
                let name = self.terms.text(*name).to_owned();
                self.tool_value(&name, 0)?;
            }
            _ => operands.into_iter().try_for_each(|operand| self.make_tools(operand))?,
        }
        Ok(())
    }

    /// The value of a binding, whatever the limits.
    fn bound(&mut self, term: TermId) -> Result<Value, Code> {
        let (fuel, limits, patterns) = (self.fuel, self.limits, self.patterns.clone());
        (self.fuel, self.limits.depth) = (u64::MAX, u32::MAX);
        let value = match self.ensure_value(term, &mut Vec::new()) {
            // What the machine would have to run is no value: a map of things that are no entries.
            Ok(()) => {
                self.eval(term, &Environment::default(), &None, 0).map_err(|_| Code::Malformed)
            }
            Err(code) => Err(code),
        };
        (self.fuel, self.limits, self.patterns) = (fuel, limits, patterns);
        value
    }

    /// Fails unless a term is one of a value: nothing of it would have to be run.
    fn ensure_value(&self, term: TermId, bound: &mut Vec<NameId>) -> Result<(), Code> {
        let (terms, form) = (&self.terms, self.terms.form(term));
        let (operands, names) = (terms.operands(term), terms.names(term));
        let all = |operands: &[TermId], bound: &mut Vec<NameId>| {
            operands.iter().try_for_each(|operand| self.ensure_value(*operand, bound))
        };
        let is_all = |form| operands.iter().all(|operand| terms.form(*operand) == form);
        match form {
            _ if form.is_literal() => Ok(()),
            Form::Nil | Form::Lam | Form::Tool | Form::CodeOf => Ok(()),
            Form::Quote if terms.evaluated(term).is_empty() => Ok(()),
            Form::Var if bound.contains(&terms.only_name(term)) => Ok(()),
            Form::Let | Form::Letrec => {
                bound.extend(names);
                all(operands, bound)
            }
            Form::List | Form::Record | Form::Pair | Form::ToMap | Form::ToSet => {
                all(operands, bound)
            }
            Form::Moment if is_all(Form::Integer) => Ok(()),
            Form::Regex if is_all(Form::Text) => Ok(()),
            Form::App if self.lacks(term) > 0 => all(operands, bound),
            _ => Err(Code::Malformed),
        }
    }

    /// How many arguments an application leaves missing, as far as its text says.
    fn lacks(&self, term: TermId) -> usize {
        match (self.terms.form(term), self.terms.operands(term)) {
            (Form::App, [function, arguments @ ..]) => {
                self.lacks(*function).saturating_sub(arguments.len())
            }
            (Form::Let | Form::Letrec, [.., body]) => self.lacks(*body),
            (Form::Lam, _) => self.terms.names(term).len(),
            // A variable or a tool: the machine has judged it.
            _ => usize::MAX,
        }
    }

    fn named(&self, term: TermId) -> Named {
        let mut named = Named::default();
        self.add_names(term, 0, &mut Vec::new(), &mut named);
        named
    }

    fn add_names(&self, term: TermId, level: u32, bound: &mut Vec<NameId>, named: &mut Named) {
        let (terms, form) = (&self.terms, self.terms.form(term));
        let operands = terms.operands(term);
        let before = bound.len();
        let inner = match form {
            Form::Quote => level + 1,
            Form::Unquote => level.saturating_sub(1),
            _ => level,
        };
        match form {
            Form::Var if level > 0 => _ = named.quoted.insert(terms.only_name(term)),
            Form::Var if !bound.contains(&terms.only_name(term)) => {
                named.free.insert(terms.only_name(term));
            }
            Form::Lam | Form::Letrec if level == 0 => bound.extend(terms.names(term)),
            Form::Let if level == 0 => {
                for (operand, name) in operands.iter().zip(terms.names(term)) {
                    self.add_names(*operand, inner, bound, named);
                    bound.push(*name);
                }
                let body = operands.last().copied().unwrap_or_default();
                self.add_names(body, inner, bound, named);
                return bound.truncate(before);
            }
            Form::Eval => named.has_eval |= level == 0,
            Form::SelfRef => named.has_self |= level == 0,
            _ => {}
        }
        for operand in operands {
            self.add_names(*operand, inner, bound, named);
        }
        bound.truncate(before);
    }

    /// Compares the value of a run with that of a term that it was kept as.
    pub(super) fn compare_kept(&mut self, value: &Value, text: &str) -> Result<(), String> {
        let origin = Origin::Binding("kept".to_owned());
        let term = self.parse(text, origin, Reading::Code);
        (self.fuel, self.limits.fuel) = (u64::MAX, u64::MAX);
        let made = term.and_then(|term| {
            self.make_tools(term)?;
            self.bound(term)
        });
        let made = made.map_err(|code| format!("{} of {text}", code.name()))?;
        if self.same(value, &made, &mut Vec::new()) {
            return Ok(());
        }
        let shown = self.print(value).map_or_else(|code| code.name().to_owned(), |it| it.json);
        Err(format!("the value is not that of {text}: {shown}"))
    }

    /// Whether two values cannot be told apart. Functions that are being compared are equal unless
    /// a difference is found.
    fn same(&mut self, a: &Value, b: &Value, assumed: &mut Vec<[Identity; 2]>) -> bool {
        // A match is kept as its list.
        if let Value::Match(found) = a {
            return self.same(&Value::List(found.list.clone()), b, assumed);
        }
        match (a, b) {
            (Value::List(a), Value::List(b)) => {
                let (a, b): (Vec<_>, Vec<_>) =
                    (a.iter().cloned().collect(), b.iter().cloned().collect());
                a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| self.same(a, b, assumed))
            }
            (Value::Pair(a), Value::Pair(b)) => {
                // A pair may be shared by others, over and over.
                let pair = [a, b].map(|it| (TermId::MAX, Rc::as_ptr(it).addr(), 0));
                if assumed.contains(&pair) {
                    return true;
                }
                assumed.push(pair);
                self.same(&a.0, &b.0, assumed) && self.same(&a.1, &b.1, assumed)
            }
            (Value::Record(a), Value::Record(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .zip(b.iter())
                        .all(|((key, a), (other, b))| key == other && self.same(a, b, assumed))
            }
            (Value::Map(a), Value::Map(b)) | (Value::Set(a), Value::Set(b)) => {
                a.len() == b.len()
                    && a.iter().zip(b.iter()).all(|((_, key, a), (_, other, b))| {
                        self.same(key, other, assumed) && self.same(a, b, assumed)
                    })
            }
            (Value::NotNumber, Value::NotNumber) => true,
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (Value::Quoted(a, x), Value::Quoted(b, y)) => {
                print::term(&self.terms, *a) == print::term(&self.terms, *b) && bare(x) == bare(y)
            }
            (Value::Function(a), Value::Function(b)) => self.same_function(a, b, assumed),
            _ => match (self.print(a), self.print(b)) {
                (Ok(x), Ok(y)) => x == y && a.kind() == b.kind(),
                _ => false,
            },
        }
    }

    fn same_function(
        &mut self,
        a: &Closure,
        b: &Closure,
        assumed: &mut Vec<[Identity; 2]>,
    ) -> bool {
        let pair = [identity(a), identity(b)];
        if assumed.contains(&pair) {
            return true;
        }
        assumed.push(pair);
        let texts = [a, b].map(|it| self.source_of(it.lambda, &a.tool));
        let named = self.named(a.lambda);
        if texts[0] != texts[1] || a.taken.len() != b.taken.len() {
            return false;
        }
        let names = named.free.into_iter();
        let mut values: Vec<_> = names.map(|name| [a.env.get(name), b.env.get(name)]).collect();
        values.extend(a.taken.iter().zip(&b.taken).map(|(a, b)| [a, b].map(|it| Some(it.clone()))));
        if named.has_self && a.tool.is_some() {
            values.push([a, b].map(|it| self.own(it)));
        }
        values.into_iter().all(|[a, b]| match (a, b) {
            (Some(a), Some(b)) => self.same(&a, &b, assumed),
            (a, b) => a.is_none() && b.is_none(),
        })
    }

    /// What `self` means in a function, or the variable that stands for it in a kept one.
    fn own(&mut self, closure: &Closure) -> Option<Value> {
        match &closure.tool {
            Some(tool) => self.tool_value(&tool.clone(), 0).ok(),
            None => {
                let names = (1..9).map(|number| self.terms.intern(&format!("self{number}")));
                let names: Vec<NameId> = names.collect();
                names.into_iter().find_map(|name| closure.env.get(name))
            }
        }
    }

    /// The text of a lambda of this tool, with one word for the tool and the variable that stands for
    /// it.
    fn source_of(&self, lambda: TermId, tool: &Context) -> String {
        let mut text = print::term(&self.terms, lambda);
        for number in 1..9 {
            text = text.replace(&format!(r#"{{"var":"self{number}"}}"#), r#"{"self":null}"#);
        }
        if let Some(name) = tool.as_deref().filter(|name| *name != SUBMITTED) {
            let name = name.split('@').next().unwrap_or_default();
            text = text.replace(r#"{"code_of":"self"}"#, &format!(r#"{{"code_of":"{name}"}}"#));
        }
        let mut out = String::new();
        // Names of tools without their revisions.
        let mut pieces = text.split('@');
        out.push_str(pieces.next().unwrap_or_default());
        for piece in pieces {
            let hash = piece.get(..64).filter(|it| it.bytes().all(|byte| byte.is_ascii_hexdigit()));
            match hash {
                Some(_) => out.push_str(piece.get(64..).unwrap_or_default()),
                None => out.extend(["@", piece]),
            }
        }
        out
    }
}

/// What tells functions apart that are made alike: the lambda and the place of its variables.
type Identity = (TermId, usize, usize);

fn identity(closure: &Closure) -> Identity {
    (closure.lambda, closure.env.address(), closure.taken.len())
}

/// The name of a tool without its revision.
fn bare(tool: &Context) -> Option<&str> {
    tool.as_ref().map(|name: &Rc<str>| name.split('@').next().unwrap_or_default())
}
