//! Lists over a range of indices, as `Array(n)` and `Array.from({length: n})` make them.

use super::work::{Once, Work};
use crate::tree::{Id, What, Words};
use pif_language::form::Form;

/// The range and the value of a list of one value, as `Array(n)` and `fill` make it.
pub(super) fn constant(w: &Work<'_, '_>, list: Id) -> Option<(Id, Id)> {
    let tree = &w.b.tree;
    let [function, range] = *tree.operands(list) else { return None };
    let (_, value) = w.literal(function)?;
    let from = tree.operands(range).first().copied()?;
    let is_constant = tree.form_of(list) == Form::Map
        && tree.form_of(range) == Form::Range
        && w.whole(from) == Some(0)
        && matches!(tree.node(value).what, What::Null | What::Number(_) | What::Boolean(_));
    is_constant.then_some((range, value))
}

/// A function of one value and an index, for all indices of a range.
pub(super) fn from_indices(
    w: &mut Work<'_, '_>,
    (range, value): (Id, Id),
    (f, takes): (Id, Option<usize>),
) -> Id {
    let Some((names, body)) = w.literal(f) else {
        let mut once = Once::default();
        let f = w.once(&mut once, f);
        let function = w.function(|w, index| {
            let arguments = if takes.unwrap_or(1) < 2 { vec![value] } else { vec![value, index] };
            w.b.apply(f, &arguments, w.span)
        });
        let list = w.form(Form::Map, &[function, range]);
        return w.within(once, list);
    };
    let mut names = names.into_iter();
    let element = names.next().unwrap_or_default();
    let index = names.next().unwrap_or_else(|| w.b.make_name());
    let mut bindings: Vec<(Words<'_>, Id)> = Vec::new();
    for (at, name) in std::iter::once(element).chain(names).enumerate() {
        if !is_unused(w, &name, body) {
            bindings.push((name, if at == 0 { value } else { w.null() }));
        }
    }
    let body = w.b.bind(bindings, body, w.span);
    let function = w.b.function(vec![index], body, w.span);
    w.form(Form::Map, &[function, range])
}

/// Tells whether no variable of a term has this name. Of a large term nothing is known.
fn is_unused(w: &Work<'_, '_>, name: &str, term: Id) -> bool {
    let mut open = vec![term];
    for _ in 0..2000 {
        let Some(id) = open.pop() else { return true };
        let tree = &w.b.tree;
        if tree.form_of(id) == Form::Var && tree.names(id).iter().any(|it| it == name) {
            return false;
        }
        open.extend_from_slice(tree.operands(id));
    }
    false
}
