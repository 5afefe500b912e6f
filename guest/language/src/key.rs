//! Finds the form of an object's key, in a hash table made at compile time.

use crate::form::Form;
use crate::forms::{COUNT, FORMS};

/// Places of the hash table of keys, more than twice as many as there are keys.
const PLACES: usize = 512;

/// The row number of the key at each place, counted from 1. Keys with equal hashes stand in
/// consecutive places.
static KEYS: [u8; PLACES] = {
    assert!(COUNT < 256 && 2 * COUNT < PLACES, "a row's number is a byte");
    let mut keys = [0; PLACES];
    let mut row = 0;
    while row < COUNT {
        let mut place = place(FORMS[row].name);
        while keys[place] != 0 {
            place = (place + 1) % PLACES;
        }
        #[expect(clippy::cast_possible_truncation, reason = "asserted above")]
        let number = row as u8 + 1;
        keys[place] = number;
        row += 1;
    }
    keys
};

/// Returns the first place to search for a key (FNV-1a).
const fn place(key: &str) -> usize {
    let bytes = key.as_bytes();
    let (mut hash, mut at) = (0x811c_9dc5_u32, 0);
    while at < bytes.len() && at < 16 {
        hash = (hash ^ bytes[at] as u32).wrapping_mul(0x0100_0193);
        at += 1;
    }
    (hash ^ hash >> 16) as usize % PLACES
}

impl Form {
    /// Returns the form that an object key names.
    #[must_use]
    pub fn of_key(key: &str) -> Option<Self> {
        let mut at = place(key);
        loop {
            let row = FORMS.get(usize::from(*KEYS.get(at)?).checked_sub(1)?)?;
            if row.name == key {
                return Some(row.form);
            }
            at = (at + 1) % PLACES;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_name_their_forms() {
        for row in FORMS {
            assert_eq!(Form::of_key(row.name), Some(row.form));
        }
        assert_eq!(Form::of_key("lambda"), None);
        assert_eq!(Form::of_key(""), None);
    }
}
