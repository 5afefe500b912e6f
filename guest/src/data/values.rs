//! The heap as a sink of the JSON reader: `data`, `context`, the host's answers, literal `input`, and
//! the canonical terms of data.

use crate::algorithm::weight::reading_work;
use crate::data::keys::Keys;
use crate::memory::heap::{Full, Heap};
use crate::memory::inline::Items;
use crate::memory::word::{CONS, KIND_RECORD, NIL, PAIR, UNIT, Word, boolean, fit, pointer, small};
use pif_core::fault::Fault;
use pif_core::json::number::{self, Integer, Literal, literal};
use pif_core::json::read::{self, Characters, Scalar, Sink, Syntax};

/// The meaning of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    Data,
    /// Only lists of values that mean data and a term alike.
    Either,
    /// The canonical term of data.
    Term,
}

/// A value that was read, and its size.
#[derive(Debug)]
pub(crate) struct Value {
    pub(crate) word: Word,
    /// The number of values in it, including itself.
    pub(crate) nodes: u64,
    /// The levels of lists and records.
    pub(crate) depth: usize,
    /// The work of its long integers.
    pub(crate) work: u64,
    /// The fault of the first number that is too large.
    pub(crate) wrong: Option<Fault>,
}

/// The reason why a text has no value.
pub(crate) enum Stop {
    Syntax(Syntax),
    /// A key occurs twice in an object.
    Twice,
    Full,
    /// Its long integers are more work than is allowed: so much.
    Spent(u64),
    /// The text does not have the meaning that the caller asked for.
    Unfit,
}

impl From<Syntax> for Stop {
    fn from(syntax: Syntax) -> Self {
        Self::Syntax(syntax)
    }
}

impl From<Full> for Stop {
    fn from(_: Full) -> Self {
        Self::Full
    }
}

/// Reads the value of a text. Makes room by growing, so nothing moves. `budget` bounds the work of
/// long integers.
pub(crate) fn read(
    heap: &mut Heap,
    text: &str,
    meaning: Meaning,
    budget: u64,
) -> Result<Value, Stop> {
    let start = heap.top;
    let mut values = Values {
        heap,
        meaning,
        budget,
        bytes: text.len(),
        start,
        keys: Keys::default(),
        nodes: 0,
        depth: 0,
        work: 0,
        wrong: None,
    };
    let word = read::read(text, &mut values)?;
    let Values { nodes, depth, work, wrong, .. } = values;
    Ok(Value { word, nodes, depth, work, wrong })
}

/// A container whose end is still to come.
pub(crate) enum Open {
    List(List),
    /// The index of its first member among those of all open records.
    Record(usize),
    /// A form of a term, and its operand once it is there.
    Form(Option<Form>, Word),
}

/// The forms of data that are no literals.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Record,
    Pair,
    Float,
}

/// A list whose end is still to come: its beginning, the word for its rest, and its length so far.
pub(crate) struct List {
    first: Word,
    rest: usize,
    count: usize,
}

struct Values<'h> {
    heap: &'h mut Heap,
    meaning: Meaning,
    budget: u64,
    /// The length of the text.
    bytes: usize,
    /// The beginning of the value on the heap.
    start: usize,
    keys: Keys,
    nodes: u64,
    depth: usize,
    work: u64,
    wrong: Option<Fault>,
}

