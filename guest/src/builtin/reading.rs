//! Values as text, and text as values.
//!
//! Fuel: 1 per 8 bytes of text read or written, 1 per element of a list and member of a record. An
//! integer of `n` ≥ 2 limbs: n · (8 + 2 · ⌊√n⌋); for reading, 19 digits count as a limb, and 19 to
//! 37 digits as two. Reading a float of more than 19 characters: 16. Writing: also 1 per pair, 8
//! per float and the weight of a quoted term. `to_string` of a text costs nothing. [`table`] reads
//! tables.

use crate::algorithm::trouble::{BYTE_ORDER_MARK, Trouble, misread};
use crate::algorithm::weight;
use crate::builtin::call::Call;
use pif_core::json::tape::{Tape, Token, TokenId};
use pif_language::kinds::{self, Wanted};

use crate::builtin::bytes::TOO_LARGE;
use crate::data::parsed;
use crate::data::parsed::Failed;
use crate::memory::heap::Heap;
use pif_core::fault::Fault;

use crate::data::plain;
use crate::data::show;
use crate::data::show::{End, Written};
use crate::run::state::Exit;
use pif_core::json::number;
use pif_core::json::number::{Integer, Literal, is_float, is_json, literal};

use crate::memory::word::{Word, fit};

/// Decimal digits that count as a limb.
pub(super) const LIMB_DIGITS: usize = 19;

/// Characters of the longest float that is read at once, and the work of a longer one.
pub(super) const LONG_FLOAT: usize = 19;
pub(super) const LONG_FLOAT_WORK: u64 = 16;

pub(crate) fn to_string(c: &mut Call<'_>) -> Result<Word, Exit> {
    if c.s.heap.is_text(c.operand(0)) { Ok(c.operand(0)) } else { json_text(c) }
}

pub(crate) fn json_text(c: &mut Call<'_>) -> Result<Word, Exit> {
    let text = written(c, c.operand(0), 0)?;
    c.make_text_of(&text)
}

/// Returns the JSON text of a value in an operand, which must hold no functions.
pub(super) fn written(c: &mut Call<'_>, x: Word, operand: usize) -> Result<Vec<u8>, Exit> {
    let limit = c.longest_written();
    let budget = c.budget();
    let (heap, terms) = (&c.s.heap, &c.s.terms);
    let Written { text, work, end } = show::exact(heap, terms, &c.s.names(), x, (limit, budget));
    match end {
        End::TooLong => return Err(TOO_LARGE.into()),
        End::Spent => c.charge(work.max(budget + 1))?,
        End::Function | End::Complete | End::NotFinite(_) => c.charge(work)?,
    }
    if let End::NotFinite(odd) = end {
        return Err(not_finite(&c.s.heap, operand, odd).into());
    }
    if end == End::Function {
        return Err(Trouble::Type {
            operand,
            wanted: Wanted::WithoutFunctions,
            found: kinds::FUNCTION,
        }
        .into());
    }
    Ok(text)
}

/// The fault of a value that holds infinity or what is no number, where it is to be written.
pub(super) fn not_finite(heap: &Heap, operand: usize, odd: Word) -> Trouble {
    match heap.as_no_number(odd) {
        Some(_) => Trouble::of_type(heap, operand, odd, kinds::NUMBER),
        None => Trouble::NotFinite,
    }
}

/// Returns the work of parsing an integer of so many digits.
pub(super) fn number_work(digits: usize) -> u64 {
    let limbs = (digits / LIMB_DIGITS) as u64;
    // A number with so many digits is usually not small.
    weight::digits_work(if limbs == 1 { 2 } else { limbs })
}

/// Returns whether a number is negative, and its text without leading zeros.
fn significant(text: &str) -> (bool, &str) {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let zeros = digits.len() - digits.trim_start_matches('0').len();
    let rest = digits.get(zeros..).unwrap_or_default();
    // One zero stays if no other digit follows.
    let zeros = if rest.starts_with(|c: char| c.is_ascii_digit()) {
        zeros
    } else {
        zeros.saturating_sub(1)
    };
    (negative, digits.get(zeros..).unwrap_or_default())
}

pub(crate) fn parse_int(c: &mut Call<'_>) -> Result<Word, Exit> {
    let text = c.text(0)?;
    c.charge_texts(&[&text])?;
    let (negative, digits) = significant(&text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(misread(&text, "is not an integer", None).into());
    }
    if digits.len() < LIMB_DIGITS
        && let Ok(n) = digits.parse::<i64>()
        && let Some(word) = fit(if negative { -n } else { n })
    {
        return Ok(word);
    }
    c.charge(number_work(digits.len()))?;
    let n = match literal(digits).map_err(|fault| Trouble::Here(Box::new(fault)))? {
        Literal::Integer(Integer::Small(n)) => n.into(),
        Literal::Integer(Integer::Big(n)) => n,
        Literal::Float(_) => return Err(misread(&text, "is not an integer", None).into()),
    };
    let n = if negative { -n } else { n };
    c.room(Heap::integer_words(&n))?;
    Ok(c.s.heap.integer(&n))
}

