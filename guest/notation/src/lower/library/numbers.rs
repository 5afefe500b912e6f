//! `Number`, `Math`, and the members of numbers that make texts of them.

use super::work::{MANY, Made, Once, Row, Work, make, refused, spread};
use crate::tree::{Id, Words};
use pif_language::form::Form;

/// The members.
pub(super) const MEMBERS: &[Row] = &[
    make("toFixed", (0, 1), |w| digits(w, "fixed"), "n.toFixed(2)"),
    make("toPrecision", (0, 1), |w| digits(w, "precision"), "n.toPrecision(3)"),
    make("toExponential", (0, 1), |w| digits(w, "exponential"), "n.toExponential(2)"),
    make("toString", (0, 1), to_string, "x.toString()"),
    make("toLocaleString", (0, 2), to_locale, "n.toLocaleString(\"en-US\")"),
];

/// The functions.
pub(super) const FUNCTIONS: &[Row] = &[
    make("Number", (0, 1), number, "Number(s)"),
    make("BigInt", (1, 1), |w| Ok(w.form(Form::ToNumber, &[w.argument(0)])), "BigInt(s)"),
    make("Boolean", (0, 1), boolean, "Boolean(x)"),
    make("parseInt", (1, 2), parse_int, "parseInt(s, 10)"),
    make("Number.parseInt", (1, 2), parse_int, "Number.parseInt(s, 10)"),
    make("parseFloat", (1, 1), parse_float, "parseFloat(s)"),
    make("Number.parseFloat", (1, 1), parse_float, "Number.parseFloat(s)"),
    make("isNaN", (1, 1), |w| number_is(w, "nan", true), "isNaN(n)"),
    make("isFinite", (1, 1), |w| number_is(w, "finite", true), "isFinite(n)"),
    make("Number.isNaN", (1, 1), |w| number_is(w, "nan", false), "Number.isNaN(n)"),
    make("Number.isFinite", (1, 1), |w| number_is(w, "finite", false), "Number.isFinite(n)"),
    make("Number.isInteger", (1, 1), |w| number_is(w, "integer", false), "Number.isInteger(n)"),
    make(
        "Number.isSafeInteger",
        (1, 1),
        |w| number_is(w, "safe", false),
        "Number.isSafeInteger(n)",
    ),
    make("Math.floor", (1, 1), |w| rounded(w, Form::Floor, "floor"), "Math.floor(n)"),
    make("Math.ceil", (1, 1), |w| rounded(w, Form::Ceil, "ceil"), "Math.ceil(n)"),
    make("Math.trunc", (1, 1), |w| rounded(w, Form::ToInt, "trunc"), "Math.trunc(n)"),
    make("Math.round", (1, 1), |w| rounded(w, Form::Divide, "round"), "Math.round(n)"),
    spread("Math.max", (0, MANY), |w| extreme(w, Form::Max, "-Infinity"), "Math.max(a, b)"),
    spread("Math.min", (0, MANY), |w| extreme(w, Form::Min, "Infinity"), "Math.min(a, b)"),
    make("Math.abs", (1, 1), |w| Ok(w.form(Form::Abs, &[w.argument(0)])), "Math.abs(n)"),
    make("Math.sqrt", (1, 1), |w| Ok(w.form(Form::Sqrt, &[w.argument(0)])), "Math.sqrt(n)"),
    make("Math.pow", (2, 2), |w| Ok(w.form(Form::Pow, &w.operands())), "Math.pow(a, b)"),
    spread("Math.hypot", (0, MANY), hypot, "Math.hypot(a, b)"),
    make("Math.atan2", (2, 2), math, "Math.atan2(y, x)"),
    make("Math.imul", (2, 2), |w| bits(w, "imul"), "Math.imul(a, b)"),
    make("Math.clz32", (1, 1), |w| bits(w, "clz32"), "Math.clz32(n)"),
    make("Math.exp", (1, 1), math, "Math.exp(n)"),
    make("Math.expm1", (1, 1), math, "Math.expm1(n)"),
    make("Math.log", (1, 1), math, "Math.log(n)"),
    make("Math.log1p", (1, 1), math, "Math.log1p(n)"),
    make("Math.log2", (1, 1), math, "Math.log2(n)"),
    make("Math.log10", (1, 1), math, "Math.log10(n)"),
    make("Math.cbrt", (1, 1), math, "Math.cbrt(n)"),
    make("Math.sign", (1, 1), math, "Math.sign(n)"),
    make("Math.fround", (1, 1), math, "Math.fround(n)"),
    make("Math.sin", (1, 1), math, "Math.sin(n)"),
    make("Math.cos", (1, 1), math, "Math.cos(n)"),
    make("Math.tan", (1, 1), math, "Math.tan(n)"),
    make("Math.asin", (1, 1), math, "Math.asin(n)"),
    make("Math.acos", (1, 1), math, "Math.acos(n)"),
    make("Math.atan", (1, 1), math, "Math.atan(n)"),
    make("Math.sinh", (1, 1), math, "Math.sinh(n)"),
    make("Math.cosh", (1, 1), math, "Math.cosh(n)"),
    make("Math.tanh", (1, 1), math, "Math.tanh(n)"),
    make("Math.asinh", (1, 1), math, "Math.asinh(n)"),
    make("Math.acosh", (1, 1), math, "Math.acosh(n)"),
    make("Math.atanh", (1, 1), math, "Math.atanh(n)"),
    refused("Math.random", "a run has no chance in it", "data.seed: pass random numbers as data"),
];

