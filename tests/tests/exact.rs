//! Random numbers against exact fractions: each float that is a result must be the one nearest to
//! the exact value. `PIF_RANDOM_SEED=5` takes other numbers.

use anyhow::{Context, ensure};
use num_bigint::{BigInt, Sign};
use num_integer::Integer;
use num_traits::{Signed, Zero};
use pif::limits::Limits;
use pif::number::float_text;
use pif::request::{Argument, Program};
use pif_tests::generate::Random;
use pif_tests::{case, native};
use serde_json::Value;
use std::cmp::Ordering;

const LIMITS: Limits = Limits { fuel: 1_000_000_000, ..case::LIMITS };

/// How many pairs or lists a test takes.
const COUNT: usize = 10_000;

/// A number as JSON writes it, and its exact value.
#[derive(Clone, Debug)]
struct Number {
    text: String,
    value: Fraction,
}

impl Number {
    fn of_integer(magnitude: BigInt) -> Self {
        Self { text: magnitude.to_string(), value: Fraction { magnitude, exponent: 0 } }
    }

    fn of_float(n: f64) -> Self {
        Self { text: float_text(n), value: Fraction::of(n) }
    }

    fn is_float(&self) -> bool {
        self.text.contains(['.', 'e'])
    }
}

/// A multiple of a power of two: `magnitude * 2^exponent`.
#[derive(Clone, Debug)]
struct Fraction {
    magnitude: BigInt,
    exponent: i32,
}

impl Fraction {
    fn of(n: f64) -> Self {
        let bits = n.to_bits();
        let biased = i32::try_from(bits >> 52 & 0x7ff).unwrap_or_default();
        let hidden = if biased == 0 { 0 } else { 1 << 52 };
        let magnitude = BigInt::from(bits & ((1 << 52) - 1) | hidden);
        let magnitude = if n.is_sign_negative() { -magnitude } else { magnitude };
        Self { magnitude, exponent: biased.max(1) - 1075 }
    }

    /// Both as multiples of one power of two.
    fn aligned(&self, other: &Self) -> (BigInt, BigInt, i32) {
        let least = self.exponent.min(other.exponent);
        let shifted = |n: &Self| n.magnitude.clone() << (n.exponent - least);
        (shifted(self), shifted(other), least)
    }

    fn remainder(&self, divisor: &Self) -> Self {
        let (a, b, exponent) = self.aligned(divisor);
        Self { magnitude: a.mod_floor(&b), exponent }
    }

    fn distance(&self, other: &Self) -> Self {
        let (a, b, exponent) = self.aligned(other);
        Self { magnitude: (a - b).abs(), exponent }
    }

    fn compare(&self, other: &Self) -> Ordering {
        let (a, b, _) = self.aligned(other);
        a.cmp(&b)
    }

    fn plus(&self, other: &Self) -> Self {
        let (a, b, exponent) = self.aligned(other);
        Self { magnitude: a + b, exponent }
    }

    /// Whether a float is the nearest one to a part of this, the even one of two.
    fn is_nearest(&self, divisor: usize, n: f64) -> bool {
        let times = |n: f64| {
            let Self { magnitude, exponent } = Self::of(n);
            Self { magnitude: magnitude * divisor, exponent }
        };
        let own = self.distance(&times(n));
        [n.next_down(), n.next_up()].iter().filter(|other| other.is_finite()).all(|other| match own
            .compare(&self.distance(&times(*other)))
        {
            Ordering::Less => true,
            Ordering::Equal => n.to_bits() & 1 == 0,
            Ordering::Greater => false,
        })
    }
}

fn half(random: &mut Random) -> u32 {
    u32::try_from(random.below(1 << 32)).unwrap_or_default()
}

fn word(random: &mut Random) -> u64 {
    u64::from(half(random)) << 32 | u64::from(half(random))
}

/// Any finite float: all exponents are as likely.
fn float(random: &mut Random) -> f64 {
    let n = f64::from_bits(word(random));
    if n.is_finite() { n } else { 0.0 }
}

/// A float as people write it.
fn decimal(random: &mut Random) -> f64 {
    let hundredths = f64::from(half(random) % 2_000_000) - 1_000_000.0;
    hundredths / 100.0
}

/// An integer of any length up to 20 limbs.
fn integer(random: &mut Random) -> BigInt {
    let words = if random.chance(50) { 1 } else { 1 + random.below(40) };
    let words = (0..words).map(|_| half(random)).collect();
    let sign = if random.chance(50) { Sign::Plus } else { Sign::Minus };
    BigInt::new(sign, words) >> random.below(32)
}

fn number(random: &mut Random) -> Number {
    let n = match random.below(8) {
        0 | 1 => return Number::of_integer(integer(random)),
        2 | 3 => decimal(random),
        4 => decimal(random).trunc(),
        _ => float(random),
    };
    Number::of_float(n)
}

