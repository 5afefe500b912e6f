//! Makes a fault from the trouble of an operation: its words, its operand, and the chain of tools
//! that led there. `run/site.rs` finds the term.

use crate::algorithm::record;
use crate::algorithm::trouble::{FULL, Trouble};
use crate::data::show::OPERAND_BYTES;
use crate::run::site::{Site, site};
use pif_core::hint::Hint;
use pif_core::text::quote::{shorten, visible};
use pif_language::kinds::FUNCTION;

use crate::check::mismatch::{Wrong, element, mismatch, no_function};
use crate::code::{Image, Op, Slot};
use crate::data::show;
use crate::run::meter::Stop;
use crate::run::state::State;
use pif_core::fault::{Code, FailedCall, Fault, Limit};
use pif_language::form::{Form, Row};
use pif_language::forms::FORMS;
use pif_language::hint::{LONGEST, nearest, only_near, recursive};
use pif_language::mistakes::words;

use crate::memory::heap::Heap;
use crate::memory::word::{KIND_RECORD, Word};
use crate::request::Refusal;
use pif_language::term::{TermId, Terms};
use pif_notation::called;

/// Most tools in a fault's chain of calls.
const MOST_CALLS: usize = 32;

/// A test for a list of only nulls.
const ALL_NULL: &str = r#"{"all": [{"lam": "x", "body": {"eq": [{"var": "x"}, null]}}, list]}"#;

/// Characters of a `fail` value in its message.
const FAIL_BYTES: usize = 200;

/// Returns the fault for the trouble at the operation `pc`, or for a limit that the run reached
/// before.
pub(super) fn trouble(image: &Image, s: &mut State, trouble: Trouble) -> Fault {
    let pc = s.pc;
    if let Err(met) = s.meter.spend_visited(image, pc, s.depth) {
        return stop(image, s, met);
    }
    let (called_at, site) = origin(image, s, &trouble);
    let terms = &s.terms;
    let form = terms.form(site.term);
    // The program sees a fault that it catches in the words of terms.
    let is_quoted = |code| {
        let token = terms.node(site.term).token;
        site.eval.is_none() && !s.catches(code) && terms.byte(token).is_some()
    };
    let wrong =
        |operand, code| Wrong { terms, term: site.term, operand, is_quoted: is_quoted(code) };
    let named = |code| if is_quoted(code) { called(form) } else { form.name() };
    let name = form.name();
    let (operand, fault) = match trouble {
        Trouble::Elsewhere(fault) => return Fault { calls: calls(image, s, fault.code), ..*fault },
        Trouble::Here(fault) => (None, *fault),
        Trouble::Type { operand, wanted, found } => {
            (Some(operand), mismatch(wrong(operand, Code::TypeMismatch), (wanted, found)))
        }
        Trouble::Element { operand, wanted, found } => {
            (Some(operand), element(wrong(operand, Code::TypeMismatch), (wanted, found)))
        }
        Trouble::NotAFunction { found } | Trouble::NotAFunctionAfter { found, .. } => {
            let operand = applied(form, image.op(called_at), terms.operands(site.term).len());
            (Some(operand), no_function(wrong(operand, Code::NotAFunction), found))
        }
        Trouble::Unbound(variable) => (None, unbound(terms, s, (site.term, terms.name(variable)))),
        Trouble::DivideByZero => (
            None,
            Fault::new(Code::DivideByZero, format!("`{}` by zero", named(Code::DivideByZero))),
        ),
        Trouble::NotFinite => (None, not_finite(image, s, (form, named(Code::NotFinite)))),
        Trouble::NotANumber(operand, text) => (Some(operand), no_number(&text)),
        Trouble::EmptyList => (
            None,
            Fault::new(Code::EmptyList, format!("`{name}` of the empty list"))
                .hint("test with `isEmpty` first"),
        ),
        Trouble::OnlyNulls => (
            None,
            Fault::new(
                Code::EmptyList,
                format!("`{name}` of a list of only nulls, which it skips"),
            )
            .hint(["test with ", ALL_NULL, " first"]),
        ),
        Trouble::OutOfRange(what) => (None, Fault::new(Code::OutOfRange, what)),
        Trouble::MissingKey(key, record) => {
            (None, missing_key(s, (form, is_quoted(Code::MissingKey)), (&key, record)))
        }
        Trouble::NoMatch => (
            None,
            Fault::new(Code::NoMatch, "no test of `cond` is true")
                .hint("end with a branch that is always taken: [true, value]"),
        ),
        Trouble::Unparsable(what) => (None, Fault::new(Code::Unparsable, what)),
        Trouble::Regex(what) => (None, Fault::new(Code::Regex, what)),
        Trouble::Fail => (None, failed(s)),
        Trouble::TooLarge(what) => (None, Fault::new(Code::TooLarge, what)),
        Trouble::Full(what) => (None, no_room(what)),
        Trouble::NoRoomForCall => (None, no_room(FULL)),
        Trouble::UnknownTool(tool) => (None, unknown_tool(s, &tool)),
        Trouble::OutsideTool => (None, outside_tool(name)),
        Trouble::Upstream(call, message) => (None, upstream(call, &message)),
        Trouble::Refused(refusal) => return refused(image, s, &site, *refusal),
        Trouble::EvalDepth => (None, Fault::new(Code::EvalDepth, "more than 100 nested evals")),
    };
    place(image, s, &site, operand, fault)
}

