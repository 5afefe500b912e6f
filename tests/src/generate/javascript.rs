//! Random programs of JavaScript, for comparison with another engine: well typed for the most part,
//! so that most of them have a value, and of what models write. Whatever may differ by the table of
//! LANGUAGE.md is left out: numbers beyond 2^53, sorting without a function, identity of lists.

mod expression;
mod keeping;
mod sharing;

use super::Random;

/// A type of expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Number,
    Text,
    Boolean,
    Numbers,
    Texts,
    Record,
    Records,
}

use Kind::{Boolean, Number, Numbers, Record, Records, Text, Texts};

/// A variable in reach.
#[derive(Clone, Debug)]
struct Variable {
    name: String,
    kind: Kind,
    /// Whether it is declared by `let`, or holds a list or a record of its own.
    changes: bool,
}

/// Makes programs.
#[derive(Debug)]
pub struct Javascript {
    random: Random,
    variables: Vec<Variable>,
    made: usize,
    /// How deep expressions may still nest.
    left: usize,
}

/// The data that the programs see.
pub const DATA: &str = r#"{"n": 7, "f": 2.5, "zero": 0, "s": "The quick brown Fox", "e": "", "xs": [5, 3, 8, 1, 9, 2], "ys": [0.5, -2, 4], "ws": ["pear", "fig", "apple", "fig"], "rs": [{"k": "a", "v": 3, "t": ["x", "y"]}, {"k": "b", "v": 0}, {"k": "a", "v": -4, "t": []}], "r": {"a": 1, "b": 0, "c": 12}, "on": true}"#;

