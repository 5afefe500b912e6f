//! Forms that evaluate all their operands, and whose value depends on more than the types that their
//! rows say.

use super::Core;
use crate::values::{ANY, EVERY, Id, NEVER, Node};
use pif_core::fault::Code;
use pif_language::form::Form;
use pif_language::kinds::{
    BOOLEAN, CONTINUATION, DATE, FLOAT, INTEGER, Kinds, LIST, NULL, NUMBER, ODD, PAIR, QUOTED,
    REGEX, SET, STRING,
};
use pif_language::term::{TermId, Terms};

/// What can be joined to a text.
const JOINED: Kinds = STRING | NUMBER | BOOLEAN | NULL | DATE | ODD;

impl Core {
    /// The value of a form that evaluates all its operands.
    pub(super) fn plain(&mut self, terms: &Terms, form: Form, term: TermId, values: &[Id]) -> Id {
        let is_odd = values.iter().any(|it| self.is_odd(*it));
        self.doubts += u32::from(is_odd);
        let id = match form {
            Form::Lt | Form::Gt | Form::Lte | Form::Gte => self.compare(term, values),
            Form::Plus => self.plus(term, values),
            Form::Min | Form::Max => self.extreme(term, values),
            Form::TypeOf | Form::Typeof => {
                self.test(values);
                Some(self.values.of(STRING))
            }
            Form::Contains | Form::IndexOf | Form::LastIndexOf => self.search(form, term, values),
            Form::Eq | Form::Truth => {
                self.test(values);
                Some(self.values.of(BOOLEAN))
            }
            Form::Divide => self.divide(term, values),
            Form::Split => self.split(term, values),
            Form::RegexMatch => self.regex_match(terms, term, values),
            Form::MomentPart => self.moment_part(terms, term, values),
            Form::Continue if !self.is_tool => {
                self.fault((term, usize::MAX - 1), Code::OutsideTool);
                None
            }
            Form::Continue => {
                self.values.forget_all(values.iter().copied());
                Some(self.values.of(CONTINUATION))
            }
            Form::CodeOf => {
                let name = values.first().copied().unwrap_or(ANY);
                self.expect((term, 0), name, STRING, 0).map(|_| self.values.of(QUOTED))
            }
            Form::Trace => values.get(1).copied(),
            Form::Fail => {
                self.state.is_dead = true;
                None
            }
            Form::Call | Form::Perform | Form::Calls => Some(self.unknown(values)),
            Form::Pair => match *values {
                [first, second] => {
                    let pair = Some([first, second]);
                    Some(self.values.make(Node { kinds: PAIR, pair, ..Node::default() }))
                }
                _ => Some(ANY),
            },
            _ => self.of_record(terms, form, term, values),
        };
        self.doubts -= u32::from(is_odd);
        id.unwrap_or(NEVER)
    }

    /// The value of a form of which nothing is known: it may look at all that it gets.
    pub(super) fn unknown(&mut self, values: &[Id]) -> Id {
        for value in values {
            self.look_through(*value);
        }
        self.values.forget_all(values.iter().copied());
        ANY
    }

    /// Notes that a test looks at values.
    pub(crate) fn test(&mut self, values: &[Id]) {
        for value in values {
            let node = self.values.node(*value);
            node.refs.iter().for_each(|it| self.state.test(it.place));
        }
    }

    /// A search in a text for a text, or in a list for anything.
    fn search(&mut self, form: Form, term: TermId, values: &[Id]) -> Option<Id> {
        let [subject, sought, ..] = *values else { return Some(ANY) };
        let kinds = self.kinds(sought);
        let texts = if kinds & (STRING | REGEX) == 0 { 0 } else { STRING };
        self.expect((term, 0), subject, texts | LIST | SET, 0)?;
        if let Some(from) = values.get(2) {
            self.expect((term, 2), *from, NUMBER | NULL, 0)?;
        }
        let gives = if form == Form::Contains { BOOLEAN } else { INTEGER | NULL };
        Some(self.values.of(gives))
    }

    /// A quotient: with a mode an integer.
    fn divide(&mut self, term: TermId, values: &[Id]) -> Option<Id> {
        let [first, second, ref mode @ ..] = *values else { return Some(ANY) };
        self.expect((term, 0), first, NUMBER, 0)?;
        self.expect((term, 1), second, NUMBER, 0)?;
        if let [mode] = *mode {
            self.expect((term, 2), mode, STRING, 0)?;
            return Some(self.values.of(INTEGER));
        }
        let is_float = [first, second].iter().any(|it| self.kinds(*it) & NUMBER == FLOAT);
        Some(self.values.of(if is_float { FLOAT } else { NUMBER }))
    }

    /// Parts of a text. With groups of a regular expression nulls are among them.
    fn split(&mut self, term: TermId, values: &[Id]) -> Option<Id> {
        let text = values.first().copied().unwrap_or(ANY);
        self.expect((term, 0), text, STRING, 0)?;
        let mut kinds = STRING;
        if let Some(separator) = values.get(1) {
            self.expect((term, 1), *separator, STRING | REGEX, 0)?;
            kinds |= if self.kinds(*separator) & REGEX == 0 { 0 } else { NULL };
        }
        if let Some(limit) = values.get(2) {
            self.expect((term, 2), *limit, NUMBER | NULL, 0)?;
        }
        let part = self.values.of(kinds);
        Some(self.list(part))
    }

