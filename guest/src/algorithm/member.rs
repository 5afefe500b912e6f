//! Keys and indices as JavaScript reads them: `x[k]` of a record, a list, a pair or a text.
//!
//! A key is a text, or a number or boolean that stands for its text. An index is an integer from 0
//! on, a float that is one, or a text that is written like one.

use crate::algorithm::number::arithmetic::limbs;
use crate::algorithm::number::value::Number;
use crate::algorithm::weight::{TEXT_UNIT, digits_work, text_work};
use crate::algorithm::{entries, record};
use crate::memory::heap::Heap;
use crate::memory::rope::{self, Spot};
use crate::memory::tagged::{MAP, MATCH, SET};
use crate::memory::word::{
    CONS, FALSE, KIND_RECORD, PAIR, TRUE, UNIT, Word, as_small, index, is_integer, is_list, tag,
};
use pif_core::figures;
use pif_core::text::digits::index_in;
use std::borrow::Cow;

/// The key of a list's or a text's length.
const LENGTH: &[u8] = b"length";
/// Bytes of a text that take as long as an element to pass.
const PASSED_BYTES: u64 = 2;
/// The longest key that may be an index or `length`.
const LONGEST: u64 = 10;
/// A number from which on a key may have as many bytes as a unit of work.
const FEW_DIGITS: u64 = 1_000_000;

/// What is at a key.
pub(crate) enum Found {
    Value(Word),
    /// The length of a list or a text.
    Length(u64),
    /// The bytes of a flat text from the first to before the second.
    Character(Word, usize, usize),
    /// A character of a text that must be flattened first.
    Deep,
    Missing(Missing),
}

/// Why nothing is at a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// The record has no such key, or the list or text no such member.
    Key,
    /// The list, pair or text has no such index.
    Index,
    /// Null has no members.
    Null,
    /// The value is of a type without members.
    Type,
}

/// Tells whether a value can be a key.
pub(crate) fn is_key(heap: &Heap, key: Word) -> bool {
    matches!(key, TRUE | FALSE) || heap.is_text(key) || Number::of(heap, key).is_some()
}

/// Tells whether a value can have members.
pub(crate) fn has_members(heap: &Heap, v: Word) -> bool {
    is_list(v)
        || tag(v) == PAIR
        || heap.object_kind(v) == KIND_RECORD
        || heap.is_text(v)
        || matches!(heap.tagged(v), MAP | SET | MATCH)
}

/// Returns the work of a key: that of its text, and of finding the digits of a big integer.
#[inline]
pub(crate) fn key_work(heap: &Heap, key: Word) -> u64 {
    if is_integer(key) {
        let n = as_small(key).unsigned_abs();
        if n < FEW_DIGITS {
            return 0;
        }
        let digits = u64::from(n.checked_ilog10().unwrap_or_default()) + 1;
        return (digits + u64::from(as_small(key) < 0)) / TEXT_UNIT;
    }
    if heap.is_text(key) {
        return text_work(heap, key);
    }
    match Number::of(heap, key) {
        // A limb has 19 digits, and some.
        Some(Number::Big(_)) => digits_work(limbs(heap, key)) + 2 * limbs(heap, key),
        Some(Number::Float(n)) => figures::text(n).len() as u64 / TEXT_UNIT,
        _ => 0,
    }
}

/// Returns the text of a key that is a number or a boolean.
pub(crate) fn key_text(heap: &Heap, key: Word) -> String {
    match (key, Number::of(heap, key)) {
        (TRUE, _) => "true".to_owned(),
        (FALSE, _) => "false".to_owned(),
        (_, Some(Number::Small(n))) => n.to_string(),
        (_, Some(Number::Big(n))) => n.to_string(),
        (_, Some(Number::Float(n))) => figures::text(n),
        _ => heap.string(key),
    }
}

/// Returns the text of a key.
pub(crate) fn key_bytes(heap: &Heap, key: Word) -> Cow<'_, [u8]> {
    if heap.is_text(key) {
        heap.bytes_of(key)
    } else {
        Cow::Owned(key_text(heap, key).into_bytes())
    }
}

/// Counts the words that a record takes with another value under a key, or without it. A large one has
/// been planted.
pub(crate) fn changed_words(heap: &Heap, record: Word, key: Word) -> usize {
    record::changed_words(heap, record, key, &key_bytes(heap, key))
}

/// Returns the value of a key in a record.
pub(crate) fn value(heap: &mut Heap, record: Word, key: Word) -> Option<Word> {
    if is_integer(key) {
        let (mut digits, mut from) = ([0; 20], 20);
        let mut rest = as_small(key).unsigned_abs();
        while rest > 0 || from == 20 {
            from -= 1;
            digits.get_mut(from).into_iter().for_each(|digit| *digit = b'0' + (rest % 10) as u8);
            rest /= 10;
        }
        if as_small(key) < 0 {
            from -= 1;
            digits.get_mut(from).into_iter().for_each(|digit| *digit = b'-');
        }
        return record::value(heap, record, digits.get(from..).unwrap_or_default());
    }
    if heap.is_text(key) {
        return record::look_up(heap, record, key);
    }
    record::value(heap, record, key_text(heap, key).as_bytes())
}