/// The numbers that have names.
pub(super) const CONSTANTS: &[(&str, &str)] = &[
    ("Math.PI", "3.141592653589793"),
    ("Math.E", "2.718281828459045"),
    ("Math.LN2", "0.6931471805599453"),
    ("Math.LN10", "2.302585092994046"),
    ("Math.LOG2E", "1.4426950408889634"),
    ("Math.LOG10E", "0.4342944819032518"),
    ("Math.SQRT2", "1.4142135623730951"),
    ("Math.SQRT1_2", "0.7071067811865476"),
    ("Number.MAX_SAFE_INTEGER", "9007199254740991"),
    ("Number.MIN_SAFE_INTEGER", "-9007199254740991"),
    ("Number.EPSILON", "2.220446049250313e-16"),
    ("Number.MAX_VALUE", "1.7976931348623157e308"),
    ("Number.MIN_VALUE", "5e-324"),
];

/// The numbers that JSON cannot write.
pub(super) const WORDS: &[(&str, &str)] = &[
    ("Infinity", "Infinity"),
    ("NaN", "NaN"),
    ("Number.POSITIVE_INFINITY", "Infinity"),
    ("Number.NEGATIVE_INFINITY", "-Infinity"),
    ("Number.NaN", "NaN"),
];

/// The functions of `Math` that have a form of their own name.
fn math(w: &mut Work<'_, '_>) -> Made {
    let name = w.call.name.trim_start_matches("Math.").to_owned();
    let mut operands = vec![w.text(name)];
    operands.extend(w.operands());
    Ok(w.form(Form::Math, &operands))
}

fn hypot(w: &mut Work<'_, '_>) -> Made {
    let is_spread = w.call.arguments.iter().any(|argument| argument.is_spread);
    if !is_spread && w.has(0) {
        return math(w);
    }
    let list = w.rest(0);
    let function = w.function(|w, x| w.form(Form::Mul, &[x, x]));
    let squares = w.form(Form::Map, &[function, list]);
    let sum = w.form(Form::Sum, &[squares]);
    Ok(w.form(Form::Sqrt, &[sum]))
}

fn bits(w: &mut Work<'_, '_>, name: &'static str) -> Made {
    let mut operands = vec![w.text(name)];
    operands.extend(w.operands());
    Ok(w.form(Form::Bits, &operands))
}

/// A number rounded; a quotient is rounded once.
pub(super) fn rounded(w: &mut Work<'_, '_>, form: Form, mode: &'static str) -> Made {
    let number = w.operands().first().copied().unwrap_or(Id::MAX);
    let parts = match *w.b.tree.operands(number) {
        [a, b] if w.b.tree.form_of(number) == Form::Divide => Some((a, b)),
        _ => None,
    };
    match parts {
        Some((a, b)) => {
            let mode = w.text(mode);
            Ok(w.form(Form::Divide, &[a, b, mode]))
        }
        None if form == Form::Divide => {
            let (one, mode) = (w.integer(1), w.text(mode));
            Ok(w.form(Form::Divide, &[number, one, mode]))
        }
        None => Ok(w.form(form, &[number])),
    }
}

