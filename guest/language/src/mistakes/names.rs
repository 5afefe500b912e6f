//! Names that other languages have for forms: keys of objects in JSON, functions in the notation.

use crate::form::Form;
use pif_core::hint::Hint;
use pif_core::text::words;

/// Names that other languages have for one thing, and what to write for it.
///
/// As keys in JSON they are spelled in any case, and with or without `_`. A name with `()` is also a
/// function in the notation, which reads it as the form.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// With blanks between them.
    keys: &'static str,
    /// Those that are just as likely keys of data. Beside other keys they say nothing.
    nouns: &'static str,
    /// Those that are only functions in the notation.
    functions: &'static str,
    /// What the notation reads a function of such a name as.
    form: Option<Form>,
    /// The hint: words, an example, and words.
    before: &'static str,
    example: &'static str,
    behind: &'static str,
    /// Whether such a key says how a form is called, which says more than the keys beside it.
    pub is_operator: bool,
}

/// Nothing yet.
const NONE: Names = Names {
    keys: "",
    nouns: "",
    functions: "",
    form: None,
    before: "",
    example: "",
    behind: "",
    is_operator: false,
};

/// These keys stand for an example.
const fn write(keys: &'static str, example: &'static str) -> Names {
    Names { keys, before: "write ", example, ..NONE }
}

/// These keys are answered in words.
const fn say(keys: &'static str, before: &'static str) -> Names {
    Names { keys, before, ..NONE }
}

/// These functions of the notation stand for a form.
const fn call(form: Form, functions: &'static str) -> Names {
    Names { form: Some(form), functions, ..NONE }
}

impl Names {
    const fn nouns(self, nouns: &'static str) -> Self {
        Self { nouns, ..self }
    }

    const fn of(self, form: Form) -> Self {
        Self { form: Some(form), ..self }
    }

    const fn behind(self, behind: &'static str) -> Self {
        Self { behind, ..self }
    }

    /// Returns the hint.
    #[must_use]
    pub fn hint(&self) -> Hint {
        let hint = Hint::default().words(self.before);
        if self.example.is_empty() {
            return hint;
        }
        hint.example(self.example).words(self.behind)
    }

    /// The code to write instead, where the hint shows one way.
    #[must_use]
    pub fn example(&self) -> Option<&'static str> {
        (!self.example.is_empty() && !self.is_operator).then_some(self.example)
    }

    /// Iterates over all names.
    fn all(&self) -> impl Iterator<Item = &'static str> {
        [self.keys, self.nouns, self.functions].into_iter().flat_map(str::split_ascii_whitespace)
    }
}

