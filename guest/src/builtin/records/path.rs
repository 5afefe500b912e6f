//! Paths of keys and indices through records, lists, pairs and texts: `get_in`, `put_in`,
//! `update_in`; and what these share with `get` and `put`.

use crate::algorithm::member::{self, Found, Missing};
use crate::algorithm::number::arithmetic::is_number;
use crate::algorithm::trouble::Trouble;
use crate::algorithm::{entries, record, record_tree};
use crate::memory::heap::{Full, Heap};
use crate::memory::rope;
use crate::memory::types::kind_of;
use crate::memory::word::{CONS, KIND_RECORD, UNIT, Word, fit, is_list, tag};
use crate::run::context::Context;
use crate::run::state::{Exit, State};
use pif_core::fault::{Code, Fault};
use pif_core::hint::Parts;
use pif_core::text::quote::shorten;
use pif_language::hint::only_near;
use pif_language::kinds::{self, Kinds, Wanted};

/// Returns the steps of a path, which must be a list of keys, after charging for them. A step may be
/// null where a default stands for what is missing.
pub(crate) fn steps(c: &mut Context<'_>, path: Word, has_default: bool) -> Result<Vec<Word>, Exit> {
    if !is_list(path) {
        return Err(c.s.wrong_type(1, path, kinds::LIST));
    }
    let steps = c.s.heap.elements(path);
    c.bulk(steps.len() as u64)?;
    let heap = &c.s.heap;
    let is_step = |v: Word| member::is_key(heap, v) || has_default && v == UNIT;
    if let Some(odd) = steps.iter().find(|v| !is_step(**v)) {
        return Err(c.s.wrong_element(1, *odd, STEPS));
    }
    c.bulk(steps.iter().map(|v| member::key_work(&c.s.heap, *v)).sum())?;
    Ok(steps)
}

/// Returns the value at the end of a path. The places on the stack hold root and path. Slots below
/// `live` are kept.
pub(crate) fn follow(
    c: &mut Context<'_>,
    [root, path]: [usize; 2],
    live: usize,
) -> Result<Word, Exit> {
    let mut steps = c.s.heap.elements(c.s.at(path));
    c.s.make_room(CHARACTER * steps.len(), live)?;
    loop {
        steps.clear();
        steps.extend(c.s.heap.elements(c.s.at(path)));
        let mut passed = 0;
        let from = c.s.at(root);
        let (at, wrong) = walk(&mut c.s.heap, from, &steps, &mut passed)?;
        match wrong {
            Some(Wrong::Deep) => flatten(c.s, at, CHARACTER * steps.len(), live)?,
            Some(Wrong::Trouble(trouble)) => {
                c.bulk(passed / c.form().work_price())?;
                return Err(trouble.into());
            }
            None => {
                c.bulk(passed / c.form().work_price())?;
                return Ok(at);
            }
        }
    }
}

/// Returns the value at a key, or the trouble of a missing one, and what was passed on the way.
pub(crate) fn at_key(
    s: &mut State,
    [of, key]: [usize; 2],
    live: usize,
) -> Result<(Result<Word, Trouble>, u64), Exit> {
    s.make_room(CHARACTER, live)?;
    loop {
        let (root, key, mut passed) = (s.at(of), s.at(key), 0);
        let (at, wrong) = walk(&mut s.heap, root, &[key], &mut passed)?;
        match wrong {
            Some(Wrong::Deep) => flatten(s, at, CHARACTER, live)?,
            Some(Wrong::Trouble(trouble)) => return Ok((Err(trouble), passed)),
            None => return Ok((Ok(at), passed)),
        }
    }
}

/// Flattens a text, and makes room for `more` words besides.
fn flatten(s: &mut State, text: Word, more: usize, live: usize) -> Result<(), Exit> {
    let mut kept = [text];
    s.make_room_keeping(rope::flat_room(&s.heap, text).saturating_add(more), live, &mut kept)?;
    Ok(rope::flatten(&mut s.heap, kept[0])?)
}

/// Words of the text of a character.
const CHARACTER: usize = 3;

/// Why steps do not lead to a value.
enum Wrong {
    /// The value is a text that must be flattened first.
    Deep,
    Trouble(Trouble),
}

/// Follows steps as far as they lead. There must be room for a character at each.
fn walk(
    heap: &mut Heap,
    root: Word,
    steps: &[Word],
    passed: &mut u64,
) -> Result<(Word, Option<Wrong>), Full> {
    let mut at = root;
    for step in steps {
        let found = match *step {
            UNIT => Found::Missing(Missing::Key),
            step => member::read(heap, at, step, passed),
        };
        at = match found {
            Found::Value(value) => value,
            Found::Length(n) => length(n),
            Found::Character(text, from, to) => heap.part(text, from, to)?,
            Found::Deep => return Ok((at, Some(Wrong::Deep))),
            Found::Missing(why) => {
                return Ok((at, Some(Wrong::Trouble(missing(heap, at, *step, why)))));
            }
        };
    }
    Ok((at, None))
}

