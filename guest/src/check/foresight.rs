//! Facts about a term before it runs: the parameters of its function, the calls that are written out,
//! and the names that nothing binds.

use crate::check::analysis::GIVEN;
use pif_core::fault::{Fault, Place};
use pif_language::form::Form;
use pif_language::infer;
use pif_language::kinds::{self, BOOLEAN, Kinds, LIST, NUMBER, STRING, UNKNOWN};
use pif_language::print;
use pif_language::term::{NameId, Origin, TermId, Terms};
use pif_language::walk::{Step, schedule};
use pif_notation::read_code;

/// Most names and calls of each kind that are reported.
const MOST: usize = 200;

/// Facts about a term.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outlook {
    /// The parameters of its function, if it is one.
    pub parameters: Vec<Parameter>,
    /// Whether they are members of the record that is its only argument.
    pub takes_record: bool,
    /// Variables that nothing binds, each where it is first met.
    pub unbound: Vec<Spot>,
    /// Tools that it names, each where it is first met.
    pub tools: Vec<Spot>,
    /// Calls of tools of other servers with a literal name.
    pub calls: Vec<Foreseen>,
    /// Members that the value before the point surely does not have.
    pub absent: Vec<Absent>,
}

/// A member that no value of a type has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// The key.
    pub member: Spot,
    /// The type, as `type_of` names it.
    pub kind: &'static str,
}

/// A parameter of a function, or a member of the record that it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Whether it may be missing.
    pub is_optional: bool,
    /// Its default as JSON, where that is a literal.
    pub default: Option<String>,
}

/// A name in a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// The name.
    pub name: String,
    /// JSON Pointer to it.
    pub at: String,
    /// The excerpt there.
    pub excerpt: String,
    /// Where it is in the text, if that was the notation.
    pub place: Option<Box<Place>>,
}

/// A call with a literal name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreseen {
    /// The tool.
    pub tool: Spot,
    /// The arguments that are written out, as JSON where they are literals.
    pub members: Vec<(String, Option<String>)>,
    /// Whether there are no others.
    pub is_closed: bool,
}

/// Parses a term and looks at it. Names and calls in places that are never reached, and what a `try`
/// may catch, are left out.
pub fn foresee(code: &str) -> Result<Outlook, Box<Fault>> {
    let mut terms = Terms::default();
    let root = read_code(&mut terms, code, Origin::Code, &GIVEN)?.root;
    let mut outlook = Outlook::default();
    (outlook.parameters, outlook.takes_record) = parameters(&terms, root);
    walk(&terms, root, &mut outlook);
    Ok(outlook)
}

/// Where a JSON Pointer into a term leads in its text, if that is the notation.
#[must_use]
pub fn locate(code: &str, at: &str) -> Option<Place> {
    let mut terms = Terms::default();
    let root = read_code(&mut terms, code, Origin::Code, &GIVEN).ok()?.root;
    let term = terms.follow(root, at);
    terms.text_place(terms.node(term).token).map(|place| *place)
}

/// Returns the parameters of a term's function, and whether these are members of one record.
fn parameters(terms: &Terms, root: TermId) -> (Vec<Parameter>, bool) {
    let mut body = root;
    while matches!(terms.form(body), Form::Let | Form::Letrec) {
        let Some(last) = terms.operands(body).last() else { break };
        body = *last;
    }
    let mut names = Vec::new();
    while terms.form(body) == Form::Lam {
        names.extend_from_slice(terms.names(body));
        body = terms.operand(body, 0);
    }
    let read = reads(terms, body);
    if let [only] = names.as_slice() {
        let members: Vec<Parameter> =
            read.iter().filter(|it| it.of == *only).filter_map(|it| it.member(terms)).collect();
        if !members.is_empty() && terms.name(*only).starts_with('_') {
            return (members, true);
        }
    }
    let parameter = |name: &NameId| {
        let default = read.iter().find(|it| it.of == *name && it.key.is_none());
        Parameter {
            name: terms.name(*name).to_owned(),
            is_optional: default.is_some(),
            default: default.and_then(|it| literal(terms, it.default?)),
        }
    };
    (names.iter().map(parameter).collect(), false)
}

