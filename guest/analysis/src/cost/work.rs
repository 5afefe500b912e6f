//! The work of the forms in units, as bounds, with their values. FUEL.md says it in words.

use super::bound::Bound;
use super::value::{Number, Record, Value, as_list, keys, members, tuple};
use pif_language::form::Form;
use pif_language::prices::units;
use pif_language::term::{TermId, Terms};
use std::rc::Rc;

/// The work of a form, what it pays besides, and its value.
pub(super) struct Work {
    pub(super) units: Bound,
    pub(super) fuel: Bound,
    pub(super) value: Value,
}

fn work(units: Bound, value: Value) -> Option<Work> {
    Some(Work { units, fuel: Bound::default(), value })
}

fn free(value: Value) -> Option<Work> {
    work(Bound::default(), value)
}

/// The units of a text of so many bytes.
fn units_of(bytes: &Bound) -> Bound {
    match bytes.constant() {
        Some(bytes) => Bound::from(bytes / 8),
        None => bytes.by(&Bound::ratio(1, 8)),
    }
}

/// The length and the elements of what is a list.
pub(super) fn elements(value: &Value) -> Option<(Bound, Rc<Value>)> {
    let of_any = match (value.is_any, &value.size) {
        (true, None) => return None,
        (true, Some(size)) => Value::list(size.clone(), Value::of_size(size.clone())),
        (false, _) => Value::default(),
    };
    let value = &value.or(&of_any);
    let tuple = value.tuple.as_ref().map(|it| as_list(it));
    let value = match &tuple {
        Some(tuple) => value.or(tuple),
        None => value.clone(),
    };
    value.list.or_else(|| Some((Bound::default(), Rc::new(Value::default()))))
}

/// Of what becomes a part of a list: how many elements it has, these, and another value.
pub(super) fn flat(value: &Value) -> (Bound, Value, Value) {
    let (count, element) = elements(value).unwrap_or_default();
    let other = Value { list: None, tuple: None, ..value.clone() };
    (count, (*element).clone(), other)
}

/// The weight of keys and numbers.
pub(super) fn weight(value: &Value) -> Option<Bound> {
    weighed(value, false, 8)
}

/// The content of a key.
pub(super) fn content(value: &Value) -> Option<Bound> {
    weighed(value, true, 8)
}

fn weighed(value: &Value, is_content: bool, depth: u32) -> Option<Bound> {
    if depth == 0 || !value.functions.is_empty() {
        return None;
    }
    let mut most = value.text.as_ref().map(units_of).unwrap_or_default();
    if value.is_any {
        most = most.cover(value.size.as_ref()?);
    }
    if let Some(number) = &value.number {
        most = most.cover(&weight_of_number(number));
    }
    let inner = Value { is_any: false, size: None, ..value.clone() };
    let (count, element) = elements(&inner)?;
    if !count.is_zero() {
        let each = weighed(&element, is_content, depth - 1)?.plus(&Bound::from(1));
        most = most.cover(&count.by(&each));
    }
    if let (Some(record), true) = (&value.record, is_content) {
        let (count, element) = members(record);
        let each = weighed(&element, is_content, depth - 1)?;
        let key = units_of(&keys(record).1);
        most = most.cover(&count.by(&each.plus(&key).plus(&Bound::from(1))));
    }
    Some(most)
}

/// 8 and the limbs of a big integer, else nothing.
fn weight_of_number(number: &Number) -> Bound {
    if number.is_small() {
        return Bound::default();
    }
    let whole = number.whole();
    if number.is_given {
        // Of 2 limbs 10, and at least 8 and the limbs of more.
        return if whole.is_zero() { whole } else { whole.times(4).plus(&Bound::from(2)) };
    }
    if whole.is_zero() { whole } else { whole.plus(&Bound::from(8)) }
}

pub(super) fn sorted(count: &Bound, key: &Value) -> Option<Bound> {
    let all = count.plus(&count.by(&weight(key)?));
    Some(all.plus(&all.by(&count.log())))
}

/// The work of an operation on two numbers, with this product or sum of limbs.
fn arithmetic(a: &Number, b: &Number, limbs: impl Fn(&Bound, &Bound) -> Bound) -> Bound {
    if a.is_small() && b.is_small() {
        return Bound::default();
    }
    let float = Bound::from(units::FLOAT_ARITHMETIC);
    let one = Bound::from(1);
    let (x, y) = (a.whole(), b.whole());
    if x.is_zero() && y.is_zero() {
        return float;
    }
    let is_given = (a.is_given || a.is_small()) && (b.is_given || b.is_small());
    let all = limbs(&x.cover(&one), &y.cover(&one));
    // Of given numbers one is big only if its limbs say so: 2 limbs cost 18.
    let base = if is_given { 12 } else { units::BIG_ARITHMETIC };
    let slope = if is_given { 3 } else { 1 };
    all.times(slope).plus(&Bound::from(base))
}

