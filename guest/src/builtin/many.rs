//! `add mul concat min max` of a list of operands, and `min max` of one list. All operands are
//! checked before any is used.
//!
//! Fuel: each sum, product and comparison of big integers, as between two operands. `min max` of
//! one list: 1 more per element. `concat`: nothing more.

use crate::algorithm::number::value::Number;
use crate::algorithm::trouble::Trouble;
use crate::builtin::call::Call;
use crate::memory::rope::{join, longest_text};

use crate::memory::heap::Full;
use pif_language::form::Form;

use crate::algorithm::comparison::order;
use crate::algorithm::keys::empty;
use crate::algorithm::number::arithmetic::{combine, is_number, work};
use crate::run::state::Exit;

use crate::memory::word::{TRUE, UNIT, Word};

/// Words of a joined text.
const JOINED: usize = 3;

/// Returns the operands, which must all be of one type.
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

/// Does `add` and `mul` from left to right.
pub(crate) fn arithmetic(c: &mut Call<'_>) -> Result<Word, Exit> {
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

pub(crate) fn concat(c: &mut Call<'_>) -> Result<Word, Exit> {
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

/// Does `min` and `max` of several operands, or of a single list operand.
pub(crate) fn extreme(c: &mut Call<'_>) -> Result<Word, Exit> {
    if c.len() != 1 {
        let numbers = operands(c, "a number", |c, v| is_number(&c.s.heap, v))?;
        return first_extreme(c, &numbers);
    }
    let mut elements = c.list(0)?;
    c.charge(elements.len() as u64)?;
    let none = empty(&elements);
    elements.retain(|element| *element != UNIT);
    if let Some(element) = elements.iter().find(|element| !is_number(&c.s.heap, **element)) {
        return Err(c.s.wrong_element(0, *element, "a list of numbers"));
    }
    if elements.is_empty() { Err(none.into()) } else { first_extreme(c, &elements) }
}

/// Returns the first of the least or the greatest numbers.
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
