//! Translates short JavaScript functions to terms, for hints. The code is never run.

use serde_json::Value;

/// The most characters of a function that is translated.
const LONGEST: usize = 400;

/// Operators: the sign, the precedence and the form.
const OPERATORS: [(&str, u8, &str); 14] = [
    ("||", 1, "or"),
    ("&&", 2, "and"),
    ("===", 3, "eq"),
    ("==", 3, "eq"),
    ("<=", 4, "lte"),
    (">=", 4, "gte"),
    ("<", 4, "lt"),
    (">", 4, "gt"),
    ("+", 5, "add"),
    ("-", 5, "sub"),
    ("**", 7, ""),
    ("*", 6, "mul"),
    ("/", 6, "div"),
    ("%", 6, "mod"),
];

/// Whether a text is a program in JavaScript or a similar language, and not JSON.
pub(super) fn is_script(text: &str) -> bool {
    const SIGNS: [&str; 9] =
        ["=>", "function", "return", "(fn", "(defn", "lambda", "const ", "let ", "var "];
    let text = text.trim();
    !text.starts_with(['{', '[', '"']) && SIGNS.iter().any(|sign| text.contains(sign))
}

/// Translates a function whose body is one expression of its parameters, or of the members of its
/// only parameter.
pub(super) fn translate(text: &str) -> Option<String> {
    if text.chars().count() > LONGEST {
        return None;
    }
    let tokens = tokens(text)?;
    let mut reader = Reader { rest: &tokens, parameters: Vec::new(), members: Vec::new() };
    let body = reader.function()?;
    let parameters = if reader.members.is_empty() { reader.parameters } else { reader.members };
    let parameters = match parameters.as_slice() {
        [] => return None,
        [one] => Value::from(one.as_str()),
        several => Value::from(several.to_vec()),
    };
    Some(format!("{{\"lam\":{parameters},\"body\":{body}}}"))
}

/// Splits a program into words and signs.
fn tokens(text: &str) -> Option<Vec<&str>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = match first {
            '"' | '\'' => rest.get(1..)?.find(first)? + 2,
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            _ => {
                let signs = OPERATORS.iter().map(|(sign, ..)| *sign).chain(["=>"]);
                let longest = signs.filter(|sign| rest.starts_with(sign)).map(str::len).max();
                longest.unwrap_or(first.len_utf8())
            }
        };
        let (token, after) = rest.split_at_checked(length)?;
        tokens.push(token);
        rest = after.trim_start();
    }
    Some(tokens)
}

