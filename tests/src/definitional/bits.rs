//! `bits`: integers as two's complement, without end or of 32 bits.

use super::javascript::{integer, trunc};
use super::keys::length_work;
use super::operation::{integral, mismatch};
use super::value::Value;
use super::{Evaluated, Evaluator};
use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{Signed, ToPrimitive, Zero};
use pif::fault::Code;
use pif::limits::INTEGER_BITS;

impl Evaluator {
    #[expect(clippy::too_many_lines, reason = "a dispatch table")]
    pub(super) fn bits(&mut self, name: &Value, numbers: &[Value]) -> Evaluated {
        let name = self.named_function(name, numbers)?;
        // Two's complement, without end.
        let whole = |n: &Value| match n {
            Value::Float(n) => trunc(*n),
            Value::Integer(n) => n.clone(),
            _ => BigInt::ZERO,
        };
        let word = BigInt::from(1_u64 << 32);
        let short = |n: BigInt| n.mod_floor(&word);
        let signed = |n: BigInt| {
            let n = short(n);
            if n.bits() == 32 { n - &word } else { n }
        };
        let of_words = match (name, numbers) {
            ("~", [n]) => Some(signed(-whole(n) - 1)),
            ("clz32", [n]) => Some(BigInt::from(32 - short(whole(n)).bits())),
            ("&" | "|" | "^" | "<<" | ">>" | ">>>" | "imul", [a, b]) => {
                let (a, b) = (whole(a), whole(b));
                let by = b.mod_floor(&32.into()).to_u32().unwrap_or_default();
                Some(match name {
                    "&" => signed(a & b),
                    "|" => signed(a | b),
                    "^" => signed(a ^ b),
                    "<<" => signed(a << by),
                    ">>" => signed(a).div_floor(&(BigInt::from(1) << by)),
                    ">>>" => short(a).div_floor(&(BigInt::from(1) << by)),
                    _ => signed(a * b),
                })
            }
            _ => None,
        };
        if let Some(n) = of_words {
            return Ok(Value::Integer(n));
        }
        let is_known = matches!(
            (name, numbers.len()),
            ("not", 1) | ("and" | "or" | "xor" | "left" | "right", 2)
        );
        if !is_known {
            return Err(Code::OutOfRange);
        }
        let integers = numbers.iter().map(|n| integral(n).ok_or_else(|| mismatch(n)));
        let integers = integers.collect::<Result<Vec<_>, _>>()?;
        match (name, integers.as_slice()) {
            ("not", [a]) => integer(-a - 1),
            ("and", [a, b]) => integer(a & b),
            ("or", [a, b]) => integer(a | b),
            ("xor", [a, b]) => integer(a ^ b),
            (_, [_, by]) if by.is_negative() => Err(Code::OutOfRange),
            ("right", [a, by]) => {
                let by = by.to_u64().unwrap_or(u64::MAX).min(INTEGER_BITS + 1);
                integer(a.div_floor(&(BigInt::from(1) << by)))
            }
            (_, [a, _]) if a.is_zero() => Ok(Value::Integer(BigInt::ZERO)),
            (_, [a, by]) => {
                let by = by.to_u64().unwrap_or(u64::MAX);
                if a.bits().saturating_add(by) > INTEGER_BITS {
                    return Err(Code::TooLarge);
                }
                self.work(length_work(1 + by / 64))?;
                integer(a << by)
            }
            _ => Err(Code::Internal),
        }
    }
}
