//! Records of options.

use crate::algorithm::trouble::Trouble;
use crate::algorithm::weight::TEXT_UNIT;
use crate::builtin::call::Call;
use pif_language::kinds::Wanted;

use crate::run::state::Exit;
use pif_core::fault::{Code, Fault};
use pif_language::hint::{nearest, only_near};

use crate::memory::word::{KIND_RECORD, Word};
use pif_core::text::quote::shorten;

/// Passes each option of the record in the second operand to `take`, which returns whether it knows
/// the name. Each option costs 1, and 1 per 8 bytes of its name.
pub(crate) fn read(
    c: &mut Call<'_>,
    known: &[&'static str],
    take: impl FnMut(&Call<'_>, &str, Word) -> Result<bool, Exit>,
) -> Result<(), Exit> {
    let record = c.operand(1);
    if c.s.heap.object_kind(record) != KIND_RECORD {
        return Err(c.refuse(1));
    }
    each(c, record, known, take)
}

/// As `read`, for a record that stands anywhere.
pub(crate) fn each(
    c: &mut Call<'_>,
    record: Word,
    known: &[&'static str],
    mut take: impl FnMut(&Call<'_>, &str, Word) -> Result<bool, Exit>,
) -> Result<(), Exit> {
    let options = c.s.heap.members(record).into_owned();
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
pub(crate) fn wrong(c: &Call<'_>, value: Word, wanted: Wanted) -> Exit {
    c.s.wrong_element(1, value, wanted)
}

/// Returns the fault of an unknown option.
fn unknown(name: &str, known: &[&'static str]) -> Trouble {
    let known_ones = match known {
        [only] => format!("option is {only}"),
        [others @ .., last] => format!("options are {} and {last}", others.join(", ")),
        [] => String::new(),
    };
    let message = format!("there is no option `{}`; the {known_ones}", shorten(name));
    match nearest(name, known.iter().copied()) {
        Some(near) => {
            let fault = Fault::new(Code::OutOfRange, message);
            let only = only_near(name, &mut known.iter().copied());
            Trouble::Here(Box::new(fault.near(name, only).hint(format!("did you mean `{near}`?"))))
        }
        None => Trouble::OutOfRange(message),
    }
}
