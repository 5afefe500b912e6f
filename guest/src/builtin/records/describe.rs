//! `describe`: a summary of a value, in a record of bounded size. It has `type`, `size` for a text,
//! a list or a record, and `keys` for a record or a list of records. A key has the types of its
//! values, the number of records with it, and an example. There are at most 100 keys, those that come
//! first. The example is the first value that is a boolean, a float, an integer of one 64-bit limb
//! or a text; a text is cut after 100 characters.

use crate::algorithm::weight::text_work;
use crate::builtin::call::Call;
use crate::memory::types::kind_of;
use pif_language::kinds::{self, Kinds};

use crate::algorithm::entries;
use crate::algorithm::number::arithmetic::limbs;
use crate::algorithm::record;
use crate::memory::heap::{Full, Heap};
use crate::memory::word::{
    CONS, FALSE, KIND_FLOAT, KIND_RECORD, TRUE, UNIT, Word, count, is_integer, is_list,
};
use crate::run::state::Exit;

const MOST_KEYS: usize = 100;
const MOST_CHARS: usize = 100;

/// The facts about a key.
struct Seen {
    key: Word,
    /// The types of its values.
    types: Kinds,
    coverage: u64,
    example: Option<Word>,
}

pub(crate) fn describe(c: &mut Call<'_>) -> Result<Word, Exit> {
    let x = c.s.heap.without_match(c.operand(0));
    let is_record = |heap: &Heap, v: Word| heap.object_kind(v) == KIND_RECORD;
    let (mut size, mut records) = (None, Vec::new());
    if let Some((_, chars)) = c.s.heap.text_size(x) {
        size = Some(chars);
    } else if is_list(x) {
        let elements = c.elements(x);
        size = Some(elements.len() as u64);
        c.charge(elements.len() as u64)?;
        records = elements;
        records.retain(|v| is_record(&c.s.heap, *v));
    } else if is_record(&c.s.heap, x) {
        size = Some(c.s.heap.count_members(x) as u64);
        records.push(x);
    }
    if entries::is_one(&c.s.heap, x) {
        size = Some(entries::count(&c.s.heap, x) as u64);
    }
    let members = |v: &Word| c.s.heap.count_members(*v) as u64;
    let work = records.iter().map(|v| members(v) + record::key_work(&c.s.heap, *v)).sum();
    c.charge(work)?;
    let mut keys = look(&c.s.heap, &records);
    let examples = keys.iter().filter_map(|seen| seen.example);
    c.charge(examples.map(|v| text_work(&c.s.heap, v)).sum())?;
    c.keep(&mut keys)?;
    let kind = kinds::name(kind_of(&c.s.heap, c.operand(0)));
    let has_keys = !records.is_empty();
    Ok(write(&mut c.s.heap, kind, size, has_keys.then_some(&keys))?)
}

/// Summarizes all members. It keeps the keys that come first.
fn look(heap: &Heap, records: &[Word]) -> Vec<Seen> {
    let mut keys: Vec<Seen> = Vec::new();
    // The keys in the order of their bytes.
    let mut sorted: Vec<usize> = Vec::new();
    for record in records {
        for member in heap.members(*record).chunks_exact(2) {
            let [key, value] = *member else { continue };
            let known = |at: &usize| keys.get(*at).map_or(UNIT, |seen| seen.key);
            let found = sorted.binary_search_by(|at| heap.compare_flat(known(at), key));
            let place = match found {
                Ok(at) => sorted.get(at).copied().unwrap_or_default(),
                Err(_) if keys.len() == MOST_KEYS => continue,
                Err(at) => {
                    sorted.insert(at, keys.len());
                    keys.push(Seen { key, types: 0, coverage: 0, example: None });
                    keys.len() - 1
                }
            };
            let Some(seen) = keys.get_mut(place) else { continue };
            seen.types |= kind_of(heap, value);
            seen.coverage += 1;
            if seen.example.is_none() && is_short(heap, value) {
                seen.example = Some(value);
            }
        }
    }
    keys
}

/// Tells whether a value can be an example.
fn is_short(heap: &Heap, v: Word) -> bool {
    matches!(v, TRUE | FALSE)
        || is_integer(v)
        || heap.object_kind(v) == KIND_FLOAT
        || heap.is_text(v)
        || heap.limbs(v).is_some() && limbs(heap, v) == 1
}

impl Call<'_> {
    /// Makes room for the summary. Updates the keys and examples if they move.
    fn keep(&mut self, keys: &mut [Seen]) -> Result<(), Exit> {
        let texts = 4 * (kinds::COUNT + 7);
        let words = keys.iter().map(|seen| {
            let example = seen.example.map_or(0, |v| cut_words(&self.s.heap, v));
            10 + example + 2 * seen.types.count_ones() as usize
        });
        let words = texts + 16 + words.sum::<usize>();
        let kept = keys.iter().flat_map(|seen| [Some(seen.key), seen.example]).flatten();
        let mut kept: Vec<Word> = kept.collect();
        let room = self.room_keeping(words, &mut kept);
        let mut moved = kept.into_iter();
        for seen in keys {
            seen.key = moved.next().unwrap_or_default();
            seen.example = seen.example.and_then(|_| moved.next());
        }
        room
    }
}

fn cut_words(heap: &Heap, v: Word) -> usize {
    let is_long = heap.text_size(v).is_some_and(|(_, chars)| chars > MOST_CHARS as u64);
    if is_long { Heap::text_words(4 * MOST_CHARS + 3) } else { 0 }
}

/// Returns the value itself, or the beginning of a long text.
fn example(heap: &mut Heap, v: Word) -> Result<Word, Full> {
    if cut_words(heap, v) == 0 {
        return Ok(v);
    }
    let text = heap.prefix(v, 4 * MOST_CHARS);
    let end = text.char_indices().nth(MOST_CHARS).map_or(text.len(), |(at, _)| at);
    heap.text(&format!("{}…", text.get(..end).unwrap_or_default()))
}

fn write(
    heap: &mut Heap,
    kind: &str,
    size: Option<u64>,
    keys: Option<&Vec<Seen>>,
) -> Result<Word, Full> {
    let mut members = Vec::with_capacity(6);
    if let Some(keys) = keys {
        members.extend([heap.text("keys")?, all_keys(heap, keys)?]);
    }
    if let Some(size) = size {
        members.extend([heap.text("size")?, count(size)]);
    }
    members.extend([heap.text("type")?, heap.text(kind)?]);
    record::make(heap, &members)
}

fn all_keys(heap: &mut Heap, keys: &[Seen]) -> Result<Word, Full> {
    let (coverage, shown, types) =
        (heap.text("coverage")?, heap.text("example")?, heap.text("types")?);
    let names = kinds::names().map(|name| heap.text(name));
    let mut members = Vec::with_capacity(2 * keys.len());
    for seen in keys {
        let mut list = crate::memory::word::NIL;
        for (bit, name) in names.iter().enumerate().rev() {
            if seen.types >> bit & 1 == 1 {
                list = heap.two((*name)?, list, CONS);
            }
        }
        let mut about = vec![coverage, count(seen.coverage)];
        if let Some(v) = seen.example {
            about.extend([shown, example(heap, v)?]);
        }
        about.extend([types, list]);
        members.extend([seen.key, record::make(heap, &about)?]);
    }
    record::make(heap, &members)
}