/// Returns the word of a length.
pub(crate) fn length(n: u64) -> Word {
    i64::try_from(n).ok().and_then(fit).unwrap_or_default()
}

/// Returns the trouble of a key that a value does not have.
pub(crate) fn missing(heap: &Heap, at: Word, key: Word, why: Missing) -> Trouble {
    if key == UNIT {
        return Trouble::of_element(heap, 1, key, STEPS);
    }
    let text = || shorten(&member::key_text(heap, key));
    let what = kinds::name(kind_of(heap, at));
    match why {
        Missing::Key if heap.object_kind(at) == KIND_RECORD => {
            Trouble::MissingKey(member::key_text(heap, key), at)
        }
        Missing::Key if entries::is_one(heap, at) => {
            let message = format!("a {what} has no member `{}`, only `size`", text());
            let hint = "`lookup` gives the value of a key of a map";
            Trouble::with_hint(Code::MissingKey, message, hint)
        }
        Missing::Key => {
            let message = format!("a {what} has no `{}`", text());
            let key = member::key_text(heap, key);
            let has_length = heap.is_text(at) || is_list(at);
            let near = only_near(&key, &mut ["length"].into_iter()).filter(|_| has_length);
            let fault = Fault::new(Code::MissingKey, message).near(&key, near);
            Trouble::Here(Box::new(fault.hint(members_of(heap, at))))
        }
        Missing::Index => {
            let part = if heap.is_text(at) { "character" } else { "element" };
            Trouble::OutOfRange(format!("the {what} has no {part} {}", text()))
        }
        Missing::Null => {
            let message = format!("null has no `{}`", text());
            Trouble::with_hint(Code::TypeMismatch, message, "give a default for what is missing")
        }
        Missing::Type => Trouble::of_type(heap, 0, at, WANTED),
    }
}

/// Tells which members a value that is no record has.
fn members_of(heap: &Heap, at: Word) -> Parts {
    if heap.is_text(at) {
        &[
            "a string has `length`, and its characters from 0 on; read JSON text with ",
            r#"{"json_parse": s}"#,
        ]
    } else if is_list(at) {
        &[
            "a list has `length`, and its elements from 0 on; for each of them, write ",
            r#"{"map": [f, list]}"#,
        ]
    } else {
        &["a pair has the halves 0 and 1"]
    }
}

/// What can have members.
pub(crate) const WANTED: Kinds = kinds::RECORD_OR_LIST | kinds::STRING;
/// What a path must be.
const STEPS: Wanted = Wanted::ListOf(kinds::KEY);

/// The trouble of an index that is not in a list.
pub(crate) fn beyond(key: &str) -> Trouble {
    Trouble::OutOfRange(format!("the list has no place {key}"))
}

/// Returns the index that a key is, for a list to be changed there.
pub(crate) fn place_in(s: &State, operand: usize, key: Word) -> Result<usize, Exit> {
    if let Some(n) = member::index_of(&s.heap, key) {
        return Ok(usize::try_from(n).unwrap_or(usize::MAX));
    }
    if is_number(&s.heap, key) {
        return Err(beyond(&shorten(&member::key_text(&s.heap, key))).into());
    }
    Err(s.wrong_type(operand, key, Wanted::Index))
}

/// Returns the work of a list with another element behind so many others.
pub(crate) fn put_work(before: usize) -> u64 {
    1 + before as u64 / 2
}

/// Returns a list with another element at an index up to its length. There must be room for as many
/// cells.
pub(crate) fn with_element(heap: &mut Heap, list: Word, n: usize, value: Word) -> Word {
    let mut before = heap.elements_of(list, n);
    let (rest, _) = heap.after(list, n + 1);
    before.push(value);
    heap.list_before(before.iter().copied(), rest)
}

/// Counts the words that `written` takes.
pub(crate) fn text_room(heap: &Heap, key: Word) -> usize {
    if heap.is_flat(key) {
        return 0;
    }
    match heap.text_size(key) {
        Some((bytes, _)) => Heap::text_words(usize::try_from(bytes).unwrap_or(usize::MAX / 2)),
        None => Heap::text_words(member::key_text(heap, key).len()),
    }
}

/// Returns a key as a flat text. There must be room for it.
pub(crate) fn written(heap: &mut Heap, key: Word) -> Result<Word, Full> {
    if heap.is_flat(key) {
        return Ok(key);
    }
    if !heap.is_text(key) {
        return heap.text(&member::key_text(heap, key));
    }
    let mut bytes = Vec::new();
    heap.write_text(key, usize::MAX, &mut bytes);
    heap.text_of(&bytes)
}