/// A read of a variable in the bindings at the head of a body.
struct Read {
    of: NameId,
    /// The key of its member; none where it is the variable itself, or its default.
    key: Option<TermId>,
    /// The default for what is absent.
    default: Option<TermId>,
}

impl Read {
    fn member(&self, terms: &Terms) -> Option<Parameter> {
        let key = self.key.filter(|key| terms.form(*key) == Form::Text)?;
        let default = self.default.filter(|it| terms.form(*it) != Form::Unit);
        let is_optional = default.is_some();
        let default = default.and_then(|it| literal(terms, it));
        Some(Parameter { name: terms.text(key).to_owned(), is_optional, default })
    }
}

fn reads(terms: &Terms, mut body: TermId) -> Vec<Read> {
    let mut found = Vec::new();
    while terms.form(body) == Form::Let {
        let Some((last, values)) = terms.operands(body).split_last() else { break };
        for value in values {
            let form = terms.form(*value);
            let operands = terms.operands(*value);
            let of = |id: &TermId| (terms.form(*id) == Form::Var).then(|| terms.only_name(*id));
            match (form, operands) {
                (Form::Get, [record, key, default @ ..]) => {
                    let default = default.first().copied();
                    found.extend(of(record).map(|of| Read { of, key: Some(*key), default }));
                }
                (Form::Coalesce, [variable, default]) => {
                    found.extend(of(variable).map(|of| Read {
                        of,
                        key: None,
                        default: Some(*default),
                    }));
                }
                _ => {}
            }
        }
        body = *last;
    }
    found
}

/// The JSON of a literal. Of a list or a record that is not looked into, an empty one.
fn literal(terms: &Terms, id: TermId) -> Option<String> {
    match terms.form(id) {
        Form::Unit | Form::Boolean | Form::Integer | Form::BigInteger | Form::Text => {
            Some(print::term(terms, id))
        }
        Form::List => Some("[]".to_owned()),
        Form::Record => Some("{}".to_owned()),
        _ => None,
    }
}

/// Types whose members are known: they have places, and `length`.
const SIMPLE: Kinds = LIST | STRING | NUMBER | BOOLEAN;

/// The bindings of a name where a walk is: how many, and the type of the innermost value.
struct Scope {
    count: usize,
    given: Kinds,
}

/// The type of a term's value, as far as it or the binding of a variable shows it.
fn given(terms: &Terms, bound: &[Scope], term: TermId) -> Kinds {
    if terms.form(term) == Form::Var {
        let scope = bound.get(terms.only_name(term) as usize);
        return scope.filter(|it| it.count > 0).map_or(UNKNOWN, |it| it.given);
    }
    infer::given(terms, term)
}

/// The type of what a `let` binds a name to.
fn given_of(terms: &Terms, bound: &[Scope], (name, binder): (NameId, TermId)) -> Kinds {
    if terms.form(binder) != Form::Let {
        return UNKNOWN;
    }
    let mut pairs = terms.names(binder).iter().zip(terms.operands(binder));
    let mut own = pairs.by_ref().filter(|(other, _)| **other == name);
    match (own.next(), own.next()) {
        (Some((_, value)), None) => given(terms, bound, *value),
        _ => UNKNOWN,
    }
}

/// The member that a term reads, where no value before the point has it.
fn absent(terms: &Terms, bound: &[Scope], (object, key): (TermId, TermId)) -> Option<Absent> {
    let kinds = given(terms, bound, object);
    if kinds == UNKNOWN || kinds & !SIMPLE != 0 || terms.form(key) != Form::Text {
        return None;
    }
    let name = terms.text(key);
    let is_there = name == "length" || name.starts_with(|c: char| c.is_ascii_digit());
    (!is_there).then(|| Absent { member: spot(terms, key, name), kind: kinds::name(kinds) })
}

enum Work {
    Step(Step),
    /// The operand of a `try` ends.
    Caught,
}

/// A term that is evaluated.
fn enter(term: TermId) -> Work {
    Work::Step(Step::Enter(term, 0))
}

