//! Calls of tools of other servers. The form is evaluated twice: first it asks the host, then it
//! takes the answer. Functions of tools have been applied before: in `calls`, a pair of a hole and the
//! value stands for such a call.

use crate::algorithm::record;
use crate::algorithm::trouble::Trouble;
use crate::builtin::call::Call;
use crate::builtin::options;
use crate::builtin::strings::reading;
use pif_language::kinds::{self, Wanted};

use crate::memory::heap::Heap;
use crate::memory::word::{
    FALSE, HOLE, KIND_RECORD, NIL, PAIR, TRUE, UNIT, Word, as_small, index, is_integer, tag,
};
use crate::request::{self, Calls, Outcome, Refusal};
use crate::run::state::Exit;
use pif_core::fault::{Code, FailedCall, Fault};

/// Calls at the same time, unless the program says how many, and the most that it may say.
const AT_MOST: u32 = 8;
const MOST_AT_MOST: i64 = 32;

/// The reason of a value that is not JSON, and its message.
const BAD_OUTPUT: &str = "bad-output";
const NOT_JSON: &str = "the answer is not JSON that a value can be made of";

pub(crate) fn call(c: &mut Call<'_>) -> Result<Word, Exit> {
    if let Some(answer) = c.s.answer.take() {
        return one(c, answer.map_err(Trouble::Refused)?);
    }
    let tool = c.text(0)?;
    c.charge_texts(&[&tool])?;
    if !is_arguments(c, c.operand(1)) {
        return Err(c.refuse(1));
    }
    let args = arguments(c, c.operand(1), 1)?;
    let is_raw = c.len() == 3 && {
        let options = c.operand(2);
        if c.s.heap.object_kind(options) != KIND_RECORD {
            return Err(c.refuse(2));
        }
        wants_raw(c, 2, options)?
    };
    let calls = vec![request::Call { tool, args, is_raw }];
    Err(Exit::Perform(Box::new(Calls { calls, at_most: 1, many: false })))
}

pub(crate) fn calls(c: &mut Call<'_>) -> Result<Word, Exit> {
    if let Some(answer) = c.s.answer.take() {
        return match answer {
            Ok(outcomes) => all(c, outcomes),
            Err(refusal) => Err(refused(c, *refusal)),
        };
    }
    let at_most = if c.len() == 2 { read_options(c)? } else { AT_MOST };
    let elements = c.list(0)?;
    if elements.is_empty() {
        return Ok(NIL);
    }
    c.charge(elements.len() as u64)?;
    let mut calls = Vec::with_capacity(elements.len());
    for (index, element) in (0..).zip(elements) {
        if applied(c, element).is_none() {
            calls.push(element_call(c, index, element)?);
        }
    }
    if calls.is_empty() {
        return all(c, Vec::new());
    }
    Err(Exit::Perform(Box::new(Calls { calls, at_most, many: true })))
}

/// The value of a call that has applied a function of a tool.
fn applied(c: &Call<'_>, element: Word) -> Option<Word> {
    if tag(element) != PAIR {
        return None;
    }
    let [first, value] = c.s.heap.cell(index(element));
    (first == HOLE).then_some(value)
}

/// The fault of calls that were not sent. The index counts those that were to be sent.
fn refused(c: &Call<'_>, refusal: Refusal) -> Exit {
    let elements = (0..).zip(c.elements(c.operand(0)));
    let mut sent = elements.filter(|(_, element)| applied(c, *element).is_none());
    let index = sent.nth(refusal.index as usize).map_or(refusal.index, |(index, _)| index);
    Trouble::Refused(Box::new(Refusal { index, ..refusal })).into()
}

/// Reads the options of one call, which belong to this operand. Returns whether the program wants
/// the whole result.
fn wants_raw(c: &mut Call<'_>, operand: usize, options: Word) -> Result<bool, Exit> {
    let mut is_raw = false;
    options::each(c, options, &["raw"], |c, name, value| {
        if name != "raw" {
            return Ok(false);
        }
        if !matches!(value, TRUE | FALSE) {
            return Err(c.s.wrong_element(operand, value, Wanted::Member("raw", kinds::BOOLEAN)));
        }
        is_raw = value == TRUE;
        Ok(true)
    })?;
    Ok(is_raw)
}

/// Reads the options. Returns the most calls at the same time.
fn read_options(c: &mut Call<'_>) -> Result<u32, Exit> {
    let mut most = AT_MOST;
    options::read(c, &["all", "at_most"], |c, name, value| {
        if name == "all" {
            let is_boolean = matches!(value, TRUE | FALSE);
            return if is_boolean {
                Ok(true)
            } else {
                Err(options::wrong(c, value, Wanted::Member("all", kinds::BOOLEAN)))
            };
        }
        if name != "at_most" {
            return Ok(false);
        }
        if !is_integer(value) {
            return Err(options::wrong(c, value, Wanted::Member("at_most", kinds::INTEGER)));
        }
        let given = if c.s.heap.limbs(value).is_none() { as_small(value) } else { 0 };
        if !(1..=MOST_AT_MOST).contains(&given) {
            let message = format!("`at_most` is from 1 to {MOST_AT_MOST}");
            return Err(Trouble::OutOfRange(message).into());
        }
        most = u32::try_from(given).unwrap_or(AT_MOST);
        Ok(true)
    })?;
    Ok(most)
}