fn random() -> anyhow::Result<Random> {
    let seed = std::env::var("PIF_RANDOM_SEED").unwrap_or_else(|_| "0".to_owned());
    Ok(Random::new(seed.parse().context("PIF_RANDOM_SEED")?))
}

/// What a function gives of each element of the data: a float, or none if it is beyond all floats.
fn each(body: &str, elements: &[String]) -> anyhow::Result<Vec<Option<f64>>> {
    let body = format!(r#"{{"try":{body},"catch":{{"lam":"e","body":null}}}}"#);
    let code = format!(
        r#"{{"lam":"data","body":{{"map":[{{"lam":"x","body":{body}}},{{"var":"data"}}]}}}}"#
    );
    let mut program = Program::term(code);
    program.argument = Argument::Data(format!("[{}]", elements.join(",")));
    let run = native::run(&program, &LIMITS, u64::MAX);
    let value = run.result.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
    let values: Vec<Value> = serde_json::from_str(&value.json)?;
    ensure!(values.len() == elements.len(), "{} values", values.len());
    Ok(values.iter().map(|value| value.to_string().parse().ok()).collect())
}

#[test]
fn remainders_are_exact_and_rounded_once() -> anyhow::Result<()> {
    let mut random = random()?;
    let mut pairs = Vec::new();
    while pairs.len() < COUNT {
        let (a, b) = (number(&mut random), number(&mut random));
        if (a.is_float() || b.is_float()) && !b.value.magnitude.is_zero() {
            pairs.push((a, b));
        }
    }
    let texts: Vec<String> =
        pairs.iter().map(|(a, b)| format!("[{},{}]", a.text, b.text)).collect();
    let results = each(r#"{"mod":[{"nth":[{"var":"x"},0]},{"nth":[{"var":"x"},1]}]}"#, &texts)?;
    let greatest = Fraction::of(f64::MAX);
    let mut beyond = 0;
    for ((a, b), result) in pairs.iter().zip(results) {
        let exact = a.value.remainder(&b.value);
        let Some(result) = result else {
            // Only a large integer as the divisor lets a remainder be beyond all floats.
            let magnitude = exact.distance(&Fraction::of(0.0));
            ensure!(magnitude.compare(&greatest).is_gt(), "{} mod {}", a.text, b.text);
            beyond += 1;
            continue;
        };
        let (a, b, divisor) = (&a.text, &b.text, &b.value.magnitude);
        ensure!(exact.is_nearest(1, result), "{a} mod {b} is not {result:?}");
        ensure!(result.is_sign_negative() == divisor.is_negative(), "{a} mod {b}: {result:?}");
    }
    ensure!(beyond < COUNT / 10, "{beyond} remainders beyond all floats");
    Ok(())
}

/// Lists of one number to some hundred, from cents to all exponents, with integers among them.
fn list(random: &mut Random) -> Vec<Number> {
    let most = if random.chance(90) { 12 } else { 200 };
    let length = 1 + random.below(most);
    let kind = random.below(4);
    let mut item = || match kind {
        0 => Number::of_float(decimal(random)),
        1 => Number::of_float(float(random)),
        2 => Number::of_float(random.pick(&[1e16, 1.0, -1e16, 1e308, -1e308, 5e-324, 0.1])),
        _ => number(random),
    };
    (0..length).map(|_| item()).collect()
}

fn checked(form: &str, divided: bool) -> anyhow::Result<()> {
    let mut random = random()?;
    let lists: Vec<Vec<Number>> = (0..COUNT).map(|_| list(&mut random)).collect();
    let joined = |list: &[Number]| {
        let texts: Vec<&str> = list.iter().map(|number| number.text.as_str()).collect();
        format!("[{}]", texts.join(","))
    };
    let texts: Vec<String> = lists.iter().map(|list| joined(list)).collect();
    let results = each(&format!(r#"{{"{form}":{{"var":"x"}}}}"#), &texts)?;
    let greatest = Fraction::of(f64::MAX);
    let mut beyond = 0;
    for ((list, text), result) in lists.iter().zip(&texts).zip(results) {
        let sum = list.iter().fold(Fraction::of(0.0), |sum, number| sum.plus(&number.value));
        let divisor = if divided { list.len() } else { 1 };
        match result {
            _ if !divided && !list.iter().any(Number::is_float) => {}
            Some(result) => ensure!(sum.is_nearest(divisor, result), "{form} {text}: {result:?}"),
            None => {
                ensure!(
                    sum.distance(&Fraction::of(0.0)).compare(&greatest).is_gt(),
                    "{form} {text}"
                );
                beyond += 1;
            }
        }
    }
    ensure!(beyond < COUNT / 4, "{beyond} beyond all floats");
    Ok(())
}

#[test]
fn sums_are_exact_and_rounded_once() -> anyhow::Result<()> {
    checked("sum", false)
}

#[test]
fn means_are_exact_and_rounded_once() -> anyhow::Result<()> {
    checked("mean", true)
}
