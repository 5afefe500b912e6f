//! `format_number`, by division of integers.

use super::operation::limbs;
use super::text::{TEXT_UNIT, units};
use super::value::Value;
use super::{Evaluated, Evaluator};
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{Signed, ToPrimitive};
use pif::fault::Code;

fn ten(exponent: usize) -> BigInt {
    BigInt::from(10).pow(u32::try_from(exponent).unwrap_or(u32::MAX))
}

/// Numerator, and decimals of the denominator, which is a power of ten.
fn fraction(n: &Value) -> Result<(BigInt, usize), Code> {
    let text = match n {
        Value::Integer(n) => return Ok((n.clone(), 0)),
        Value::Float(n) => format!("{n:e}"),
        _ => return Err(Code::TypeMismatch),
    };
    let (mantissa, exponent) = text.split_once('e').ok_or(Code::Internal)?;
    let decimals = mantissa.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    let numerator: BigInt = mantissa.replace('.', "").parse().map_err(|_| Code::Internal)?;
    let exponent: i64 = exponent.parse().map_err(|_| Code::Internal)?;
    let scale = i64::try_from(decimals).unwrap_or_default() - exponent;
    Ok(match usize::try_from(scale) {
        Ok(scale) => (numerator, scale),
        Err(_) => (numerator * ten(scale.unsigned_abs().to_usize().unwrap_or_default()), 0),
    })
}

fn character(value: &Value) -> Result<Option<char>, Code> {
    let Value::Text(text) = value else { return Err(Code::TypeMismatch) };
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (first, None) => Ok(first),
        _ => Err(Code::OutOfRange),
    }
}

impl Evaluator {
    pub(super) fn format_number(&mut self, n: &Value, options: &[Value]) -> Evaluated {
        let (numerator, scale) = fraction(n)?;
        let (mut decimals, mut group, mut point, mut half_up) = (scale, None, '.', false);
        if let Some(options) = options.first() {
            let Value::Record(options) = options else { return Err(Code::TypeMismatch) };
            self.work(options.len() as u64)?;
            for (name, value) in options.iter() {
                self.work(name.len() as u64 / TEXT_UNIT)?;
                match (name.as_str(), value) {
                    ("decimals", Value::Integer(n)) => {
                        let n = n.to_usize().filter(|n| *n <= 100);
                        decimals = n.ok_or(Code::OutOfRange)?;
                    }
                    ("group", value) => group = character(value)?,
                    ("point", value) => point = character(value)?.ok_or(Code::OutOfRange)?,
                    ("rounding", Value::Text(text)) => match text.as_ref() {
                        "half-even" => half_up = false,
                        "half-up" => half_up = true,
                        _ => return Err(Code::OutOfRange),
                    },
                    ("decimals" | "rounding", _) => return Err(Code::TypeMismatch),
                    _ => return Err(Code::OutOfRange),
                }
            }
        }
        let length = limbs(n)?;
        self.work(if length < 2 { 0 } else { length * (8 + 2 * length.isqrt()) })?;
        let (scaled, divisor) = (numerator.abs() * ten(decimals), ten(scale));
        let (mut whole, rest): (BigInt, BigInt) = scaled.div_rem(&divisor);
        let goes_up = match (rest * 2_u8).cmp(&divisor) {
            std::cmp::Ordering::Less => false,
            std::cmp::Ordering::Equal => half_up || whole.is_odd(),
            std::cmp::Ordering::Greater => true,
        };
        whole += u8::from(goes_up);
        let digits = format!("{:0>width$}", whole.to_string(), width = decimals + 1);
        let (before, after) = digits.split_at(digits.len() - decimals);
        let mut out = String::new();
        for (at, digit) in before.chars().enumerate() {
            if at > 0 && (before.len() - at) % 3 == 0 {
                out.extend(group);
            }
            out.push(digit);
        }
        if decimals > 0 {
            out.push(point);
            out.push_str(after);
        }
        if numerator.is_negative() && whole != BigInt::ZERO {
            out.insert(0, '-');
        }
        self.work(units(&out))?;
        Ok(Value::Text(out.into()))
    }
}