/// The greatest or the least of the arguments. Of none it is what all others are beyond.
fn extreme(w: &mut Work<'_, '_>, form: Form, none: &'static str) -> Made {
    if !w.has(0) {
        return Ok(w.float(none));
    }
    if !w.call.arguments.iter().any(|argument| argument.is_spread) {
        // One operand would be a list of numbers.
        let operands = if w.has(1) { w.operands() } else { vec![w.rest(0)] };
        return Ok(w.form(form, &operands));
    }
    let list = w.rest(0);
    let has_others = w.call.arguments.iter().any(|argument| !argument.is_spread);
    if has_others {
        return Ok(w.form(form, &[list]));
    }
    let mut once = Once::default();
    let list = w.once(&mut once, list);
    let test = w.form(Form::IsEmpty, &[list]);
    let (none, found) = (w.float(none), w.form(form, &[list]));
    let choice = w.choose(test, none, found);
    Ok(w.within(once, choice))
}

fn number(w: &mut Work<'_, '_>) -> Made {
    if !w.has(0) {
        return Ok(w.integer(0));
    }
    let value = w.argument(0);
    let is_number = w.b.tree.digits(value).is_some() || w.b.tree.form_of(value) == Form::ToNumber;
    Ok(if is_number { value } else { w.form(Form::ToNumber, &[value]) })
}

fn boolean(w: &mut Work<'_, '_>) -> Made {
    if !w.has(0) {
        return Ok(w.b.boolean(false, w.span));
    }
    Ok(super::callbacks::truth(w, w.argument(0)))
}

fn parse_int(w: &mut Work<'_, '_>) -> Made {
    Ok(w.form(Form::LeadingNumber, &w.operands()))
}

fn parse_float(w: &mut Work<'_, '_>) -> Made {
    let float = w.text("float");
    Ok(w.form(Form::LeadingNumber, &[w.argument(0), float]))
}

/// Tells whether a value is such a number; the older functions make a number of it first.
fn number_is(w: &mut Work<'_, '_>, what: &'static str, converts: bool) -> Made {
    let value = w.argument(0);
    let number = if converts { number(w)? } else { value };
    let (name, is_none) = (w.text(what), what == "nan");
    let test = w.form(Form::NumberIs, &[number, name]);
    if !is_of_date(w, value) {
        return Ok(test);
    }
    // A text that is no date is a fault, where JavaScript has a date that is none.
    let handler = w.function(|w, _| w.b.boolean(is_none, w.span));
    let codes = ["unparsable", "out-of-range"].map(Words::from);
    Ok(w.b.tree.named(Form::Try, &[test, handler], codes.into(), w.span))
}

/// Tells whether a term makes a date, or takes a part of one that it makes.
fn is_of_date(w: &Work<'_, '_>, id: Id) -> bool {
    let inner = w.b.tree.operands(id).first().copied().unwrap_or(Id::MAX);
    let is_part = w.b.tree.form_of(id) == Form::MomentPart;
    w.b.tree.form_of(id) == Form::Moment || is_part && w.b.tree.form_of(inner) == Form::Moment
}

/// The text of a number with so many digits.
fn digits(w: &mut Work<'_, '_>, style: &'static str) -> Made {
    if style == "precision" && !w.has(0) {
        return Ok(w.as_text(w.subject()));
    }
    let mut operands = vec![w.subject(), w.text(style)];
    if w.has(0) {
        operands.push(w.argument(0));
    } else if style == "fixed" {
        operands.push(w.integer(0));
    }
    Ok(w.form(Form::NumberText, &operands))
}

fn to_string(w: &mut Work<'_, '_>) -> Made {
    if !w.has(0) || w.whole(w.argument(0)) == Some(10) {
        return Ok(w.as_text(w.subject()));
    }
    let radix = w.text("radix");
    Ok(w.form(Form::NumberText, &[w.subject(), radix, w.argument(0)]))
}

/// `n.toLocaleString("en-US", {minimumFractionDigits: 2, style: "currency", currency: "USD"})`
fn to_locale(w: &mut Work<'_, '_>) -> Made {
    if w.has(0) && !w.is_null_literal(w.argument(0)) {
        let locale = w.b.tree.literal(w.argument(0)).unwrap_or("en-US");
        if !matches!(locale, "en-US" | "en") {
            return Err(w.refuse("writes numbers as in en-US"));
        }
    }
    if !w.has(1) {
        let subject = w.subject();
        return Ok(localized(w, subject, None));
    }
    let options = w.argument(1);
    if w.b.tree.form_of(options) != Form::Record {
        return Err(w.refuse("needs its options written out"));
    }
    with_options(w, options)
}

