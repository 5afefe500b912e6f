//! The options of `retry`.

use crate::algorithm::number::value::Number;
use crate::algorithm::trouble::Trouble;
use crate::algorithm::weight::TEXT_UNIT;
use crate::builtin::call::Call;
use crate::builtin::options;
use crate::memory::word::{KIND_RECORD, Word, as_small, is_function, is_integer, is_list};
use crate::run::retry::{MOST_MILLIS, REASONS, Retry};
use crate::run::state::Exit;
use pif_language::kinds::{self, Wanted};

/// The most attempts, and the most by which a wait may be longer than the last.
const MOST_ATTEMPTS: i64 = 10;
const MOST_FACTOR: f64 = 10.0;

/// The names of the options.
const OPTIONS: [&str; 4] = ["attempts", "factor", "first_ms", "on"];

/// Reads the options in the first operand. The second must be a function.
pub(super) fn read(c: &mut Call<'_>) -> Result<Retry, Exit> {
    let record = c.operand(0);
    if c.s.heap.object_kind(record) != KIND_RECORD {
        return Err(c.refuse(0));
    }
    if !is_function(c.operand(1)) {
        return Err(c.refuse(1));
    }
    let (mut retry, mut reasons) = (Retry::default(), None);
    options::each(c, record, &OPTIONS, |c, name, value| {
        match name {
            "attempts" => retry.left = count(c, "attempts", value, 1, MOST_ATTEMPTS)? - 1,
            "first_ms" => retry.next = count(c, "first_ms", value, 0, MOST_MILLIS)?,
            "factor" => retry.factor = factor(c, value)?,
            "on" if is_list(value) => reasons = Some(value),
            "on" => return Err(member(c, "on", kinds::LIST, value)),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if let Some(list) = reasons {
        let elements = c.elements(list);
        c.charge(elements.len() as u64)?;
        retry.on = elements.into_iter().map(|it| reason(c, it)).collect::<Result<_, _>>()?;
    }
    Ok(retry)
}

/// A whole number within bounds.
fn count(
    c: &Call<'_>,
    name: &'static str,
    value: Word,
    least: i64,
    most: i64,
) -> Result<u64, Exit> {
    if !is_integer(value) && c.s.heap.limbs(value).is_none() {
        return Err(member(c, name, kinds::INTEGER, value));
    }
    let given = if is_integer(value) { as_small(value) } else { -1 };
    let given = u64::try_from(given).ok().filter(|_| (least..=most).contains(&given));
    given.ok_or_else(|| Trouble::OutOfRange(format!("`{name}` is from {least} to {most}")).into())
}

/// The factor, a number from 1 on.
fn factor(c: &Call<'_>, value: Word) -> Result<f64, Exit> {
    let number = Number::of(&c.s.heap, value);
    let number = number.ok_or_else(|| member(c, "factor", kinds::NUMBER, value))?;
    match number.float() {
        Ok(factor) if (1.0..=MOST_FACTOR).contains(&factor) => Ok(factor),
        _ => Err(Trouble::OutOfRange(format!("`factor` is from 1 to {MOST_FACTOR}")).into()),
    }
}

/// A reason after which a call may be made again.
fn reason(c: &mut Call<'_>, value: Word) -> Result<&'static str, Exit> {
    let Some((bytes, _)) = c.s.heap.text_size(value) else {
        return Err(c.s.wrong_element(0, value, Wanted::Member("on", kinds::STRING)));
    };
    c.charge(bytes / TEXT_UNIT)?;
    let name = c.s.heap.prefix(value, 64);
    let known = REASONS.into_iter().find(|known| *known == name);
    known.ok_or_else(|| {
        let known = REASONS.join(", ");
        Trouble::OutOfRange(format!("`on` has other reasons than {known}")).into()
    })
}

/// The fault of an option whose value has another type.
fn member(c: &Call<'_>, name: &'static str, kinds: kinds::Kinds, value: Word) -> Exit {
    c.s.wrong_element(0, value, Wanted::Member(name, kinds))
}