fn number(value: &Value) -> Option<Number> {
    if value.is_any {
        let limbs = value.size.clone()?;
        let factor = Bound::from(1);
        let any = Number { limbs, factor, is_given: true, is_float: true, most: None };
        return Some(value.number.as_ref().map_or(any.clone(), |it| it.or(&any)));
    }
    let none = || Value::count(Bound::default()).number;
    value.number.clone().or_else(none)
}

/// The work of a form, whose operands are known; none if nothing bounds it.
pub(super) fn of(terms: &Terms, form: Form, term: TermId, values: &[Value]) -> Option<Work> {
    if values.first().is_some_and(|it| it.map.is_some() || form == Form::ToSet)
        || form == Form::ToMap
    {
        return maps(form, values).or_else(|| lists(terms, form, term, values));
    }
    numbers(terms, form, term, values)
        .or_else(|| lists(terms, form, term, values))
        .or_else(|| texts(form, values))
        .or_else(|| records(form, values))
}

fn numbers(terms: &Terms, form: Form, term: TermId, values: &[Value]) -> Option<Work> {
    match form {
        Form::Add | Form::Sub | Form::Plus | Form::Mul => {
            if form == Form::Plus && values.iter().any(|it| it.text.is_some()) {
                return joined(values);
            }
            let mut all = values.iter().map(number);
            let mut sum = all.next()??;
            let mut done = Bound::default();
            for next in all {
                let next = next?;
                let longer: fn(&Bound, &Bound) -> Bound =
                    if form == Form::Mul { Bound::by } else { Bound::cover };
                done.add(&arithmetic(&sum, &next, longer));
                sum = if form == Form::Mul { product(&sum, &next) } else { total(&sum, &next) };
            }
            let is_less =
                form == Form::Sub && terms.literal::<i64>(terms.operand(term, 1)) > Some(0);
            if form == Form::Sub && !is_less {
                sum.most = None;
            }
            work(done, Value::number(sum))
        }
        Form::Div | Form::Mod | Form::Rem | Form::Divide => quotient(form, values),
        Form::Neg
        | Form::Abs
        | Form::Floor
        | Form::Ceil
        | Form::ToInt
        | Form::ToFloat
        | Form::Sqrt
        | Form::Exp
        | Form::Ln
        | Form::Log10
        | Form::Fdiv
        | Form::Round => {
            let n = values.iter().map(number).try_fold(Value::default().number, |all, it| {
                let it = it?;
                Some(Some(all.map_or(it.clone(), |all: Number| total(&all, &it))))
            })??;
            let done = weight_of_number(&n);
            let is_whole = matches!(form, Form::Floor | Form::Ceil | Form::ToInt | Form::Round);
            let is_float = matches!(form, Form::Sqrt | Form::Exp | Form::Ln | Form::Log10)
                || matches!(form, Form::Fdiv | Form::ToFloat);
            if is_float {
                return work(done, Value::float());
            }
            // A float has at most 1024 bits before its point.
            let from_float = if n.is_float && is_whole { 16 } else { 0 };
            let mut whole = n.derived();
            if from_float > 0 {
                whole = whole.in_limbs();
                whole.limbs = whole.limbs.cover(&Bound::from(from_float));
            }
            work(done, Value::number(Number { most: n.most, ..whole }))
        }
        Form::Lt | Form::Lte | Form::Gt | Form::Gte => {
            let [a, b] = values else { return None };
            let mut done = Bound::default();
            if let (Some(a), Some(b)) = (&a.text, &b.text) {
                done = units_of(&shorter(a, b)).plus(&Bound::from(units::COMPARISON));
            }
            let of = [number(a)?, number(b)?];
            let is_float = of.iter().any(|it| it.is_float);
            let limbs = of.iter().fold(Bound::default(), |all, it| all.cover(&it.whole()));
            let base = if is_float { units::COMPARISON } else { 0 };
            work(done.cover(&limbs.plus(&Bound::from(base))), Value::plain())
        }
        Form::Min | Form::Max => extreme(values),
        Form::ParseInt | Form::ParseFloat | Form::ToNumber => read(values.first()?),
        Form::Bits | Form::Math => {
            let [name, of @ ..] = values else { return None };
            let name = units_of(name.text.as_ref()?);
            let mut done = name;
            let mut all = Value::default();
            for value in of {
                done = done.cover(&weight_of_number(&number(value)?));
                all = all.or(value);
            }
            let name = values.first()?.literal.as_deref()?;
            if form == Form::Bits {
                let is_short = BITS.contains(&name);
                return is_short.then(|| work(done, Value::count(Bound::from(1 << 32))))?;
            }
            if name == "pow" {
                return None;
            }
            work(done, Value::float())
        }
        _ => None,
    }
}