#[rustfmt::skip]
static NAMES: &[Names] = &[
    write("+", r#"{"add": [a, b]}"#),
    write("- subtract", r#"{"sub": [a, b]}"#).nouns("minus"),
    write("* multiply", r#"{"mul": [a, b]}"#).nouns("times"),
    write("/ // idiv floordiv", r#"{"div": [a, b]}"#),
    write("% modulo", r#"{"mod": [a, b]}"#),
    write("** ^ expt", r#"{"pow": [a, b]}"#).nouns("power"),
    write("square sqr", r#"{"mul": [a, a]}"#),
    write("inc increment succ", r#"{"add": [a, 1]}"#),
    write("dec decrement pred", r#"{"sub": [a, 1]}"#),
    write("= == === equals equal", r#"{"eq": [a, b]}"#),
    write("!= <> !== neq ne notequal xor", r#"{"not": {"eq": [a, b]}}"#),
    write("isnull isnone isnil null?", r#"{"eq": [a, null]}"#),
    write("< less", r#"{"lt": [a, b]}"#),
    write("> greater", r#"{"gt": [a, b]}"#),
    write("<= le leq", r#"{"lte": [a, b]}"#),
    write(">= ge geq", r#"{"gte": [a, b]}"#),
    write("&&", r#"{"and": [a, b]}"#),
    write("||", r#"{"or": [a, b]}"#),
    write("!", r#"{"not": a}"#),
    write("function lambda fn func λ => arrow", r#"{"lam": "x", "body": t}"#),
    write("invoke", r#"{"app": {"func": f, "arg": a}}"#),
    write("for while loop foreach until", r#"{"fold": [f, init, list]}"#),
    write("foldl foldr inject accumulate", r#"{"fold": [f, init, list]}"#),
    write("collect transform mapcar", r#"{"map": [f, list]}"#),
    write("select grep", r#"{"filter": [f, list]}"#).nouns("where"),
    write("orderby sortby sortwith", r#"{"sort_by": [f, list]}"#),
    write("groupby bucket", r#"{"group_by": [f, list]}"#),
    write("uniq() dedupe dedup", r#"{"distinct": [list]}"#).nouns("unique()").of(Form::Distinct),
    write("", r#"{"mean": [list]}"#).nouns("average() avg()").of(Form::Mean),
    write("", r#"{"max": [list]}"#).nouns("maximum"),
    write("", r#"{"min": [list]}"#).nouns("minimum"),
    write("car", r#"{"head": list}"#).nouns("first()").of(Form::Head),
    write("cdr", r#"{"tail": list}"#).nouns("rest()").of(Form::Tail),
    write("elt", r#"{"nth": [list, i]}"#).nouns("at() index").of(Form::Nth),
    write("extend listconcat ++", r#"{"append": [a, b]}"#),
    write("push", r#"{"append": [list, [x]]}"#),
    write("", "[a, b, …]").nouns("list array"),
    write("then else ternary ? unless ifelse if-else condif iif",
        r#"{"if": {"cond": c, "then": t, "else": e}}"#),
    write("switch when elif elseif", r#"{"cond": [[test, value], …]}"#).nouns("case match"),
    write("let* define def bind begin do", r#"{"let": [["x", t]], "in": b}"#),
    write("letrec* labels flet letfn fix",
        r#"{"letrec": [["f", {"lam": "x", "body": t}]], "in": b}"#),
    write("raise throw assert", r#"{"fail": t}"#).nouns("error"),
    write("catch rescue except", r#"{"try": t, "catch": f}"#),
    write("compose |> ->>", r#"{"pipe": [x, f, g]}"#),
    write("print console.log puts", r#"{"trace": [label, t]}"#).nouns("log"),
    say("const literal false null none",
        "write the bare JSON value").nouns("value number integer string text true"),
    write("$", r#"{"var": "x"}"#).nouns("variable name ref"),
    write("nil?", r#"{"isEmpty": list}"#).nouns("empty"),
    write("len() strlen", r#"{"length": list}"#).nouns("size() count()").of(Form::Length),
    write("recur recurse rec", r#"{"self": true}"#),
    write("substring() substr", r#"{"slice": [s, from, to]}"#).of(Form::Slice),
    write("uppercase toUpperCase() upcase", r#"{"upper": s}"#).of(Form::Upper),
    write("lowercase toLowerCase() downcase", r#"{"lower": s}"#).of(Form::Lower),
    write("strip()", r#"{"trim": s}"#).of(Form::Trim),
    write("str() stringof totext tostr", r#"{"to_string": a}"#).of(Form::ToString),
    write("parseint atoi toint tonumber", r#"{"parse_int": s}"#),
    write("jsonencode jsonstringify tojson", r#"{"json_text": a}"#),
    write("jsondecode fromjson", r#"{"json_parse": s}"#).nouns("json"),
    write("regexp regexmatch", r#"{"matches": [s, regex]}"#).nouns("test"),
    write("", r#"{"record": {"k": t}}"#).nouns("dict object hash struct"),
    write("prop getattr", r#"{"get": [record, key]}"#).nouns("field"),
    write("assoc", r#"{"put": [record, key, value]}"#).nouns("set"),
    write("includes()", r#"{"contains": [list, x]}"#).nouns("in member").of(Form::Contains),
    write("exists haskey", r#"{"has": [record, key]}"#),
    write("", r#"{"type_of": a}"#).nouns("type"),
    Names { is_operator: true, ..write("op operator opcode callee", r#"{"add": [a, b]}"#) }
        .behind(": the name of the form is the key"),
    say("return yield expression",
        "write the term itself: its value is the result").nouns("result expr term code"),
    write("import require use", r#"{"tool": "name"}"#),
    say("now sleep fetch http readfile",
        "pass the value as `data`: a run has no clock, no random numbers and no network")
        .nouns("today random rand open env"),
    write("arguments argument",
        r#"{"lam": "x", "body": t}"#).behind(": the variable is the argument")
        .nouns("input data args params"),
    write("some() exist", r#"{"any": [f, list]}"#).of(Form::Any),
    write("every() forall", r#"{"all": [f, list]}"#).of(Form::All),
    write("sprintf interpolate", r#"{"concat": [a, b, …]}"#).nouns("format template"),
    write("delete del dissoc", r#"{"remove": [record, key]}"#),
    write("", r#"{"entries": record}"#).nouns("items pairs"),
    write("sublist", r#"{"take": [{"drop": [list, n]}, n]}"#),
    write("ceiling", r#"{"ceil": a}"#),
    call(Form::StartsWith, "startswith"),
    call(Form::EndsWith, "endswith"),
    call(Form::Sort, "sorted toSorted"),
    call(Form::Reverse, "reversed toReversed"),
    call(Form::IsEmpty, "is_empty"),
    call(Form::ToInt, "trunc"),
    call(Form::Flatten, "flat"),
    call(Form::PadLeft, "padStart"),
    call(Form::PadRight, "padEnd"),
    call(Form::Replace, "replaceAll"),
    call(Form::Has, "hasOwnProperty"),
    call(Form::FormatNumber, "toFixed"),
    call(Form::JsonText, "json.dumps"),
    call(Form::JsonParse, "json.loads"),
    call(Form::Sqrt, "math.sqrt"),
    call(Form::Floor, "math.floor"),
    call(Form::Ceil, "math.ceil"),
];

/// Finds what a key stands for, and whether it is just as likely a key of data.
#[must_use]
pub fn of_key(key: &str) -> Option<(&'static Names, bool)> {
    // In lower case and without `_`.
    let key = key.to_lowercase().replace('_', "");
    if key.is_empty() {
        return None;
    }
    let has = |names: &str| {
        let mut names = names.split(' ').map(|name| name.strip_suffix("()").unwrap_or(name));
        names.any(|name| name.eq_ignore_ascii_case(&key))
    };
    NAMES.iter().find_map(|row| {
        if has(row.keys) { Some((row, false)) } else { has(row.nouns).then_some((row, true)) }
    })
}

/// Iterates over the functions that the notation reads as forms.
pub fn functions() -> impl Iterator<Item = (&'static str, Form)> {
    NAMES.iter().filter_map(|row| Some((row, row.form?))).flat_map(|(row, form)| {
        let called = row.all().filter_map(|name| match name.strip_suffix("()") {
            Some(function) => Some(function),
            None => words::has(row.functions, name).then_some(name),
        });
        called.map(move |name| (name, form))
    })
}

/// Returns the form that the notation reads a function of this name as.
#[must_use]
pub fn form_of_function(name: &str) -> Option<Form> {
    functions().find(|(known, _)| *known == name).map(|(_, form)| form)
}

/// Iterates over all hints.
pub fn hints() -> impl Iterator<Item = Hint> {
    NAMES.iter().map(Names::hint)
}

#[cfg(test)]
mod tests {
    use super::{NAMES, Names, of_key};
    use crate::form::Form;

    /// A name stands in one row, and no form has it.
    #[test]
    fn names_stand_once() {
        let all: Vec<&str> = NAMES.iter().flat_map(Names::all).collect();
        for (at, name) in all.iter().enumerate() {
            assert!(!all[..at].contains(name), "{name} stands twice");
            assert_eq!(Form::of_key(name.trim_end_matches("()")), None, "{name}");
        }
        assert!(of_key("to_Upper_case").is_some_and(|(_, is_noun)| !is_noun));
        assert!(of_key("count").is_some_and(|(_, is_noun)| is_noun));
        assert!(of_key("sorted").is_none());
    }
}