/// Returns the operation with the trouble, and its site.
fn origin(image: &Image, s: &State, trouble: &Trouble) -> (usize, Site) {
    let pc = match trouble {
        Trouble::NotAFunctionAfter { call, .. } => *call,
        _ => s.pc,
    };
    (pc, site(image, s, pc))
}

/// Returns the index of the operand that is the applied function.
fn applied(form: Form, op: Op, operands: usize) -> usize {
    if form == Form::Pipe
        && let Op::Call { f, base, .. } | Op::TailCall { f, base, .. } = op
    {
        return operands - usize::from(base - f);
    }
    (0..operands).find(|at| form.accepted(*at) == FUNCTION).unwrap_or_default()
}

/// The fault of a result that is not finite, with its operands.
fn not_finite(image: &Image, s: &State, (form, name): (Form, &str)) -> Fault {
    let op = image.op(s.pc);
    let slots =
        if let Op::Builtin { d, n, .. } = op { (d..d + n).collect() } else { op.operands() };
    let show =
        |slot: &Slot| show::excerpt(&s.heap, &s.terms, &s.names(), s.slot(*slot), OPERAND_BYTES);
    let operands: Vec<String> = slots.iter().map(show).collect();
    let of =
        if operands.is_empty() { String::new() } else { format!(" of {}", operands.join(" and ")) };
    let message = format!("the result of `{name}`{of} is not a finite number");
    let fault = Fault::new(Code::NotFinite, message);
    let is_negative = operands.first().is_some_and(|first| first.starts_with('-'));
    match form {
        Form::Sqrt if is_negative => fault.hint("take a root of 0 or more"),
        Form::Ln | Form::Log10 => fault.hint("take a logarithm of a number above 0"),
        Form::Pow if is_negative => {
            fault.hint("raise a negative number to an integer, such as 2 or -1")
        }
        _ => fault,
    }
}

/// The fault of a value that is not a number.
fn no_number(text: &str) -> Fault {
    let message = format!("\"{}\" is no number", shorten(text));
    Fault::new(Code::NotFinite, message)
        .hint("test it with `isNaN(x)`, or give a default with `Number(s) || 0`")
}

/// The fault of a result that holds what JSON does not have.
pub(super) fn unwritable(heap: &Heap, odd: Word) -> Fault {
    match heap.as_no_number(odd) {
        Some(text) => no_number(&heap.prefix(text, 4 * OPERAND_BYTES)),
        None => Fault::new(Code::NotFinite, "the result holds Infinity, which JSON does not have"),
    }
}

