//! From an operation that went wrong to a fault: which term, which operand, in which source, and
//! the chain of tools that led there.

use super::builtin::OPERAND_BYTES;
use super::meter::Stop;
use super::state::State;
use crate::code::{Image, Op, Slot};
use crate::fault::{Code, Fault, Limit};
use crate::form::Form;
use crate::hint::{LONGEST, nearest};
use crate::mismatch::{element, mismatch, no_function};
use crate::output;
use crate::parse::shorten;
use crate::primitive::{FULL, Trouble};
use crate::term::{TermId, Terms};
use crate::value::Word;

/// Tools named in a fault's chain of calls.
const MOST_CALLS: usize = 32;

/// Characters of the value of `fail` that its message holds.
const FAIL_BYTES: usize = 200;

/// The fault of what went wrong at the operation `pc`, or of a limit that was met before.
pub(super) fn trouble(image: &Image, s: &mut State, trouble: Trouble) -> Fault {
    let pc = s.pc;
    if let Err(met) = s.meter.spend_visited(image, pc, s.depth) {
        return stop(image, s, met);
    }
    let (called_at, site) = origin(image, s, &trouble);
    let terms = &s.terms;
    let form = terms.form(site.term);
    let name = form.name();
    let (operand, fault) = match trouble {
        Trouble::Elsewhere(fault) => return Fault { calls: calls(image, s, fault.code), ..*fault },
        Trouble::Here(fault) => (None, *fault),
        Trouble::Type { operand, wanted, found } => {
            (Some(operand), mismatch(terms, site.term, operand, (wanted, found)))
        }
        Trouble::Element { operand, wanted, found } => {
            (Some(operand), element(terms, site.term, operand, (wanted, found)))
        }
        Trouble::NotAFunction { found } | Trouble::NotAFunctionAfter { found, .. } => {
            let operand = applied(form, image.op(called_at), terms.operands(site.term).len());
            (Some(operand), no_function(terms, site.term, operand, found))
        }
        Trouble::Unbound(variable) => (None, unbound(terms, s, terms.name(variable))),
        Trouble::DivideByZero => {
            (None, Fault::new(Code::DivideByZero, format!("`{name}` by zero")))
        }
        Trouble::NotFinite => (None, not_finite(image, s, form)),
        Trouble::EmptyList => (
            None,
            Fault::new(Code::EmptyList, format!("`{name}` of the empty list"))
                .hint("test with `isEmpty` first"),
        ),
        Trouble::OnlyNulls => (
            None,
            Fault::new(Code::EmptyList, format!("`{name}` of nothing but nulls, which it passes over"))
                .hint(r#"test with {"all": [{"lam": "x", "body": {"eq": [{"var": "x"}, null]}}, list]} first"#),
        ),
        Trouble::OutOfRange(what) => (None, Fault::new(Code::OutOfRange, what)),
        Trouble::MissingKey(key, record) => (None, missing_key(s, form, &key, record)),
        Trouble::NoMatch => (
            None,
            Fault::new(Code::NoMatch, "no test of `cond` is true")
                .hint("end with a branch that is always taken: [true, value]"),
        ),
        Trouble::Unparsable(what) => (None, Fault::new(Code::Unparsable, what)),
        Trouble::Regex(what) => (None, Fault::new(Code::Regex, what)),
        Trouble::Fail => (None, failed(s)),
        Trouble::TooLarge(what) => (None, Fault::new(Code::TooLarge, what)),
        Trouble::Full(what) => (None, Fault::new(Code::TooLarge, what).by(Limit::Memory)),
        Trouble::NoRoomForCall => (None, Fault::new(Code::TooLarge, FULL).by(Limit::Memory)),
        Trouble::UnknownTool(tool) => (None, unknown_tool(s, &tool)),
        Trouble::OutsideTool => (None, outside_tool(name)),
        Trouble::CapabilityDenied(capability) => {
            let message = format!("the capability `{}` is not granted", shorten(&capability));
            (None, Fault::new(Code::CapabilityDenied, message))
        }
        Trouble::EvalDepth => {
            (None, Fault::new(Code::EvalDepth, "more than 100 evals inside one another"))
        }
    };
    place(image, s, &site, operand, fault)
}

/// The operation that something went wrong at, and its term.
fn origin(image: &Image, s: &State, trouble: &Trouble) -> (usize, Site) {
    let pc = match trouble {
        Trouble::NotAFunctionAfter { call, .. } => *call,
        _ => s.pc,
    };
    (pc, site(image, s, pc))
}

/// Which operand is the function that an operation of the form applies.
fn applied(form: Form, op: Op, operands: usize) -> usize {
    if form == Form::Pipe
        && let Op::Call { f, base, .. } | Op::TailCall { f, base, .. } = op
    {
        return operands - usize::from(base - f);
    }
    match form {
        Form::Try => 1,
        Form::Update | Form::UpdateIn => 2,
        _ => 0,
    }
}

/// A result that is no finite number, and what it is the result of.
fn not_finite(image: &Image, s: &State, form: Form) -> Fault {
    let op = image.op(s.pc);
    let slots =
        if let Op::Builtin { d, n, .. } = op { (d..d + n).collect() } else { op.operands() };
    let show =
        |slot: &Slot| output::excerpt(&s.heap, &s.terms, &s.names(), s.slot(*slot), OPERAND_BYTES);
    let operands: Vec<String> = slots.iter().map(show).collect();
    let of =
        if operands.is_empty() { String::new() } else { format!(" of {}", operands.join(" and ")) };
    let message = format!("the result of `{}`{of} is not a finite number", form.name());
    let fault = Fault::new(Code::NotFinite, message);
    let is_negative = operands.first().is_some_and(|first| first.starts_with('-'));
    match form {
        Form::Sqrt if is_negative => fault.hint("a root is taken of 0 or more"),
        Form::Ln | Form::Log10 => fault.hint("a logarithm is taken of more than 0"),
        Form::Pow if is_negative => {
            fault.hint("a negative number is raised to integers only, such as 2 or -1")
        }
        _ => fault,
    }
}

fn outside_tool(name: &str) -> Fault {
    let (place, hint) = if name == "self" {
        (
            "neither in submitted code nor in a tool's source",
            "`self` in a quote or an input means no function",
        )
    } else {
        (
            "in no tool's source",
            "`continue` and `code_of \"self\"` work in the source of an evolved tool",
        )
    };
    Fault::new(Code::OutsideTool, format!("`{name}` stands {place}")).hint(hint)
}

/// Keys of a record that are compared with one that it lacks.
const MOST_KEYS: usize = 1_000;

fn missing_key(s: &State, form: Form, key: &str, record: Word) -> Fault {
    let message = format!("the record has no key `{}`", shorten(key));
    let fault = Fault::new(Code::MissingKey, message);
    let hint = match form {
        Form::Update => {
            r#"`update` takes no default: write {"put": [record, key, {"app": {"func": f, "arg": {"get": [record, key, default]}}}]}"#
        }
        Form::Get if key.contains('.') => {
            r#"a path is written {"get_in": [record, ["a", "b"]]}; give a default, or test with `has`"#
        }
        _ => "give a default, or test with `has`",
    };
    if s.catches(Code::MissingKey) {
        return fault.hint(hint);
    }
    let members = s.heap.members(record).iter().step_by(2).take(MOST_KEYS);
    let keys: Vec<String> = members.map(|key| s.heap.prefix(*key, 4 * LONGEST + 1)).collect();
    match nearest(key, keys.iter().map(String::as_str)) {
        Some(near) => fault.hint(format!("did you mean `{}`? Else {hint}", shorten(near))),
        None => fault.hint(hint),
    }
}

/// The fault of `fail`.
fn failed(s: &State) -> Fault {
    let value = s.failed;
    let message = if s.heap.is_text(value) {
        let beginning = s.heap.beginning(value, 4 * FAIL_BYTES);
        beginning.map(|text| text.chars().take(FAIL_BYTES).collect::<String>())
    } else {
        None
    };
    // A text that has nothing to show, or shows it too late, is told as the value that it is.
    let message = message
        .filter(|text| !text.is_empty())
        .unwrap_or_else(|| output::excerpt(&s.heap, &s.terms, &s.names(), value, FAIL_BYTES));
    Fault::new(Code::Fail, crate::quote::visible(&message))
}

/// The fault of a limit that was met at the operation `pc`.
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

/// The term that an operation stands for.
struct Site {
    term: TermId,
    /// Set inside the code of a plain quote: everything is reported at this `eval`.
    eval: Option<TermId>,
}

fn site(image: &Image, s: &State, pc: usize) -> Site {
    let mut pc = pc;
    // Stubs belong to no code: the call that pushed them is the operation before the return.
    if image.code_at(pc).is_none() {
        let frames = s.pending().iter().rev();
        let found = frames.map(|f| f.pc as usize).find(|pc| image.code_at(*pc).is_some());
        pc = found.map_or(pc, |pc| pc - 1);
    }
    let eval = image.code_at(pc).and_then(|code| code.site);
    Site { term: image.term(pc), eval }
}

/// The term that a warning about the operation at `pc` stands at: where a fault would.
pub(super) fn warned_at(image: &Image, s: &State, pc: usize) -> TermId {
    let Site { term, eval } = site(image, s, pc);
    eval.unwrap_or(term)
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
    let token = terms.node(term).token;
    let calls = calls(image, s, fault.code);
    // A fault that is caught is told to the program, which does not pay for an excerpt.
    if s.catches(fault.code) {
        let (tool, at) = terms.place(token);
        return Fault { at, tool: tool.map(str::to_owned), calls, ..fault };
    }
    terms.locate(token, Fault { calls, ..fault })
}

/// Tools whose code is active, outermost first, each run of calls of the same one once. A `try`
/// does not tell them.
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
fn unbound(terms: &Terms, s: &State, name: &str) -> Fault {
    let fault = Fault::new(Code::Unbound, format!("unbound variable `{}`", shorten(name)));
    // Comparing names takes long: it is done once in a run at most.
    let others = terms.all_names().filter(|other| *other != name);
    let near = if s.catches(Code::Unbound) { None } else { nearest(name, others) };
    let tool = s.tool_ids.get(name).is_some_and(Option::is_some);
    if tool {
        return fault.hint(format!(r#"a tool is named by {{"tool": "{}"}}"#, shorten(name)));
    }
    match near {
        Some(near) => fault.hint(format!("did you mean `{}`?", shorten(near))),
        None => fault.hint("bind it with `lam` or `let`"),
    }
}

fn unknown_tool(s: &State, name: &str) -> Fault {
    let fault = Fault::new(Code::UnknownTool, format!("there is no tool `{}`", shorten(name)));
    match nearest(name, s.tools.iter().map(|tool| tool.name.as_str())) {
        Some(near) => fault.hint(format!("did you mean `{near}`?")),
        None => fault,
    }
}
