//! Plain JSON as values: `data`, `context`, the host's answers, and literal `input`.

use crate::algorithm::record;
use crate::memory::heap::{Full, Heap};
use pif_core::fault::Fault;
use pif_core::json::tape::{Span, Tape, Token, TokenId};

use crate::memory::word::{CONS, NIL, UNIT, Word, boolean, fit, pointer, small};
use pif_core::json::number::{Integer, Literal, literal};

/// The reason why JSON cannot become a value: a fault at a token, or lack of memory.
pub(crate) enum Failed {
    At(TokenId, Fault),
    Full,
}

impl From<Full> for Failed {
    fn from(_: Full) -> Self {
        Self::Full
    }
}

/// A container whose members are still to come.
enum Open {
    /// Cells from `at` on. The next item goes to cell `next` of `count`.
    List { at: usize, next: u32, count: u32 },
    /// Keys and values so far, and the next value's key.
    Record { members: Vec<(Span, Word)>, count: u32, key: Span },
}

/// Counts the words that a value of everything on a tape may need.
pub(crate) fn words(tape: &Tape) -> usize {
    let words = (0..tape.len()).map(|id| match tape.token(id) {
        Token::Array { count, .. } => 2 * count as usize,
        Token::Object { count, .. } => Heap::record_words(count as usize),
        Token::Text(span) => Heap::text_words(span.len as usize),
        // A limb has more than 16 digits.
        Token::Number(span) => 2 + span.len as usize / 16,
        Token::Null | Token::Boolean(_) | Token::Integer(_) => 0,
    });
    words.sum()
}

/// Makes a value of the JSON at `root`. Makes room by growing, so nothing moves.
pub(crate) fn value(heap: &mut Heap, tape: &Tape, root: TokenId) -> Result<Word, Failed> {
    let mut open: Vec<Open> = Vec::new();
    let mut id = root;
    loop {
        let token = tape.token(id);
        id += 1;
        let mut done = match token {
            Token::Array { count, .. } if count > 0 => {
                heap.grow(2 * count as usize)?;
                let at = heap.claim(2 * count as usize);
                open.push(Open::List { at, next: 0, count });
                continue;
            }
            Token::Object { count, .. } if count > 0 => {
                let key = key(tape, id);
                open.push(Open::Record { members: Vec::new(), count, key });
                id += 1;
                continue;
            }
            token => scalar(heap, tape, token).map_err(|failed| failed.at(id - 1))?,
        };
        // Puts the value into its container, and each completed container into the next one.
        loop {
            match open.last_mut() {
                None => return Ok(done),
                Some(Open::List { at, next, count }) => {
                    let cell = *at + 2 * *next as usize;
                    *next += 1;
                    let more = *next < *count;
                    heap.put(cell, &[done, if more { pointer(cell + 2, CONS) } else { NIL }]);
                    if more {
                        break;
                    }
                    done = pointer(*at, CONS);
                }
                Some(Open::Record { members, count, key: next }) => {
                    members.push((*next, done));
                    if members.len() < *count as usize {
                        *next = key(tape, id);
                        id += 1;
                        break;
                    }
                    done = record_of(heap, tape, members)?;
                }
            }
            open.pop();
        }
    }
}

fn key(tape: &Tape, id: TokenId) -> Span {
    match tape.token(id) {
        Token::Text(span) => span,
        _ => Span { start: 0, len: 0 },
    }
}

impl Failed {
    fn at(self, token: TokenId) -> Self {
        match self {
            Self::At(_, fault) => Self::At(token, fault),
            Self::Full => Self::Full,
        }
    }
}

/// Makes a value without members.
fn scalar(heap: &mut Heap, tape: &Tape, token: Token) -> Result<Word, Failed> {
    Ok(match token {
        Token::Null => UNIT,
        Token::Boolean(b) => boolean(b),
        Token::Integer(n) => small(i64::from(n)),
        Token::Text(span) => text(heap, tape.str(span))?,
        Token::Number(span) => number(heap, tape.str(span))?,
        Token::Array { .. } => NIL,
        Token::Object { .. } => {
            heap.grow(1)?;
            heap.record(&[], &[])?
        }
    })
}

/// Makes a text. Makes room by growing.
pub(crate) fn text(heap: &mut Heap, text: &str) -> Result<Word, Full> {
    heap.grow(Heap::text_words(text.len()))?;
    heap.text(text)
}

/// Makes an integer or a float.
fn number(heap: &mut Heap, text: &str) -> Result<Word, Failed> {
    match literal(text).map_err(|fault| Failed::At(0, fault))? {
        Literal::Float(n) => {
            heap.grow(2)?;
            Ok(heap.float(n))
        }
        Literal::Integer(Integer::Small(n)) if fit(n).is_some() => Ok(small(n)),
        Literal::Integer(Integer::Small(n)) => Ok(integer(heap, &n.into())?),
        Literal::Integer(Integer::Big(n)) => Ok(integer(heap, &n)?),
    }
}

fn integer(heap: &mut Heap, n: &num_bigint::BigInt) -> Result<Word, Full> {
    heap.grow(Heap::integer_words(n))?;
    Ok(heap.integer(n))
}

fn record_of(heap: &mut Heap, tape: &Tape, members: &[(Span, Word)]) -> Result<Word, Full> {
    let mut words = Vec::with_capacity(2 * members.len());
    for (key, value) in members {
        words.extend([text(heap, tape.str(*key))?, *value]);
    }
    heap.grow(Heap::record_words(members.len()))?;
    record::make(heap, &words)
}
