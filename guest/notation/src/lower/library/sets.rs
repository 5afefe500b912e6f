//! Members of sets that take another set: `union`, `intersection`, `isSubsetOf`.

use super::work::{Made, Once, Row, Work, make};
use crate::tree::Id;
use pif_language::form::Form;

/// The members.
pub(super) const MEMBERS: &[Row] = &[
    make("union", (1, 1), union, "a.union(b)"),
    make("intersection", (1, 1), |w| held_by(w, true), "a.intersection(b)"),
    make("difference", (1, 1), |w| held_by(w, false), "a.difference(b)"),
    make("symmetricDifference", (1, 1), symmetric, "a.symmetricDifference(b)"),
    make("isSubsetOf", (1, 1), |w| Ok(all_in(w, false, true)), "a.isSubsetOf(b)"),
    make("isSupersetOf", (1, 1), |w| Ok(all_in(w, true, true)), "a.isSupersetOf(b)"),
    make("isDisjointFrom", (1, 1), |w| Ok(all_in(w, false, false)), "a.isDisjointFrom(b)"),
];

fn union(w: &mut Work<'_, '_>) -> Made {
    let (a, b) = (w.elements(w.subject()), w.elements(w.argument(0)));
    let both = w.form(Form::Append, &[a, b]);
    Ok(w.form(Form::ToSet, &[both]))
}

/// Tells whether an element is in a set, or is not.
fn test(w: &mut Work<'_, '_>, set: Id, is_in: bool) -> Id {
    w.function(|w, x| {
        let test = w.form(Form::Has, &[set, x]);
        if is_in { test } else { w.form(Form::Not, &[test]) }
    })
}

/// The elements of a set that are in another, or are not.
fn kept(w: &mut Work<'_, '_>, [from, set]: [Id; 2], is_in: bool) -> Id {
    let (test, elements) = (test(w, set, is_in), w.elements(from));
    w.form(Form::Filter, &[test, elements])
}

fn held_by(w: &mut Work<'_, '_>, is_in: bool) -> Made {
    let mut once = Once::default();
    let subject = w.once(&mut once, w.subject());
    let other = w.once(&mut once, w.argument(0));
    let kept = kept(w, [subject, other], is_in);
    let set = w.form(Form::ToSet, &[kept]);
    Ok(w.within(once, set))
}

fn symmetric(w: &mut Work<'_, '_>) -> Made {
    let mut once = Once::default();
    let a = w.once(&mut once, w.subject());
    let b = w.once(&mut once, w.argument(0));
    let first = kept(w, [a, b], false);
    let second = kept(w, [b, a], false);
    let both = w.form(Form::Append, &[first, second]);
    let set = w.form(Form::ToSet, &[both]);
    Ok(w.within(once, set))
}

/// Tells whether all elements of one set are in the other, or none is.
fn all_in(w: &mut Work<'_, '_>, of_other: bool, is_in: bool) -> Id {
    let mut once = Once::default();
    let a = w.once(&mut once, w.subject());
    let b = w.once(&mut once, w.argument(0));
    let (from, set) = if of_other { (b, a) } else { (a, b) };
    let (test, elements) = (test(w, set, is_in), w.elements(from));
    let all = w.form(Form::All, &[test, elements]);
    w.within(once, all)
}
