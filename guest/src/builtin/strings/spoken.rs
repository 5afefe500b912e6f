//! Values as JavaScript names, writes and orders them: `typeof as_text stringify
//! locale_compare`, and `join` of a list of other values than texts.

use crate::algorithm::collation;
use crate::builtin::bytes::TOO_LARGE;
use crate::builtin::call::Call;
use crate::data::string::{self, End, Written};
use crate::memory::word::{FALSE, TRUE, UNIT, Word, small};
use crate::run::state::Exit;
use pif_language::kinds::{self, Wanted};

/// Makes the text that was written.
fn give(c: &mut Call<'_>, written: Written, wanted: impl Into<Wanted>) -> Result<Word, Exit> {
    let Written { text, work, end } = written;
    match end {
        End::TooLong => return Err(TOO_LARGE.into()),
        End::Spent => {
            let budget = c.budget();
            c.charge(work.max(budget + 1))?;
        }
        End::Complete | End::Wrong(_) => c.charge(work)?,
    }
    match end {
        End::Wrong(v) => Err(c.s.wrong_type(0, v, wanted)),
        _ => c.make_text_of(&text),
    }
}

pub(crate) fn as_text(c: &mut Call<'_>) -> Result<Word, Exit> {
    let v = c.operand(0);
    if c.s.heap.is_text(v) {
        return Ok(v);
    }
    let limits = (c.longest_written(), c.budget());
    let written = string::text(&c.s.heap, v, limits);
    give(c, written, Wanted::Scalars)
}

/// Joins a list that does not hold only texts: the texts of numbers, booleans, null and lists.
pub(super) fn join(c: &mut Call<'_>, separator: &str) -> Result<Word, Exit> {
    c.charge_texts(&[separator])?;
    let limits = (c.longest_written(), c.budget());
    let written = string::joined(&c.s.heap, c.operand(0), separator, limits);
    if let End::Wrong(part) = written.end {
        c.charge(written.work)?;
        return Err(c.s.wrong_element(0, part, Wanted::ListOfScalars));
    }
    give(c, written, kinds::LIST)
}

/// Most blanks and characters of an indent, as JavaScript has it.
const MOST_INDENT: i64 = 10;

pub(crate) fn stringify(c: &mut Call<'_>) -> Result<Word, Exit> {
    let indent = if c.len() < 2 || c.operand(1) == UNIT {
        String::new()
    } else if c.s.heap.is_text(c.operand(1)) {
        c.s.heap.prefix(c.operand(1), 40).chars().take(10).collect()
    } else {
        let n =
            c.integer(1)?.unwrap_or_else(|is_negative| if is_negative { 0 } else { MOST_INDENT });
        " ".repeat(usize::try_from(n.clamp(0, MOST_INDENT)).unwrap_or_default())
    };
    let limits = (c.longest_written(), c.budget());
    let written = string::json(&c.s.heap, c.operand(0), &indent, limits);
    give(c, written, Wanted::NoFunction)
}

pub(crate) fn locale_compare(c: &mut Call<'_>) -> Result<Word, Exit> {
    let (a, b) = (c.text(0)?, c.text(1)?);
    let by_value = match if c.len() > 2 { c.operand(2) } else { FALSE } {
        TRUE => true,
        FALSE => false,
        _ => return Err(c.refuse(2)),
    };
    c.charge_texts(&[&a, &b])?;
    c.set_aside(8 * (a.len() + b.len()) as u64)?;
    Ok(small(collation::order(&a, &b, by_value) as i64))
}