/// The operations on 32 bits.
const BITS: [&str; 9] = ["&", "|", "^", "~", "<<", ">>", ">>>", "imul", "clz32"];

/// A number that a text spells: an integer has at most a limb for 19 bytes of it.
fn read(value: &Value) -> Option<Work> {
    if value.is_any || value.list.is_some() || value.record.is_some() || value.tuple.is_some() {
        return None;
    }
    let bytes = value.text.clone().unwrap_or_default();
    let limbs = match bytes.constant() {
        Some(bytes) => Bound::from(bytes / 19),
        None => bytes.by(&Bound::ratio(1, 19)),
    };
    let is_float = true;
    let (factor, most) = (Bound::from(1), None);
    let is_short = bytes.constant().is_some_and(|it| it < 19);
    let spelled = Number {
        limbs: if is_short { Bound::default() } else { limbs.plus(&Bound::from(1)) },
        factor,
        is_given: is_short,
        is_float,
        most,
    };
    let long = if is_short { Bound::default() } else { Bound::from(units::LONG_FLOAT) };
    let all = value.number.as_ref().map_or(spelled.clone(), |it| it.or(&spelled));
    work(units_of(&bytes).plus(&digits(&limbs)).plus(&long), Value::number(all))
}

/// The shorter of two texts, as far as that is known.
fn shorter(a: &Bound, b: &Bound) -> Bound {
    match (a.constant(), b.constant()) {
        (Some(a), Some(b)) => Bound::from(a.min(b)),
        (None, Some(_)) => b.clone(),
        _ => a.clone(),
    }
}

fn total(a: &Number, b: &Number) -> Number {
    let (x, y) = (a.derived(), b.derived());
    Number {
        limbs: x.limbs.cover(&y.limbs),
        factor: x.factor.plus(&y.factor),
        is_given: false,
        is_float: a.is_float || b.is_float,
        most: a.most.as_ref().zip(b.most.as_ref()).map(|(a, b)| a.plus(b)),
    }
}

fn product(a: &Number, b: &Number) -> Number {
    let is_float = a.is_float || b.is_float;
    let is_plain = a.limbs.is_zero() && b.limbs.is_zero() && !is_float;
    let (x, y) = if is_plain { (a.clone(), b.clone()) } else { (a.in_limbs(), b.in_limbs()) };
    Number {
        limbs: x.limbs.plus(&y.limbs),
        factor: x.factor.by(&y.factor),
        is_given: false,
        is_float,
        most: None,
    }
}

/// Quotients and remainders. A remainder of floats is that of integers of up to 34 limbs.
fn quotient(form: Form, values: &[Value]) -> Option<Work> {
    let [a, b, mode @ ..] = values else { return None };
    let (a, b) = (number(a)?, number(b)?);
    let mut done = arithmetic(&a, &b, |n, m| {
        if m.constant().is_some_and(|it| it <= 1) { n.clone() } else { n.max(m).by(m) }
    });
    let is_remainder = matches!(form, Form::Mod | Form::Rem);
    if is_remainder && (a.is_float || b.is_float) {
        let most = if b.is_small() {
            17
        } else if a.is_small() {
            81
        } else {
            17 * 18
        };
        done = done.cover(&Bound::from(most)).plus(&Bound::from(units::BIG_ARITHMETIC));
    }
    for mode in mode {
        done = done.plus(&units_of(mode.text.as_ref()?));
    }
    let is_float = a.is_float || b.is_float || form == Form::Divide && mode.is_empty();
    let of = if is_remainder { total(&a, &b) } else { a.derived() };
    let most = if is_remainder { b.most.clone() } else { a.most.clone() };
    work(done, Value::number(Number { is_float, most, ..of }))
}

fn extreme(values: &[Value]) -> Option<Work> {
    let (count, of) = match values {
        [only] => {
            let (count, element) = elements(only)?;
            if count.is_zero() {
                (Bound::from(1), only.clone())
            } else {
                (count, (*element).clone())
            }
        }
        _ => {
            let all = values.iter().fold(Value::default(), |all, it| all.or(it));
            (Bound::from(values.len() as u64), all)
        }
    };
    let n = number(&of)?;
    let each = n.whole().plus(&Bound::from(if n.is_float { units::COMPARISON } else { 0 }));
    let listed = u64::from(values.len() == 1);
    work(count.by(&each.plus(&Bound::from(listed))), Value::number(n))
}