impl Javascript {
    /// Programs that depend on nothing but the seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { random: Random::new(seed), variables: Vec::new(), made: 0, left: 0 }
    }

    /// Programs of choices that are spelt out.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        Self { random: Random::from_bytes(bytes), variables: Vec::new(), made: 0, left: 0 }
    }

    fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        let at = self.below(list.len());
        list.get(at).copied().unwrap_or_default()
    }

    fn fresh(&mut self) -> String {
        self.made += 1;
        format!("v{}", self.made)
    }

    /// A program that is an expression.
    pub fn expression(&mut self) -> String {
        self.variables.clear();
        self.left = 4;
        let kind = self.kind();
        self.of(kind)
    }

    /// A program of statements that returns what its variables hold.
    pub fn statements(&mut self) -> String {
        self.variables.clear();
        let mut program = String::new();
        for _ in 0..2 + self.below(3) {
            program.push_str(&self.declaration());
        }
        for _ in 0..1 + self.below(5) {
            program.push_str(&self.statement(2, false));
        }
        let names: Vec<&str> = self.variables.iter().map(|it| it.name.as_str()).collect();
        format!("{program}return [{}];", names.join(", "))
    }

    fn kind(&mut self) -> Kind {
        let kinds = [Number, Number, Text, Boolean, Numbers, Texts, Record, Records];
        let at = self.below(kinds.len());
        kinds.get(at).copied().unwrap_or(Number)
    }

    fn declaration(&mut self) -> String {
        let kind = self.kind();
        self.left = 2;
        let value = match kind {
            Numbers => self.own_list(Number),
            Texts => self.own_list(Text),
            Records => format!("data.rs.map(r => ({{...r, w: {}}}))", self.of(Number)),
            Record => {
                format!("{{a: {}, z: {}, k: {}}}", self.of(Number), self.of(Number), self.of(Text))
            }
            _ => self.of(kind),
        };
        let word = self.pick(&["let", "let", "const"]);
        let name = self.fresh();
        let changes = word == "let" || matches!(kind, Numbers | Texts | Record | Records);
        self.variables.push(Variable { name: name.clone(), kind, changes });
        if word == "const" {
            // A list of its own may change, the name may not.
            if let Some(variable) = self.variables.last_mut() {
                variable.changes = false;
            }
        }
        format!("{word} {name} = {value};\n")
    }

    fn own_list(&mut self, kind: Kind) -> String {
        let items: Vec<String> = (0..self.below(4)).map(|_| self.of(kind)).collect();
        format!("[{}]", items.join(", "))
    }

    fn variable(&mut self, kind: Kind, changes: bool) -> Option<String> {
        let known: Vec<String> = self
            .variables
            .iter()
            .filter(|it| it.kind == kind && (it.changes || !changes))
            .map(|it| it.name.clone())
            .collect();
        if known.is_empty() {
            return None;
        }
        let at = self.below(known.len());
        known.get(at).cloned()
    }

    fn statement(&mut self, depth: usize, in_loop: bool) -> String {
        self.left = 2;
        let choice = self.below(if depth == 0 { 9 } else { 17 });
        match choice {
            0 | 1 => self.assignment(),
            2 => match self.variable(Number, true) {
                Some(name) => {
                    let operator = self.pick(&["+=", "-=", "*="]);
                    let small = self.below(4);
                    format!("{name} {operator} {small};\n")
                }
                None => self.assignment(),
            },
            3 => match self.variable(Number, true) {
                Some(name) => format!("{name}{};\n", self.pick(&["++", "--"])),
                None => self.assignment(),
            },
            4 => match self.variable(Numbers, true) {
                Some(name) => {
                    let value = self.of(Number);
                    match self.below(6) {
                        0 => format!("{name}.pop();\n"),
                        1 => format!("{name}.unshift({value});\n"),
                        2 => format!("{name}.sort((a, b) => a - b);\n"),
                        3 => format!("if ({name}.length) {name}[0] = {value};\n"),
                        _ => format!("{name}.push({value});\n"),
                    }
                }
                None => self.assignment(),
            },
            5 => match self.variable(Texts, true) {
                Some(name) => format!("{name}.push({});\n", self.of(Text)),
                None => self.assignment(),
            },
            6 => match self.variable(Record, true) {
                Some(name) => {
                    let value = self.of(Number);
                    match self.below(4) {
                        0 => format!("{name}.a += {value};\n"),
                        1 => format!("{name}[{}] = {value};\n", self.of(Text)),
                        2 => format!("delete {name}.q;\n"),
                        _ => format!("{name}.q = ({name}.q ?? 0) + 1;\n"),
                    }
                }
                None => self.assignment(),
            },
            7 => match self.variable(Records, true) {
                Some(name) => {
                    let each = self.fresh();
                    let value = self.of(Number);
                    format!("for (const {each} of {name}) {each}.v = {value};\n")
                }
                None => self.assignment(),
            },
            8 => match self.variable(Text, true) {
                Some(name) => format!("{name} += {};\n", self.of(Text)),
                None => self.assignment(),
            },
            9 | 10 => {
                let test = self.of(Boolean);
                let then = self.block(depth - 1, in_loop);
                if self.below(2) == 0 {
                    let other = self.block(depth - 1, in_loop);
                    format!("if ({test}) {then} else {other}\n")
                } else {
                    format!("if ({test}) {then}\n")
                }
            }
            11 | 12 => self.for_of(depth),
            13 => {
                let name = self.fresh();
                let most = self.below(5);
                self.variables.push(Variable { name: name.clone(), kind: Number, changes: false });
                let body = self.block(depth - 1, true);
                self.variables.retain(|it| it.name != name);
                format!("for (let {name} = 0; {name} < {most}; {name}++) {body}\n")
            }
            14 => {
                let name = self.fresh();
                let body = self.block(depth - 1, true);
                let most = self.below(4);
                format!("let {name} = 0;\nwhile ({name}++ < {most}) {body}\n")
            }
            15 => self.each(),
            _ => self.function(),
        }
    }

    fn assignment(&mut self) -> String {
        let kind = self.kind();
        match (kind, self.variable(kind, true)) {
            (Number | Text | Boolean, Some(name)) => format!("{name} = {};\n", self.of(kind)),
            (Numbers, Some(name)) => format!("{name} = {};\n", self.fresh_list()),
            _ => ";\n".to_owned(),
        }
    }

    /// A list that nobody else sees.
    fn fresh_list(&mut self) -> String {
        let list = self.of(Numbers);
        match self.below(3) {
            0 => format!("[...{list}]"),
            1 => format!("{list}.map(x => x + 1)"),
            _ => format!("{list}.filter(x => x > {})", self.below(5)),
        }
    }

    fn for_of(&mut self, depth: usize) -> String {
        let name = self.fresh();
        let (list, kind) = match self.below(3) {
            0 => (self.of(Texts), Text),
            _ => (self.of(Numbers), Number),
        };
        self.variables.push(Variable { name: name.clone(), kind, changes: false });
        let body = self.block(depth - 1, true);
        self.variables.retain(|it| it.name != name);
        // A list that grows while a loop goes over it has no end.
        format!("for (const {name} of [...{list}]) {body}\n")
    }

    fn each(&mut self) -> String {
        let name = self.fresh();
        let list = self.of(Numbers);
        self.variables.push(Variable { name: name.clone(), kind: Number, changes: false });
        let body = self.block(0, false);
        self.variables.retain(|it| it.name != name);
        format!("[...{list}].forEach({name} => {body});\n")
    }

    fn function(&mut self) -> String {
        let (name, parameter) = (self.fresh(), self.fresh());
        self.variables.push(Variable { name: parameter.clone(), kind: Number, changes: true });
        let test = self.of(Boolean);
        let early = self.of(Number);
        let inner = self.block(1, false);
        let late = self.of(Number);
        self.variables.retain(|it| it.name != parameter);
        let argument = self.of(Number);
        let call = match self.variable(Number, true) {
            Some(target) => format!("{target} = {name}({argument});\n"),
            None => format!("{name}({argument});\n"),
        };
        format!(
            "function {name}({parameter}) {{ if ({test}) return {early}; {inner} return {late}; }}\n{call}"
        )
    }

    fn block(&mut self, depth: usize, in_loop: bool) -> String {
        let known = self.variables.len();
        let mut body = String::new();
        for _ in 0..1 + self.below(2) {
            if self.below(4) == 0 {
                self.left = 2;
                let value = self.of(Number);
                let name = self.fresh();
                body.push_str(&format!("let {name} = {value};\n"));
                self.variables.push(Variable { name, kind: Number, changes: true });
            }
            body.push_str(&self.statement(depth, in_loop));
        }
        if in_loop && self.below(4) == 0 {
            self.left = 2;
            let word = self.pick(&["break", "continue"]);
            body.push_str(&format!("if ({}) {word};\n", self.of(Boolean)));
            body.push_str(&self.statement(0, in_loop));
        }
        self.variables.truncate(known);
        format!("{{\n{body}}}")
    }
}
