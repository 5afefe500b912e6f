//! Variables whose value a program pushes onto a list and changes afterwards, as in
//! `let e = xs.find(f); if (!e) { e = {n: 0}; xs.push(e); } e.n++;`. Each gets a companion: a
//! variable that holds the index of the value in that list, and −1 as long as it is in none.

use crate::ast::{Ast, Kind, What};
use crate::lower::resolve::resolved::{Event, Origin, Resolved, Var, VarId};
use pif_core::limits::to_u32;
use std::collections::BTreeMap;

/// The list onto which a variable is pushed, and the variable of its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Companion {
    pub(crate) list: VarId,
    pub(crate) index: VarId,
}

/// A call of `push` with a variable: the list, and the byte of the call.
type Push = (VarId, u32);

/// Makes companions. They change where their variables are assigned to or pushed.
pub(super) fn add_companions(ast: &Ast<'_>, known: &mut Resolved<'_>) {
    for (var, pushes) in pushes(ast, known) {
        let Some((list, _)) = pushes.first().copied() else { continue };
        let is_local = |var: VarId| matches!(known.var(var).origin, Origin::Declared(_));
        let is_one = pushes.iter().all(|(other, _)| *other == list);
        if !is_one || !is_local(var) || !is_local(list) || !known.var(var).is_mutated {
            continue;
        }
        let index = to_u32(known.vars.len());
        let info = known.var(var);
        let companion = Var {
            name: "",
            origin: Origin::Declared(Kind::Let),
            function: None,
            value: None,
            is_changed: true,
            is_mutated: false,
            source: None,
            gap: 0,
            parts: Vec::new(),
            hides: false,
            means: None,
            ..info.clone()
        };
        known.vars.push(companion);
        known.companions.insert(var, Companion { list, index });
        let own: Vec<Event> =
            known.events.iter().filter(|it| it.var == var && !it.is_call).copied().collect();
        for event in own {
            // A change of the value is one of the list, too.
            let event = match event.depth {
                0 => Event { var: index, ..event },
                depth => Event { var: list, depth: depth + 1, ..event },
            };
            known.events.push(event);
        }
        let pushed = |event: &&Event| {
            event.var == list && pushes.iter().any(|(_, at)| *at == event.at && event.depth == 1)
        };
        let pushed: Vec<Event> = known.events.iter().filter(pushed).copied().collect();
        known.events.extend(pushed.iter().map(|it| Event { var: index, depth: 0, ..*it }));
    }
    known.events.sort_by_key(|event| event.at);
}

/// The variables that are pushed, and where.
fn pushes(ast: &Ast<'_>, known: &Resolved<'_>) -> BTreeMap<VarId, Vec<Push>> {
    let mut found: BTreeMap<VarId, Vec<Push>> = BTreeMap::new();
    let var_of = |id: u32| known.names.get(id as usize).copied().flatten();
    for expr in &ast.exprs {
        if let What::Call { callee, arguments, is_optional: false } = &expr.what
            && let What::Member { object, name: "push", is_optional: false, .. } =
                &ast.expr(*callee).what
            && let [only] = arguments.as_slice()
            && let (Some(list), Some(var)) = (var_of(*object), var_of(only.value))
            && !only.is_spread
            && list != var
        {
            found.entry(var).or_default().push((list, ast.expr(*callee).span.0));
        }
    }
    found
}