/// A number with groups of three digits, and from `least` to `most` digits after the point.
fn localized(w: &mut Work<'_, '_>, number: Id, digits: Option<(Id, Id)>) -> Id {
    let style = w.text("locale");
    let Some((least, most)) = digits else { return w.form(Form::NumberText, &[number, style]) };
    if w.whole(least) == Some(0) {
        return w.form(Form::NumberText, &[number, style, most]);
    }
    if least == most {
        return grouped(w, number, least);
    }
    // The shortest text has too few digits if it is shorter than that with the fewest.
    let mut once = Once::default();
    let number = w.once(&mut once, number);
    let short = w.form(Form::NumberText, &[number, style, most]);
    let short = w.once(&mut once, short);
    let long = grouped(w, number, least);
    let long = w.once(&mut once, long);
    let lengths = [w.form(Form::Length, &[short]), w.form(Form::Length, &[long])];
    let is_short = w.form(Form::Lt, &lengths);
    let text = w.choose(is_short, long, short);
    w.within(once, text)
}

/// A number with so many digits after the point.
fn grouped(w: &mut Work<'_, '_>, number: Id, decimals: Id) -> Id {
    let (comma, half_up) = (w.text(","), w.text("half-up"));
    let options = w.record(&[("decimals", decimals), ("group", comma), ("rounding", half_up)]);
    w.form(Form::FormatNumber, &[number, options])
}

fn with_options(w: &mut Work<'_, '_>, options: Id) -> Made {
    let named = |w: &Work<'_, '_>, name: &str| {
        w.member_of(options, name).and_then(|id| w.b.tree.literal(id)).map(str::to_owned)
    };
    let names = w.b.tree.names(options);
    let known = ["style", "currency", "minimumFractionDigits", "maximumFractionDigits"];
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_ref())) {
        return Err(w.refuse(&format!("has no option `{name}`")));
    }
    let (style, currency) = (named(w, "style"), named(w, "currency"));
    let sign = match (style.as_deref(), currency.as_deref()) {
        (None | Some("decimal"), _) => "",
        (Some("percent"), _) => "%",
        (Some("currency"), Some("USD")) => "$",
        (Some("currency"), Some("EUR")) => "€",
        (Some("currency"), Some("GBP")) => "£",
        _ => return Err(w.refuse("knows the currencies USD, EUR and GBP")),
    };
    let digits = fraction_digits(w, options, sign);
    let subject = w.subject();
    Ok(match sign {
        "" => localized(w, subject, digits),
        "%" => {
            let hundred = w.integer(100);
            let number = w.form(Form::Mul, &[subject, hundred]);
            let (text, sign) = (localized(w, number, digits), w.text(sign));
            w.form(Form::Concat, &[text, sign])
        }
        _ => currency_text(w, sign, digits),
    })
}

/// The least and the greatest number of digits after the point.
fn fraction_digits(w: &mut Work<'_, '_>, options: Id, sign: &str) -> Option<(Id, Id)> {
    let least = w.member_of(options, "minimumFractionDigits");
    let most = w.member_of(options, "maximumFractionDigits");
    let (usual_least, usual_most) = match sign {
        "" => (0, 3),
        "%" => (0, 0),
        _ => (2, 2),
    };
    if least.is_none() && most.is_none() {
        if sign.is_empty() {
            return None;
        }
        let digits = w.integer(usual_most);
        return Some((digits, digits));
    }
    let value = |w: &Work<'_, '_>, id: Option<Id>| id.and_then(|id| w.whole(id));
    let (known_least, known_most) = (value(w, least), value(w, most));
    let same = (known_least.is_some() && known_least == known_most)
        || (known_least, most) == (Some(usual_most.max(known_least.unwrap_or(0))), None)
        || (least, known_most) == (None, Some(usual_least.min(known_most.unwrap_or(0))));
    let least = least.unwrap_or_else(|| w.integer(usual_least.min(known_most.unwrap_or(0))));
    let most = most.unwrap_or_else(|| w.integer(usual_most.max(known_least.unwrap_or(0))));
    Some(if same { (least, least) } else { (least, most) })
}

fn currency_text(w: &mut Work<'_, '_>, sign: &'static str, digits: Option<(Id, Id)>) -> Id {
    let mut once = Once::default();
    let number = w.once(&mut once, w.subject());
    let zero = w.integer(0);
    let test = w.form(Form::Lt, &[number, zero]);
    let (minus, plain) = (w.text(format!("-{sign}")), w.text(sign));
    let sign = w.choose(test, minus, plain);
    let size = w.form(Form::Abs, &[number]);
    let text = localized(w, size, digits);
    let text = w.form(Form::Concat, &[sign, text]);
    w.within(once, text)
}
