//! The function that a loop calls for each element: its arguments, its body, and the end of its round.

use crate::ast::{Body, ExprId, FunctionId, Span};
use crate::lower::context::{Cx, Lowered};
use crate::lower::control::{After, Elements, End, Gathered, Members};
use crate::lower::flow::ALL;
use crate::lower::function::Use;
use crate::lower::resolve::VarId;
use crate::tree::{Id, Words};
use pif_language::form::Form;
use std::rc::Rc;

/// A call that becomes a loop.
pub(super) struct Callbacks<'s> {
    /// The name of the member.
    pub(super) what: &'static str,
    pub(super) function: FunctionId,
    /// The argument that is the function, and whether it is a literal.
    pub(super) callback: ExprId,
    pub(super) is_literal: bool,
    /// The list, and whether it holds the pairs of a map.
    pub(super) list: Id,
    pub(super) is_map: bool,
    /// The list as an argument of the function, if that takes it.
    pub(super) all: Option<Id>,
    /// The result before the first element, and its levels that nobody else sees.
    pub(super) start: Option<(Id, u8)>,
    /// The name of the function of a round, and of its parameters.
    pub(super) name: Words<'s>,
    pub(super) rest: Words<'s>,
    pub(super) item: Words<'s>,
    pub(super) index: Option<Words<'s>>,
    pub(super) given: Option<Words<'s>>,
    /// The variables that a round changes.
    pub(super) vars: Rc<[VarId]>,
    pub(super) lists: Gathered,
    pub(super) elements: Option<Elements>,
    pub(super) members: Option<Members>,
    pub(super) span: Span,
}

impl<'s> Cx<'_, 's> {
    /// Binds the element, and makes the arguments of the function with the levels of each that
    /// nobody else sees.
    pub(super) fn callback_values(&self, it: &Callbacks<'s>) -> Vec<(Id, u8)> {
        let span = it.span;
        let head = {
            let mut b = self.b();
            let list = b.variable(&it.rest, span);
            b.form(Form::Head, &[list], span)
        };
        self.step(vec![(it.item.clone(), head)], false, span);
        let mut values = Vec::new();
        if matches!(it.what, "reduce" | "reduceRight") {
            let own = it.start.map_or(0, |(_, own)| own);
            values.extend(it.given.iter().map(|name| (self.b().variable(name, span), own)));
        }
        let element = self.b().variable(&it.item, span);
        if it.is_map {
            let mut b = self.b();
            for at in ["1", "0"] {
                let at = b.number(at, span);
                values.push((b.form(Form::Nth, &[element, at], span), 0));
            }
        } else {
            values.push((element, it.elements.map_or(0, |elements| elements.own)));
            values.extend(it.index.iter().map(|name| (self.b().variable(name, span), ALL)));
            values.extend(it.all.map(|all| (all, 0)));
        }
        values
    }

    /// Lowers the body of the function as the body of the loop.
    pub(super) async fn callback_body(&self, it: &Callbacks<'s>, values: &[(Id, u8)]) -> Lowered {
        let span = it.span;
        if !it.is_literal {
            let callee = match self.var_of(it.callback) {
                Some(var) => self.variable(var, span),
                None => self.lambda(it.function, Use::default()).await?,
            };
            let parts: Vec<(Id, bool)> = values.iter().map(|(id, _)| (*id, false)).collect();
            let value = self.call_function(callee, it.function, &parts, span);
            return self.give(value, span).await;
        }
        let shape = self.ast.function(it.function);
        let mut bindings = Vec::new();
        let parameters = if let Some(members) = &it.members {
            let key = self.b().variable(&it.item, span);
            self.bind_member(members, key, span);
            &[]
        } else {
            shape.parameters.as_slice()
        };
        for (at, element) in parameters.iter().enumerate() {
            let (value, own) =
                values.get(at).copied().unwrap_or_else(|| (self.b().null(span), ALL));
            let value = match element.default {
                Some(default) => {
                    let default = self.expr(default).await?;
                    self.b().form(Form::Coalesce, &[value, default], span)
                }
                None => value,
            };
            match self.target(element.pattern) {
                Some(var) => {
                    let name = self.hidden_name(var);
                    self.names.borrow_mut().insert(var, name.clone());
                    self.set_own(var, own);
                    bindings.push((name, value));
                }
                None => self.bind_pattern(element.pattern, value, own, &mut bindings).await?,
            }
        }
        self.step(bindings, false, span);
        match &shape.body {
            Body::Expression(body) => {
                let value = self.callback_value(*body).await?;
                self.give(value, self.span(*body)).await
            }
            Body::Block(list) => self.statements(list.clone().into(), 0, After::Null).await,
        }
    }

    /// Lowers the body of a function that is an expression.
    async fn callback_value(&self, body: ExprId) -> Lowered {
        if self.around.ends.as_ref().is_some_and(|end| end.what == "forEach") {
            self.stack.call(self.clone().effect_level(body)).await?;
            return Ok(self.b().null(self.span(body)));
        }
        self.kept(body).await
    }

    /// Names a parameter of a callback. The body becomes a part of the function around it, so a
    /// name that would hide another variable there is replaced by a made one.
    fn hidden_name(&self, var: VarId) -> Words<'s> {
        let info = self.known.var(var);
        let hides = self
            .known
            .same_name(var)
            .iter()
            .any(|other| *other != var && self.known.var(*other).at < info.at);
        if hides { self.b().make_name() } else { info.name.into() }
    }

    /// Ends a round of a callback loop: uses the value of the function, and goes on with the next
    /// round or leaves the loop.
    pub(super) async fn end_round(&self, end: &Rc<End<'s>>, value: Id, span: Span) -> Lowered {
        let value = if self.is_constant(value) { value } else { self.fixed(value, span) };
        let round = &end.round;
        let given = round.given.as_ref().map(|name| self.b().variable(name, span));
        let item = self.b().variable(&end.item, span);
        let leaves = match end.what {
            "some" => Some((self.truth(value), self.b().boolean(true, span))),
            "every" => {
                let truth = self.truth(value);
                let mut b = self.b();
                Some((b.form(Form::Not, &[truth], span), b.boolean(false, span)))
            }
            "find" | "findLast" => Some((self.truth(value), item)),
            "findIndex" => {
                let index = round.index.clone().unwrap_or_default();
                Some((self.truth(value), self.b().variable(&index, span)))
            }
            _ => None,
        };
        if let Some((test, found)) = leaves {
            let found = self.tuple(Some(found), &end.vars, span);
            self.open();
            let next = self.next_with(round, None).await?;
            let next = self.close(next, span);
            return Ok(self.b().form(Form::If, &[test, found, next], span));
        }
        if let Some(elements) = end.elements {
            self.keep_element(elements, span);
        }
        let given = match (end.what, given) {
            ("map" | "from", Some(given)) => Some(self.b().form(Form::Cons, &[value, given], span)),
            ("filter", Some(given)) => {
                let truth = self.truth(value);
                let mut b = self.b();
                let more = b.form(Form::Cons, &[item, given], span);
                Some(b.form(Form::If, &[truth, more, given], span))
            }
            ("flatMap", Some(given)) => {
                let mut b = self.b();
                let one = b.list(&[value], span);
                let flat = b.form(Form::Flatten, &[one], span);
                let reversed = b.form(Form::Reverse, &[flat], span);
                Some(b.form(Form::Append, &[reversed, given], span))
            }
            ("reduce" | "reduceRight", _) => Some(value),
            (_, given) => given,
        };
        self.next_with(round, given).await
    }
}
