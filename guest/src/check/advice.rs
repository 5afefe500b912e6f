//! Likely mistakes: valid terms that their author hardly meant. One walk, which also finds the free
//! variables. Quoted terms are data, except for unquoted parts.

use crate::check::doubt;
use crate::check::mismatch::{Wrong, mismatch, no_function};
use pif_core::fault::Note;
use pif_core::hint::Hint;
use pif_core::json::tape::{Tape, Token};
use pif_core::text::quote::shorten;
use pif_language::form::Form;
use pif_language::hint::{nearest, recursive, syntax};
use pif_language::infer;
use pif_language::kinds::{self, Wanted};

use pif_language::term::{NameId, TermId, Terms};
use pif_language::walk::{Step, schedule};

/// Most notes on one term. More are of no use, and finding their places takes time.
const MOST_NOTES: usize = 50;

/// Most free variables to compare with bound ones.
const MOST_COMPARED: usize = 20;

/// Bytes of the longest text that may spell a variable.
const LONGEST: usize = 200;

/// The findings of a walk through a term.
pub(crate) struct Advice {
    /// Variables that nothing in the term binds, in order of first occurrence.
    pub(crate) free: Vec<NameId>,
    /// Likely mistakes.
    pub(crate) notes: Vec<Note>,
}

/// A bound name at a point of the walk.
struct Bound {
    name: NameId,
    binder: TermId,
    /// The name's outer binding, counted from 1.
    outer: usize,
    is_used: bool,
    /// A text that spells it.
    spelt: Option<TermId>,
}

struct Reader<'t> {
    terms: &'t Terms,
    /// Whether `eval` may use names that the walk cannot see.
    has_eval: bool,
    bound: Vec<Bound>,
    /// The innermost binding of each name, counted from 1.
    meaning: Vec<usize>,
    is_free: Vec<bool>,
    found: Advice,
}

/// Walks through the term at `root`.
pub(crate) fn advise(terms: &Terms, root: TermId, has_eval: bool) -> Advice {
    let meaning = vec![0; terms.count_names()];
    let is_free = vec![false; terms.count_names()];
    let found = Advice { free: Vec::new(), notes: Vec::new() };
    let mut reader = Reader { terms, has_eval, bound: Vec::new(), meaning, is_free, found };
    reader.list(root);
    let mut steps = vec![Step::Enter(root, 0)];
    while let Some(step) = steps.pop() {
        match step {
            Step::Enter(term, level) => {
                if level == 0 {
                    reader.term(term);
                }
                schedule(terms, (term, level), &mut steps);
            }
            Step::Bind(name, binder) => reader.bind(name, binder),
            Step::Unbind(_) => reader.unbind(),
        }
    }
    reader.found
}