    /// With the flag g all matches, else the first match and its groups.
    fn regex_match(&mut self, terms: &Terms, term: TermId, values: &[Id]) -> Option<Id> {
        let [text, pattern] = *values else { return Some(ANY) };
        self.expect((term, 0), text, STRING, 0)?;
        self.expect((term, 1), pattern, STRING | REGEX, 0)?;
        let regex = terms.operand(term, 1);
        let has_g =
            |flags: TermId| terms.form(flags) == Form::Text && terms.text(flags).contains('g');
        let is_global = terms.form(regex) == Form::Regex
            && terms.operands(regex).get(1).is_some_and(|flags| has_g(*flags));
        let part = self.values.of(if is_global { STRING } else { STRING | NULL });
        let (matches, null) = (self.list(part), self.values.of(NULL));
        Some(self.values.join(matches, null))
    }

    fn moment_part(&mut self, terms: &Terms, term: TermId, values: &[Id]) -> Option<Id> {
        let [date, name] = *values else { return Some(ANY) };
        self.expect((term, 0), date, DATE, 0)?;
        self.expect((term, 1), name, STRING, 0)?;
        let name = terms.operand(term, 1);
        let kinds = match terms.form(name) {
            Form::Text if terms.text(name).ends_with("text") => STRING,
            Form::Text => INTEGER,
            _ => INTEGER | STRING,
        };
        Some(self.values.of(kinds))
    }

    /// Two numbers, where a date counts as one, or two texts.
    fn compare(&mut self, term: TermId, values: &[Id]) -> Option<Id> {
        const NUMBERS: Kinds = NUMBER | DATE | ODD;
        let [first, second] = *values else { return Some(ANY) };
        let kinds = [self.kinds(first), self.kinds(second)];
        let common = |other: Kinds| {
            let numbers = if other & NUMBERS == 0 { 0 } else { NUMBERS };
            numbers | other & STRING
        };
        if (kinds[0] | kinds[1]) & ODD != 0 {
            // No value is less than what is not a number, whatever it is.
            for value in values {
                self.look(*value, EVERY, 0);
            }
            self.pass((term, 0));
            self.pass((term, 1));
            return Some(self.values.of(BOOLEAN));
        }
        let fits = kinds[0] & common(kinds[1]) & (NUMBERS | STRING) != 0;
        if fits {
            self.expect((term, 0), first, common(kinds[1]), 0)?;
            self.expect((term, 1), second, common(kinds[0]), 0)?;
        } else {
            self.fault((term, 0), Code::TypeMismatch);
            return None;
        }
        Some(self.values.of(BOOLEAN))
    }

    /// A sum, or a text where one operand is a text.
    fn plus(&mut self, term: TermId, values: &[Id]) -> Option<Id> {
        let kinds: Vec<Kinds> = values.iter().map(|it| self.kinds(*it)).collect();
        if kinds.iter().all(|it| it & STRING == 0) {
            for (at, value) in values.iter().enumerate() {
                self.expect((term, at), *value, NUMBER, 0)?;
            }
            return Some(self.numeric(values));
        }
        let is_text = kinds.contains(&STRING);
        for (at, value) in values.iter().enumerate() {
            let others =
                kinds.iter().enumerate().any(|(other, it)| other != at && it & STRING != 0);
            self.pass((term, at));
            let wanted = if others { JOINED } else { NUMBER | STRING };
            self.look(*value, wanted, 0);
        }
        let text = self.values.of(STRING);
        if is_text {
            return Some(text);
        }
        let numbers = values.iter().map(|it| self.restrict(*it, NUMBER)).collect::<Vec<_>>();
        let sum = self.numeric(&numbers);
        Some(self.values.join(sum, text))
    }

    /// The least or the greatest of numbers, or of those in a list.
    fn extreme(&mut self, term: TermId, values: &[Id]) -> Option<Id> {
        let [only] = *values else {
            for (at, value) in values.iter().enumerate() {
                self.expect((term, at), *value, NUMBER | ODD | DATE, 0)?;
            }
            return Some(self.most(values));
        };
        let list = self.expect((term, 0), only, LIST | NUMBER, 0)?;
        if self.kinds(list) & NUMBER != 0 {
            return Some(self.values.of(NUMBER | ODD));
        }
        let (elements, _) = self.elements(list);
        self.look(elements, NUMBER | ODD, NULL);
        Some(self.most(&[elements]))
    }

    fn most(&mut self, values: &[Id]) -> Id {
        let kinds = values.iter().fold(0, |kinds, it| kinds | self.kinds(*it));
        let kinds = kinds & (NUMBER | ODD);
        self.values.of(if kinds == 0 { NUMBER } else { kinds })
    }
}
