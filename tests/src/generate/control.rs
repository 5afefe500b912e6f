//! Random terms of the forms that give a value of any kind.

use super::TOOL_NAMES;
use super::term::{Generator, Kind};
use super::text::{NAMES, apply, choice, form, lambda, list, variable};
use super::world::{self, CAPABILITIES};

use pif::form::Form;

impl Generator {
    /// Forms that give a value of any kind.
    pub(super) fn common(&mut self, kind: Kind, size: usize) -> String {
        match self.random.below(32) {
            0 | 1 => {
                let cond = self.term(Kind::Boolean, size / 2);
                let (then, otherwise) = (self.term(kind, size), self.term(kind, size / 2));
                choice(&cond, &then, &otherwise)
            }
            2 | 3 => self.binding(kind, size),
            4 | 5 => self.application(kind, size),
            6 => {
                let function = self.term(Kind::Function, size);
                let arguments: Vec<String> =
                    (0..=self.random.below(3)).map(|_| self.any(size / 3)).collect();
                apply(&function, &arguments)
            }
            7 => {
                let (value, other) = (self.term(kind, size), self.any(size / 2));
                if self.random.chance(50) {
                    form("fst", form("pair", list(&[value, other])))
                } else {
                    form("snd", form("pair", list(&[other, value])))
                }
            }
            8 if self.random.chance(60) => self.of_record(kind, size),
            8 => form("head", list(&[self.term(kind, size), "2".to_owned()])),
            9 | 10 => self.evaluation(kind, size),
            11 => {
                let label = self.any(size / 3);
                form("trace", list(&[label, self.term(kind, size)]))
            }
            12 | 13 if self.random.chance(75) => self.fold(kind, size),
            12 | 13 => self.fold_of_pair(kind, size),
            14 => self.recursion(kind, size),
            17 | 18 => self.of_list(kind, size),
            19..28 => self.of_table(kind, size),
            28 => self.reduce(kind, size),
            29 | 30 => self.functions(kind, size),
            31 => {
                let (before, value) = (self.term(Kind::Unit, size / 2), self.term(kind, size));
                let after = self.any(size / 2);
                form("coalesce", list(&[before, value, after]))
            }
            15 => {
                let name = self.tool_name(size / 2);
                let function = if self.random.chance(70) {
                    form("tool", name)
                } else {
                    form("eval", form("code_of", name))
                };
                let argument = if self.random.chance(60) {
                    self.random.below(130).to_string()
                } else {
                    self.any(size)
                };
                apply(&function, &[argument])
            }
            _ => self.of_the_run(size),
        }
    }

    /// Forms that have to do with the run: its steps, its tool, what it may not do.
    fn of_the_run(&mut self, size: usize) -> String {
        match self.random.below(8) {
            0 | 1 => form("continue", form("input", self.any(size))),
            2 => {
                let called = self.random.pick(&[Form::Call, Form::Perform, Form::Calls]);
                let call = self.call(called, size);
                if self.random.chance(70) {
                    return call;
                }
                let options = self.random.pick(world::RETRIES).to_owned();
                form("retry", list(&[options, lambda("\"none\"", &call)]))
            }
            3 => variable("unbound"),
            4 => form("eval", self.term(Kind::Quoted, size)),
            5 => form("self", "{}"),
            _ => apply(&form("self", "null"), &[self.any(size / 2)]),
        }
    }

