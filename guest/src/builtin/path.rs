//! Paths of keys and list indices through records and lists: `get_in`, `put_in`, `update_in`.
//!
//! Fuel, in units of work: 1 per step and per 8 bytes of a key; 1 per list element passed; to put a
//! value, 1 per member of each record on the path.

use crate::algorithm::record;
use crate::algorithm::trouble::Trouble;
use crate::algorithm::weight::text_work;
use crate::memory::heap::Heap;
use crate::memory::word::{
    CONS, KIND_RECORD, PAIR, ROPE, UNIT, Word, as_small, index, is_integer, is_list, tag,
};
use crate::run::context::Context;
use crate::run::state::Exit;

/// Returns the steps of a path, which must be a list of texts and integers, after charging for
/// them.
pub(crate) fn steps(c: &mut Context<'_>, path: Word) -> Result<Vec<Word>, Exit> {
    if !is_list(path) {
        return Err(c.s.wrong_type(1, path, "a list"));
    }
    let steps = c.s.heap.elements(path);
    c.bulk(steps.len() as u64)?;
    let is_step = |v: Word| is_integer(v) || c.s.heap.is_text(v) || c.s.heap.limbs(v).is_some();
    if let Some(odd) = steps.iter().find(|v| !is_step(**v)) {
        return Err(c.s.wrong_element(1, *odd, "a list of strings and integers"));
    }
    c.bulk(steps.iter().map(|v| text_work(&c.s.heap, *v)).sum())?;
    Ok(steps)
}

/// Returns the value at the end of a path.
pub(crate) fn follow(c: &mut Context<'_>, root: Word, steps: &[Word]) -> Result<Word, Exit> {
    let (mut at, mut passed) = (root, 0);
    let mut found = Ok(at);
    for step in steps {
        found = follow_step(&c.s.heap, at, *step, &mut passed);
        let Ok(next) = found else { break };
        at = next;
    }
    c.bulk(passed)?;
    Ok(found?)
}

/// Returns the member or element of `at` that a step names. Counts the elements passed.
fn follow_step(heap: &Heap, at: Word, step: Word, passed: &mut u64) -> Result<Word, Trouble> {
    if heap.is_text(step) {
        let place = key_place(heap, at, step)?;
        return place.map_err(|_| missing(heap, step, at)).map(|place| value_at(heap, at, place));
    }
    let n = index_in(heap, at, step)?;
    if tag(at) == PAIR {
        *passed += n.saturating_add(1).min(2) as u64;
        let half = heap.cell(index(at)).get(n).copied();
        return half.ok_or_else(|| beyond(&n.to_string()));
    }
    let (rest, skipped) = heap.after(at, n);
    *passed += skipped as u64;
    if tag(rest) != CONS {
        return Err(beyond(&n.to_string()));
    }
    *passed += 1;
    Ok(heap.next(rest)[0])
}

fn missing(heap: &Heap, key: Word, record: Word) -> Trouble {
    Trouble::MissingKey(heap.string(key), record)
}

fn beyond(n: &str) -> Trouble {
    Trouble::OutOfRange(format!("the list has no element {n}"))
}

fn value_at(heap: &Heap, record: Word, place: usize) -> Word {
    heap.members(record).get(place + 1).copied().unwrap_or_default()
}

/// Returns the index of the key among the members of a record, or the index where it belongs.
fn key_place(heap: &Heap, at: Word, key: Word) -> Result<Result<usize, usize>, Trouble> {
    if heap.object_kind(at) != KIND_RECORD {
        return Err(through(heap, at, "a record wherever the path has a string"));
    }
    Ok(record::find(heap, at, heap.string(key).as_bytes()))
}

/// Returns the list index of a step.
fn index_in(heap: &Heap, at: Word, step: Word) -> Result<usize, Trouble> {
    if !is_list(at) && tag(at) != PAIR {
        return Err(no_list(heap, at));
    }
    let Some(n) = is_integer(step).then(|| as_small(step)) else {
        return Err(beyond("at such an index"));
    };
    usize::try_from(n).map_err(|_| beyond(&n.to_string()))
}