struct Reader<'a> {
    rest: &'a [&'a str],
    parameters: Vec<String>,
    /// Members of the only parameter, in order of appearance.
    members: Vec<String>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    /// Takes the next token if it is `token`.
    fn take(&mut self, token: &str) -> bool {
        let is_next = self.rest.first() == Some(&token);
        if is_next {
            self.rest = self.rest.get(1..).unwrap_or_default();
        }
        is_next
    }

    /// `function f(a, b) { return … }`, `(a, b) => …` or `a => …`, also assigned to a name.
    fn function(&mut self) -> Option<String> {
        if self.take("const") || self.take("let") || self.take("var") {
            self.name()?;
            self.take("=").then_some(())?;
        }
        let is_named = self.take("function");
        if is_named && self.rest.first() != Some(&"(") {
            self.name()?;
        }
        if self.take("(") {
            while !self.take(")") {
                let name = self.name()?;
                self.parameters.push(name);
                self.take(",");
            }
        } else {
            let name = self.name()?;
            self.parameters.push(name);
        }
        if !is_named {
            self.take("=>").then_some(())?;
        }
        let is_block = self.take("{");
        if is_block {
            self.take("return").then_some(())?;
        }
        let body = self.choice()?;
        self.take(";");
        if is_block {
            self.take("}").then_some(())?;
        }
        self.take(";");
        self.rest.is_empty().then_some(body)
    }

    fn name(&mut self) -> Option<String> {
        let name = self.next()?;
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        is_name.then(|| name.to_owned())
    }

    /// `a ? b : c`, or an expression without a condition.
    fn choice(&mut self) -> Option<String> {
        let condition = self.expression(1)?;
        if !self.take("?") {
            return Some(condition);
        }
        let then = self.choice()?;
        self.take(":").then_some(())?;
        let other = self.choice()?;
        Some(format!("{{\"if\":{{\"cond\":{condition},\"then\":{then},\"else\":{other}}}}}"))
    }

    /// Operands and operators with at least this precedence.
    fn expression(&mut self, least: u8) -> Option<String> {
        let mut left = self.operand()?;
        while let Some((sign, tightness, form)) = self
            .rest
            .first()
            .and_then(|next| OPERATORS.iter().find(|(sign, ..)| sign == next))
            .filter(|(_, tightness, _)| *tightness >= least)
        {
            self.take(sign);
            let right = self.expression(tightness + 1)?;
            let is_text = left.starts_with('"') || right.starts_with('"');
            let form = match (*form, is_text || left.starts_with("{\"concat\"")) {
                ("", _) => return None,
                ("add", true) => "concat",
                (form, _) => form,
            };
            left = format!("{{\"{form}\":[{left},{right}]}}");
        }
        Some(left)
    }

    fn operand(&mut self) -> Option<String> {
        if self.take("(") {
            let inner = self.choice()?;
            return self.take(")").then_some(inner);
        }
        if self.take("!") {
            return Some(format!("{{\"not\":{}}}", self.operand()?));
        }
        if self.take("-") {
            return Some(format!("{{\"sub\":[0,{}]}}", self.operand()?));
        }
        if matches!(self.rest.first(), Some(&("true" | "false" | "null"))) {
            return self.next().map(str::to_owned);
        }
        let token = self.next()?;
        if token.starts_with(['"', '\'']) {
            let text = token.get(1..token.len() - 1)?;
            return (!text.contains('\\')).then(|| Value::from(text).to_string());
        }
        if token.bytes().all(|byte| byte.is_ascii_digit()) {
            // A number with a point consists of several tokens.
            let is_integer = self.rest.first() != Some(&".") && !token.starts_with("00");
            return is_integer.then(|| token.to_owned());
        }
        self.variable(token)
    }

    fn variable(&mut self, name: &str) -> Option<String> {
        self.parameters.iter().any(|it| it == name).then_some(())?;
        let name = if self.take(".") {
            (self.parameters.len() == 1).then_some(())?;
            let member = self.name()?;
            if !self.members.contains(&member) {
                self.members.push(member.clone());
            }
            member
        } else {
            // A term cannot use the whole record and its members at once.
            self.members.is_empty().then(|| name.to_owned())?
        };
        // Method calls and members of members are not translated.
        let goes_on = matches!(self.rest.first(), Some(&("(" | "." | "[")));
        (!goes_on).then(|| format!("{{\"var\":{}}}", Value::from(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_functions_are_translated() {
        for (text, term) in [
            ("function(x){return x*2}", r#"{"lam":"x","body":{"mul":[{"var":"x"},2]}}"#),
            ("x => x * 2", r#"{"lam":"x","body":{"mul":[{"var":"x"},2]}}"#),
            (
                "(args) => args.x + args.y",
                r#"{"lam":["x","y"],"body":{"add":[{"var":"x"},{"var":"y"}]}}"#,
            ),
            (
                "const f = (a, b) => { return a - 1 - b * 2; };",
                r#"{"lam":["a","b"],"body":{"sub":[{"sub":[{"var":"a"},1]},{"mul":[{"var":"b"},2]}]}}"#,
            ),
            (
                "function f(n) { return n <= 1 ? 'a' : (-n) % 3 }",
                r#"{"lam":"n","body":{"if":{"cond":{"lte":[{"var":"n"},1]},"then":"a","else":{"mod":[{"sub":[0,{"var":"n"}]},3]}}}}"#,
            ),
            (
                "s => 'Hello, ' + s + '!'",
                r#"{"lam":"s","body":{"concat":[{"concat":["Hello, ",{"var":"s"}]},"!"]}}"#,
            ),
        ] {
            assert!(is_script(text), "{text}");
            assert_eq!(translate(text).as_deref(), Some(term), "{text}");
        }
    }

    #[test]
    fn others_are_not_guessed_at() {
        for text in [
            "x => x ** 2",
            "x => x.map(y => y)",
            "x => Math.sqrt(x)",
            "x => 1.5 * x",
            "x => x.a + x",
            "x => x + y",
            "() => 1",
            "function(x){ let y = x; return y }",
            "x => `é${x}`",
            "x => 'a",
            "x => (x",
            "return 1",
        ] {
            assert!(is_script(text), "{text}");
            assert_eq!(translate(text), None, "{text}");
        }
        let deep = format!("x => {}x{}", "(".repeat(190), ")".repeat(190));
        assert!(translate(&deep).is_some());
        assert_eq!(translate(&format!("x => {}x", "-".repeat(400))), None);
    }

    #[test]
    fn terms_and_texts_are_no_scripts() {
        for text in [r#"{"lam":"x","body":"return"}"#, "\"x => x\"", "hello", "", "42", "[1]"] {
            assert!(!is_script(text), "{text}");
        }
    }
}
