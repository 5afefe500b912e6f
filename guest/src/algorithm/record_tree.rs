//! Records of many members that are changed. Such a record becomes a tree like that of a map
//! (`mapping`), so that another value under a key copies a path and not all members: a `reduce` that
//! gives a new record each time takes n·log n, and not n².
//!
//! The first change turns the record itself into a tree. So each record is turned at most once, and
//! whatever made it has paid for that.

use crate::algorithm::mapping::{self, KEY_WORDS, Key};
use crate::memory::heap::{Heap, Sought};
use crate::memory::record::TREE_HEADER;
use crate::memory::tree::Leaf;
use crate::memory::word::{Word, count, index};
use pif_language::prices::units::COPIED_MEMBERS;

/// Tells whether a record of so many members is changed as a tree.
pub(crate) fn is_large(members: usize) -> bool {
    members as u64 > COPIED_MEMBERS
}

/// Counts the words that `plant` takes for a record, if it has to be a tree and is none.
pub(crate) fn planted_words(heap: &Heap, record: Word) -> Option<usize> {
    let members = heap.count_members(record);
    let has_to = is_large(members) && !heap.is_tree(record);
    has_to.then_some(members * KEY_WORDS)
}

/// Turns a record that is flat into a tree. There must be room for `planted_words`.
pub(crate) fn plant(heap: &mut Heap, record: Word) {
    let members = heap.flat_members(record).to_vec();
    let root = mapping::root_of(heap, &members);
    let count = count(members.len() as u64 / 2);
    heap.put(index(record), &[TREE_HEADER, root, count, count]);
}

/// Returns the value under a key of a tree.
pub(crate) fn value(heap: &Heap, record: Word, key: &[u8]) -> Option<Word> {
    let leaf = Leaf::at(heap, mapping::nearest(heap, record, &Key::text(key))?);
    (heap.flat(leaf.key) == key).then_some(leaf.value)
}

/// Returns the value under a key of a tree, which is a flat text.
pub(crate) fn value_of(heap: &Heap, record: Word, key: Word) -> Option<Word> {
    sought(heap, record, key, &Key::text(heap.flat(key))).value(heap)
}

/// Finds a key, which is a flat text. A program that changes a value has often read it before.
fn sought(heap: &Heap, record: Word, key: Word, name: &Key) -> Sought {
    if let Some((of, known, sought)) = heap.sought.get()
        && (of, known) == (record, key)
    {
        return sought;
    }
    let sought = mapping::find_text(heap, record, name);
    heap.sought.set(Some((record, key, sought)));
    sought
}

/// Counts the words that the tree takes with another value under a key of this text, or without it.
pub(crate) fn changed_words(heap: &Heap, record: Word, key: Word, text: &[u8]) -> usize {
    let name = Key::text(text);
    let found = if heap.is_flat(key) {
        sought(heap, record, key, &name)
    } else {
        mapping::find_text(heap, record, &name)
    };
    found.words()
}

/// Returns a tree with a value under a key, which is a flat text. There must be room for
/// `changed_words`.
pub(crate) fn put(heap: &mut Heap, record: Word, [key, value]: [Word; 2]) -> Word {
    let name = Key::text(heap.flat(key));
    let sought = sought(heap, record, key, &name);
    mapping::put(heap, record, (&name, &sought), [key, value], usize::MAX)
}

/// Returns a tree with the members of another record. There must be room for the `changed_words` of
/// each.
pub(crate) fn put_all(heap: &mut Heap, record: Word, members: &[Word]) -> Word {
    // What the first change has copied, the others may change.
    let (own, mut record) = (heap.top, record);
    for member in members.chunks_exact(2) {
        let [key, value] = *member else { continue };
        record = add(heap, (record, own), [key, value]);
    }
    record
}

/// Puts a member into a tree. Objects from `own` on may be changed.
fn add(heap: &mut Heap, (record, own): (Word, usize), [key, value]: [Word; 2]) -> Word {
    let name = Key::text(heap.flat(key));
    let sought = mapping::find_text(heap, record, &name);
    mapping::put(heap, record, (&name, &sought), [key, value], own)
}

/// Returns a tree without a key. There must be room for `changed_words`.
pub(crate) fn remove(heap: &mut Heap, record: Word, key: &[u8]) -> Word {
    let key = Key::text(key);
    let sought = mapping::find_text(heap, record, &key);
    mapping::remove(heap, record, (&key, &sought))
}