/// The fault of a call without a value. Whoever wrote the message is not to be trusted.
fn upstream(call: Box<FailedCall>, message: &str) -> Fault {
    let FailedCall { tool, reason } = &*call;
    let message = format!("`{}` failed ({reason}): {}", shorten(tool), visible(message));
    Fault { upstream: Some(call), ..Fault::new(Code::Upstream, message) }
}

/// The fault of calls that were not sent. In a list it stands at the call that is to blame.
fn refused(image: &Image, s: &State, site: &Site, refusal: Refusal) -> Fault {
    let Refusal { index, code, message, hint } = refusal;
    let hint = hint.or_else(|| variable_meant(&s.terms, site.term, code));
    let fault = Fault { hint, ..Fault::new(code, visible(&message)) };
    let (terms, list) = (&s.terms, s.terms.operand(site.term, 0));
    if terms.form(site.term) != Form::Calls || site.eval.is_some() {
        return place(image, s, site, None, fault);
    }
    if terms.form(list) == Form::List
        && let Some(call) = terms.operands(list).get(index as usize)
    {
        return place_at(image, s, *call, fault);
    }
    // The list was computed: no term stands for the call.
    let fault = place_at(image, s, list, fault);
    Fault { at: format!("{}/{index}", fault.at), excerpt: None, ..fault }
}

/// What to look at where no server grants anything: `orders.total()` may be meant of a variable.
fn variable_meant(terms: &Terms, call: TermId, code: Code) -> Option<Hint> {
    let is_call = terms.form(call) == Form::Call && code == Code::CapabilityDenied;
    if !is_call || !is_shown(terms, call) {
        return None;
    }
    let (server, _) = terms.text(terms.operand(call, 0)).split_once('.')?;
    let server = shorten(server);
    Some(Hint::from(format!("where `{server}` is meant as a variable, nothing binds it")))
}

fn outside_tool(name: &str) -> Fault {
    let (place, hint) = if name == "self" {
        (
            "only in submitted code or in a tool's source",
            "a quote or an input has no function for `self`",
        )
    } else {
        (
            "only in a tool's source",
            "`continue` and `code_of \"self\"` work in the source of a tool",
        )
    };
    Fault::new(Code::OutsideTool, format!("`{name}` works {place}")).hint(hint)
}

/// Most keys of a record to compare with a missing one.
const MOST_KEYS: usize = 1_000;

fn missing_key(s: &State, (form, is_quoted): (Form, bool), (key, record): (&str, Word)) -> Fault {
    let message = format!("the record has no key `{}`", shorten(key));
    let fault = Fault::new(Code::MissingKey, message);
    let hint = match form {
        Form::Update => {
            let put = r#"{"put": [record, key, {"app": {"func": f, "arg": {"get": [record, key, default]}}}]}"#;
            ["`update` takes no default: write ", put].into()
        }
        Form::Get if key.contains('.') => {
            let behind = "; give a default, or test with `has`";
            ["for a path, write ", r#"{"get_in": [record, ["a", "b"]]}"#, behind].into()
        }
        Form::Get if is_quoted => "give a default, as in x.key ?? 0, or test \"key\" in x".into(),
        _ => Hint::from("give a default, or test with `has`"),
    };
    if s.catches(Code::MissingKey) {
        return fault.hint(hint);
    }
    let members = s.heap.members(record);
    let members = members.iter().step_by(2).take(MOST_KEYS);
    let keys: Vec<String> = members.map(|key| s.heap.prefix(*key, 4 * LONGEST + 1)).collect();
    // Of a record with more keys than are compared, another one may be near, too.
    let is_whole = keys.len() < MOST_KEYS;
    let only = only_near(key, &mut keys.iter().map(String::as_str)).filter(|_| is_whole);
    let fault = fault.near(key, only);
    match nearest(key, keys.iter().map(String::as_str)) {
        Some(near) => {
            fault.hint(Hint::from(format!("did you mean `{}`? Else ", shorten(near))).extend(hint))
        }
        None => fault.hint(hint),
    }
}

/// The fault of `fail`.
fn failed(s: &State) -> Fault {
    let value = s.failed;
    // An error of JavaScript is a record with its message.
    let told = if s.heap.object_kind(value) == KIND_RECORD {
        record::value(&s.heap, value, b"message").unwrap_or(value)
    } else {
        value
    };
    let message = if s.heap.is_text(told) {
        let beginning = s.heap.beginning(told, 4 * FAIL_BYTES);
        beginning.map(|text| text.chars().take(FAIL_BYTES).collect::<String>())
    } else {
        None
    };
    // An empty text, or one whose beginning is too deep, is shown as a value.
    let message = message
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| show::excerpt(&s.heap, &s.terms, &s.names(), value, FAIL_BYTES));
    Fault::new(Code::Fail, visible(&message))
}

