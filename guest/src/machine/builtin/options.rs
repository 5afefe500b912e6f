//! Records of options.

use super::Call;
use crate::fault::Code;
use crate::hint::nearest;
use crate::machine::state::Exit;
use crate::primitive::Trouble;
use crate::primitive::comparison::TEXT_UNIT;
use crate::quote::shorten;
use crate::value::{KIND_RECORD, Word};

/// Hands each option of the second operand, a record, to `take`, which says whether it knows the
/// name. Each costs 1, and 1 per 8 bytes of its name.
pub(super) fn read(
    c: &mut Call<'_>,
    known: &[&'static str],
    mut take: impl FnMut(&Call<'_>, &str, Word) -> Result<bool, Exit>,
) -> Result<(), Exit> {
    let record = c.operand(1);
    if c.s.heap.object_kind(record) != KIND_RECORD {
        return Err(c.wrong(1, "a record"));
    }
    let options = c.s.heap.members(record).to_vec();
    c.charge(options.len() as u64 / 2)?;
    for option in options.chunks_exact(2) {
        let [key, value] = *option else { continue };
        let size = c.s.heap.text_size(key);
        c.charge(size.map_or(0, |(bytes, _)| bytes / TEXT_UNIT))?;
        let name = c.s.heap.string(key);
        if !take(c, &name, value)? {
            return Err(unknown(&name, known).into());
        }
    }
    Ok(())
}

/// The fault of an option whose value has another type.
pub(super) fn wrong(c: &Call<'_>, value: Word, wanted: &'static str) -> Exit {
    c.s.wrong_element(1, value, wanted)
}

/// The fault of an option that a form does not have.
fn unknown(name: &str, known: &[&'static str]) -> Trouble {
    let (last, others) = known.split_last().unwrap_or((&"", &[]));
    let message =
        format!("`{}` is none of the options {} and {last}", shorten(name), others.join(", "));
    match nearest(name, known.iter().copied()) {
        Some(near) => {
            Trouble::with_hint(Code::OutOfRange, message, format!("did you mean `{near}`?"))
        }
        None => Trouble::OutOfRange(message),
    }
}
