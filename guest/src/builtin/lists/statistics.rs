//! Forms that combine a list of numbers. They skip nulls.

use crate::algorithm::number::value::Number;
use crate::algorithm::trouble::Trouble;
use crate::builtin::call::Call;
use pif_language::kinds::{self, Wanted};

use crate::run::state::Exit;

use crate::algorithm::keys::empty;
use crate::algorithm::number::arithmetic::is_number;
use crate::algorithm::number::statistics::{Rank, Sum, multiply};
use crate::algorithm::sorting::{compare_numbers, sorted, sorting_work, weight};

use crate::memory::word::{CONS, UNIT, Word, as_small, is_integer, small, tag};
use std::cmp::Ordering;

pub(crate) fn sum(c: &mut Call<'_>) -> Result<Word, Exit> {
    let total = sum_of(c)?.0.total()?;
    make_number(c, &total)
}

pub(crate) fn mean(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (sum, n) = sum_of(c)?;
    if n == 0 {
        return Err(empty(&c.list(0)?).into());
    }
    let mean = sum.mean(n)?;
    make_number(c, &Number::Float(mean))
}

pub(crate) fn median(c: &mut Call<'_>) -> Result<Word, Exit> {
    quantile(c, &Number::Small(50))
}

pub(crate) fn percentile(c: &mut Call<'_>) -> Result<Word, Exit> {
    c.must_be_list(0)?;
    let p = percentage(c)?;
    quantile(c, &p)
}

/// Returns the numbers of the first operand and their weight, after charging for them.
fn numbers(c: &mut Call<'_>) -> Result<(Vec<Word>, u64), Exit> {
    let mut numbers = c.list(0)?;
    c.charge(numbers.len() as u64)?;
    let mut total = 0;
    numbers.retain(|v| *v != UNIT);
    for v in numbers.iter().filter(|v| !is_integer(**v)) {
        if !is_number(&c.s.heap, *v) {
            return Err(no_number(c, *v));
        }
        let weight = weight(&c.s.heap, *v);
        c.charge(weight)?;
        total += weight;
    }
    match numbers.iter().find(|v| c.s.heap.as_infinity(**v).is_some()) {
        Some(_) => Err(Trouble::NotFinite.into()),
        None => Ok((numbers, total)),
    }
}

fn no_number(c: &Call<'_>, v: Word) -> Exit {
    c.s.wrong_element(0, v, Wanted::ListOf(kinds::NUMBER))
}

/// Returns the sum and the count of the first operand's numbers. It charges as `numbers` does.
fn sum_of(c: &mut Call<'_>) -> Result<(Sum, u64), Exit> {
    c.must_be_list(0)?;
    let budget = c.budget();
    let (mut sum, mut n, mut nulls, mut weights) = (Sum::default(), 0, 0, 0);
    let (mut rest, mut wrong) = (c.operand(0), None);
    while tag(rest) == CONS {
        let [first, next] = c.s.heap.next(rest);
        (rest, n) = (next, n + 1);
        if is_integer(first) {
            sum.add_small(as_small(first));
        } else if first == UNIT {
            nulls += 1;
        } else if let Some(([limb], is_negative)) = c.s.heap.limbs(first)
            && wrong.is_none()
        {
            sum.add_limb(*limb, is_negative);
        } else if let Some(float) = c.s.heap.as_float(first)
            && wrong.is_none()
        {
            sum.add_float(float);
        } else if wrong.is_none() && is_number(&c.s.heap, first) {
            weights += weight(&c.s.heap, first);
            // It stops adding numbers that the fuel cannot pay for.
            if n + weights <= budget {
                sum.add(number(c, first));
            }
        } else {
            wrong = wrong.or(Some(first));
        }
    }
    c.charge(n)?;
    c.charge(weights)?;
    match wrong {
        Some(v) => Err(no_number(c, v)),
        None => Ok((sum, n - nulls)),
    }
}

fn number(c: &Call<'_>, v: Word) -> Number {
    Number::of(&c.s.heap, v).unwrap_or(Number::Small(0))
}

fn make_number(c: &mut Call<'_>, n: &Number) -> Result<Word, Exit> {
    if let Number::Float(n) = n {
        c.room(2)?;
        return Ok(c.s.heap.float(*n));
    }
    let n = n.big();
    c.room(crate::memory::heap::Heap::integer_words(&n))?;
    Ok(c.s.heap.integer(&n))
}

pub(crate) fn product(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (numbers, _) = numbers(c)?;
    let mut product = Number::Small(1);
    for v in numbers {
        let factor = number(c, v);
        let (a, b) = (product.limbs(), factor.limbs());
        if a.max(b) > 1 {
            c.charge(a * b)?;
        }
        product = multiply(product, factor)?;
    }
    make_number(c, &product)
}

/// Returns the second operand of `percentile`.
fn percentage(c: &Call<'_>) -> Result<Number, Exit> {
    let p = c.operand(1);
    if !is_number(&c.s.heap, p) {
        return Err(c.refuse(1));
    }
    let least = compare_numbers(&c.s.heap, p, small(0));
    let most = compare_numbers(&c.s.heap, p, small(100));
    if least == Ordering::Less || most == Ordering::Greater {
        let what = format!("`percentile` takes a percentage from 0 to 100, not {}", c.shown(1));
        return Err(Trouble::OutOfRange(what).into());
    }
    Ok(number(c, p))
}

fn quantile(c: &mut Call<'_>, p: &Number) -> Result<Word, Exit> {
    let (numbers, weight) = numbers(c)?;
    if numbers.is_empty() {
        return Err(empty(&c.list(0)?).into());
    }
    c.charge(sorting_work(numbers.len(), weight))?;
    let order = sorted(&c.s.heap, &numbers, false)?;
    let rank = Rank::new(numbers.len(), p);
    let at = |i: usize| {
        let place = order.get(i).or(order.last()).copied().unwrap_or_default();
        number(c, numbers.get(place as usize).copied().unwrap_or_default())
    };
    let (a, b) = (at(rank.index), at(rank.index + 1));
    let value = rank.value(&a, &b)?;
    make_number(c, &Number::Float(value))
}