fn lists(terms: &Terms, form: Form, term: TermId, values: &[Value]) -> Option<Work> {
    let first = values.first()?;
    let count_of = |value: &Value| elements(value);
    match form {
        Form::Length => {
            if let Some((count, _)) = &first.map {
                return free(Value::count(count.clone()));
            }
            let (count, _) = count_of(first)?;
            let bytes = first.text.clone().unwrap_or_default();
            work(count.clone(), Value::count(count.cover(&bytes)))
        }
        Form::IsEmpty => free(Value::plain()),
        Form::Head => free((*count_of(first)?.1).clone()),
        Form::Last => {
            let (count, element) = count_of(first)?;
            work(count, (*element).clone())
        }
        Form::Fst | Form::Snd => {
            if let (Some(halves), None) = (&first.tuple, &first.list) {
                return free(halves.get(usize::from(form == Form::Snd))?.clone());
            }
            free((*count_of(first)?.1).clone())
        }
        Form::Tail | Form::Reverse | Form::Sort | Form::Distinct | Form::Enumerate => {
            let (count, element) = count_of(first)?;
            let list = Value::list(count.clone(), (*element).clone());
            match form {
                Form::Tail => free(list),
                Form::Reverse => work(count, list),
                Form::Sort => work(sorted(&count, &element)?, list),
                Form::Distinct => {
                    work(count.times(units::GROUPED_KEY).plus(&count.by(&content(&element)?)), list)
                }
                _ => {
                    let index = Value::count(count.clone());
                    let pair = tuple(vec![index, (*element).clone()]);
                    work(count.clone(), Value::list(count, pair))
                }
            }
        }
        Form::Sum | Form::Mean | Form::Product | Form::Median | Form::Percentile => {
            gathered(form, first)
        }
        Form::Cons => {
            let [head, tail] = values else { return None };
            let (count, element) = count_of(tail)?;
            free(Value::list(count.plus(&Bound::from(1)), element.or(head)))
        }
        Form::Append => {
            let [a, b] = values else { return None };
            let ((first, x), (second, y)) = (count_of(a)?, count_of(b)?);
            if a.text.is_some() || b.text.is_some() || a.map.is_some() || b.map.is_some() {
                return None;
            }
            work(first.clone(), Value::list(first.plus(&second), x.or(&y)))
        }
        Form::Nth => {
            let [_, index] = values else { return None };
            let (count, element) = count_of(first)?;
            let index = terms
                .literal::<u64>(terms.operand(term, 1))
                .map(|it| it + 1)
                .or_else(|| index.number.as_ref()?.most.as_ref()?.constant().map(|it| it + 1));
            work(index.map_or(count, Bound::from), (*element).clone())
        }
        Form::Take | Form::Drop => {
            let (count, element) = count_of(first)?;
            let literal = terms.literal::<u64>(terms.operand(term, 1)).map(Bound::from);
            let taken = literal.unwrap_or_else(|| count.clone());
            let left = if form == Form::Take { taken.clone() } else { count };
            work(taken, Value::list(left, (*element).clone()))
        }
        Form::Range => {
            let to = number(values.get(1)?)?.most?;
            let from = number(first)?;
            let count = if from.is_small() && from.most.as_ref() == Some(&from.factor) {
                to.clone()
            } else if from.is_small() {
                to.plus(&from.factor)
            } else {
                return None;
            };
            work(count.clone(), Value::list(count, Value::count(to.plus(&from.factor))))
        }
        Form::Zip => {
            let [a, b] = values else { return None };
            let ((x, first), (y, second)) = (count_of(a)?, count_of(b)?);
            let count = shorter(&x, &y);
            let pair = tuple(vec![(*first).clone(), (*second).clone()]);
            work(count.clone(), Value::list(count, pair))
        }
        Form::Chunk => {
            let (count, element) = count_of(first)?;
            let chunk = Value::list(count.clone(), (*element).clone());
            work(count.clone(), Value::list(count, chunk))
        }
        Form::Flatten => {
            let (count, element) = count_of(first)?;
            let (inner, part, other) = flat(&element);
            let all = count.by(&inner);
            let length = if other == Value::default() { all.clone() } else { all.cover(&count) };
            work(count.plus(&all), Value::list(length, part.or(&other)))
        }
        Form::Elements if first.text.is_none() && first.map.is_none() => {
            let (count, element) = count_of(first)?;
            free(Value::list(count, (*element).clone()))
        }
        _ => None,
    }
}

/// Sums, means, products and ranks of the numbers in a list.
fn gathered(form: Form, list: &Value) -> Option<Work> {
    let (count, element) = elements(list)?;
    let n = number(&element)?;
    let all = count.plus(&count.by(&weight_of_number(&n)));
    let derived = n.derived();
    match form {
        Form::Sum => {
            let factor = derived.factor.by(&count);
            let most = n.most.as_ref().map(|it| it.by(&count));
            work(all, Value::number(Number { factor, most, ..derived }))
        }
        Form::Product => {
            let each = n.in_limbs().limbs.cover(&Bound::from(1));
            let limbs = count.by(&each);
            let is_float = n.is_float;
            let factor = Bound::from(1);
            let value =
                Number { limbs: limbs.clone(), factor, is_given: false, is_float, most: None };
            work(all.plus(&count.by(&limbs.by(&each))), Value::number(value))
        }
        Form::Mean => work(all, Value::float()),
        _ => work(all.plus(&all.by(&count.log())), Value::float()),
    }
}

