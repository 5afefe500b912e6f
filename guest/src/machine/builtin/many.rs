//! `add mul concat min max` of any number of operands, which lie in a list, and `min max` of one
//! list. All operands are looked at before any is used.
//!
//! Fuel: each sum, product and comparison of integers with several limbs as between two operands;
//! `min max` of one list 1 per element besides. `concat` nothing more.

use super::Call;
use crate::form::Form;
use crate::heap::Full;
use crate::machine::operate::{join, longest_text};
use crate::machine::state::Exit;
use crate::primitive::arithmetic::{Number, combine, is_number, work};
use crate::primitive::comparison::order;
use crate::primitive::keys::empty;
use crate::primitive::{Trouble, type_name};
use crate::value::{TRUE, UNIT, Word};

/// Words of a joined text.
const JOINED: usize = 3;

/// The operands, all of which must be of a type.
fn operands(
    c: &Call<'_>,
    wanted: &'static str,
    fits: impl Fn(&Call<'_>, Word) -> bool,
) -> Result<Vec<Word>, Exit> {
    let words = c.elements(c.operand(0));
    match words.iter().enumerate().find(|(_, word)| !fits(c, **word)) {
        None => Ok(words),
        Some((operand, word)) => Err(c.s.wrong_type(operand, *word, wanted)),
    }
}

/// The operands are used from left to right.
pub(super) fn arithmetic(c: &mut Call<'_>) -> Result<Word, Exit> {
    // Nothing moves until the result is made.
    let words = operands(c, "a number", |c, v| is_number(&c.s.heap, v))?;
    let mut result: Option<Number> = None;
    for word in words {
        let Some(n) = Number::of(&c.s.heap, word) else { continue };
        result = Some(match result {
            None => n,
            Some(so_far) => {
                let has_float = so_far.is_float() || n.is_float();
                c.charge(work(c.form, so_far.limbs(), n.limbs(), has_float))?;
                combine(c.form, &so_far, &n)?
            }
        });
    }
    c.make_number(&result.unwrap_or(Number::Small(0)))
}

pub(super) fn concat(c: &mut Call<'_>) -> Result<Word, Exit> {
    let texts = operands(c, "a string", |c, v| c.s.heap.is_text(v))?;
    c.charge(texts.len() as u64)?;
    let sizes = texts.iter().filter_map(|text| c.s.heap.text_size(*text));
    if sizes.map(|(bytes, _)| bytes).sum::<u64>() > longest_text(&c.s.heap) {
        return Err(Trouble::Full("the text would not fit into the memory limit").into());
    }
    c.room(JOINED * texts.len())?;
    let mut texts = c.elements(c.operand(0)).into_iter();
    let first = texts.next().unwrap_or_default();
    let joined = texts.try_fold(first, |text, next| join(&mut c.s.heap, text, next));
    Ok(joined.ok_or(Full)?)
}

/// `min` and `max`: of several operands, or of the list that the only one is.
pub(super) fn extreme(c: &mut Call<'_>) -> Result<Word, Exit> {
    if c.len() != 1 {
        let numbers = operands(c, "a number", |c, v| is_number(&c.s.heap, v))?;
        return first_extreme(c, &numbers);
    }
    let mut elements = c.list(0)?;
    c.charge(elements.len() as u64)?;
    let none = empty(&elements);
    elements.retain(|element| *element != UNIT);
    if let Some(element) = elements.iter().find(|element| !is_number(&c.s.heap, **element)) {
        let found = type_name(&c.s.heap, *element);
        return Err(Trouble::Element { operand: 0, wanted: "a list of numbers", found }.into());
    }
    if elements.is_empty() { Err(none.into()) } else { first_extreme(c, &elements) }
}

/// The first of the least or the greatest numbers.
fn first_extreme(c: &mut Call<'_>, numbers: &[Word]) -> Result<Word, Exit> {
    let Some((first, others)) = numbers.split_first() else {
        return Err(Trouble::EmptyList.into());
    };
    let better = if c.form == Form::Min { Form::Lt } else { Form::Gt };
    let mut best = *first;
    for number in others {
        let compared = order(&c.s.heap, better, *number, best);
        c.charge(compared.work)?;
        if compared.result? == TRUE {
            best = *number;
        }
    }
    Ok(best)
}