/// Tells whether all calls must have a value. The options have been read.
fn wants_all(c: &Call<'_>) -> bool {
    let heap = &c.s.heap;
    c.len() == 2
        && heap.members(c.operand(1)).chunks_exact(2).any(|option| match *option {
            [key, TRUE] => heap.prefix(key, ALL.len() + 1) == ALL,
            _ => false,
        })
}

/// The option of calls that must all have a value.
const ALL: &str = "all";

/// Reads a call from an element of the list.
fn element_call(c: &mut Call<'_>, index: u32, element: Word) -> Result<request::Call, Exit> {
    if c.s.heap.object_kind(element) != KIND_RECORD {
        return Err(malformed(index, "is not a record"));
    }
    let (mut tool, mut args, mut options) = (None, UNIT, None);
    for member in c.s.heap.members(element).chunks_exact(2) {
        let [key, value] = *member else { continue };
        match &*c.s.heap.prefix(key, "options".len() + 1) {
            "tool" => tool = Some(value),
            "args" => args = value,
            "options" => options = Some(value),
            _ => return Err(malformed(index, OTHERS)),
        }
    }
    let Some(tool) = tool else { return Err(malformed(index, OTHERS)) };
    if !c.s.heap.is_text(tool) {
        return Err(malformed(index, "names its tool by no string"));
    }
    if !is_arguments(c, args) {
        return Err(malformed(index, "has `args` that are no record"));
    }
    if options.is_some_and(|it| c.s.heap.object_kind(it) != KIND_RECORD) {
        return Err(malformed(index, "has `options` that are no record"));
    }
    let (bytes, _) = c.s.heap.text_size(tool).unwrap_or_default();
    c.set_aside(bytes)?;
    let tool = c.s.heap.string(tool);
    c.charge_texts(&[&tool])?;
    let args = arguments(c, args, 0)?;
    let is_raw = options.map_or(Ok(false), |options| wants_raw(c, 0, options))?;
    Ok(request::Call { tool, args, is_raw })
}

/// What is wrong with a call that has no tool, or a member that no call has.
const OTHERS: &str = "has other members than `tool`, `args` and `options`";

