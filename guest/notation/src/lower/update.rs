//! The operators that change a variable: `++`, `--`, `delete`.

use crate::ast::{ExprId, PatternId, Target};
use crate::lower::context::{Cx, Lowered};
use crate::lower::flow::ALL;
use crate::lower::place::Place;
use crate::lower::store::Change;
use pif_language::form::Form;

impl Cx<'_, '_> {
    /// Lowers `x++` or `--x` whose value is used.
    pub(super) async fn update(
        &self,
        id: ExprId,
        target: PatternId,
        increases: bool,
        is_prefix: bool,
    ) -> Lowered {
        self.update_any(id, target, increases, is_prefix, true).await
    }

    /// Lowers `x++` or `--x`. `is_wanted` tells whether its value is used.
    pub(super) async fn update_any(
        &self,
        id: ExprId,
        target: PatternId,
        increases: bool,
        is_prefix: bool,
        is_wanted: bool,
    ) -> Lowered {
        let span = self.span(id);
        let place = match &self.ast.pattern(target).what {
            Target::Name(_) => self.target(target).map(|root| Place { root, steps: Vec::new() }),
            Target::Path(path) => self.place_of(*path),
            _ => None,
        };
        let Some(place) = place else {
            let hint = "declare it first: let n = 0";
            return Ok(self.refuse(span.0, "this is no variable that could change", hint));
        };
        let keys = self.place_keys(&place).await?;
        let whole = self.variable(place.root, span);
        let before = self.read(whole, &keys, false, span);
        let keeps_old = is_wanted && !is_prefix;
        let before = if keeps_old { self.fixed(before, span) } else { before };
        let new = {
            let mut b = self.b();
            let one = b.number("1", span);
            let form = if increases { Form::Add } else { Form::Sub };
            b.form(form, &[before, one], span)
        };
        if keys.is_empty() {
            if self.known.var(place.root).is_constant() {
                let name = self.known.var(place.root).name;
                let hint = format!("declare it by let: let {name} = 0");
                return Ok(self.refuse(span.0, &format!("`{name}` is a const"), &hint));
            }
            self.rebind(place.root, new, span);
            return Ok(if keeps_old { before } else { self.variable(place.root, span) });
        }
        let new = if is_wanted && !keeps_old { self.fixed(new, span) } else { new };
        self.store(place.root, &keys, (new, ALL), span, Change::Assignment);
        Ok(if keeps_old { before } else { new })
    }

    /// Lowers `delete r.k`.
    pub(super) async fn delete(&self, id: ExprId, operand: ExprId) -> Lowered {
        let span = self.span(id);
        let place = self.place_of(operand).filter(|place| !place.steps.is_empty());
        let Some(place) = place else {
            let hint = "make a record without the member: const {k, ...rest} = r";
            return Ok(self.refuse(span.0, "`delete` takes a member of a variable", hint));
        };
        let mut keys = self.place_keys(&place).await?;
        let Some(last) = keys.pop() else { return Ok(self.b().null(span)) };
        if !self.may_change(place.root, keys.len() + 1, span.0) {
            self.refuse_change(place.root, Change::Delete, span);
            return Ok(self.b().null(span));
        }
        let whole = self.variable(place.root, span);
        let inner = self.read(whole, &keys, false, span);
        let inner = self.b().form(Form::Remove, &[inner, last.id], span);
        let value = self.written(whole, &keys, inner, span);
        self.changed_in_place(place.root, value, None, span);
        Ok(self.b().boolean(true, span))
    }
}