fn walk(terms: &Terms, root: TermId, out: &mut Outlook) {
    let unbound = || Scope { count: 0, given: UNKNOWN };
    let mut bound: Vec<Scope> = (0..terms.count_names()).map(|_| unbound()).collect();
    let mut seen = vec![false; terms.count_names()];
    let (mut open, mut caught) = (vec![enter(root)], 0_usize);
    let mut scopes = Vec::new();
    while let Some(step) = open.pop() {
        let (term, level) = match step {
            Work::Caught => {
                caught -= 1;
                continue;
            }
            Work::Step(Step::Bind(name, binder)) => {
                let given = given_of(terms, &bound, (name, binder));
                if let Some(scope) = bound.get_mut(name as usize) {
                    scopes.push((name, scope.given));
                    *scope = Scope { count: scope.count + 1, given };
                }
                continue;
            }
            Work::Step(Step::Unbind(_)) => {
                if let Some((name, given)) = scopes.pop()
                    && let Some(scope) = bound.get_mut(name as usize)
                {
                    *scope = Scope { count: scope.count - 1, given };
                }
                continue;
            }
            Work::Step(Step::Enter(term, level)) => (term, level),
        };
        match (terms.form(term), terms.operands(term)) {
            _ if level > 0 => {}
            (Form::Var, _) => {
                let name = terms.only_name(term);
                let is_free = bound.get(name as usize).is_some_and(|it| it.count == 0);
                let is_new =
                    seen.get_mut(name as usize).is_some_and(|seen| !std::mem::replace(seen, true));
                if is_free && is_new {
                    push(&mut out.unbound, spot(terms, term, terms.name(name)));
                } else if let (false, Some(seen)) = (is_free, seen.get_mut(name as usize)) {
                    *seen = false;
                }
            }
            (Form::If, [test, yes, no]) if terms.form(*test) == Form::Boolean => {
                let taken = if terms.boolean(*test) { *yes } else { *no };
                open.push(enter(taken));
                continue;
            }
            (Form::Try, [body, handler @ ..]) => {
                open.extend(handler.iter().map(|it| enter(*it)));
                open.extend([Work::Caught, enter(*body)]);
                caught += 1;
                continue;
            }
            _ if caught > 0 => {}
            _ => note(terms, &bound, term, out),
        }
        let mut inner = Vec::new();
        schedule(terms, (term, level), &mut inner);
        open.extend(inner.into_iter().map(Work::Step));
    }
    out.calls.truncate(MOST);
}

/// Notes a member that is read, and what a term names or calls.
fn note(terms: &Terms, bound: &[Scope], term: TermId, out: &mut Outlook) {
    match (terms.form(term), terms.operands(term)) {
        (Form::Get, [object, key]) if out.absent.len() < MOST => {
            out.absent.extend(absent(terms, bound, (*object, *key)));
        }
        (Form::Tool | Form::CodeOf, [name]) if terms.form(*name) == Form::Text => {
            push(&mut out.tools, spot(terms, *name, terms.text(*name)));
        }
        (Form::Call | Form::Perform, [name, arguments, ..]) => {
            out.calls.extend(foreseen(terms, *name, Some(*arguments)));
        }
        (Form::Calls, [list, ..]) => {
            out.calls
                .extend(records(terms, *list).into_iter().filter_map(|it| of_record(terms, it)));
        }
        _ => {}
    }
}

fn push(spots: &mut Vec<Spot>, spot: Spot) {
    if spots.len() < MOST && spots.iter().all(|it| it.name != spot.name) {
        spots.push(spot);
    }
}

fn spot(terms: &Terms, term: TermId, name: &str) -> Spot {
    let token = terms.node(term).token;
    let note = terms.note("", token, String::new(), None);
    let excerpt = note.excerpt.unwrap_or_default();
    Spot { name: name.to_owned(), at: note.at, excerpt, place: note.place }
}

