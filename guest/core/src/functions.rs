//! Elementary functions as JavaScript has them: those of fdlibm (Sun Microsystems, 1993), of which
//! the results are the same on every platform. Those that `libm` computes in the same way are its
//! own.

const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
const LN_2: f64 = std::f64::consts::LN_2;

/// Returns the upper 32 bits of a float.
fn high(x: f64) -> u32 {
    (x.to_bits() >> 32) as u32
}

fn with_high(x: f64, high: u32) -> f64 {
    f64::from_bits(u64::from(high) << 32 | x.to_bits() & 0xffff_ffff)
}

/// Returns a function of one number by its name.
#[must_use]
pub fn of_one(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "sin" => libm::sin,
        "cos" => libm::cos,
        "tan" => libm::tan,
        "asin" => libm::asin,
        "acos" => libm::acos,
        "atan" => libm::atan,
        "sinh" => sinh,
        "cosh" => cosh,
        "tanh" => tanh,
        "asinh" => asinh,
        "acosh" => acosh,
        "atanh" => libm::atanh,
        "exp" => libm::exp,
        "expm1" => libm::expm1,
        "log" => log,
        "log1p" => libm::log1p,
        "log2" => libm::log2,
        "log10" => log10,
        "cbrt" => cbrt,
        "sqrt" => f64::sqrt,
        "fround" => fround,
        _ => return None,
    })
}

#[expect(clippy::cast_possible_truncation, reason = "the nearest short float")]
fn fround(x: f64) -> f64 {
    f64::from(x as f32)
}

/// Returns the angle of a point.
#[must_use]
pub fn atan2(y: f64, x: f64) -> f64 {
    libm::atan2(y, x)
}

/// Returns the root of the sum of squares, with the rounding errors of the sum added up (Kahan).
#[must_use]
pub fn hypot(numbers: &[f64]) -> f64 {
    let most = numbers.iter().fold(0.0_f64, |most, n| most.max(n.abs()));
    if most == 0.0 {
        return 0.0;
    }
    let (mut sum, mut rest) = (0.0, 0.0);
    for n in numbers {
        let n = n.abs() / most;
        let square = n * n - rest;
        let next = sum + square;
        rest = (next - sum) - square;
        sum = next;
    }
    sum.sqrt() * most
}

fn log(x: f64) -> f64 {
    const LG: [f64; 7] = [
        6.666_666_666_666_735e-1,
        3.999_999_999_940_942e-1,
        2.857_142_874_366_239e-1,
        2.222_219_843_214_978_4e-1,
        1.818_357_216_161_805e-1,
        1.531_383_769_920_937_3e-1,
        1.479_819_860_511_658_6e-1,
    ];
    if x.is_nan() || x <= 0.0 || x.is_infinite() {
        return if x == 0.0 {
            f64::NEG_INFINITY
        } else if x > 0.0 {
            x
        } else {
            f64::NAN
        };
    }
    let (mut x, mut k) = (x, 0_i32);
    if high(x) < 0x0010_0000 {
        (x, k) = (x * 18_014_398_509_481_984.0, -54);
    }
    k += (high(x) >> 20).cast_signed() - 1023;
    let hx = (high(x) & 0x000f_ffff).cast_signed();
    let i = (hx + 0x95f64) & 0x10_0000;
    x = with_high(x, (hx | (i ^ 0x3ff0_0000)).cast_unsigned());
    k += i >> 20;
    let (f, dk) = (x - 1.0, f64::from(k));
    if (0x000f_ffff & (2 + hx)) < 3 {
        if f == 0.0 {
            return dk * LN_2_HIGH + dk * LN_2_LOW;
        }
        let r = f * f * (0.5 - 0.333_333_333_333_333_3 * f);
        return if k == 0 { f - r } else { dk * LN_2_HIGH - ((r - dk * LN_2_LOW) - f) };
    }
    let s = f / (2.0 + f);
    let z = s * s;
    let i = hx - 0x6147a;
    let j = 0x6b851 - hx;
    let w = z * z;
    let [l1, l2, l3, l4, l5, l6, l7] = LG;
    let t1 = w * (l2 + w * (l4 + w * l6));
    let t2 = z * (l1 + w * (l3 + w * (l5 + w * l7)));
    let r = t2 + t1;
    if (i | j) > 0 {
        let half = 0.5 * f * f;
        return if k == 0 {
            f - (half - s * (half + r))
        } else {
            dk * LN_2_HIGH - ((half - (s * (half + r) + dk * LN_2_LOW)) - f)
        };
    }
    if k == 0 { f - s * (f - r) } else { dk * LN_2_HIGH - ((s * (f - r) - dk * LN_2_LOW) - f) }
}

