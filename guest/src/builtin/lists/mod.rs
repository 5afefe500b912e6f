//! Forms that make lists of lists, without reading the elements.

mod statistics;

use crate::algorithm::number::value::Number;
use crate::algorithm::trouble::Trouble;
use crate::builtin::call::{Call, Function};
use crate::builtin::keys::{Grouped, grouped, pay_keys};
use crate::builtin::records::maps;
use crate::builtin::strings::text::whole;
use crate::check::doubt;
use pif_language::kinds::Wanted;

use crate::memory::heap::Heap;
use pif_language::form::Form;

use crate::run::state::{Exit, State};

use crate::algorithm::sorting::{sort_integers, sorted, sorting_work};

use crate::memory::word::{
    CONS, NIL, PAIR, Word, as_small, fit, index, is_integer, is_list, small, tag,
};
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{Signed, ToPrimitive, Zero};

/// The functions of its forms.
pub(super) const FUNCTIONS: &[(Form, Function)] = &[
    (Form::Sort, sort),
    (Form::Reverse, reverse),
    (Form::Distinct, distinct),
    (Form::Flatten, flatten),
    (Form::Last, last),
    (Form::Enumerate, enumerate),
    (Form::Append, append),
    (Form::Nth, nth),
    (Form::Take, take),
    (Form::Drop, drop),
    (Form::Range, range),
    (Form::Zip, zip),
    (Form::Chunk, chunk),
    (Form::Sum, statistics::sum),
    (Form::Product, statistics::product),
    (Form::Mean, statistics::mean),
    (Form::Median, statistics::median),
    (Form::Percentile, statistics::percentile),
    (Form::Elements, maps::elements),
];

/// Returns the elements of an operand that must be a list, after charging for them.
fn charged(c: &mut Call<'_>, i: usize) -> Result<Vec<Word>, Exit> {
    let elements = c.list(i)?;
    c.charge(elements.len() as u64)?;
    Ok(elements)
}

pub(crate) fn last(c: &mut Call<'_>) -> Result<Word, Exit> {
    let elements = charged(c, 0)?;
    elements.last().copied().ok_or_else(|| Trouble::EmptyList.into())
}

pub(crate) fn sort(c: &mut Call<'_>) -> Result<Word, Exit> {
    let mut keys = c.list(0)?;
    let n = keys.len();
    let wrong = |s: &State, key| s.wrong_element(0, key, Wanted::Sortable);
    let weight = pay_keys(&mut c.context(), &keys, wrong)?;
    c.charge(sorting_work(n, weight))?;
    if keys.iter().all(|key| is_integer(*key)) {
        sort_integers(&mut keys);
        c.room(n + 2)?;
        return Ok(c.make_list(&keys));
    }
    let order = sorted(&c.s.heap, &keys, false)?;
    let texts = order.iter().filter_map(|i| keys.get(*i as usize).copied());
    if doubt::is_misordered(&c.s.heap, texts) {
        c.warn("likely-mistake", || doubt::sort_of_numbers(Form::Sort));
    }
    select(c, &order)
}

/// Makes a list of the first operand's elements with these indices, in this order.
fn select(c: &mut Call<'_>, indices: &[u32]) -> Result<Word, Exit> {
    c.room(2 * indices.len())?;
    let list = c.operand(0);
    Ok(c.s.heap.select(list, indices))
}

pub(crate) fn reverse(c: &mut Call<'_>) -> Result<Word, Exit> {
    let n = charged(c, 0)?.len();
    c.list_room(2 * n, |c| Heap::list_words(&c.elements(c.operand(0))))?;
    let elements = c.elements(c.operand(0));
    Ok(c.s.heap.list(elements.iter().rev().copied()))
}

pub(crate) fn distinct(c: &mut Call<'_>) -> Result<Word, Exit> {
    let keys = c.list(0)?;
    let wrong = |s: &State, key| s.wrong_element(0, key, Wanted::ListOfComparable);
    let Grouped { firsts, .. } = grouped(&mut c.context(), &keys, wrong)?;
    select(c, &firsts)
}

/// Returns the depth of a `flatten`.
fn depth(c: &Call<'_>) -> Result<i64, Exit> {
    if c.len() < 2 {
        return Ok(1);
    }
    match Number::of(&c.s.heap, c.operand(1)) {
        Some(Number::Float(n)) => Ok(whole(n)),
        Some(_) => Ok(c.integer(1)?.unwrap_or_else(|low| if low { 0 } else { i64::MAX })),
        None => Err(c.refuse(1)),
    }
}

