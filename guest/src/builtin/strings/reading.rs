//! Values as text, and text as values.

use crate::algorithm::trouble::{BYTE_ORDER_MARK, Trouble, misread};
use crate::algorithm::weight::{LIMB_DIGITS, reading_work};
use crate::builtin::call::Call;
use pif_core::json::tape::{Tape, Token};
use pif_language::kinds::{self, Wanted};
use pif_language::prices::units;

use crate::builtin::bytes::TOO_LARGE;
use crate::memory::heap::Heap;
use pif_core::fault::Fault;

use crate::data::show;
use crate::data::show::{End, Written};
use crate::data::values::{self, Meaning, Stop, Value};
use crate::run::state::Exit;
use pif_core::json::number;
use pif_core::json::number::{Integer, Literal, is_float, is_json, literal};

use crate::memory::word::{Word, fit};

/// Characters of the longest float that is read at once.
pub(crate) const LONG_FLOAT: usize = 19;

pub(crate) fn to_string(c: &mut Call<'_>) -> Result<Word, Exit> {
    if c.s.heap.is_text(c.operand(0)) { Ok(c.operand(0)) } else { json_text(c) }
}

pub(crate) fn json_text(c: &mut Call<'_>) -> Result<Word, Exit> {
    let text = written(c, c.operand(0), 0)?;
    c.make_text_of(&text)
}

/// Returns the JSON text of a value in an operand, which must hold no functions.
pub(crate) fn written(c: &mut Call<'_>, x: Word, operand: usize) -> Result<Vec<u8>, Exit> {
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
pub(crate) fn not_finite(heap: &Heap, operand: usize, odd: Word) -> Trouble {
    match heap.as_no_number(odd) {
        Some(_) => Trouble::of_type(heap, operand, odd, kinds::NUMBER),
        None => Trouble::NotFinite,
    }
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
    c.charge(reading_work(digits.len()))?;
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
        c.charge(units::LONG_FLOAT)?;
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
pub(crate) type Read<T> = Result<T, Box<Fault>>;

/// Reads a JSON text.
pub(crate) fn read(c: &mut Call<'_>, text: &str) -> Result<Read<Word>, Exit> {
    c.charge_texts(&[text])?;
    let tokens = tokens(text);
    // No value of so many tokens takes more words.
    let words = 6 * tokens + text.len() / 8 + 16;
    if c.s.heap.could_have(words) {
        c.room(words)?;
        return match build(c, text)? {
            Ok(value) => {
                c.charge(value.nodes - 1 + value.work)?;
                Ok(value.wrong.map_or(Ok(value.word), |fault| Err(Box::new(fault))))
            }
            Err(fault) => Ok(Err(fault)),
        };
    }
    match measure(c, text)? {
        Ok(words) => {
            c.room(words)?;
            value(c, text)
        }
        Err(fault) => Ok(Err(fault)),
    }
}

/// Charges for the value of a text, and returns an upper bound of its words on the heap.
pub(crate) fn measure(c: &mut Call<'_>, text: &str) -> Result<Read<usize>, Exit> {
    let tape = match taped(c, text)? {
        Ok(tape) => tape,
        Err(fault) => return Ok(Err(fault)),
    };
    let Size { work, words } = size(&tape);
    c.charge(work)?;
    Ok(Ok(words))
}

/// Counts the words of the value of a text, at most.
pub(crate) fn words(text: &str) -> Result<usize, Fault> {
    let mut tape = Tape::default();
    tape.parse(text)?;
    Ok(size(&tape).words)
}

fn taped(c: &mut Call<'_>, text: &str) -> Result<Read<Tape>, Exit> {
    let bytes = text.len() * if text.contains('\\') { 2 } else { 1 };
    let tokens = tokens(text);
    c.set_aside((bytes + tokens * size_of::<Token>()) as u64)?;
    let mut tape = Tape::with_room(tokens, bytes);
    Ok(match tape.parse(text) {
        Ok(_) => Ok(tape),
        Err(fault) => Err(Box::new(fault.at(""))),
    })
}

/// Makes the value of a text that has been measured. There must be room for it.
pub(crate) fn value(c: &mut Call<'_>, text: &str) -> Result<Read<Word>, Exit> {
    let value = build(c, text)?;
    Ok(value.and_then(|value| value.wrong.map_or(Ok(value.word), |fault| Err(Box::new(fault)))))
}

/// Makes the value of a text.
fn build(c: &mut Call<'_>, text: &str) -> Result<Read<Value>, Exit> {
    let budget = c.budget();
    match values::read(&mut c.s.heap, text, Meaning::Data, budget) {
        Ok(value) => Ok(Ok(value)),
        Err(Stop::Syntax(syntax)) => Ok(Err(Box::new(syntax.fault(text)))),
        Err(Stop::Twice) => match taped(c, text)? {
            Err(fault) => Ok(Err(fault)),
            Ok(_) => Err(defect()),
        },
        Err(Stop::Full) => Err(Trouble::Full("the data does not fit into the memory").into()),
        Err(Stop::Spent(work)) => {
            c.charge(work.max(budget + 1))?;
            Err(defect())
        }
        Err(Stop::Unfit) => Err(defect()),
    }
}

fn defect() -> Exit {
    Exit::defect("a JSON text was refused without a reason")
}

/// Counts the tokens of a JSON text.
pub(crate) fn tokens(text: &str) -> usize {
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
                (reading_work(digits), 2 + digits / 19)
            }
            Token::Text(span) => (0, Heap::text_words(span.len as usize)),
            Token::Array { count, .. } => (u64::from(count), 2 * count as usize),
            Token::Object { count, .. } => (u64::from(count), Heap::record_words(count as usize)),
        };
        size.work = size.work.saturating_add(work);
        size.words += words;
    }
    size
}