fn texts(form: Form, values: &[Value]) -> Option<Work> {
    let bytes = |at: usize| values.get(at).and_then(|it| it.text.clone()).unwrap_or_default();
    let first = bytes(0);
    // Only `eq` takes what may be anything.
    if form != Form::Eq && values.first().is_some_and(|it| it.is_any) {
        return None;
    }
    match form {
        Form::Concat => {
            let all = values.iter().filter_map(|it| it.text.as_ref());
            let length = all.fold(Bound::default(), |sum, it| sum.plus(it));
            let count = if values.len() > 2 { values.len() as u64 } else { 0 };
            work(Bound::from(count), Value::text(length))
        }
        Form::Upper | Form::Lower => {
            let result = first.times(3);
            let done = units_of(&first).times(1 + units::WIDE_CASE).plus(&units_of(&result));
            work(done, Value::text(result))
        }
        Form::Trim => work(units_of(&first).times(2), Value::text(first)),
        Form::Chars | Form::Lines => {
            let count =
                if form == Form::Lines { first.plus(&Bound::from(1)) } else { first.clone() };
            let part = if form == Form::Chars { Bound::from(4) } else { first.clone() };
            work(units_of(&first).plus(&count), Value::list(count, Value::text(part)))
        }
        Form::Elements if values.first()?.map.is_none() => {
            let (count, element) = elements(values.first()?)?;
            let element = element.or(&Value::text(Bound::from(4)));
            work(units_of(&first).plus(&first), Value::list(first.cover(&count), element))
        }
        Form::Split => {
            if values.iter().skip(1).any(|it| it.text.is_none()) || values.len() > 2 {
                return None;
            }
            let count = first.plus(&Bound::from(1));
            let done = units_of(&first).times(2).plus(&units_of(&bytes(1))).plus(&count);
            work(done, Value::list(count, Value::text(first)))
        }
        Form::Join => join(values),
        Form::Slice => {
            let of = values.first()?;
            let (count, element) = elements(of)?;
            let text = units_of(&first).times(2);
            let mut value = Value::list(count.clone(), (*element).clone());
            if of.text.is_some() {
                value = if count.is_zero() {
                    Value::text(first)
                } else {
                    value.or(&Value::text(first))
                };
            }
            work(text.cover(&count), value)
        }
        Form::Contains | Form::IndexOf | Form::LastIndexOf => {
            let [of, part, ..] = values else { return None };
            let (count, element) = elements(of)?;
            let each = compared(&element, part)?.plus(&Bound::from(1));
            let text = units_of(&first).plus(&units_of(&bytes(1)));
            if of.map.is_some() || of.text.is_some() && part.text.is_none() {
                return None;
            }
            let index = Value::number(super::value::Number {
                most: Some(first.cover(&count)),
                ..Value::count(first.cover(&count).cover(&Bound::from(1))).number?
            });
            let value =
                if form == Form::Contains { Value::plain() } else { index.or(&Value::plain()) };
            // The price of an element's comparison is that of `eq`.
            let listed = count.plus(&count.by(&each));
            work(text.cover(&listed), value)
        }
        Form::StartsWith | Form::EndsWith | Form::LocaleCompare => work(
            units_of(&first).plus(&units_of(&bytes(1))),
            Value::plain().or(&Value::count(Bound::from(1))),
        ),
        Form::Replace if values.iter().all(|it| it.text.is_some()) => {
            let [_, part, by] = values else { return None };
            let (part, by) = (part.text.clone()?, by.text.clone()?);
            let result = first.plus(&first.plus(&Bound::from(1)).by(&by));
            let done = [&first, &part, &by, &result].into_iter().map(units_of);
            work(done.fold(Bound::default(), |sum, it| sum.plus(&it)), Value::text(result))
        }
        Form::PadLeft | Form::PadRight => {
            let width = values.get(1)?.number.as_ref()?.most.clone()?;
            let result = first.plus(&width.times(4));
            let done = units_of(&first).plus(&units_of(&bytes(2))).plus(&units_of(&result));
            work(done, Value::text(result))
        }
        Form::Repeat => {
            let count = values.get(1)?.number.as_ref()?.most.clone()?;
            let result = first.by(&count);
            work(units_of(&first).plus(&units_of(&result)), Value::text(result))
        }
        Form::ToString | Form::AsText | Form::NumberText | Form::FormatNumber => {
            written(values.first()?)
        }
        Form::Eq => {
            let [a, b] = values else { return None };
            work(compared(a, b)?, Value::plain())
        }
        Form::TypeOf => free(Value::text(Bound::from(12))),
        Form::Typeof if values.len() == 1 => free(Value::text(Bound::from(9))),
        Form::CharCode => work(units_of(&first), Value::count(Bound::from(0x0011_0000))),
        Form::FromCharCode => free(Value::text(Bound::from(4))),
        Form::Fail => free(Value::default()),
        _ => None,
    }
}