/// Returns the root with a value at the end of a path. The places on the stack hold root, path and
/// value. Slots below `live` are kept. A missing key, or one with the value null, gets a record if
/// the path goes on with a text.
pub(crate) fn put(
    c: &mut Context<'_>,
    [root, path, value]: [usize; 3],
    live: usize,
) -> Result<Word, Exit> {
    let (mut work, mut words) = (0, 0);
    let wrong = passed(c.s, [root, path], &mut work, &mut words).err();
    c.bulk(work)?;
    if let Some(wrong) = wrong {
        return Err(wrong);
    }
    if plant_all(c.s, [root, path], live)? {
        words = 0;
        passed(c.s, [root, path], &mut 0, &mut words)?;
    }
    c.s.make_room(words, live)?;
    let passed = passed(c.s, [root, path], &mut 0, &mut 0)?;
    let mut result = c.s.at(value);
    for (at, step) in passed.into_iter().rev() {
        result = with_part(&mut c.s.heap, at, step, result)?;
    }
    Ok(result)
}

/// Makes a tree of the record in a place on the stack, if it is large and none.
pub(crate) fn plant(s: &mut State, record: usize, live: usize) -> Result<(), Exit> {
    if let Some(words) = record_tree::planted_words(&s.heap, s.at(record)) {
        s.make_room(words, live)?;
        let record = s.at(record);
        record_tree::plant(&mut s.heap, record);
    }
    Ok(())
}

/// Returns the record with a value under a key. The places on the stack hold record, key and value.
/// Slots below `live` are kept.
pub(crate) fn with_member(
    s: &mut State,
    [record, key, value]: [usize; 3],
    live: usize,
) -> Result<Word, Exit> {
    plant(s, record, live)?;
    let heap = &s.heap;
    let words = member::changed_words(heap, s.at(record), s.at(key));
    s.make_room(words.saturating_add(text_room(&s.heap, s.at(key))), live)?;
    let (record, key, value) = (s.at(record), s.at(key), s.at(value));
    let key = written(&mut s.heap, key)?;
    Ok(record::put(&mut s.heap, record, key, value)?)
}

/// Makes trees of the large records on a path, whose places on the stack are given. Returns whether
/// there were any.
fn plant_all(s: &mut State, [root, path]: [usize; 2], live: usize) -> Result<bool, Exit> {
    let large = |s: &mut State| -> Result<Vec<(Word, usize)>, Exit> {
        let values = passed(s, [root, path], &mut 0, &mut 0)?.into_iter();
        let records = values.filter(|(at, _)| s.heap.object_kind(*at) == KIND_RECORD);
        let words = records.map(|(at, _)| Some((at, record_tree::planted_words(&s.heap, at)?)));
        Ok(words.flatten().collect())
    };
    let found = large(s)?;
    if found.is_empty() {
        return Ok(false);
    }
    s.make_room(found.iter().map(|(_, words)| words).sum(), live)?;
    for (record, _) in large(s)? {
        record_tree::plant(&mut s.heap, record);
    }
    Ok(true)
}

/// Returns each value on a path with the step that follows. Counts the work and the words that new
/// values there take.
fn passed(
    s: &mut State,
    [root, path]: [usize; 2],
    work: &mut u64,
    words: &mut usize,
) -> Result<Vec<(Word, Word)>, Exit> {
    let steps = s.heap.elements(s.at(path));
    let mut passed = Vec::with_capacity(steps.len());
    let mut at = s.at(root);
    for step in steps {
        passed.push((at, step));
        at = measure(s, at, step, work, words)?;
    }
    Ok(passed)
}

/// Returns the value at a step, or null if there is none. Counts the work and the words that a new
/// value there takes.
fn measure(
    s: &mut State,
    at: Word,
    step: Word,
    work: &mut u64,
    words: &mut usize,
) -> Result<Word, Exit> {
    if is_list(at) {
        let n = place_in(s, 1, step)?;
        let (rest, before) = s.heap.after(at, n);
        *work += put_work(before);
        *words += 2 * before + 2;
        return match rest {
            _ if before < n => Err(beyond(&n.to_string()).into()),
            _ if tag(rest) == CONS => Ok(s.heap.next(rest)[0]),
            _ => Ok(UNIT),
        };
    }
    *words += text_room(&s.heap, step);
    if at == UNIT && s.heap.is_text(step) {
        *words += Heap::record_words(1);
        return Ok(UNIT);
    }
    if s.heap.object_kind(at) != KIND_RECORD {
        return Err(s.wrong_type(0, at, Wanted::WhereThePathGoesOn));
    }
    *work += record::change_work(s.heap.count_members(at));
    // A search that writes no text leaves the room as it is.
    *words += member::changed_words(&s.heap, at, step);
    let value = record::value(&s.heap, at, &member::key_bytes(&s.heap, step));
    Ok(value.unwrap_or(UNIT))
}

/// Returns a record or list with another part at a step. There must be room.
fn with_part(heap: &mut Heap, at: Word, step: Word, part: Word) -> Result<Word, Exit> {
    if is_list(at) {
        let n = member::index_of(heap, step).and_then(|n| usize::try_from(n).ok());
        return Ok(with_element(heap, at, n.unwrap_or_default(), part));
    }
    let key = written(heap, step)?;
    if at == UNIT {
        return Ok(heap.record(&[key, part], &[])?);
    }
    Ok(record::put(heap, at, key, part)?)
}
