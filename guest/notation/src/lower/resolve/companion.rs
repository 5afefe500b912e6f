//! Variables whose value a program pushes onto a list and changes afterwards, as in
//! `let e = xs.find(f); if (!e) { e = {n: 0}; xs.push(e); } e.n++;`. Each gets a companion: a
//! variable that holds the index of the value in that list, and −1 as long as it is in none.

use crate::ast::{Ast, Kind, What};
use crate::lower::resolve::resolved::{Companion, Event, Origin, Resolved, Var, VarId};
use pif_core::limits::to_u32;
use std::collections::BTreeMap;

/// A list: a variable, and the members that lead to the list from there.
type Place<'s> = (VarId, Vec<&'s str>);

/// A call of `push` with a variable: the list, and the byte of the call.
type Push<'s> = (Place<'s>, u32);

/// Makes companions. They change where their variables are assigned to or pushed.
pub(super) fn add_companions<'s>(ast: &Ast<'s>, known: &mut Resolved<'s>) {
    for (var, pushes) in pushes(ast, known) {
        let Some((place, _)) = pushes.first().cloned() else { continue };
        let (list, path) = place.clone();
        let is_local = |var: VarId| matches!(known.var(var).origin, Origin::Declared(_));
        let is_one = pushes.iter().all(|(other, _)| *other == place);
        if !is_one || !is_local(var) || !is_local(list) || !changes_after(known, var, &pushes) {
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
        let below = path.len() + 1;
        known.companions.insert(var, Companion { list, path, index });
        let own: Vec<Event> =
            known.events.iter().filter(|it| it.var == var && !it.is_call).copied().collect();
        for event in own {
            // A change of the value is one of the list, too.
            let event = match event.depth {
                0 => Event { var: index, ..event },
                depth => Event { var: list, depth: depth + below, ..event },
            };
            known.events.push(event);
        }
        let pushed = |event: &&Event| {
            event.var == list
                && pushes.iter().any(|(_, at)| *at == event.at && event.depth == below)
        };
        let pushed: Vec<Event> = known.events.iter().filter(pushed).copied().collect();
        known.events.extend(pushed.iter().map(|it| Event { var: index, depth: 0, ..*it }));
    }
    known.events.sort_by_key(|event| event.at);
}

/// Tells whether a variable's value may change in place after it has been pushed: further down, or
/// in the next round of a loop around both that goes on with the value.
fn changes_after(known: &Resolved<'_>, var: VarId, pushes: &[Push<'_>]) -> bool {
    let declared = known.var(var).at;
    let changes = known.events.iter().filter(|it| it.var == var && !it.is_call && it.depth > 0);
    changes.map(|it| it.at).any(|change| {
        pushes.iter().any(|(_, push)| {
            let goes_on = |(start, end): &(u32, u32)| {
                let is_inside = |at: u32| *start <= at && at < *end;
                is_inside(change) && is_inside(*push) && !is_inside(declared)
            };
            change > *push || known.loops.iter().any(goes_on)
        })
    })
}

/// The variables that are pushed, and where.
fn pushes<'s>(ast: &Ast<'s>, known: &Resolved<'s>) -> BTreeMap<VarId, Vec<Push<'s>>> {
    let mut found: BTreeMap<VarId, Vec<Push<'s>>> = BTreeMap::new();
    let var_of = |id: u32| known.names.get(id as usize).copied().flatten();
    let place_of = |mut id: u32| {
        let mut path = Vec::new();
        while let What::Member { object, name, is_optional: false, .. } = ast.expr(id).what {
            path.push(name);
            id = object;
        }
        path.reverse();
        Some((var_of(id)?, path))
    };
    for expr in &ast.exprs {
        if let What::Call { callee, arguments, is_optional: false } = &expr.what
            && let What::Member { object, name: "push", is_optional: false, .. } =
                &ast.expr(*callee).what
            && let [only] = arguments.as_slice()
            && let (Some(place), Some(var)) = (place_of(*object), var_of(only.value))
            && !only.is_spread
            && place.0 != var
        {
            found.entry(var).or_default().push((place, ast.expr(*callee).span.0));
        }
    }
    found
}
