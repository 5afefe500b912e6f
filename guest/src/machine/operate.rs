//! Strict forms whose operands are not two small integers.

use crate::algorithm::comparison::{Compared, equal, order};
use crate::algorithm::entries;
use crate::algorithm::number::arithmetic;
use crate::algorithm::number::arithmetic::is_number;
use crate::algorithm::record;
use crate::algorithm::trouble::Trouble;
use crate::check::doubt;
use crate::data::string::{scalar_text, scalar_work};
use crate::memory::heap::{Full, Heap};
use crate::memory::rope::{join, longest_text};
use crate::memory::word::{
    FALSE, KIND_QUOTED, NIL, Word, aux, boolean, count, is_list, kind, small as word,
};
use crate::run::context::Context;
use crate::run::site::{Site, site};
use crate::run::state::{Exit, State};
use pif_core::text::order;
use pif_language::form::{Evaluation, Form};
use pif_language::kinds::{self, Wanted};
use pif_language::survey;
use pif_language::table::Table;
use std::rc::Rc;

/// Does a strict form of two small integers, if the result is small.
#[inline(always)]
pub(super) fn small(form: Form, a: i64, b: i64) -> Option<Word> {
    match form {
        Form::Lt => Some(boolean(a < b)),
        Form::Gt => Some(boolean(a > b)),
        Form::Lte => Some(boolean(a <= b)),
        Form::Gte => Some(boolean(a >= b)),
        Form::Eq => Some(boolean(a == b)),
        Form::Rem if b > 0 => Some(word(a % b)),
        Form::Mod if b > 0 => Some(word(a.rem_euclid(b))),
        Form::Div if b > 0 => Some(word(a.div_euclid(b))),
        _ => None,
    }
}

/// Tells whether a product surely has at most 62 bits. `checked_mul` would be a call here.
#[inline(always)]
pub(super) fn is_short_product(a: i64, b: i64) -> bool {
    let unused = |n: i64| (n ^ (n >> 63)).leading_zeros();
    unused(a) + unused(b) >= 67
}

/// How an operation is done outside of the dispatch loop.
#[derive(Clone, Copy)]
enum Strict {
    Arithmetic,
    Plus,
    Concat,
    Equal,
    Order,
    Length,
    IsEmpty,
    Analyze,
    /// By an arm of its own in `complete`.
    Own,
}

static STRICT: Table<Strict> = Table::of(
    Evaluation::Operation,
    &[&[
        (Form::Add, Strict::Arithmetic),
        (Form::Sub, Strict::Arithmetic),
        (Form::Mul, Strict::Arithmetic),
        (Form::Div, Strict::Arithmetic),
        (Form::Mod, Strict::Arithmetic),
        (Form::Rem, Strict::Arithmetic),
        (Form::Plus, Strict::Plus),
        (Form::Concat, Strict::Concat),
        (Form::Eq, Strict::Equal),
        (Form::Lt, Strict::Order),
        (Form::Gt, Strict::Order),
        (Form::Lte, Strict::Order),
        (Form::Gte, Strict::Order),
        (Form::Length, Strict::Length),
        (Form::IsEmpty, Strict::IsEmpty),
        (Form::Analyze, Strict::Analyze),
        (Form::Not, Strict::Own),
        (Form::Truth, Strict::Own),
        (Form::Cons, Strict::Own),
        (Form::Head, Strict::Own),
        (Form::Tail, Strict::Own),
        (Form::Pair, Strict::Own),
        (Form::Continue, Strict::Own),
        (Form::Eval, Strict::Own),
        (Form::CodeOf, Strict::Own),
        (Form::Tool, Strict::Own),
        (Form::Trace, Strict::Own),
    ]],
);

/// Does a strict form of two operands.
pub(super) fn binary(
    c: &mut Context<'_>,
    form: Form,
    operands: [Word; 2],
    live: usize,
) -> Result<Word, Exit> {
    let mut operands = operands;
    if form == Form::Sub {
        // A date counts as its milliseconds.
        operands = operands.map(|v| c.s.heap.date(v).map_or(v, word));
    }
    let [x, y] = operands;
    match STRICT.get(form) {
        Some(Strict::Arithmetic) => {
            let (work, words) = arithmetic::cost(&c.s.heap, form, x, y);
            c.bulk(work)?;
            let mut operands = operands;
            c.s.make_room_keeping(words, live, &mut operands)?;
            let [x, y] = operands;
            Ok(arithmetic::arithmetic(&mut c.s.heap, form, x, y)?)
        }
        Some(Strict::Plus) => plus(c, operands, live),
        Some(Strict::Concat) => concat(c.s, operands, live),
        Some(Strict::Equal) => {
            let terms = Rc::clone(&c.s.terms);
            let Compared { work, result } = equal(&c.s.heap, &terms, x, y, c.budget());
            c.bulk(work)?;
            let result = result?;
            if result == FALSE {
                doubt_equality(c, operands);
            }
            Ok(result)
        }
        Some(Strict::Order) => {
            let Compared { work, result } = order(&c.s.heap, form, x, y);
            c.bulk(work)?;
            Ok(result?)
        }
        Some(Strict::Length | Strict::IsEmpty | Strict::Analyze | Strict::Own) | None => {
            Err(Exit::defect("an operation stands where it cannot"))
        }
    }
}