impl Values<'_> {
    /// Makes room for a cell, and for the likely needs of the text from a byte on.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, at: usize) -> Result<(), Full> {
        if self.heap.has_room_within(2) {
            return Ok(());
        }
        let (used, rest) = (self.heap.top - self.start, self.bytes.saturating_sub(at));
        let likely = used as u64 * rest as u64 / at.max(1) as u64;
        let likely = usize::try_from(likely + likely / 32).unwrap_or(usize::MAX);
        // If that is too much, two words may still fit.
        let _ = self.heap.expect(likely.saturating_add(2));
        self.heap.grow(2)
    }

    /// Appends an element. The tail of its cell points to the next cell. It is corrected if the next
    /// element goes elsewhere, and at the end of the list.
    #[inline(always)]
    fn push(&mut self, list: &mut List, value: Word, at: usize) -> Result<(), Full> {
        let cell = self.heap.top;
        let words = [value, pointer(cell + 2, CONS)];
        if let Some(slots) = self.heap.words.get_mut(cell..cell + 2) {
            slots.copy_from_slice(&words);
            self.heap.top = cell + 2;
        } else {
            self.make_room(at)?;
            self.heap.claim(2);
            self.heap.put(cell, &words);
        }
        if list.first == NIL {
            list.first = pointer(cell, CONS);
        } else if list.rest + 1 != cell {
            self.heap.put(list.rest, &[pointer(cell, CONS)]);
        }
        (list.rest, list.count) = (cell + 1, list.count + 1);
        Ok(())
    }

    #[inline(always)]
    fn extend(&mut self, list: &mut List, items: &Items) {
        if list.first == NIL {
            list.first = items.list;
        } else {
            self.heap.put(list.rest, &[items.list]);
        }
        (list.rest, list.count) = (items.rest, list.count + items.count);
    }

    fn text(&mut self, text: &Characters<'_>) -> Result<Word, Full> {
        let text = text.as_ref();
        self.heap.grow(Heap::text_words(text.len()))?;
        self.heap.text(text)
    }

    #[inline(never)]
    fn number(&mut self, text: &str) -> Result<Word, Stop> {
        if !number::is_float(text) {
            self.work = self.work.saturating_add(reading_work(number::digits(text)));
            if self.work > self.budget {
                return Err(Stop::Spent(self.nodes.saturating_add(self.work)));
            }
        }
        Ok(match literal(text) {
            Ok(Literal::Float(n)) => {
                self.heap.grow(2)?;
                self.heap.float(n)
            }
            Ok(Literal::Integer(Integer::Small(n))) => match fit(n) {
                Some(word) => word,
                None => self.big(&n.into())?,
            },
            Ok(Literal::Integer(Integer::Big(n))) => self.big(&n)?,
            Err(fault) => {
                self.wrong.get_or_insert(fault);
                UNIT
            }
        })
    }

    fn big(&mut self, n: &num_bigint::BigInt) -> Result<Word, Full> {
        self.heap.grow(Heap::integer_words(n))?;
        Ok(self.heap.integer(n))
    }
}