/// The records of a list of calls: of one that is written out, or of a map.
fn records(terms: &Terms, list: TermId) -> Vec<TermId> {
    match (terms.form(list), terms.operands(list)) {
        (Form::List, items) => items.to_vec(),
        (Form::Map, [function, _]) if terms.form(*function) == Form::Lam => {
            let mut body = *function;
            while matches!(terms.form(body), Form::Lam | Form::Let) {
                let Some(last) = terms.operands(body).last() else { break };
                body = *last;
            }
            vec![body]
        }
        _ => Vec::new(),
    }
}

fn of_record(terms: &Terms, record: TermId) -> Option<Foreseen> {
    if terms.form(record) != Form::Record {
        return None;
    }
    let member = |wanted: &str| {
        let mut members = terms.names(record).iter().zip(terms.operands(record));
        members.find(|(name, _)| terms.name(**name) == wanted).map(|(_, value)| *value)
    };
    foreseen(terms, member("tool")?, member("args"))
}

fn foreseen(terms: &Terms, name: TermId, arguments: Option<TermId>) -> Option<Foreseen> {
    if terms.form(name) != Form::Text {
        return None;
    }
    let form = arguments.map(|id| terms.form(id));
    let members = arguments.filter(|_| form == Some(Form::Record)).map(|record| {
        let members = terms.names(record).iter().zip(terms.operands(record));
        members
            .map(|(name, value)| (terms.name(*name).to_owned(), literal(terms, *value)))
            .collect()
    });
    let is_closed = matches!(form, None | Some(Form::Record | Form::Unit));
    let tool = spot(terms, name, terms.text(name));
    Some(Foreseen { tool, members: members.unwrap_or_default(), is_closed })
}

#[cfg(test)]
mod tests {
    use super::{foresee, locate};
    use pif_core::fault::Fault;

    fn told(code: &str) -> Result<(String, bool), Box<Fault>> {
        let outlook = foresee(code)?;
        let told = |it: &super::Parameter| match (&it.default, it.is_optional) {
            (Some(default), _) => format!("{}={default}", it.name),
            (None, true) => format!("{}?", it.name),
            (None, false) => it.name.clone(),
        };
        let all: Vec<String> = outlook.parameters.iter().map(told).collect();
        Ok((all.join(" "), outlook.takes_record))
    }

    #[test]
    fn a_function_says_what_it_takes() -> Result<(), Box<Fault>> {
        let told = |code| told(code);
        assert_eq!(
            told("({folder, month = 1}) => [folder, month]")?,
            ("folder month=1".to_owned(), true)
        );
        assert_eq!(told("folder => folder")?, ("folder".to_owned(), false));
        assert_eq!(told("(a, b) => a + b")?, ("a b".to_owned(), false));
        assert_eq!(told("const f = x => x; ({q}) => f(q)")?, ("q".to_owned(), true));
        assert_eq!(told("1 + 2")?, (String::new(), false));
        Ok(())
    }

    #[test]
    fn calls_and_names_are_foreseen() -> Result<(), Box<Fault>> {
        let outlook =
            foresee(r#"[call("a.b", {x: 1, y: data}), try(call("c.d", {}), e => foo), @t(1)]"#)?;
        let calls: Vec<_> =
            outlook.calls.iter().map(|it| (it.tool.name.as_str(), &it.members)).collect();
        let members = vec![("x".to_owned(), Some("1".to_owned())), ("y".to_owned(), None)];
        assert_eq!(calls, [("a.b", &members)]);
        let names =
            |spots: &[super::Spot]| spots.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&outlook.unbound), ["data", "foo"]);
        assert_eq!(names(&outlook.tools), ["t"]);
        let code = r#"const xs = ["a", "b"]; [xs.foo, xs.length, xs[0], data.foo, "a".bar]"#;
        let absent = foresee(code)?.absent;
        let absent: Vec<_> = absent.iter().map(|it| (it.member.name.as_str(), it.kind)).collect();
        assert_eq!(absent, [("foo", "list"), ("bar", "string")]);
        let place = locate("x =>\n  x + y", "/body/plus/1").map(|it| (it.line, it.column));
        assert_eq!(place, Some((2, 7)));
        Ok(())
    }
}
