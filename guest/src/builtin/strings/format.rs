//! `format_number`.

use crate::algorithm::number::value::Number;
use crate::algorithm::trouble::Trouble;
use crate::algorithm::weight::digits_work;
use crate::builtin::bytes::TOO_LARGE;
use crate::builtin::call::Call;
use crate::builtin::options;
use crate::run::state::Exit;
use pif_core::json::decimal::Powers;
use pif_core::json::number::write_integer;
use pif_language::kinds::{self, Wanted};

use crate::algorithm::number::format::{Decimal, Layout};
use crate::memory::word::{Word, as_small, is_integer};

/// Most digits after the point.
const MOST_DECIMALS: i64 = 100;

/// Most decimal digits of a limb.
const LIMB_DIGITS: u64 = 20;

const DECIMALS: &str = "decimals";
const GROUP: &str = "group";
const POINT: &str = "point";
const ROUNDING: &str = "rounding";

pub(crate) fn format_number(c: &mut Call<'_>) -> Result<Word, Exit> {
    let n = c.number(0)?;
    let layout = if c.len() > 1 { layout(c)? } else { Layout::default() };
    let limbs = n.limbs();
    if limbs.saturating_mul(LIMB_DIGITS) > c.longest() / 2 {
        return Err(TOO_LARGE.into());
    }
    c.charge(digits_work(limbs))?;
    // The digits, with the marks between them.
    c.set_aside(limbs.saturating_mul(4 * LIMB_DIGITS))?;
    let decimal = match &n {
        Number::Float(n) => Decimal::of_float(*n),
        n => {
            let mut digits = String::new();
            write_integer(&n.big(), &mut Powers::default(), &mut digits);
            Decimal::of_integer(&digits)
        }
    };
    c.give_text(&decimal.write(&layout))
}

fn layout(c: &mut Call<'_>) -> Result<Layout, Exit> {
    let mut layout = Layout::default();
    options::read(c, &[DECIMALS, GROUP, POINT, ROUNDING], |c, name, value| {
        match name {
            DECIMALS => layout.decimals = Some(decimals(c, value)?),
            GROUP => layout.group = character(c, value, GROUP)?,
            POINT => match character(c, value, POINT)? {
                Some(point) => layout.point = point,
                None => return Err(Trouble::OutOfRange("the `point` is empty".to_owned()).into()),
            },
            ROUNDING => match text(c, value, Wanted::Member(ROUNDING, kinds::STRING))?.as_str() {
                "half-even" => layout.rounds_half_up = false,
                "half-up" => layout.rounds_half_up = true,
                _ => {
                    let message = "the `rounding` is \"half-even\" or \"half-up\"".to_owned();
                    return Err(Trouble::OutOfRange(message).into());
                }
            },
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(layout)
}

fn decimals(c: &Call<'_>, value: Word) -> Result<usize, Exit> {
    if !is_integer(value) && c.s.heap.limbs(value).is_none() {
        return Err(options::wrong(c, value, Wanted::Member(DECIMALS, kinds::INTEGER)));
    }
    let n = Some(value).filter(|value| is_integer(*value)).map(as_small);
    let n = n.filter(|n| (0..=MOST_DECIMALS).contains(n)).and_then(|n| usize::try_from(n).ok());
    n.ok_or_else(|| {
        Trouble::OutOfRange(format!("the `decimals` are from 0 to {MOST_DECIMALS}")).into()
    })
}

/// Returns the only character of a text. Returns nothing for an empty text.
fn character(c: &Call<'_>, value: Word, name: &'static str) -> Result<Option<char>, Exit> {
    let text = text(c, value, Wanted::Member(name, kinds::STRING))?;
    let mut chars = text.chars();
    let first = chars.next();
    if chars.next().is_none() {
        return Ok(first);
    }
    Err(Trouble::OutOfRange(format!("the `{name}` has more than one character")).into())
}

/// Returns the beginning of a text: enough to tell whether it is too long for an option.
fn text(c: &Call<'_>, value: Word, wanted: Wanted) -> Result<String, Exit> {
    if c.s.heap.is_text(value) {
        return Ok(c.s.heap.prefix(value, 16));
    }
    Err(options::wrong(c, value, wanted))
}