fn no_list(heap: &Heap, at: Word) -> Trouble {
    through(heap, at, "a list wherever the path has an integer")
}

fn through(heap: &Heap, at: Word, wanted: &'static str) -> Trouble {
    Trouble::of_type(heap, 0, at, wanted)
}

/// Returns the root with a value at the end of a path. The places on the stack hold root, path and
/// value. Slots below `live` are kept. A missing key, or one with the value null, gets a record if
/// the path goes on with a key.
pub(crate) fn put(
    c: &mut Context<'_>,
    [root, path, value]: [usize; 3],
    live: usize,
) -> Result<Word, Exit> {
    let steps = c.s.heap.elements(c.s.at(path));
    let (mut work, mut words) = (0, 0);
    let mut at = c.s.at(root);
    let mut wrong = None;
    for step in &steps {
        match measure(&c.s.heap, at, *step, &mut work, &mut words) {
            Ok(next) => at = next,
            Err(trouble) => {
                wrong = Some(trouble);
                break;
            }
        }
    }
    c.bulk(work)?;
    if let Some(trouble) = wrong {
        return Err(trouble.into());
    }
    c.s.make_room(words, live)?;
    let steps = c.s.heap.elements(c.s.at(path));
    let mut passed = Vec::with_capacity(steps.len());
    let mut at = c.s.at(root);
    for step in &steps {
        passed.push((at, *step));
        let (mut work, mut words) = (0, 0);
        at = measure(&c.s.heap, at, *step, &mut work, &mut words)?;
    }
    let mut result = c.s.at(value);
    for (at, step) in passed.into_iter().rev() {
        result = with_part(&mut c.s.heap, at, step, result)?;
    }
    Ok(result)
}

/// Returns the value at a step, or null if there is none. Counts the work and the words that a new
/// value there takes.
fn measure(
    heap: &Heap,
    at: Word,
    step: Word,
    work: &mut u64,
    words: &mut usize,
) -> Result<Word, Trouble> {
    if !heap.is_text(step) {
        if tag(at) == PAIR {
            return Err(no_list(heap, at));
        }
        let next = follow_step(heap, at, step, work)?;
        *words += 2 * usize::try_from(as_small(step)).unwrap_or_default() + 2;
        return Ok(next);
    }
    let text = heap.text_size(step).map_or(0, |(bytes, _)| bytes);
    *words += 5 + Heap::text_words(usize::try_from(text).unwrap_or(usize::MAX / 2));
    if at == UNIT {
        return Ok(UNIT);
    }
    let place = key_place(heap, at, step)?;
    let members = heap.members(at).len();
    *work += members as u64 / 2;
    *words += members;
    Ok(place.map_or(UNIT, |place| value_at(heap, at, place)))
}

/// Returns a record or list with another part at a step. There must be room.
fn with_part(heap: &mut Heap, at: Word, step: Word, part: Word) -> Result<Word, Exit> {
    if !heap.is_text(step) {
        let n = usize::try_from(as_small(step)).unwrap_or_default();
        let before = heap.elements_of(at, n);
        let (rest, _) = heap.after(at, n + 1);
        let rest = heap.two(part, rest, CONS);
        return Ok(before.into_iter().rev().fold(rest, |rest, item| heap.two(item, rest, CONS)));
    }
    let mut members = if at == UNIT { Vec::new() } else { heap.members(at).to_vec() };
    let place = if at == UNIT { Err(0) } else { key_place(heap, at, step)? };
    match place {
        Ok(place) => drop(members.splice(place + 1..place + 2, [part])),
        Err(place) => {
            let key = if tag(step) == ROPE { heap.text(&heap.string(step))? } else { step };
            drop(members.splice(place..place, [key, part]));
        }
    }
    Ok(heap.record(&members)?)
}