/// The digits of an integer of n limbs, written or read: n·(8 + 2·√n).
fn digits(limbs: &Bound) -> Bound {
    limbs.times(8).plus(&limbs.by(&limbs.root()).times(2))
}

/// A number or another scalar as a text.
fn written(value: &Value) -> Option<Work> {
    if value.list.is_some()
        || value.tuple.is_some()
        || value.record.is_some()
        || value.map.is_some()
    {
        return None;
    }
    let mut bytes = value.text.clone().unwrap_or_default();
    let mut done = Bound::default();
    if let Some(n) = &value.number {
        let whole = n.whole();
        bytes = bytes.cover(&whole.times(20).plus(&Bound::from(26)));
        let float = if n.is_float { units::WRITTEN_FLOAT } else { 0 };
        let digits = digits(&whole);
        done = done.plus(&digits.plus(&Bound::from(float))).plus(&units_of(&bytes));
    }
    if value.plain {
        bytes = bytes.cover(&Bound::from(30));
        done = done.cover(&Bound::from(8));
    }
    work(done, Value::text(bytes))
}

/// A sum of which one operand is a text.
fn joined(values: &[Value]) -> Option<Work> {
    let (mut done, mut bytes) = (Bound::default(), Bound::default());
    let mut sum: Option<Number> = None;
    for value in values {
        if value.is_any {
            return None;
        }
        let Work { units, value: text, .. } = written(value)?;
        done = done.plus(&units);
        bytes = bytes.plus(&text.text.unwrap_or_default());
        let next = number(value)?;
        sum = Some(match sum {
            None => next,
            Some(sum) => {
                let added = arithmetic(&sum, &next, Bound::cover);
                // Two operands are joined or added.
                done = if values.len() == 2 { done.cover(&added) } else { done.plus(&added) };
                total(&sum, &next)
            }
        });
    }
    let text = Value::text(bytes);
    let is_text = values.iter().any(|it| it.number.is_none() && !it.plain);
    if is_text {
        return work(done, text);
    }
    work(done, text.or(&Value::number(sum?)))
}

fn join(values: &[Value]) -> Option<Work> {
    let [list, separator @ ..] = values else { return None };
    let (count, element) = elements(list)?;
    let Work { units: each, value, .. } = written(&element)?;
    if element.is_any {
        return None;
    }
    let comma = separator.first().map_or(Some(Bound::from(1)), |it| it.text.clone())?;
    let bytes = count.by(&value.text.unwrap_or_default().plus(&comma));
    let done =
        units_of(&comma).plus(&units_of(&bytes)).plus(&count.by(&each.plus(&Bound::from(1))));
    work(done, Value::text(bytes))
}

/// The work of comparing two values by their parts: no more than that of either.
fn compared(a: &Value, b: &Value) -> Option<Bound> {
    let any = |it: &Value| it.is_any.then(|| it.size.clone()).flatten();
    let is_scalar = |it: &Value| {
        !it.is_any
            && it.list.is_none()
            && it.tuple.is_none()
            && it.record.is_none()
            && it.map.is_none()
    };
    if is_scalar(a) || is_scalar(b) {
        let bytes = match (&a.text, &b.text) {
            (Some(a), Some(b)) => shorter(a, b),
            (Some(text), None) if b.is_any => text.clone(),
            (None, Some(text)) if a.is_any => text.clone(),
            _ => Bound::default(),
        };
        let limbs = match (&a.number, &b.number) {
            (Some(a), Some(b)) => a.whole().cover(&b.whole()),
            (Some(n), None) if b.is_any && !n.is_small() => n.whole().cover(&any(b)?),
            (None, Some(n)) if a.is_any && !n.is_small() => n.whole().cover(&any(a)?),
            _ => Bound::default(),
        };
        return Some(units_of(&bytes).cover(&limbs));
    }
    content(a).or_else(|| content(b))
}

