//! Values as JavaScript names, writes and orders them: `typeof as_text stringify locale_compare`.

use super::javascript::{scalar, string, text};
use super::keys::count;
use super::operation::{integral, mismatch};
use super::reading::Text;
use super::value::{List, Value};
use super::{Evaluated, Evaluator, json, pattern};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use pif::fault::Code;
use pif::form::Form;
use pif::javascript::date;
use std::cmp::Ordering;

impl Evaluator {
    pub(super) fn in_words(&mut self, form: Form, operands: &[Value]) -> Evaluated {
        match (form, operands) {
            (Form::Typeof, [value, path @ ..]) => self.name_of_type(form, value, path.first()),
            (Form::AsText, [Value::Text(_)]) => Ok(operands[0].clone()),
            (Form::AsText, [value]) => self.written(|out| spoken(out, value, ",")),
            (Form::Stringify, [value, indent @ ..]) => {
                let indent = match indent.first() {
                    None | Some(Value::Unit) => String::new(),
                    Some(Value::Text(text)) => text.chars().take(10).collect(),
                    Some(n) => {
                        let n = integral(n).ok_or_else(|| mismatch(n))?;
                        " ".repeat(n.clamp(0.into(), 10.into()).to_usize().unwrap_or_default())
                    }
                };
                if is_left_out(value) {
                    return Err(mismatch(value));
                }
                self.written(|out| stringified(out, value, &indent, 0))
            }
            (Form::LocaleCompare, [a, b, by_value @ ..]) => {
                let (a, b) = (string(a)?, string(b)?);
                let by_value = match by_value.first() {
                    None => false,
                    Some(Value::Boolean(b)) => *b,
                    Some(value) => return Err(mismatch(value)),
                };
                self.charge_texts(&[a, b])?;
                let (a, b) = (letters(a, by_value), letters(b, by_value));
                let order = (0..3).map(|level| a[level].cmp(&b[level])).find(|it| it.is_ne());
                Ok(Value::Integer((order.unwrap_or(Ordering::Equal) as i8).into()))
            }
            _ => Err(Code::TypeMismatch),
        }
    }

    fn name_of_type(&mut self, form: Form, value: &Value, path: Option<&Value>) -> Evaluated {
        let mut value = Some(value.clone());
        if let Some(path) = path {
            let Value::List(path) = path else { return Err(mismatch(path)) };
            let path: Vec<Value> = path.iter().cloned().collect();
            self.charge_path(&path, true)?;
            value = self.follow(form, &value.unwrap_or(Value::Unit), &path)?.ok();
        }
        Ok(text(match value {
            None => "undefined",
            Some(Value::Boolean(_)) => "boolean",
            Some(Value::Integer(_) | Value::Float(_) | Value::NotNumber) => "number",
            Some(Value::Text(_)) => "string",
            Some(Value::Function(_)) => "function",
            Some(_) => "object",
        }))
    }

    /// The texts of the elements of a list, with a text between them.
    pub(super) fn join(&mut self, parts: &List, separator: &str) -> Evaluated {
        if parts.iter().any(|part| !matches!(part, Value::Text(_))) {
            self.charge_texts(&[separator])?;
            return self.written(|out| spoken(out, &Value::List(parts.clone()), separator));
        }
        self.work(count(parts.iter().count()))?;
        let texts: Vec<&str> = parts.iter().filter_map(|part| string(part).ok()).collect();
        let bytes: usize = texts.iter().map(|text| text.len()).sum();
        let between = BigInt::from(separator.len()) * texts.len().saturating_sub(1);
        self.check_bytes(&(between + bytes))?;
        self.charge_texts(&[separator])?;
        self.made(&texts.join(separator))
    }

    /// A text that is written, and paid for.
    fn written(&mut self, write: impl Fn(&mut Text) -> Result<(), Code>) -> Evaluated {
        let (longest, budget) = (self.longest() / 2, self.fuel);
        let mut out = Text { out: String::new(), work: 0, longest, budget };
        let end = write(&mut out);
        if end != Err(Code::TooLarge) {
            self.work(out.used())?;
        }
        end.map(|()| text(&out.out))
    }
}

/// Writes the text of a value; the elements of a list itself with a text between them.
fn spoken(out: &mut Text, value: &Value, separator: &str) -> Result<(), Code> {
    let items: Vec<Value> = match value {
        Value::Text(text) => return out.put(text),
        Value::List(list) => list.iter().cloned().collect(),
        Value::Match(found) => found.list.iter().cloned().collect(),
        Value::Pair(pair) => vec![pair.0.clone(), pair.1.clone()],
        Value::Regex(regex) => return out.put(&pattern::literal(regex)),
        value => {
            let (text, work) = scalar(value).ok_or_else(|| mismatch(value))?;
            out.work += work;
            return out.put(&text);
        }
    };
    for (at, item) in items.iter().enumerate() {
        out.put(if at > 0 { separator } else { "" })?;
        out.work += 1;
        if !matches!(item, Value::Unit) {
            spoken(out, item, ",")?;
        }
    }
    out.put("")
}