/// Returns the index that a key is.
#[inline]
pub(crate) fn index_of(heap: &Heap, key: Word) -> Option<u64> {
    if is_integer(key) {
        return u64::try_from(as_small(key)).ok();
    }
    if heap.is_text(key) {
        return short(heap, key).and_then(|key| index_in(&key)).map(u64::from);
    }
    let n = heap.as_float(key).filter(|n| *n >= 0.0 && *n < 9_007_199_254_740_992.0)?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the range")]
    let whole = n as u64;
    #[expect(clippy::cast_precision_loss, clippy::float_cmp, reason = "exact below 2^53")]
    let is_whole = whole as f64 == n;
    is_whole.then_some(whole)
}

/// Returns the bytes of a short text.
fn short(heap: &Heap, key: Word) -> Option<Vec<u8>> {
    if heap.text_size(key)?.0 > LONGEST {
        return None;
    }
    Some(heap.bytes_of(key).into_owned())
}

/// Tells whether a key is `length`.
#[inline]
pub(crate) fn is_length(heap: &Heap, key: Word) -> bool {
    if is_integer(key) {
        return false;
    }
    match heap.flat_text(key) {
        Some(text) => text.len() == LENGTH.len() && text == LENGTH,
        None => heap.is_text(key) && short(heap, key).is_some_and(|text| text == LENGTH),
    }
}

/// Reads a member. Adds what it passes on the way to `passed`: elements of lists, and pairs of bytes
/// of texts.
// Values of other kinds that have members are read here too.
pub(crate) fn read(heap: &mut Heap, of: Word, key: Word, passed: &mut u64) -> Found {
    if heap.object_kind(of) == KIND_RECORD {
        return value(heap, of, key).map_or(Found::Missing(Missing::Key), Found::Value);
    }
    if is_list(of) {
        return in_list(heap, of, key, passed);
    }
    if let Some((bytes, chars)) = heap.text_size(of) {
        return in_text(heap, (of, bytes, chars), key, passed);
    }
    if tag(of) == PAIR {
        let Some(n) = index_of(heap, key) else { return odd(heap, key) };
        *passed += n.saturating_add(1).min(2);
        let half = usize::try_from(n).ok().and_then(|n| heap.cell(index(of)).get(n).copied());
        return half.map_or(Found::Missing(Missing::Index), Found::Value);
    }
    match heap.tagged(of) {
        MATCH => return in_match(heap, of, key, passed),
        MAP | SET => {
            let size = heap.is_text(key).then(|| entries::member(heap, of, key)).flatten();
            return size.map_or(Found::Missing(Missing::Key), Found::Value);
        }
        _ => {}
    }
    Found::Missing(if of == UNIT { Missing::Null } else { Missing::Type })
}

/// Reads what a match has beside its list, or an element.
fn in_match(heap: &mut Heap, of: Word, key: Word, passed: &mut u64) -> Found {
    if let Some(name) = short(heap, key).and_then(|key| String::from_utf8(key).ok())
        && let Some(part) = heap.part_of_match(of, &name)
    {
        return Found::Value(part);
    }
    in_list(heap, heap.without_match(of), key, passed)
}

fn in_list(heap: &mut Heap, list: Word, key: Word, passed: &mut u64) -> Found {
    if is_length(heap, key) {
        let length = heap.length(list);
        heap.counted = (list, length);
        *passed += length as u64;
        return Found::Length(length as u64);
    }
    let Some(n) = index_of(heap, key) else { return odd(heap, key) };
    let (rest, skipped) = heap.after(list, usize::try_from(n).unwrap_or(usize::MAX));
    *passed += skipped as u64;
    if tag(rest) != CONS {
        return Found::Missing(Missing::Index);
    }
    *passed += 1;
    Found::Value(heap.next(rest)[0])
}

fn in_text(
    heap: &Heap,
    (text, bytes, chars): (Word, u64, u64),
    key: Word,
    passed: &mut u64,
) -> Found {
    if is_length(heap, key) {
        return Found::Length(chars);
    }
    let Some(n) = index_of(heap, key) else { return odd(heap, key) };
    if n >= chars {
        return Found::Missing(Missing::Index);
    }
    *passed += bytes / PASSED_BYTES;
    match rope::character(heap, text, n) {
        Spot::At(text, from, to) => Found::Character(text, from, to),
        Spot::Deep => Found::Deep,
    }
}

/// Returns what is at a key that is no index and not `length`.
fn odd(heap: &Heap, key: Word) -> Found {
    let is_number = Number::of(heap, key).is_some();
    Found::Missing(if is_number { Missing::Index } else { Missing::Key })
}