fn records(form: Form, values: &[Value]) -> Option<Work> {
    let first = values.first()?;
    match form {
        Form::Get => get(first, values.get(1)?, values.get(2)),
        Form::GetIn => path(first, values.get(1)?, values.get(2)),
        Form::Has if first.map.is_none() => {
            let key = values.get(1)?;
            if first.is_any {
                return None;
            }
            let (count, _) = elements(first)?;
            let key = key.text.as_ref().map(units_of).unwrap_or_default();
            Some(Work { units: key, fuel: count, value: Value::plain() })
        }
        Form::Put => put(first, values.get(1)?, values.get(2)?),
        Form::Merge => {
            let second = values.get(1)?;
            let (a, b) = (record(first)?, record(second)?);
            let units = [&a, &b].into_iter().fold(Bound::default(), |sum, it| {
                let (count, bytes) = keys(it);
                sum.plus(&count.by(&units_of(&bytes).plus(&Bound::from(1))))
            });
            let mut all = (*a).clone();
            for (name, value) in &b.members {
                all.members.insert(Rc::clone(name), value.clone());
            }
            all.others = match (all.others, &b.others) {
                (Some(a), Some(b)) => Some((a.0.plus(&b.0), a.1.cover(&b.1), a.2.or(&b.2))),
                (a, b) => a.or_else(|| b.clone()),
            };
            work(units, Value { record: Some(Rc::new(all)), ..Value::default() })
        }
        Form::Keys | Form::Values | Form::Entries if first.map.is_none() && !first.is_any => {
            let record = first.record.clone().unwrap_or_default();
            let ((count, value), (_, bytes)) = (members(&record), keys(&record));
            let (length, element) = elements(first)?;
            let (count, value) = (count.cover(&length), value.or(&element));
            // An index has at most 8 digits.
            let key = Value::text(bytes.cover(&Bound::from(if length.is_zero() { 0 } else { 8 })));
            let element = match form {
                Form::Keys => key,
                Form::Values => value,
                _ => tuple(vec![key, value]),
            };
            work(count.clone(), Value::list(count, element))
        }
        Form::FromEntries => {
            let (count, entry) = elements(first)?;
            let (key, value) = halves(&entry)?;
            let bytes = key.text.clone()?;
            let all = count.plus(&count.by(&count.log()));
            let others = Some((count.clone(), bytes.clone(), value));
            let record = Record { others, ..Record::default() };
            let value = Value { record: Some(Rc::new(record)), ..Value::default() };
            work(all.plus(&count.by(&units_of(&bytes))), value)
        }
        _ => None,
    }
}

/// Maps and sets.
fn maps(form: Form, values: &[Value]) -> Option<Work> {
    let first = values.first()?;
    let map = |count: Bound, key: Value, value: Value| Value {
        map: Some((count, Rc::new([key, value]))),
        ..Value::default()
    };
    if let Form::ToMap | Form::ToSet = form {
        if first.text.is_some() || first.is_any || first.map.is_some() {
            return None;
        }
        let (count, element) = elements(first)?;
        let (key, value) = match form {
            Form::ToMap if count.is_zero() => Default::default(),
            Form::ToMap => halves(&element)?,
            _ => ((*element).clone(), (*element).clone()),
        };
        let each = content(&key)?.plus(&Bound::from(2 * units::MAP_KEY));
        return work(count.by(&each), map(count, key, value));
    }
    let (count, halves) = first.map.clone()?;
    let [key, value] = &*halves;
    match form {
        Form::Lookup | Form::Has => {
            let bits = count.log().by(&Bound::ratio(1, 8));
            let done = content(values.get(1)?)?.plus(&bits).plus(&Bound::from(1));
            let found = values.get(2).map_or(value.clone(), |it| value.or(it));
            work(done, if form == Form::Has { Value::plain() } else { found })
        }
        Form::Insert | Form::Remove => {
            let new = values.get(1)?;
            let done = content(new)?.plus(&count.log()).plus(&Bound::from(units::MAP_CHANGE + 1));
            let given = values.get(2).unwrap_or(new);
            let more = Bound::from(u64::from(form == Form::Insert));
            work(done, map(count.plus(&more), key.or(new), value.or(given)))
        }
        Form::Keys | Form::Values | Form::Entries | Form::Elements => {
            let pair = tuple(vec![key.clone(), value.clone()]);
            let element = match form {
                Form::Keys => key.clone(),
                Form::Values => value.clone(),
                Form::Entries => pair,
                // The elements of a map are its entries, those of a set its keys.
                _ => pair.or(key),
            };
            work(count.times(units::MAP_KEY), Value::list(count, element))
        }
        Form::Get => {
            let key = values.get(1)?.text.as_ref().map(units_of)?;
            work(key, Value::count(count))
        }
        _ => None,
    }
}

fn record(value: &Value) -> Option<Rc<Record>> {
    if let (true, Some(size)) = (value.is_any, &value.size) {
        let others = Some((size.clone(), size.times(8).plus(&Bound::from(8)), value.clone()));
        return Some(Rc::new(Record { others, ..Record::default() }));
    }
    if value.is_any || value.list.is_some() || value.map.is_some() {
        return None;
    }
    Some(value.record.clone().unwrap_or_default())
}

/// Key and value of an entry.
fn halves(entry: &Value) -> Option<(Value, Value)> {
    if let (Some(both), None) = (&entry.tuple, &entry.list) {
        return Some((both.first()?.clone(), both.get(1)?.clone()));
    }
    let (_, element) = elements(entry)?;
    Some(((*element).clone(), (*element).clone()))
}