pub(crate) fn flatten(c: &mut Call<'_>) -> Result<Word, Exit> {
    c.must_be_list(0)?;
    let depth = depth(c)?;
    if depth < 1 {
        return Ok(c.operand(0));
    }
    let n = charged(c, 0)?.len() as u64;
    // A list may occur in the other many times. The count stops when it exceeds the room.
    let (most, budget, list) = (most(c, 2), c.budget(), c.operand(0));
    let (mut inner, mut lists) = (0, 0);
    let is_counted = go_through(&c.s.heap, list, depth, |part| {
        if let Part::List(list) = part {
            inner += c.s.heap.length(list) as u64;
            lists += 1;
        }
        inner <= most.min(budget)
    });
    c.charge(inner)?;
    if !is_counted && inner > most {
        return Err(TOO_LONG.into());
    }
    let count = usize::try_from(n + inner - lists).unwrap_or(usize::MAX);
    c.room(count.saturating_mul(2))?;
    if depth == 1 {
        let parts = c.elements(c.operand(0));
        return Ok(parts.into_iter().rev().fold(NIL, |rest, part| {
            if !is_list(part) {
                return c.s.heap.two(part, rest, CONS);
            }
            let elements = c.elements(part);
            c.s.heap.list_before(elements.iter().copied(), rest)
        }));
    }
    c.set_aside(8 * count as u64)?;
    let mut flat = Vec::with_capacity(count);
    go_through(&c.s.heap, c.operand(0), depth, |part| {
        if let Part::Element(element) = part {
            flat.push(element);
        }
        true
    });
    Ok(c.make_list(&flat))
}

/// What is found in a list that is flattened.
enum Part {
    List(Word),
    Element(Word),
}

/// Goes through a list and the lists in it, to a depth, as long as `take` accepts what is found.
/// Returns whether it came to the end.
fn go_through(heap: &Heap, list: Word, depth: i64, mut take: impl FnMut(Part) -> bool) -> bool {
    let mut open = vec![list];
    while let Some(rest) = open.last_mut() {
        if tag(*rest) != CONS {
            open.pop();
            continue;
        }
        let [element, more] = heap.next(*rest);
        *rest = more;
        let part =
            if is_list(element) && i64::try_from(open.len()).is_ok_and(|level| level <= depth) {
                open.push(element);
                Part::List(element)
            } else {
                Part::Element(element)
            };
        if !take(part) {
            return false;
        }
    }
    true
}

const TOO_LONG: Trouble = Trouble::Full("the list would not fit into the memory limit");

/// Returns the most elements of `words` words that fit. Both halves of the heap are memory.
fn most(c: &Call<'_>, words: u64) -> u64 {
    c.s.heap.limit as u64 / 2 / words
}

pub(crate) fn enumerate(c: &mut Call<'_>) -> Result<Word, Exit> {
    let n = charged(c, 0)?.len();
    c.room(6 * n)?;
    let elements = c.elements(c.operand(0));
    let numbered = (0..).map(small).zip(elements).collect::<Vec<_>>();
    Ok(make_pairs(c, numbered))
}

/// Makes a list of lists of two. There must be room.
fn make_pairs(c: &mut Call<'_>, pairs: Vec<(Word, Word)>) -> Word {
    pairs.into_iter().rev().fold(NIL, |rest, (a, b)| {
        let pair = c.s.heap.list_of_two(a, b);
        c.s.heap.two(pair, rest, CONS)
    })
}

pub(crate) fn append(c: &mut Call<'_>) -> Result<Word, Exit> {
    maps::must_be_iterable(c, 0)?;
    maps::must_be_iterable(c, 1)?;
    maps::spread(c, 0)?;
    maps::spread(c, 1)?;
    let n = charged(c, 0)?.len();
    c.list_room(2 * n, |c| Heap::list_words(&c.elements(c.operand(0))))?;
    let elements = c.elements(c.operand(0));
    let end = c.operand(1);
    Ok(c.s.heap.list_before(elements.iter().copied(), end))
}

/// Returns a count of at least `least`. A big integer is too large for any list.
fn count(c: &Call<'_>, i: usize, least: i64) -> Result<usize, Exit> {
    match c.integer(i)? {
        Ok(n) if n >= least => return Ok(usize::try_from(n).unwrap_or(usize::MAX)),
        Err(false) => return Ok(usize::MAX),
        Ok(_) | Err(true) => {}
    }
    let name = if c.form == Form::Nth {
        "the index"
    } else if least == 0 {
        "the count"
    } else {
        "the length"
    };
    let wanted = if least == 0 { "not be negative" } else { "be at least 1" };
    let (form, found) = (c.form.name(), c.shown(i));
    Err(Trouble::OutOfRange(format!("{name} of `{form}` must {wanted}, it is {found}")).into())
}

/// Skips up to `n` elements of the first operand, after charging for them. Returns their number and
/// the rest.
fn skip(c: &mut Call<'_>, n: usize) -> Result<(usize, Word), Exit> {
    let (rest, skipped) = c.s.heap.after(c.operand(0), n);
    c.charge(skipped as u64)?;
    Ok((skipped, rest))
}

pub(crate) fn nth(c: &mut Call<'_>) -> Result<Word, Exit> {
    let whole = c.operand(0);
    if tag(whole) == PAIR {
        let i = count(c, 1, 0)?;
        c.charge(i.saturating_add(1).min(2) as u64)?;
        let half = c.s.heap.cell(index(whole)).get(i).copied();
        return half.ok_or_else(|| beyond(c, "pair", 2));
    }
    c.must_be_list(0)?;
    let i = count(c, 1, 0)?;
    let (skipped, rest) = skip(c, i)?;
    if tag(rest) != CONS {
        return Err(beyond(c, "list", skipped));
    }
    c.charge(1)?;
    Ok(c.s.heap.next(rest)[0])
}