#[cold]
#[inline(never)]
fn malformed(index: u32, message: &str) -> Exit {
    let hint = ["write ", r#"{"record": {"tool": "UPSTREAM.TOOL", "args": t}}"#];
    let (message, hint) = (format!("the call at {index} {message}"), Some(hint.into()));
    let refusal = Refusal { index, code: Code::Malformed, message, hint };
    Trouble::Refused(Box::new(refusal)).into()
}

/// Tells whether a value can be the arguments of a call.
fn is_arguments(c: &Call<'_>, args: Word) -> bool {
    args == UNIT || c.s.heap.object_kind(args) == KIND_RECORD
}

/// Returns the JSON object of arguments.
fn arguments(c: &mut Call<'_>, args: Word, operand: usize) -> Result<String, Exit> {
    if args == UNIT {
        return Ok("{}".to_owned());
    }
    let text = reading::written(c, args, operand)?;
    c.set_aside(text.len() as u64)?;
    String::from_utf8(text).map_err(|_| Exit::defect("the JSON text of arguments is no text"))
}

/// Returns the value of one call.
fn one(c: &mut Call<'_>, mut outcomes: Vec<Outcome>) -> Result<Word, Exit> {
    let (Some(outcome), true) = (outcomes.pop(), outcomes.is_empty()) else {
        return Err(miscounted());
    };
    let (reason, message, value) = match outcome {
        Outcome::Value(text) => match reading::read(c, &text)? {
            Ok(value) => return Ok(value),
            Err(_) => (BAD_OUTPUT.to_owned(), NOT_JSON.to_owned(), UNIT),
        },
        Outcome::Failed { reason, message, value } => {
            c.charge_texts(&[&reason, &message])?;
            let value = value.map_or(Ok(Ok(UNIT)), |text| reading::read(c, &text))?;
            (reason, message, value.unwrap_or(UNIT))
        }
    };
    let tool = c.text(0)?;
    Err(failed(c, tool, Failure { reason, message, value }))
}

/// What is known of a call without a value.
struct Failure {
    reason: String,
    message: String,
    /// What its server told beside the message. `UNIT`: nothing.
    value: Word,
}

/// The fault of a call without a value. A handler gets the value of the failure.
fn failed(c: &mut Call<'_>, tool: String, failure: Failure) -> Exit {
    let Failure { reason, message, value } = failure;
    c.s.failed = value;
    Trouble::Upstream(Box::new(FailedCall { tool, reason }), message).into()
}

/// A text that a server gave, and an upper bound of the words of its value on the heap.
struct Answer {
    text: String,
    words: usize,
}

/// What is known of a call in a list, before there is a record of it.
enum Known {
    /// The value of a function of a tool, which is on the heap.
    Applied,
    Value(Answer),
    Failed(String, String, Option<Answer>),
}

impl Known {
    /// Counts the words of the record, at most.
    fn words(&self) -> usize {
        const RECORD: usize = 7;
        const KEYS: usize = 2 + 2 + 2 + 2;
        let texts = |text: &str| Heap::text_words(text.len());
        let held = match self {
            Self::Applied => 0,
            Self::Value(read) => read.words,
            Self::Failed(reason, message, value) => {
                let value = value.as_ref().map_or(0, |read| 2 + read.words);
                texts(reason) + texts(message) + value
            }
        };
        RECORD + KEYS + held
    }
}

/// Returns the list of what came of several calls: with the option `all` their values, else a record
/// for each.
fn all(c: &mut Call<'_>, outcomes: Vec<Outcome>) -> Result<Word, Exit> {
    let elements = c.list(0)?;
    c.charge(elements.len() as u64)?;
    let mut outcomes = outcomes.into_iter();
    let mut known = Vec::with_capacity(elements.len());
    for element in elements {
        if applied(c, element).is_some() {
            known.push(Known::Applied);
            continue;
        }
        known.push(match outcomes.next().ok_or_else(miscounted)? {
            Outcome::Value(text) => answer(c, text)?.map_or_else(bad_output, Known::Value),
            Outcome::Failed { reason, message, value } => {
                c.charge_texts(&[&reason, &message])?;
                let value = value.map_or(Ok(None), |text| answer(c, text))?;
                Known::Failed(reason, message, value)
            }
        });
    }
    if outcomes.next().is_some() {
        return Err(miscounted());
    }
    // Where a value turns out to be none, its failure needs room.
    let spare = bad_output().words();
    c.room(known.iter().map(|known| known.words() + spare + 2).sum())?;
    let must_be_values = wants_all(c);
    let mut made = Vec::with_capacity(known.len());
    let elements = c.elements(c.operand(0));
    for (at, (known, element)) in known.into_iter().zip(elements).enumerate() {
        let came = match applied(c, element) {
            Some(value) => Ok(value),
            None => come(c, known)?,
        };
        match came {
            Ok(value) if must_be_values => made.push(value),
            Err(failure) if must_be_values => {
                let tool =
                    c.elements(c.operand(0)).get(at).map_or_else(String::new, |v| tool_of(c, *v));
                return Err(failed(c, tool, failure));
            }
            came => made.push(outcome_record(c, came)?),
        }
    }
    Ok(c.make_list(&made))
}

/// Measures what a server gave. None: it is no value.
fn answer(c: &mut Call<'_>, text: String) -> Result<Option<Answer>, Exit> {
    c.charge_texts(&[&text])?;
    let words = reading::measure(c, &text)?.ok();
    Ok(words.map(|words| Answer { text, words }))
}

/// Returns the tool of a call that has been made.
fn tool_of(c: &Call<'_>, call: Word) -> String {
    let members = c.s.heap.members(call);
    let mut tool = members.chunks_exact(2).filter_map(|member| match *member {
        [key, tool] if c.s.heap.prefix(key, "tool".len() + 1) == "tool" => Some(tool),
        _ => None,
    });
    tool.next_back().map_or_else(String::new, |tool| c.s.heap.string(tool))
}

fn bad_output() -> Known {
    Known::Failed(BAD_OUTPUT.to_owned(), NOT_JSON.to_owned(), None)
}

/// Makes the value of a call, or of its failure. There must be room.
fn come(c: &mut Call<'_>, known: Known) -> Result<Result<Word, Failure>, Exit> {
    match known {
        Known::Applied => Err(Exit::defect("the value of a function is lost")),
        Known::Value(read) => {
            let unread =
                |_| Failure { reason: BAD_OUTPUT.into(), message: NOT_JSON.into(), value: UNIT };
            Ok(reading::value(c, &read.text)?.map_err(unread))
        }
        Known::Failed(reason, message, told) => {
            let value = told.map_or(Ok(Ok(UNIT)), |read| reading::value(c, &read.text))?;
            Ok(Err(Failure { reason, message, value: value.unwrap_or(UNIT) }))
        }
    }
}

/// Makes the record of what came of a call. There must be room for it.
fn outcome_record(c: &mut Call<'_>, came: Result<Word, Failure>) -> Result<Word, Exit> {
    let heap = &mut c.s.heap;
    let Failure { reason, message, value } = match came {
        Ok(value) => {
            let members = [heap.text("ok")?, TRUE, heap.text("value")?, value];
            return Ok(record::make(heap, &members)?);
        }
        Err(failure) => failure,
    };
    let mut members = vec![heap.text("message")?, heap.text(&message)?, heap.text("ok")?, FALSE];
    members.extend([heap.text("reason")?, heap.text(&reason)?]);
    if value != UNIT {
        members.extend([heap.text("value")?, value]);
    }
    Ok(record::make(heap, &members)?)
}

/// The host gave another number of outcomes than it was asked for.
fn miscounted() -> Exit {
    let fault = Fault::defect("the host did not tell what came of each call");
    Trouble::Here(Box::new(fault)).into()
}