/// Warns of an `==` that compared a number with the text of a number: JavaScript reads the text.
fn doubt_equality(c: &mut Context<'_>, operands: [Word; 2]) {
    let heap = &c.s.heap;
    let Some(text) = operands.into_iter().position(|v| heap.is_text(v)) else { return };
    let Some((v, other)) = operands.get(text).zip(operands.get(1 - text)) else { return };
    if !is_number(heap, *other) || doubt::number_text(heap, *v).is_none() {
        return;
    }
    let Site { term, eval: None } = site(c.image, c.s, c.at) else { return };
    let terms = Rc::clone(&c.s.terms);
    let operands = terms.evaluated(term);
    let Some((part, second)) = operands.get(text).copied().zip(operands.get(1).copied()) else {
        return;
    };
    if doubt::is_behind_loose_mark(&terms, second) {
        c.s.notes.add(&terms, "likely-mistake", term, || doubt::equality(&terms, part));
    }
}

/// Does `plus`: a text on either side joins, numbers are added.
fn plus(c: &mut Context<'_>, operands: [Word; 2], live: usize) -> Result<Word, Exit> {
    let heap = &c.s.heap;
    if operands.iter().all(|v| is_number(heap, *v)) {
        return binary(c, Form::Add, operands, live);
    }
    let [first, second] = operands;
    let (is_first, is_second) = (heap.is_text(first), heap.is_text(second));
    if !is_first && !is_second {
        let (at, odd) = if is_number(heap, first) { (1, second) } else { (0, first) };
        return Err(c.s.wrong_type(at, odd, Wanted::NumberBeforeStrings));
    }
    let mut texts = operands;
    for (at, v) in operands.into_iter().enumerate() {
        if c.s.heap.is_text(v) {
            continue;
        }
        let Some(work) = scalar_work(&c.s.heap, v) else {
            return Err(c.s.wrong_type(at, v, kinds::SCALAR));
        };
        c.bulk(work)?;
        let text = scalar_text(&c.s.heap, v);
        c.s.make_room_keeping(Heap::text_words(text.len()), live, &mut texts)?;
        if let Some(place) = texts.get_mut(at) {
            *place = c.s.heap.text(&text)?;
        }
    }
    concat(c.s, texts, live)
}

fn concat(s: &mut State, operands: [Word; 2], live: usize) -> Result<Word, Exit> {
    let mut all = 0;
    for (i, text) in operands.into_iter().enumerate() {
        let size = s.heap.text_size(text);
        all += size.ok_or_else(|| s.wrong_type(i, text, kinds::STRING))?.0;
    }
    let mut operands = operands;
    let room = s.make_room_keeping(3, live, &mut operands);
    if all > longest_text(&s.heap) {
        return Err(Trouble::Full("the text would not fit into the memory limit").into());
    }
    room?;
    let [x, y] = operands;
    join(&mut s.heap, x, y).ok_or_else(|| Trouble::from(Full).into())
}

/// Does a strict form of one operand other than a `Builtin`.
pub(super) fn unary(c: &mut Context<'_>, form: Form, x: Word, live: usize) -> Result<Word, Exit> {
    match STRICT.get(form) {
        Some(Strict::Length) => length(c, x),
        Some(Strict::IsEmpty) if c.s.heap.list_of_match(x).is_some() => Ok(boolean(false)),
        Some(Strict::IsEmpty) if is_list(x) => Ok(boolean(x == NIL)),
        Some(Strict::IsEmpty) if entries::is_one(&c.s.heap, x) => {
            Ok(boolean(entries::count(&c.s.heap, x) == 0))
        }
        Some(Strict::IsEmpty) => Err(c.refuse(0, x)),
        Some(Strict::Analyze) => analyze(c, x, live),
        Some(
            Strict::Arithmetic
            | Strict::Plus
            | Strict::Concat
            | Strict::Equal
            | Strict::Order
            | Strict::Own,
        )
        | None => Err(Exit::defect("an operation stands where it cannot")),
    }
}

fn length(c: &mut Context<'_>, x: Word) -> Result<Word, Exit> {
    let x = c.s.heap.without_match(x);
    if let Some((_, chars)) = c.s.heap.text_size(x) {
        return Ok(count(chars));
    }
    if entries::is_one(&c.s.heap, x) {
        return Ok(count(entries::count(&c.s.heap, x) as u64));
    }
    if !is_list(x) {
        return Err(c.refuse(0, x));
    }
    let n = c.s.heap.length(x);
    c.s.heap.counted = (x, n);
    c.bulk(n as u64)?;
    Ok(count(n as u64))
}

fn analyze(c: &mut Context<'_>, x: Word, live: usize) -> Result<Word, Exit> {
    if x & 15 != crate::memory::word::IMMEDIATE || kind(x) != KIND_QUOTED {
        return Err(c.refuse(0, x));
    }
    let terms = Rc::clone(&c.s.terms);
    let (forms, nodes) = survey::count_forms(&terms, aux(x));
    c.bulk(nodes)?;
    c.s.make_room(Heap::record_words(forms.len()) + forms.len() * 4, live)?;
    let name = |at: usize| forms.get(at).map_or("", |(form, _)| form.name());
    let mut members = Vec::with_capacity(2 * forms.len());
    for at in order::order_of(forms.len(), &name) {
        members.push(c.s.heap.text(name(at))?);
        members.extend(forms.get(at).map(|(_, n)| word(i64::from(*n))));
    }
    Ok(record::make(&mut c.s.heap, &members)?)
}