/// The fault of values that do not fit into the memory of the run.
pub(super) fn no_room(what: &'static str) -> Fault {
    Fault::new(Code::TooLarge, what).by(Limit::Memory).hint(
        "what was asked for next is more than what is left: give `memory`, or do less at once",
    )
}

/// The fault of a limit reached at the operation `pc`.
pub(super) fn stop(image: &Image, s: &mut State, stop: Stop) -> Fault {
    let fault = match stop {
        Stop::OutOfFuel | Stop::Pause => {
            let message = format!("the fuel of this run is used up ({} units)", s.meter.spent());
            Fault::new(Code::OutOfFuel, message)
                .by(Limit::Fuel)
                .hint("give `fuel`, or look for a loop that does not end")
        }
        Stop::TooDeep => Fault::new(Code::TooDeep, "too many evaluations are pending")
            .by(Limit::Depth)
            .hint("recurse in tail position with an accumulator, use `fold`, or give `depth`"),
    };
    let mut site = site(image, s, s.pc);
    site.term = s.meter.stopped_at().unwrap_or(site.term);
    place(image, s, &site, None, fault)
}

fn place(image: &Image, s: &State, site: &Site, operand: Option<usize>, fault: Fault) -> Fault {
    let terms = &s.terms;
    let term = match (site.eval, operand) {
        (Some(eval), _) => eval,
        (None, None) => site.term,
        (None, Some(operand)) => {
            terms.evaluated(site.term).get(operand).copied().unwrap_or(site.term)
        }
    };
    place_at(image, s, term, fault)
}

fn place_at(image: &Image, s: &State, term: TermId, fault: Fault) -> Fault {
    let terms = &s.terms;
    let token = terms.node(term).token;
    let calls = calls(image, s, fault.code);
    // A caught fault goes to the program, which does not pay for an excerpt.
    if s.catches(fault.code) {
        let (tool, at) = terms.place(token);
        return Fault { at, tool: tool.map(str::to_owned), calls, ..fault };
    }
    terms.locate(token, Fault { calls, ..fault })
}

/// Returns the tools whose code is active, outermost first. Consecutive calls of one tool count
/// once. A caught fault has none.
fn calls(image: &Image, s: &State, code: Code) -> Vec<String> {
    if s.catches(code) {
        return Vec::new();
    }
    let frames = s.pending().iter().map(|frame| frame.pc as usize).chain([s.pc]);
    let mut calls: Vec<String> = Vec::new();
    let mut last = 0;
    for pc in frames {
        let tool = image.code_at(pc).map_or(0, |code| code.tool);
        if tool != 0 && tool != last && calls.len() < MOST_CALLS {
            let found = s.tools.get(tool as usize - 1).filter(|tool| !tool.name.is_empty());
            calls.extend(found.map(|tool| tool.name.clone()));
        }
        last = if tool == 0 { last } else { tool };
    }
    calls
}