impl Sink for Values<'_> {
    type Value = Word;
    type Open = Open;
    type Stop = Stop;

    fn scalar(&mut self, scalar: Scalar<'_>) -> Result<Word, Stop> {
        self.nodes += 1;
        match scalar {
            Scalar::Null => Ok(UNIT),
            Scalar::Boolean(b) => Ok(boolean(b)),
            Scalar::Integer(n, ..) => Ok(small(n)),
            Scalar::Number(text, _) => self.number(text),
            Scalar::Text(_) if self.meaning == Meaning::Either => Err(Stop::Unfit),
            Scalar::Text(text) => Ok(self.text(&text)?),
        }
    }

    #[inline(always)]
    fn open(&mut self, is_object: bool, around: Option<&Open>, depth: usize) -> Result<Open, Stop> {
        self.nodes += 1;
        self.depth = self.depth.max(depth);
        if !is_object {
            return Ok(Open::List(List { first: NIL, rest: 0, count: 0 }));
        }
        match (self.meaning, around) {
            (Meaning::Either, _) => Err(Stop::Unfit),
            (Meaning::Data, _) | (Meaning::Term, Some(Open::Form(Some(Form::Record), _))) => {
                Ok(Open::Record(self.keys.members.len()))
            }
            (Meaning::Term, _) => Ok(Open::Form(None, NIL)),
        }
    }

    fn key(
        &mut self,
        open: &mut Open,
        key: Characters<'_>,
        (from, end): (usize, usize),
    ) -> Result<(), Stop> {
        match open {
            Open::Form(form @ None, _) => {
                *form = Some(match key.as_ref() {
                    "record" => Form::Record,
                    "pair" => Form::Pair,
                    "float" => Form::Float,
                    _ => return Err(Stop::Unfit),
                });
                Ok(())
            }
            Open::Record(start) => {
                let is_first = self.keys.members.len() == *start;
                Ok(self.keys.begin(self.heap, key.as_ref().as_bytes(), is_first, from..end)?)
            }
            Open::Form(..) | Open::List(_) => Err(Stop::Unfit),
        }
    }

    #[inline(always)]
    fn add(&mut self, open: &mut Open, value: Word, at: usize) -> Result<(), Stop> {
        match open {
            Open::List(list) => self.push(list, value, at)?,
            Open::Record(_) => self.keys.give(value),
            Open::Form(_, operand) => *operand = value,
        }
        Ok(())
    }

    #[inline(always)]
    fn close(&mut self, open: Open, _: usize) -> Result<Word, Stop> {
        match open {
            Open::List(List { first: NIL, .. }) => Ok(NIL),
            Open::List(List { first, rest, count }) => {
                self.heap.put(rest, &[NIL]);
                self.heap.counted = (first, count);
                Ok(first)
            }
            Open::Record(start) => self.keys.record(self.heap, start)?.ok_or(Stop::Twice),
            Open::Form(form, operand) => self.form(form, operand),
        }
    }

    #[inline(always)]
    fn is_object(open: &Open) -> bool {
        !matches!(open, Open::List(_))
    }

    /// Reads short numbers and texts while a comma follows each at once.
    #[inline(always)]
    fn elements(&mut self, open: &mut Open, json: &[u8], at: usize) -> Result<usize, Stop> {
        let (Open::List(list), mut at) = (open, at) else { return Ok(at) };
        let has_texts = self.meaning != Meaning::Either;
        loop {
            let from = at + usize::from(json.get(at) == Some(&b' '));
            let items = match json.get(from) {
                Some(b'0'..=b'9') => self.heap.integers_in_json(json, from),
                Some(b'"') if has_texts => self.heap.texts_in_json(json, from),
                _ => return Ok(at),
            };
            if items.count > 0 {
                self.extend(list, &items);
                self.nodes += items.count as u64;
                at = items.end;
                continue;
            }
            let top = self.heap.top;
            let item = self.heap.short_in_json(json, from);
            let Some((value, end)) = item.filter(|(_, end)| json.get(*end) == Some(&b',')) else {
                // The element is read again on its own.
                self.heap.top = top;
                return Ok(at);
            };
            self.push(list, value, at)?;
            self.nodes += 1;
            at = end + 1;
        }
    }

    #[inline(always)]
    fn likely_key(
        &mut self,
        open: &mut Open,
        json: &[u8],
        at: usize,
        is_first: bool,
    ) -> Option<usize> {
        matches!(open, Open::Record(_)).then(|| self.keys.expected(json, at, is_first))?
    }

    #[inline(always)]
    fn short(&mut self, json: &[u8], at: usize) -> Option<(Word, usize)> {
        if self.meaning == Meaning::Either && json.get(at) == Some(&b'"') {
            return None;
        }
        let short = self.heap.short_in_json(json, at)?;
        self.nodes += 1;
        Some(short)
    }
}

impl Values<'_> {
    /// Makes the value of a form of its operand.
    fn form(&mut self, form: Option<Form>, operand: Word) -> Result<Word, Stop> {
        let heap = &mut *self.heap;
        match form.ok_or(Stop::Unfit)? {
            Form::Record if heap.object_kind(operand) == KIND_RECORD => Ok(operand),
            Form::Float if heap.as_float(operand).is_some() => Ok(operand),
            Form::Pair => {
                let [first, second] = heap.halves(operand).ok_or(Stop::Unfit)?;
                heap.grow(2)?;
                Ok(heap.two(first, second, PAIR))
            }
            Form::Record | Form::Float => Err(Stop::Unfit),
        }
    }
}