pub(crate) fn parse_float(c: &mut Call<'_>) -> Result<Word, Exit> {
    let text = c.text(0)?;
    c.charge_texts(&[&text])?;
    let (_, digits) = significant(&text);
    if !is_json(digits) || digits.starts_with('-') {
        return Err(misread(&text, "is not a number", None).into());
    }
    if digits.len() > LONG_FLOAT {
        c.charge(LONG_FLOAT_WORK)?;
    }
    let n: f64 = text.parse().unwrap_or(f64::INFINITY);
    if !n.is_finite() {
        return Err(Trouble::NotFinite.into());
    }
    c.room(2)?;
    Ok(c.s.heap.float(n))
}

pub(crate) fn json_parse(c: &mut Call<'_>) -> Result<Word, Exit> {
    let text = c.text(0)?;
    if text.starts_with(BYTE_ORDER_MARK) {
        c.charge_texts(&[&text])?;
        return Err(misread(&text, "is not JSON", None).into());
    }
    read(c, &text)?.map_err(|fault| Trouble::Here(fault).into())
}

/// What reading a text gives: a value, or the fault of the text.
pub(super) type Read<T> = Result<T, Box<Fault>>;

/// Reads a JSON text.
pub(super) fn read(c: &mut Call<'_>, text: &str) -> Result<Read<Word>, Exit> {
    c.charge_texts(&[text])?;
    let tokens = tokens(text);
    // No value of so many tokens takes more words.
    let words = 6 * tokens + text.len() / 8 + 16;
    if c.s.heap.could_have(words) {
        c.room(words)?;
        if let Some(plain) = plain::build(&mut c.s.heap, text, plain::Meaning::Data) {
            c.charge(plain.nodes - 1)?;
            return Ok(Ok(plain.value));
        }
    }
    let tape = match taped(c, text, tokens)? {
        Ok(tape) => tape,
        Err(fault) => return Ok(Err(fault)),
    };
    c.room(tape.words)?;
    build(c, &tape)
}

/// A text that was read, and is not a value yet.
pub(super) struct Taped {
    tape: Tape,
    root: TokenId,
    /// An upper bound of the words of its value on the heap.
    pub(super) words: usize,
}

/// Reads a text of so many tokens, and charges for its value.
pub(super) fn taped(c: &mut Call<'_>, text: &str, tokens: usize) -> Result<Read<Taped>, Exit> {
    let bytes = text.len() * if text.contains('\\') { 2 } else { 1 };
    c.set_aside((bytes + tokens * size_of::<Token>()) as u64)?;
    let mut tape = Tape::with_room(tokens, bytes);
    let root = match tape.parse(text) {
        Ok(root) => root,
        Err(fault) => return Ok(Err(Box::new(fault.at("")))),
    };
    let Size { work, words } = size(&tape);
    c.charge(work)?;
    Ok(Ok(Taped { tape, root, words }))
}

/// Makes the value of a text that was read. There must be room for it.
pub(super) fn build(c: &mut Call<'_>, read: &Taped) -> Result<Read<Word>, Exit> {
    match parsed::value(&mut c.s.heap, &read.tape, read.root) {
        Ok(value) => Ok(Ok(value)),
        Err(Failed::At(_, fault)) => Ok(Err(Box::new(fault))),
        Err(Failed::Full) => Err(Trouble::Full("the data does not fit into the memory").into()),
    }
}

/// Counts the tokens of a JSON text.
pub(super) fn tokens(text: &str) -> usize {
    let (mut tokens, mut in_string, mut escaped) = (1, false, false);
    for byte in text.bytes() {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
        } else {
            in_string = byte == b'"';
            tokens += usize::from(matches!(byte, b',' | b':' | b'[' | b'{'));
        }
    }
    tokens
}

/// The size of the values of a tape.
struct Size {
    work: u64,
    /// An upper bound of their words on the heap.
    words: usize,
}

fn size(tape: &Tape) -> Size {
    let mut size = Size { work: 0, words: 0 };
    for id in 0..tape.len() {
        let (work, words) = match tape.token(id) {
            Token::Null | Token::Boolean(_) | Token::Integer(_) => (0, 0),
            Token::Number(span) if is_float(tape.str(span)) => (0, 2),
            Token::Number(span) => {
                let digits = number::digits(tape.str(span));
                (number_work(digits), 2 + digits / 19)
            }
            Token::Text(span) => (0, Heap::text_words(span.len as usize)),
            Token::Array { count, .. } => (u64::from(count), 2 * count as usize),
            Token::Object { count, .. } => (u64::from(count), 1 + 2 * count as usize),
        };
        size.work = size.work.saturating_add(work);
        size.words += words;
    }
    size
}