fn stringified(out: &mut Text, value: &Value, indent: &str, level: usize) -> Result<(), Code> {
    let line = |level| match indent {
        "" => String::new(),
        indent => format!("\n{}", indent.repeat(level)),
    };
    let items: Vec<Value> = match value {
        Value::Text(text) => return out.put(&json::quote(text)),
        Value::List(list) => list.iter().cloned().collect(),
        Value::Match(found) => found.list.iter().cloned().collect(),
        Value::Pair(pair) => vec![pair.0.clone(), pair.1.clone()],
        Value::Map(_) | Value::Set(_) | Value::Regex(_) => return out.put("{}"),
        Value::Date(ms) => {
            out.work += 8;
            return out.put(&json::quote(&date::text(*ms)));
        }
        Value::Record(members) => {
            out.put("{")?;
            let mut any = false;
            for (key, member) in members.iter() {
                out.work += 1;
                if is_left_out(member) {
                    continue;
                }
                let (comma, colon) =
                    (if any { "," } else { "" }, if indent.is_empty() { ":" } else { ": " });
                let line = line(level + 1);
                out.put(&format!("{comma}{line}{}{colon}", json::quote(key)))?;
                stringified(out, member, indent, level + 1)?;
                any = true;
            }
            return out.put(&if any { line(level) + "}" } else { "}".to_owned() });
        }
        value if is_left_out(value) => return out.put("null"),
        value => {
            let (text, work) = scalar(value).unwrap_or_default();
            out.work += work;
            let is_odd = matches!(value, Value::NotNumber)
                || matches!(value, Value::Float(n) if n.is_infinite());
            return out.put(if is_odd { "null" } else { &text });
        }
    };
    if items.is_empty() {
        return out.put("[]");
    }
    for (at, item) in items.iter().enumerate() {
        out.work += 1;
        out.put(&format!("{}{}", if at > 0 { "," } else { "[" }, line(level + 1)))?;
        stringified(out, item, indent, level + 1)?;
    }
    out.put(&format!("{}]", line(level)))
}

/// What JSON leaves out.
fn is_left_out(value: &Value) -> bool {
    matches!(value, Value::Function(_) | Value::Quoted(..) | Value::Continuation(_))
}

/// The characters before the letters, in order.
const SIGNS: &str = "\t\n\u{b}\u{c}\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789";

/// Letters with accents: each with its letter, and a letter for the accent, in order.
const ACCENTED: &str = "ÀAb ÁAa ÂAd ÃAi ÄAg ÅAf ÇCk ÈEb ÉEa ÊEd ËEg ÌIb ÍIa ÎId ÏIg ÑNi ÒOb ÓOa ÔOd ÕOi ÖOg ÙUb ÚUa ÛUd ÜUg ÝYa àab áaa âad ãai äag åaf çck èeb éea êed ëeg ìib íia îid ïig ñni òob óoa ôod õoi öog ùub úua ûud üug ýya ÿyg ĀAm āam ĂAc ăac ĄAl ąal ĆCa ćca ĈCd ĉcd ĊCj ċcj ČCe čce ĎDe ďde ĒEm ēem ĔEc ĕec ĖEj ėej ĘEl ęel ĚEe ěee ĜGd ĝgd ĞGc ğgc ĠGj ġgj ĢGk ģgk ĤHd ĥhd ĨIi ĩii ĪIm īim ĬIc ĭic ĮIl įil İIj ĴJd ĵjd ĶKk ķkk ĹLa ĺla ĻLk ļlk ĽLe ľle ŃNa ńna ŅNk ņnk ŇNe ňne ŌOm ōom ŎOc ŏoc ŐOh őoh ŔRa ŕra ŖRk ŗrk ŘRe řre ŚSa śsa ŜSd ŝsd ŞSk şsk ŠSe šse ŢTk ţtk ŤTe ťte ŨUi ũui ŪUm ūum ŬUc ŭuc ŮUf ůuf ŰUh űuh ŲUl ųul ŴWd ŵwd ŶYd ŷyd ŸYg ŹZa źza ŻZj żzj ŽZe žze";

const MARKS: &str =
    "\u{301}\u{300}\u{306}\u{302}\u{30c}\u{30a}\u{308}\u{30b}\u{303}\u{307}\u{327}\u{328}\u{304}";

/// What a text is ordered by: letters, then accents, then capitals; each as numbers.
fn letters(text: &str, by_value: bool) -> [Vec<u64>; 3] {
    let mut levels = [Vec::new(), Vec::new(), Vec::new()];
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if by_value && c.is_ascii_digit() {
            let mut digits = String::from(c);
            while let Some(next) = chars.next_if(char::is_ascii_digit) {
                digits.push(next);
            }
            let digits = digits.trim_start_matches('0');
            levels[0].extend([500, count(digits.len())]);
            levels[0].extend(digits.bytes().map(u64::from));
            levels[1].push(0);
            levels[2].push(0);
            continue;
        }
        let accented = ACCENTED.split(' ').find(|it| it.starts_with(c));
        let mark = match accented.and_then(|it| it.chars().nth(2)) {
            Some(mark) => Some(u64::from(mark) - u64::from('a') + 1),
            None => MARKS.chars().position(|mark| mark == c).map(|at| count(at) + 1),
        };
        let base = accented.and_then(|it| it.chars().nth(1));
        let letter = match base.unwrap_or(c) {
            letter if letter.is_ascii_alphabetic() => {
                Some((600 + u64::from(letter.to_ascii_lowercase()), letter.is_uppercase()))
            }
            _ if base.is_none() && mark.is_some() => None,
            c if c.is_ascii() => SIGNS.chars().position(|it| it == c).map(|at| (count(at), false)),
            c => Some((1000 + u64::from(c), false)),
        };
        if let Some((letter, is_capital)) = letter {
            levels[0].push(letter);
            levels[1].push(0);
            levels[2].push(u64::from(is_capital));
        }
        levels[1].extend(mark);
    }
    levels
}