/// Makes the trouble of an index beyond the list or pair.
fn beyond(c: &Call<'_>, kind: &str, count: usize) -> Exit {
    let elements = if count == 1 { "element" } else { "elements" };
    let index = c.shown(1);
    let what = format!(
        "the index of `nth` is {index}, beyond the {kind}, which has {count} {elements}; the first is 0"
    );
    Trouble::OutOfRange(what).into()
}

pub(crate) fn drop(c: &mut Call<'_>) -> Result<Word, Exit> {
    c.must_be_list(0)?;
    let n = count(c, 1, 0)?;
    Ok(skip(c, n)?.1)
}

pub(crate) fn take(c: &mut Call<'_>) -> Result<Word, Exit> {
    c.must_be_list(0)?;
    let n = count(c, 1, 0)?;
    let (skipped, rest) = skip(c, n)?;
    if rest == NIL {
        return Ok(c.operand(0));
    }
    let taken = |c: &Call<'_>| c.s.heap.elements_of(c.operand(0), skipped);
    c.list_room(2 * skipped, |c| Heap::list_words(&taken(c)))?;
    let elements = taken(c);
    Ok(c.make_list(&elements))
}

/// Does `range`: the integers from the first operand on, in steps, up to the second, which is
/// excluded.
pub(crate) fn range(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (mut numbers, mut longest) = (Vec::with_capacity(3), 1);
    for i in 0..c.len() {
        let _ = c.integer(i)?;
        let number = c.number(i)?.whole();
        longest = longest.max(number.limbs());
        numbers.push(number.into_big());
    }
    let mut numbers = numbers.into_iter();
    let mut next = || numbers.next().unwrap_or_else(|| BigInt::from(1));
    let (from, to, step) = (next(), next(), next());
    if step.is_zero() {
        return Err(Trouble::OutOfRange("the step of `range` must not be 0".to_owned()).into());
    }
    let way = if step.is_negative() { &from - to } else { to - &from }.max(BigInt::ZERO);
    let most = most(c, if longest > 1 { 3 + longest } else { 1 });
    if way.bits() > step.bits() + 64 {
        return Err(TOO_LONG.into());
    }
    let n = way.div_ceil(&step.abs()).to_u64();
    let n = n.filter(|n| *n <= most).ok_or(TOO_LONG)?;
    c.charge(if longest > 1 { n.max(1) * longest } else { n })?;
    let n = usize::try_from(n).unwrap_or(usize::MAX);
    let last = &from + &step * n - &step;
    if let (Some(from), Some(_), Some(step)) = (in_word(&from), in_word(&last), in_word(&step)) {
        c.room(n + 2)?;
        let number = |i| small(from + step * i64::try_from(i).unwrap_or_default());
        return Ok(c.s.heap.list((0..n).map(number)));
    }
    let widest = 2 + usize::try_from(longest).unwrap_or(usize::MAX);
    c.room(n.saturating_mul(2 + widest))?;
    let mut at = last;
    Ok((0..n).fold(NIL, |rest, _| {
        let number = c.s.heap.integer(&at);
        at -= &step;
        c.s.heap.two(number, rest, CONS)
    }))
}

/// Returns an integer that is small.
fn in_word(n: &BigInt) -> Option<i64> {
    n.to_i64().and_then(fit).map(as_small)
}

pub(crate) fn zip(c: &mut Call<'_>) -> Result<Word, Exit> {
    c.must_be_list(0)?;
    c.must_be_list(1)?;
    let n = c.s.heap.length(c.operand(0)).min(c.s.heap.length(c.operand(1)));
    c.charge(n as u64)?;
    c.room(6 * n)?;
    let pairs = zipped(c, n);
    Ok(make_pairs(c, pairs))
}

/// Pairs the elements of two lists, up to the end of the shorter.
fn zipped(c: &Call<'_>, n: usize) -> Vec<(Word, Word)> {
    let (mut a, mut b, mut pairs) = (c.operand(0), c.operand(1), Vec::with_capacity(n));
    while tag(a) == CONS && tag(b) == CONS {
        let [x, rest_a] = c.s.heap.next(a);
        let [y, rest_b] = c.s.heap.next(b);
        pairs.push((x, y));
        (a, b) = (rest_a, rest_b);
    }
    pairs
}

pub(crate) fn chunk(c: &mut Call<'_>) -> Result<Word, Exit> {
    c.must_be_list(0)?;
    let size = count(c, 1, 1)?;
    let n = charged(c, 0)?.len();
    let chunks = 2 * n.div_ceil(size);
    c.list_room(2 * n + chunks, |c| {
        chunks + c.elements(c.operand(0)).chunks(size).map(Heap::list_words).sum::<usize>()
    })?;
    let elements = c.elements(c.operand(0));
    Ok(elements.chunks(size).rev().fold(NIL, |rest, chunk| {
        let chunk = c.make_list(chunk);
        c.s.heap.two(chunk, rest, CONS)
    }))
}