fn log10(x: f64) -> f64 {
    const LOG10_2_HIGH: f64 = f64::from_bits(0x3fd3_4413_509f_6000);
    const LOG10_2_LOW: f64 = f64::from_bits(0x3d59_fef3_11f1_2b36);
    if x.is_nan() || x <= 0.0 || x.is_infinite() {
        return log(x);
    }
    let (mut x, mut k) = (x, 0_i32);
    if high(x) < 0x0010_0000 {
        (x, k) = (x * 18_014_398_509_481_984.0, -54);
    }
    k += (high(x) >> 20).cast_signed() - 1023;
    let i = u32::from(k < 0);
    x = with_high(x, high(x) & 0x000f_ffff | (0x3ff - i) << 20);
    let y = f64::from(k + i.cast_signed());
    let z = y * LOG10_2_LOW + std::f64::consts::LOG10_E * log(x);
    z + y * LOG10_2_HIGH
}

fn cbrt(x: f64) -> f64 {
    const P: [f64; 5] = [
        1.875_951_824_271_77,
        -1.884_979_795_433_771_7,
        1.621_429_720_105_354_5,
        -7.583_979_347_787_66e-1,
        1.459_961_928_866_124_5e-1,
    ];
    if x == 0.0 || !x.is_finite() {
        return x;
    }
    let sign = high(x) & 0x8000_0000;
    let magnitude = high(x) & 0x7fff_ffff;
    let first = if magnitude < 0x0010_0000 {
        (high(x * 18_014_398_509_481_984.0) & 0x7fff_ffff) / 3 + 696_219_795
    } else {
        magnitude / 3 + 715_094_163
    };
    let mut t = f64::from_bits(u64::from(sign | first) << 32);
    let [p0, p1, p2, p3, p4] = P;
    let r = (t * t) * (t / x);
    t *= (p0 + r * (p1 + r * p2)) + ((r * r) * r) * (p3 + r * p4);
    t = f64::from_bits((t.to_bits() + 0x8000_0000) & 0xffff_ffff_c000_0000);
    let (s, w) = (t * t, t + t);
    let r = x / s;
    t + t * ((r - t) / (w + r))
}

fn tanh(x: f64) -> f64 {
    let size = x.abs();
    if size < f64::from_bits(0x3e30_0000_0000_0000) {
        return x;
    }
    let z = if size >= 22.0 {
        1.0
    } else if size >= 1.0 {
        let t = libm::expm1(2.0 * size);
        1.0 - 2.0 / (t + 2.0)
    } else {
        let t = libm::expm1(-2.0 * size);
        -t / (t + 2.0)
    };
    if x < 0.0 { -z } else { z }
}

/// From here on e^x is beyond all floats.
const LARGE: f64 = 709.782_712_893_384;

fn cosh(x: f64) -> f64 {
    let size = x.abs();
    if size < 0.5 * LN_2 {
        let t = libm::expm1(size);
        let w = 1.0 + t;
        return if size < f64::from_bits(0x3c80_0000_0000_0000) {
            w
        } else {
            1.0 + (t * t) / (w + w)
        };
    }
    if size < 22.0 {
        let t = libm::exp(size);
        return 0.5 * t + 0.5 / t;
    }
    if size < LARGE {
        return 0.5 * libm::exp(size);
    }
    let w = libm::exp(0.5 * size);
    0.5 * w * w
}

fn sinh(x: f64) -> f64 {
    let (size, half) = (x.abs(), if x < 0.0 { -0.5 } else { 0.5 });
    if size < 22.0 {
        if size < f64::from_bits(0x3e30_0000_0000_0000) {
            return x;
        }
        let t = libm::expm1(size);
        if size < 1.0 {
            return half * (2.0 * t - t * t / (t + 1.0));
        }
        return half * (t + t / (t + 1.0));
    }
    if size < LARGE {
        return half * libm::exp(size);
    }
    let w = libm::exp(0.5 * size);
    half * w * w
}

fn asinh(x: f64) -> f64 {
    let size = x.abs();
    if size < f64::from_bits(0x3e30_0000_0000_0000) {
        return x;
    }
    let w = if size > 268_435_456.0 {
        log(size) + LN_2
    } else if size > 2.0 {
        log(2.0 * size + 1.0 / ((x * x + 1.0).sqrt() + size))
    } else {
        let t = x * x;
        libm::log1p(size + t / (1.0 + (1.0 + t).sqrt()))
    };
    if x < 0.0 { -w } else { w }
}

fn acosh(x: f64) -> f64 {
    if x < 1.0 {
        return f64::NAN;
    }
    if x >= 268_435_456.0 {
        return log(x) + LN_2;
    }
    if x > 2.0 {
        return log(2.0 * x - 1.0 / (x + (x * x - 1.0).sqrt()));
    }
    let t = x - 1.0;
    libm::log1p(t + (2.0 * t + t * t).sqrt())
}
