//! `add mul plus concat min max` of a list of operands, and `min max` of one list. All operands are
//! checked before any is used.

use crate::algorithm::number::value::Number;
use crate::algorithm::trouble::Trouble;
use crate::builtin::call::Call;
use crate::memory::rope::{join, longest_text};
use pif_language::kinds::{self, Kinds, Wanted};

use crate::data::string::{scalar_text, scalar_work};
use crate::memory::heap::{Full, Heap};
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
    wanted: Kinds,
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
    let words = operands(c, kinds::NUMBER, |c, v| is_number(&c.s.heap, v))?;
    let total = total(c, c.form, &words)?;
    c.make_number(&total)
}

/// Returns the sum or product of numbers, each step of which is paid for.
fn total(c: &mut Call<'_>, form: Form, words: &[Word]) -> Result<Number, Exit> {
    let mut result: Option<Number> = None;
    for word in words {
        let Some(n) = Number::of(&c.s.heap, *word) else { continue };
        result = Some(match result {
            None => n,
            Some(so_far) => {
                let has_float = so_far.is_float() || n.is_float();
                c.charge(work(form, so_far.limbs(), n.limbs(), has_float))?;
                combine(form, &so_far, &n)?
            }
        });
    }
    Ok(result.unwrap_or(Number::Small(0)))
}

pub(crate) fn concat(c: &mut Call<'_>) -> Result<Word, Exit> {
    let texts = operands(c, kinds::STRING, |c, v| c.s.heap.is_text(v))?;
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
        let numbers = operands(c, kinds::NUMBER, |c, v| is_number(&c.s.heap, v))?;
        return first_extreme(c, &numbers);
    }
    let mut elements = c.list(0)?;
    c.charge(elements.len() as u64)?;
    let none = empty(&elements);
    elements.retain(|element| *element != UNIT);
    if let Some(element) = elements.iter().find(|element| !is_number(&c.s.heap, **element)) {
        return Err(c.s.wrong_element(0, *element, Wanted::ListOf(kinds::NUMBER)));
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

/// Does `plus` from left to right: adds numbers up to the first text, and joins from there on.
pub(crate) fn plus(c: &mut Call<'_>) -> Result<Word, Exit> {
    let words = c.elements(c.operand(0));
    let first = words.iter().position(|v| c.s.heap.is_text(*v));
    let (added, joined) = words.split_at(first.unwrap_or(words.len()));
    if let [only] = added {
        must_be_scalar(c, 0, *only)?;
    } else if let Some(at) = added.iter().position(|v| !is_number(&c.s.heap, *v)) {
        let odd = added.get(at).copied().unwrap_or_default();
        return Err(c.s.wrong_type(at, odd, Wanted::NumberBeforeStrings));
    }
    for (at, v) in (added.len()..).zip(joined) {
        must_be_scalar(c, at, *v)?;
    }
    let mut sum = [only_or_zero(added)];
    if added.len() > 1 {
        let total = total(c, Form::Add, added)?;
        sum = [c.make_number(&total)?];
    }
    if joined.is_empty() {
        return Ok(sum[0]);
    }
    let parts = |c: &Call<'_>, sum: Word| {
        let joined = c.elements(c.operand(0)).into_iter().skip(first.unwrap_or(0));
        let sum = Some(sum).filter(|_| first != Some(0));
        sum.into_iter().chain(joined).collect::<Vec<_>>()
    };
    let (mut work, mut room) = (0, 0);
    for v in parts(c, sum[0]).into_iter().filter(|v| !c.s.heap.is_text(*v)) {
        work += scalar_work(&c.s.heap, v).unwrap_or_default();
    }
    c.charge(work)?;
    for v in parts(c, sum[0]) {
        let text = if c.s.heap.is_text(v) { String::new() } else { scalar_text(&c.s.heap, v) };
        room += JOINED + Heap::text_words(text.len());
    }
    c.room_keeping(room, &mut sum)?;
    let mut whole: Option<Word> = None;
    for v in parts(c, sum[0]) {
        let text = if c.s.heap.is_text(v) {
            v
        } else {
            let text = scalar_text(&c.s.heap, v);
            c.s.heap.text(&text)?
        };
        whole = Some(match whole {
            None => text,
            Some(before) => {
                let size = |v| c.s.heap.text_size(v).map_or(0, |(bytes, _)| bytes);
                if size(before) + size(text) > longest_text(&c.s.heap) {
                    return Err(
                        Trouble::Full("the text would not fit into the memory limit").into()
                    );
                }
                join(&mut c.s.heap, before, text).ok_or(Full)?
            }
        });
    }
    Ok(whole.unwrap_or_default())
}

fn only_or_zero(words: &[Word]) -> Word {
    words.first().copied().unwrap_or_default()
}

/// Faults unless an operand can stand beside a text.
fn must_be_scalar(c: &Call<'_>, at: usize, v: Word) -> Result<(), Exit> {
    if c.s.heap.is_text(v) || scalar_work(&c.s.heap, v).is_some() {
        return Ok(());
    }
    Err(c.s.wrong_type(at, v, kinds::SCALAR))
}
