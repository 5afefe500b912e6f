//! Loops of which a turn is one operation, or those that one does at once, and leads back to it: all
//! turns are done here, one after another, with what they need in registers. A turn that is not simple
//! is left as it was before it, to whoever does it alone.

use super::state::State;
use crate::code::{Image, Op, Slot};
use crate::heap::Heap;
use crate::value::{NIL, Word, index, is_integer, left_in_run, plus, small};

/// Does the turns of the operation at `pc`, if it is one of these: as many as there are, or as are
/// simple.
pub(super) fn turns(image: &Image, s: &mut State) -> Option<()> {
    match *image.ops.get(s.pc)? {
        Op::SumNext { d, cost, .. } => sum(s, d, cost.into()),
        Op::CountTail { n, to } => count(image, s, small(n.into()), to as usize),
        _ => None,
    }
}

/// A fold that adds: the accumulator is in `d`, the rest of the list after it, then the item.
fn sum(s: &mut State, d: Slot, cost: i64) -> Option<()> {
    let [mut total, mut rest, mut item] = [d, d + 1, d + 2].map(|slot| s.slot(slot));
    let mut fuel = s.meter.fuel;
    while rest != NIL
        && fuel >= cost
        && let Some(more) = plus(total, item)
    {
        (total, fuel) = (more, fuel - cost);
        [item, rest] = s.heap.next(rest);
        let added = sum_run(&s.heap, rest, [&mut total, &mut item], fuel / cost.max(1));
        (rest, _) = s.heap.after(rest, added);
        fuel -= cost * i64::try_from(added).unwrap_or(i64::MAX);
    }
    let is_begun = fuel < s.meter.fuel;
    let is_over = rest == NIL && fuel >= cost;
    if is_over && let Some(more) = plus(total, item) {
        (total, fuel) = (more, fuel - cost);
        s.pc += 2;
    } else if !is_begun {
        return None;
    }
    for (slot, word) in [(d, total), (d + 1, rest), (d + 2, item)] {
        s.set_slot(slot, word);
    }
    s.meter.fuel = fuel;
    Some(())
}

/// The same for the integers of a run, as many times as can be paid for. Gives how often.
fn sum_run(heap: &Heap, list: Word, [total, item]: [&mut Word; 2], most: i64) -> usize {
    let most = left_in_run(list).min(usize::try_from(most).unwrap_or(usize::MAX));
    let integers = heap.words.get(index(list)..).and_then(|words| words.get(..most));
    let integers = integers.unwrap_or_default();
    let mut added = 0;
    for [a, b, c, d] in integers.as_chunks().0 {
        // None of these sums can be more than a word holds.
        let addends = [*item, *a, *b, *c];
        if !addends.iter().all(|addend| is_within(*addend, 60)) || !is_within(*total, 62) {
            break;
        }
        *total = addends.iter().fold(*total, |total, addend| total.wrapping_add(*addend));
        (*item, added) = (*d, added + 4);
    }
    for next in integers.get(added..).unwrap_or_default() {
        let Some(more) = plus(*total, *item) else { break };
        (*total, *item, added) = (more, *next, added + 1);
    }
    added
}

/// Whether a word, taken as it is, is from -2^n up to below 2^n, and an integer.
fn is_within(word: Word, n: u32) -> bool {
    is_integer(word) && word.wrapping_add(1 << n) < 2 << n
}

/// A function that counts to `end` in slot 0, and adds what it counts in slot 1.
fn count(image: &Image, s: &mut State, end: Word, to: usize) -> Option<()> {
    let ops = image.ops.get(to..)?.first_chunk()?;
    let [Op::AddLiteralTail { n, d, .. }, Op::TailSelfPairAdd { cost, .. }] = *ops else {
        return None;
    };
    let (step, cost) = (small(n.into()), i64::from(cost));
    let ([mut at, mut total], mut fuel) = ([0, 1].map(|slot| s.slot(slot)), s.meter.fuel);
    while at != end
        && fuel >= cost
        && let (Some(next), Some(more)) = (plus(at, step), plus(total, at))
    {
        (at, total, fuel) = (next, more, fuel - cost);
    }
    if at == end {
        s.pc += 1;
    } else if fuel == s.meter.fuel {
        return None;
    }
    for (slot, word) in [(0, at), (1, total), (d, at)] {
        s.set_slot(slot, word);
    }
    s.meter.fuel = fuel;
    Some(())
}