impl Reader<'_> {
    fn note(&mut self, term: TermId, message: String, hint: Option<Hint>) {
        if self.found.notes.len() < MOST_NOTES {
            let token = self.terms.node(term).token;
            self.found.notes.push(self.terms.note("likely-mistake", token, message, hint));
        }
    }

    fn bind(&mut self, name: NameId, binder: TermId) {
        let count = self.bound.len() + 1;
        let outer =
            self.meaning.get_mut(name as usize).map(|meaning| std::mem::replace(meaning, count));
        let outer = outer.unwrap_or_default();
        self.bound.push(Bound { name, binder, outer, is_used: false, spelt: None });
    }

    fn unbind(&mut self) {
        let Some(Bound { name, binder, outer, is_used, spelt }) = self.bound.pop() else { return };
        if let Some(meaning) = self.meaning.get_mut(name as usize) {
            *meaning = outer;
        }
        let text = self.terms.name(name);
        if is_used || self.has_eval || text.starts_with('_') {
            return;
        }
        let is_let = matches!(self.terms.form(binder), Form::Let | Form::Letrec);
        let text = shorten(text);
        if let Some(spelt) = spelt {
            let message = format!("this text is not the variable `{text}`, which is never used");
            self.note(spelt, message, Some(variable(&text)));
        } else if is_let || outer > 0 {
            let message = format!("`{text}` is bound here and never used");
            let hides = if outer > 0 { ", and hides another" } else { "" };
            self.note(binder, format!("{message}{hides}"), Some(variable(&text)));
        }
    }

    /// Returns the binding of a name.
    fn meant(&mut self, name: NameId) -> Option<&mut Bound> {
        let at = self.meaning.get(name as usize)?.checked_sub(1)?;
        self.bound.get_mut(at)
    }

    fn term(&mut self, term: TermId) {
        let terms = self.terms;
        let form = terms.form(term);
        match form {
            Form::Var => self.variable(term),
            Form::Text => self.text(term),
            Form::Eq | Form::Lt | Form::Gt | Form::Lte | Form::Gte => self.comparison(term, form),
            Form::If | Form::Cond => self.condition(term, form),
            _ => {}
        }
        for (at, operand) in terms.operands(term).iter().enumerate() {
            self.operand(term, form, at, *operand);
        }
    }

    fn variable(&mut self, term: TermId) {
        let (terms, name) = (self.terms, self.terms.only_name(term));
        if let Some(bound) = self.meant(name) {
            bound.is_used = true;
            return;
        }
        let Some(is_free) = self.is_free.get_mut(name as usize) else { return };
        if std::mem::replace(is_free, true) {
            return;
        }
        self.found.free.push(name);
        let text = terms.name(name);
        let hint = if let Some(row) = Form::of_key(text).and_then(Form::row) {
            Some(syntax("a form is written ", row.form))
        } else if self.found.free.len() > MOST_COMPARED {
            None
        } else if let Some(hint) = recursive(terms, term) {
            Some(hint)
        } else if text.len() > 2 {
            let near = nearest(text, self.bound.iter().map(|bound| terms.name(bound.name)));
            near.map(|near| format!("did you mean `{}`?", shorten(near)).into())
        } else {
            None
        };
        if hint.is_some() {
            self.note(term, format!("nothing binds the variable `{}`", shorten(text)), hint);
        }
    }

    /// Notes the variables that a text spells, alone or in text that looks like code.
    fn text(&mut self, term: TermId) {
        let text = self.terms.text(term);
        if text.len() > LONGEST || self.bound.is_empty() {
            return;
        }
        let is_code = text.contains(['+', '*', '/', '<', '>', '=', '(', '{', '$']);
        for word in text.split(|c: char| !c.is_alphanumeric() && c != '_') {
            if (is_code || word.len() == text.len())
                && let Some(name) = self.terms.name_id(word)
                && let Some(bound) = self.meant(name)
            {
                bound.spelt = bound.spelt.or(Some(term));
            }
        }
    }

    /// Notes code in the notation of other Lisps.
    fn list(&mut self, term: TermId) {
        let terms = self.terms;
        let is_text = |t: &TermId| terms.form(*t) == Form::Text;
        if terms.form(term) == Form::List
            && let Some((first, rest)) = terms.operands(term).split_first()
            && is_text(first)
            && !rest.iter().all(is_text)
            && let Some(row) = Form::of_key(terms.text(*first)).and_then(Form::row)
        {
            let message = format!("a list that begins with the text `{}` is not a form", row.name);
            self.note(term, message, Some(syntax("the form is written ", row.form)));
        }
    }

    fn comparison(&mut self, term: TermId, form: Form) {
        let [a, b] = [0, 1].map(|at| infer::given(self.terms, self.terms.operand(term, at)));
        if a != b && a != 0 && b != 0 {
            let (a, b) = (kinds::name(a), kinds::name(b));
            let message = format!("`{}` compares a {a} with a {b}", form.name());
            let hint = "compare values of one type: convert one with `parse_int` or `to_string`";
            self.note(term, message, Some(hint.into()));
        }
    }

    fn condition(&mut self, term: TermId, form: Form) {
        let terms = self.terms;
        let is_true = |t: &TermId| terms.form(*t) == Form::Boolean && terms.boolean(*t);
        let operands = terms.operands(term);
        let last = operands.len().saturating_sub(2);
        let constant = match form {
            Form::If => operands.first().filter(|t| terms.form(**t) == Form::Boolean),
            _ => operands.iter().take(last).step_by(2).find(|t| is_true(t)),
        };
        if let Some(constant) = constant {
            let message =
                format!("the test is always {}: a branch is never taken", terms.boolean(*constant));
            self.note(*constant, message, None);
        }
    }

    fn operand(&mut self, term: TermId, form: Form, at: usize, operand: TermId) {
        let (terms, inner) = (self.terms, self.terms.form(operand));
        // Paths into quoted terms begin with names of forms.
        if form != Form::GetIn {
            self.list(operand);
        }
        let accepted = form.accepted(at);
        let given = infer::given(terms, operand);
        if given != 0 && given & accepted == 0 {
            let fault = if accepted == kinds::FUNCTION {
                no_function(Wrong::noted(terms, term, at), given)
            } else {
                mismatch(Wrong::noted(terms, term, at), (Wanted::accepted(accepted), given))
            };
            let mut hint = fault.hint;
            if inner == Form::Text
                && let Some(name) = terms.name_id(terms.text(operand))
                && let Some(bound) = self.meant(name)
            {
                bound.is_used = true;
                hint = Some(variable(&shorten(terms.name(name))));
            }
            self.note(operand, fault.message, hint);
        }
        let callback = form.row().and_then(|row| row.callback);
        let is_called_with_one = callback.is_some_and(|callback| callback.arguments == 1);
        if inner == Form::Lam && at == 0 && is_called_with_one && terms.names(operand).len() > 1 {
            let message = format!("`{}` calls its function with one value", form.name());
            let hint = match form {
                Form::Fold => "it is a pair: take it apart with `fst` and `snd`".into(),
                _ => ["write ", r#"{"lam": "x", "body": t}"#].into(),
            };
            self.note(operand, message, Some(hint));
        }
        if inner == Form::Text
            && let Some((message, hint)) = doubt::of_text(form, at, terms.text(operand))
        {
            self.note(operand, message, Some(hint));
        }
        if inner == Form::Text && form != Form::JsonParse && is_code(terms.text(operand)) {
            let message = "a text that holds a term is not evaluated".to_owned();
            self.note(operand, message, Some("write the term itself, without quotes".into()));
        }
    }
}

fn variable(name: &str) -> Hint {
    Hint::from("the variable is written ").example(format!(r#"{{"var": "{name}"}}"#))
}

/// Tells whether a text is the JSON of an object with a form's key.
fn is_code(text: &str) -> bool {
    let mut tape = Tape::default();
    text.trim_start().starts_with("{\"")
        && tape.parse(text).is_ok_and(|root| {
            matches!(tape.token(root), Token::Object { .. })
                && tape.members(root).any(|(key, _)| Form::of_key(tape.str(key)).is_some())
        })
}