fn get(of: &Value, key: &Value, default: Option<&Value>) -> Option<Work> {
    if of.map.is_some() || key.is_any {
        return None;
    }
    let units = key.text.as_ref().map(units_of).unwrap_or_default();
    let mut fuel = Bound::default();
    let mut value = Value::default();
    let is_length = key.literal.as_deref().is_none_or(|it| it == "length");
    let (count, element) =
        if of.is_any { (Bound::default(), Rc::new(Value::default())) } else { elements(of)? };
    let is_record_key = key.literal.is_some() && !is_length;
    if of.is_any {
        // A record of which nothing is known has the member, whatever it is.
        match &of.size {
            Some(size) => {
                value = Value::of_size(size.clone());
                if !is_record_key {
                    fuel = size.times(8).plus(&Bound::from(8));
                    value = value.or(&Value::count(fuel.clone()));
                }
            }
            None if is_record_key => value = Value::any(),
            None => return None,
        }
    }
    let index = key.number.as_ref().and_then(|it| it.most.as_ref()?.constant());
    if let (Some(tuple), Some(index), None) = (&of.tuple, index, &of.list) {
        let exact = key.number.as_ref().is_some_and(|it| it.factor.constant() == Some(index));
        let at = usize::try_from(index).ok().filter(|_| exact);
        if let Some(part) = at.and_then(|at| tuple.get(at)) {
            let value = default.map_or(part.clone(), |it| part.or(it));
            return Some(Work { units, fuel: Bound::from(index), value });
        }
    }
    if key.number.is_some() && (of.list.is_some() || of.tuple.is_some()) {
        let passed = index.map_or_else(|| count.clone(), Bound::from);
        fuel = fuel.cover(&passed);
        value = value.or(&element);
    }
    if is_length && key.text.is_some() && (of.list.is_some() || of.tuple.is_some()) {
        fuel = fuel.cover(&count);
        value = value.or(&Value::count(count));
    }
    if let Some(text) = &of.text {
        fuel = fuel.cover(&text.by(&Bound::ratio(1, 2)));
        let part = if is_length && key.text.is_some() {
            Value::count(text.clone())
        } else {
            Value::text(Bound::from(4))
        };
        value = value.or(&part);
    }
    if let Some(record) = &of.record {
        let known = key.literal.as_ref().and_then(|it| record.members.get(it));
        value = value.or(&match known {
            Some(known) => known.clone(),
            None => members(record).1,
        });
    }
    if let Some(default) = default {
        value = value.or(default);
    }
    Some(Work { units, fuel, value })
}

fn path(of: &Value, path: &Value, default: Option<&Value>) -> Option<Work> {
    let keys = path.tuple.as_ref().filter(|_| path.list.is_none())?;
    let (mut units, mut fuel) = (Bound::default(), Bound::default());
    let mut value = of.clone();
    for key in keys.iter() {
        let step = get(&value, key, None)?;
        units = units.plus(&step.units).plus(&Bound::from(1));
        fuel = fuel.plus(&step.fuel);
        value = step.value;
    }
    if let Some(default) = default {
        value = value.or(default);
    }
    Some(Work { units, fuel, value })
}

/// The work of changing a member: that of the record, or 16 and 2 per bit of a larger one.
fn put(of: &Value, key: &Value, new: &Value) -> Option<Work> {
    if of.list.is_some() || of.tuple.is_some() {
        let (count, element) = elements(of)?;
        let units = count.by(&Bound::ratio(1, 2)).plus(&Bound::from(1));
        let list = Value::list(count.plus(&Bound::from(1)), element.or(new));
        return of.record.is_none().then(|| work(units, list))?;
    }
    let record = record(of)?;
    let count = members(&record).0;
    let bytes = key.text.clone().or_else(|| key.number.as_ref().map(|_| Bound::from(26)))?;
    let many =
        count.log().times(units::MEMBER_CHANGE_BIT).plus(&Bound::from(units::COPIED_MEMBERS));
    let each = match count.constant() {
        Some(count) if count < units::COPIED_MEMBERS => Bound::from(count + 1),
        _ => many,
    };
    let mut made = (*record).clone();
    match &key.literal {
        Some(name) => _ = made.members.insert(Rc::clone(name), new.clone()),
        None => {
            let one = (Bound::from(1), bytes.clone(), new.clone());
            made.others = Some(match made.others {
                Some((count, key, value)) => (count.plus(&one.0), key.cover(&bytes), value.or(new)),
                None => one,
            });
            for value in made.members.values_mut() {
                *value = value.or(new);
            }
        }
    }
    let value = Value { record: Some(Rc::new(made)), ..Value::default() };
    work(units_of(&bytes).plus(&each), value)
}