/// An unbound variable; suggests a name that is bound in the same code.
fn unbound(terms: &Terms, s: &State, (variable, name): (TermId, &str)) -> Fault {
    let fault = Fault::new(Code::Unbound, format!("unbound variable `{}`", shorten(name)));
    let fault = Fault { variable: Some(name.to_owned()), ..fault };
    if !s.catches(Code::Unbound) {
        if let Some(word) = words::find(words::NAME, name).filter(|_| is_shown(terms, variable)) {
            return fault.hint(Hint::from(format!("{}: ", word.reason)).extend(word.hint));
        }
        if let Some(hint) = recursive(terms, variable) {
            return fault.hint(hint);
        }
    }
    // Comparing names takes long: it is done once in a run at most.
    let others = terms.all_names().filter(|other| *other != name);
    let near = if s.catches(Code::Unbound) {
        None
    } else if is_called(terms, variable) {
        nearest(name, others.chain(FORMS.iter().map(|row| row.name)))
    } else {
        nearest(name, others)
    };
    let tool = s.known_tool(name).is_some_and(Option::is_some);
    if tool {
        let example = format!(r#"{{"tool": "{}"}}"#, shorten(name));
        return fault.hint(Hint::from("for the tool, write ").example(example));
    }
    match near {
        Some(near) => fault.hint(format!("did you mean `{}`?", shorten(near))),
        None if is_before_point(terms, variable) => fault.hint(format!(
            "bind it, as in `const {name} = data;`; where it is a server, its tools take a record, as in \
             `{name}.tool({{key: value}})`",
            name = shorten(name)
        )),
        None => fault.hint([
            "bind it, as in ",
            r#"{"let": [["x", 1]], "in": t}"#,
            " or ",
            r#"{"lam": "x", "body": t}"#,
            "; a text has quotes",
        ]),
    }
}

/// Tells whether a term is shown in the notation, as tools are.
fn is_shown(terms: &Terms, term: TermId) -> bool {
    let token = terms.node(term).token;
    terms.byte(token).is_some() || terms.place(token).0.is_some()
}

/// Tells whether a variable stands where a function is called, so that the name of a form may be meant.
fn is_called(terms: &Terms, variable: TermId) -> bool {
    let calls = |it: &TermId| terms.form(*it) == Form::App && terms.operand(*it, 0) == variable;
    // A term comes after those in it.
    (variable..terms.len()).any(|it| calls(&it))
}

/// The groups of forms that the notation writes as operators.
const OPERATORS: [&str; 3] = ["arithmetic", "comparison", "logic"];

/// Tells whether a variable stands before the point of a method in the notation, so that the name of a
/// server may be meant.
fn is_before_point(terms: &Terms, variable: TermId) -> bool {
    let begins = |it: TermId| {
        // Arithmetic and comparison are written as operators.
        let is_member = |row: &&Row| !row.is_apart && !OPERATORS.contains(&row.group);
        let subject = terms.form(it).row().filter(is_member).map(|row| row.subject);
        let subject = subject.and_then(|at| terms.operands(it).get(at));
        subject == Some(&variable) && !terms.form(it).row().is_none_or(|row| row.takes.is_empty())
    };
    is_shown(terms, variable) && (variable..terms.len()).any(begins)
}

/// The fault of a tool that the host does not have. How tools are made is the host's to say.
pub(super) fn no_tool(name: &str) -> Fault {
    Fault::new(Code::UnknownTool, format!("there is no tool `{}`", shorten(name)))
}

fn unknown_tool(s: &State, name: &str) -> Fault {
    let fault = no_tool(name);
    match nearest(name, s.tools.iter().map(|tool| tool.name.as_str())) {
        Some(near) => fault.hint(format!("did you mean `{near}`?")),
        None => fault,
    }
}