    /// Calls of other servers' tools: mostly of those that the world of the tests has.
    pub(super) fn call(&mut self, called: Form, size: usize) -> String {
        let name = format!("\"{}\"", self.random.pick(CAPABILITIES));
        let args = if self.random.chance(15) {
            self.any(size / 2)
        } else {
            form("record", format!(r#"{{"a":{},"q":{}}}"#, self.any(size / 3), self.any(size / 3)))
        };
        match called {
            Form::Calls => {
                let options = self.call_options();
                let call = form("record", format!(r#"{{"args":{args}{options},"tool":{name}}}"#));
                let other = format!("\"{}\"", self.random.pick(CAPABILITIES));
                let other = form("record", format!(r#"{{"tool":{other}}}"#));
                form("calls", list(&[list(&[call, other])]))
            }
            Form::Perform => {
                let name =
                    if self.random.chance(70) { name } else { self.term(Kind::Text, size / 3) };
                let options = self.call_options();
                form("perform", format!(r#"{{"capability":{name},"args":{args}{options}}}"#))
            }
            _ => {
                let options = self.call_options();
                form("call", format!(r#"{{"tool":{name},"args":{args}{options}}}"#))
            }
        }
    }

    /// Mostly no options.
    fn call_options(&mut self) -> &'static str {
        self.random.pick(&[
            "",
            "",
            "",
            r#","options":{"record":{"raw":true}}"#,
            r#","options":{"record":{"raw":1}}"#,
            r#","options":{"record":{}}"#,
            r#","options":null"#,
        ])
    }

    pub(super) fn tool_name(&mut self, size: usize) -> String {
        if self.random.chance(80) {
            return format!(r#""{}""#, self.random.pick(TOOL_NAMES));
        }
        self.term(Kind::Text, size)
    }

    fn binding(&mut self, kind: Kind, size: usize) -> String {
        let outer = self.scope.len();
        let count = self.random.below(4);
        let mut bindings = Vec::new();
        for _ in 0..count {
            let (name, bound) = (self.random.pick(NAMES), self.kind());
            let value = self.term(bound, size / 2);
            bindings.push((name, value));
            self.scope.push((variable(name), bound));
        }
        let body = self.term(kind, size);
        self.scope.truncate(outer);
        if let [(name, value)] = bindings.as_slice()
            && self.random.chance(50)
        {
            return format!(r#"{{"let":{{"{name}":{value}}},"in":{body}}}"#);
        }
        let bindings = bindings.iter().map(|(name, value)| format!(r#"["{name}",{value}]"#));
        format!(r#"{{"let":[{}],"in":{body}}}"#, bindings.collect::<Vec<_>>().join(","))
    }

    /// A lambda of so many parameters, which are of these kinds.
    pub(super) fn lambda_of(&mut self, kinds: &[Kind], result: Kind, size: usize) -> String {
        let outer = self.scope.len();
        let first = self.random.below(NAMES.len());
        let names: Vec<&str> =
            NAMES.iter().cycle().skip(first).take(kinds.len()).copied().collect();
        for (name, kind) in names.iter().zip(kinds) {
            self.scope.push((variable(name), *kind));
        }
        let body = self.term(result, size);
        self.scope.truncate(outer);
        match names.as_slice() {
            [name] if self.random.chance(70) => lambda(&format!(r#""{name}""#), &body),
            _ => lambda(&format!(r#"["{}"]"#, names.join(r#"",""#)), &body),
        }
    }

    pub(super) fn function(&mut self, size: usize) -> String {
        let kinds: Vec<Kind> = (0..=self.random.below(3)).map(|_| self.kind()).collect();
        let result = self.kind();
        self.lambda_of(&kinds, result, size)
    }

    /// A lambda and its arguments: all at once, one at a time, or split over two lambdas.
    fn application(&mut self, kind: Kind, size: usize) -> String {
        let kinds: Vec<Kind> = (0..=self.random.below(3)).map(|_| self.kind()).collect();
        let arguments: Vec<String> = kinds.iter().map(|kind| self.term(*kind, size / 2)).collect();
        if self.random.chance(30) {
            let function = self.lambda_of(&kinds[..1], Kind::Function, size);
            return apply(&function, &arguments);
        }
        let function = self.lambda_of(&kinds, kind, size);
        if self.random.chance(60) {
            return apply(&function, &arguments);
        }
        arguments
            .iter()
            .fold(function, |function, argument| apply(&function, std::slice::from_ref(argument)))
    }

    fn evaluation(&mut self, kind: Kind, size: usize) -> String {
        let term = self.term(kind, size);
        match self.random.below(6) {
            0 => form("eval", form("eval", form("quote", form("quote", term)))),
            1 => form("eval", form("quote", form("eval", form("quote", term)))),
            2 => form("eval", form("quote", form("unquote", form("quote", term)))),
            3 => form("eval", form("data_to_term", form("term_to_data", form("quote", term)))),
            _ => form("eval", form("quote", term)),
        }
    }

    fn fold(&mut self, kind: Kind, size: usize) -> String {
        let start = self.term(kind, size / 2);
        let items = self.term(Kind::List, size / 2);
        let function = if self.random.chance(10) {
            self.term(Kind::Function, size / 2)
        } else {
            let outer = self.scope.len();
            let name = self.random.pick(NAMES);
            self.scope.push((variable(name), Kind::Pair));
            self.scope.push((form("fst", variable(name)), kind));
            self.scope.push((form("snd", variable(name)), Kind::Number));
            let body = self.term(kind, size);
            self.scope.truncate(outer);
            lambda(&format!(r#""{name}""#), &body)
        };
        form("fold", list(&[function, start, items]))
    }

    /// A fold whose accumulator is a pair that is taken apart, by way of a name or not.
    fn fold_of_pair(&mut self, kind: Kind, size: usize) -> String {
        let start = [self.term(kind, size / 2), self.term(Kind::Number, size / 3)];
        let items = self.term(Kind::List, size / 2);
        let outer = self.scope.len();
        let name = self.random.pick(NAMES);
        let half = form("fst", variable(name));
        let is_named = self.random.chance(50);
        let accumulator = if is_named { variable("so_far") } else { half.clone() };
        self.scope.push((form("snd", variable(name)), Kind::Number));
        if self.random.chance(10) {
            self.scope.push((accumulator.clone(), Kind::Pair));
        }
        self.scope.push((form("fst", accumulator.clone()), kind));
        self.scope.push((form("snd", accumulator), Kind::Number));
        let mut body = self.state(kind, size);
        self.scope.truncate(outer);
        if is_named {
            body = format!(r#"{{"let":[["so_far",{half}]],"in":{body}}}"#);
        }
        let function = lambda(&format!(r#""{name}""#), &body);
        form("fst", form("fold", list(&[function, form("pair", list(&start)), items])))
    }

    /// A term that leads to pairs, as a rule.
    fn state(&mut self, kind: Kind, size: usize) -> String {
        match self.random.below(10) {
            0 | 1 if size > 0 => {
                let test = self.term(Kind::Boolean, size / 2);
                choice(&test, &self.state(kind, size / 2), &self.state(kind, size / 2))
            }
            2 if size > 0 => {
                let branches = [Kind::Boolean, Kind::Boolean].map(|test| {
                    let test = self.term(test, size / 3);
                    list(&[test, self.state(kind, size / 3)])
                });
                form("cond", list(&branches))
            }
            3 | 4 if size > 0 => {
                let (name, bound) = (self.random.pick(NAMES), self.any(size / 2));
                let body = self.state(kind, size - 1);
                format!(r#"{{"let":[["{name}",{bound}]],"in":{body}}}"#)
            }
            5 => self.term(Kind::Pair, size),
            _ => {
                let halves = [self.term(kind, size / 2), self.term(Kind::Number, size / 2)];
                form("pair", list(&halves))
            }
        }
    }

    /// A function that calls itself so many times, in tail position, as an operand, or in an eval.
    fn recursion(&mut self, kind: Kind, size: usize) -> String {
        let times = self.random.pick(&[3, 20, 99, 101, 300]);
        self.scope.push((variable("n"), Kind::Number));
        let end = self.term(kind, size / 2);
        self.scope.pop();
        let again = self.again(apply(&variable("w"), &[variable("w"), less()]));
        let function = lambda(r#"["w","n"]"#, &choice(&done(), &end, &again));
        let call = apply(&variable("w"), &[variable("w"), times.to_string()]);
        format!(r#"{{"let":{{"w":{function}}},"in":{call}}}"#)
    }

    /// A call in tail position, as an operand, or in an eval.
    fn again(&mut self, next: String) -> String {
        match self.random.below(4) {
            0 => form("snd", form("pair", list(&["1".to_owned(), next]))),
            1 => form("eval", form("quote", next)),
            2 => form("cons", format!(r#"{{"head":{{"var":"n"}},"tail":{next}}}"#)),
            _ => next,
        }
    }

    /// Functions that call each other so many times, and capture what is around them.
    fn functions(&mut self, kind: Kind, size: usize) -> String {
        let times = self.random.pick(&[0, 3, 20, 99, 101, 300]);
        let outer = self.scope.len();
        let names = ["f", "even", "odd"];
        let names = &names[..=self.random.below(names.len())];
        let mut bindings = Vec::new();
        for name in names {
            self.scope.push((variable("n"), Kind::Number));
            let end = self.term(kind, size / 2);
            self.scope.pop();
            let next = variable(self.random.pick(names));
            let again = self.again(apply(&next, &[less()]));
            let body = choice(&done(), &end, &again);
            let body = if self.random.chance(15) { lambda(r#""y""#, &body) } else { body };
            bindings.push(format!(r#"["{name}",{}]"#, lambda(r#""n""#, &body)));
        }
        self.scope.extend(names.iter().map(|name| (variable(name), Kind::Function)));
        let first = variable(names[0]);
        let body = match self.random.below(5) {
            0 => self.term(kind, size / 2),
            1 => form("map", list(&[first, "[1,0,2]".to_owned()])),
            2 => first,
            _ => apply(&first, &[times.to_string()]),
        };
        self.scope.truncate(outer);
        format!(r#"{{"letrec":[{}],"in":{body}}}"#, bindings.join(","))
    }

    /// A reduction by a function of two, or of any number.
    fn reduce(&mut self, kind: Kind, size: usize) -> String {
        let start = self.term(kind, size / 2);
        let items = self.term(Kind::List, size / 2);
        let function = if self.random.chance(20) {
            self.term(Kind::Function, size / 2)
        } else {
            self.lambda_of(&[kind, Kind::Number], kind, size)
        };
        form("reduce", list(&[function, start, items]))
    }
}

fn done() -> String {
    form("lte", list(&[variable("n"), "0".to_owned()]))
}

fn less() -> String {
    form("sub", list(&[variable("n"), "1".to_owned()]))
}
