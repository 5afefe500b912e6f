//! Random terms, as JSON text.

use super::text::{NUMBERS, TEXTS, form, lambda, list, variable};
use super::{Random, TOOL_NAMES};

/// What kind of value a term is meant to give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Number,
    Boolean,
    Text,
    List,
    Pair,
    Record,
    Function,
    Quoted,
    Unit,
}

const KINDS: &[Kind] = &[
    Kind::Number,
    Kind::Number,
    Kind::Boolean,
    Kind::Text,
    Kind::List,
    Kind::List,
    Kind::Pair,
    Kind::Record,
    Kind::Function,
    Kind::Quoted,
    Kind::Unit,
];

/// Makes terms of one program.
pub(super) struct Generator {
    pub(super) random: Random,
    /// How many times in a hundred a term is of another kind than it should be.
    wild: usize,
    /// Terms that are bound here and cheap, such as variables and halves of a fold's pair.
    pub(super) scope: Vec<(String, Kind)>,
}

impl Generator {
    pub(super) fn new(random: Random, wild: usize) -> Self {
        Self { random, wild, scope: Vec::new() }
    }

    pub(super) fn kind(&mut self) -> Kind {
        self.random.pick(KINDS)
    }

    /// Forgets what is bound.
    pub(super) fn leave(&mut self) {
        self.scope.clear();
    }

    /// The source of a tool.
    pub(super) fn tool(&mut self, size: usize) -> String {
        let source = if self.random.chance(85) {
            self.function(size)
        } else {
            let kind = self.kind();
            self.term(kind, size)
        };
        self.leave();
        source
    }

    /// A context; its members are bound.
    pub(super) fn context(&mut self) -> String {
        let members = ["x", "n", "ctx"].map(|name| {
            self.scope.push((variable(name), Kind::Number));
            let data = if self.random.chance(70) { self.float() } else { self.data(2) };
            format!(r#""{name}":{data}"#)
        });
        format!("{{{}}}", members.join(","))
    }

    fn float(&mut self) -> String {
        let floats =
            &["0.5", "-2.5", "1e300", "3.0", "0.0", "-0.0", "9007199254740992.0", "0.1", "1e-9"];
        self.random.pick(floats).to_owned()
    }

    /// Plain JSON.
    pub(super) fn data(&mut self, depth: usize) -> String {
        let members = if depth == 0 { 0 } else { self.random.below(4) };
        match self.random.below(8) {
            0 => self.float(),
            1 => self.random.pick(NUMBERS).to_owned(),
            2 => self.random.pick(TEXTS).to_owned(),
            3 => self.random.pick(&["true", "false", "null"]).to_owned(),
            4 | 5 => {
                let items: Vec<String> = (0..members).map(|_| self.data(depth - 1)).collect();
                list(&items)
            }
            6 => {
                let keys = ["b", "add", "a", "é"];
                let member = |key| format!(r#""{key}":{}"#, self.data(depth - 1));
                let items: Vec<String> = keys.into_iter().take(members).map(member).collect();
                format!("{{{}}}", items.join(","))
            }
            _ => self.random.below(120).to_string(),
        }
    }

    /// A term that gives a value of this kind, as a rule.
    pub(super) fn term(&mut self, kind: Kind, size: usize) -> String {
        let kind = if self.random.chance(self.wild) { self.kind() } else { kind };
        if size == 0 || self.random.chance(15) {
            return self.leaf(kind);
        }
        if self.random.chance(45) { self.common(kind, size - 1) } else { self.own(kind, size - 1) }
    }

    pub(super) fn any(&mut self, size: usize) -> String {
        let kind = self.kind();
        self.term(kind, size)
    }

    fn leaf(&mut self, kind: Kind) -> String {
        if self.random.chance(self.wild / 2) {
            return variable("unbound");
        }
        let bound: Vec<usize> =
            (0..self.scope.len()).filter(|index| self.scope[*index].1 == kind).collect();
        if !bound.is_empty() && self.random.chance(75) {
            // The later ones are the inner ones.
            let index = bound[self.random.below(bound.len()).max(self.random.below(bound.len()))];
            return self.scope[index].0.clone();
        }
        match kind {
            Kind::Number => self.random.pick(NUMBERS).to_owned(),
            Kind::Boolean => self.random.pick(&["true", "false"]).to_owned(),
            Kind::Text => self.random.pick(TEXTS).to_owned(),
            Kind::List => {
                self.random.pick(&["[]", r#"{"nil":true}"#, "[1,2,3]", "[3,[1],\"a\"]"]).to_owned()
            }
            Kind::Pair => r#"{"pair":[1,"a"]}"#.to_owned(),
            Kind::Record => r#"{"record":{"b":1,"a":[2]}}"#.to_owned(),
            Kind::Function => {
                let functions = [
                    lambda(r#""x""#, &variable("x")),
                    lambda(r#"["x","y"]"#, &variable("y")),
                    form("tool", format!(r#""{}""#, self.random.pick(TOOL_NAMES))),
                    form("self", "true"),
                ];
                functions[self.random.below(functions.len())].clone()
            }
            Kind::Quoted => self
                .random
                .pick(&[
                    r#"{"quote":{"var":"x"}}"#,
                    r#"{"quote":{"add":[1,{"var":"n"}]}}"#,
                    r#"{"code_of":"fact"}"#,
                ])
                .to_owned(),
            Kind::Unit => "null".to_owned(),
        }
    }

    /// Forms that give a value of this kind.
    fn own(&mut self, kind: Kind, size: usize) -> String {
        match kind {
            Kind::Number => self.number(size),
            Kind::Boolean => self.boolean(size),
            Kind::Text => {
                let half = self.term(Kind::Text, size / 2);
                form("concat", list(&[half, self.term(Kind::Text, size / 2)]))
            }
            Kind::List => self.list(size),
            Kind::Pair => {
                let first = self.any(size / 2);
                form("pair", list(&[first, self.any(size / 2)]))
            }
            Kind::Record if self.random.chance(40) => {
                let quoted = self.term(Kind::Quoted, size);
                form("analyze", if self.random.chance(50) { list(&[quoted]) } else { quoted })
            }
            Kind::Record if self.random.chance(50) => self.record(size),
            Kind::Record => {
                let (second, first) = (self.any(size / 2), self.any(size / 2));
                form("record", format!(r#"{{"b":{second},"a":{first},"var":1}}"#))
            }
            Kind::Function => self.function(size),
            Kind::Quoted if self.random.chance(30) => {
                let name = self.tool_name(size);
                form("code_of", name)
            }
            Kind::Quoted if self.random.chance(40) => self.template(size),
            Kind::Quoted => form("quote", self.any(size)),
            Kind::Unit => self.leaf(Kind::Unit),
        }
    }

    fn number(&mut self, size: usize) -> String {
        match self.random.below(10) {
            0 => form("length", self.term(Kind::List, size)),
            1 => form("length", self.term(Kind::Text, size)),
            2 => self.chain("add", r#","1"#, size),
            _ => {
                let key =
                    self.random.pick(&["add", "add", "sub", "sub", "mul", "mul", "div", "mod"]);
                let first = self.term(Kind::Number, size / 2);
                form(key, list(&[first, self.term(Kind::Number, size / 2)]))
            }
        }
    }

    fn boolean(&mut self, size: usize) -> String {
        match self.random.below(10) {
            0..3 => {
                let key = self.random.pick(&["lt", "gt", "lte", "gte"]);
                let kind = if self.random.chance(75) { Kind::Number } else { Kind::Text };
                let first = self.term(kind, size / 2);
                form(key, list(&[first, self.term(kind, size / 2)]))
            }
            3..6 => {
                let kind = self.kind();
                let first = self.term(kind, size / 2);
                let second =
                    if self.random.chance(30) { first.clone() } else { self.term(kind, size / 2) };
                form("eq", list(&[first, second]))
            }
            6 | 7 => {
                let key = self.random.pick(&["and", "or"]);
                let first = self.term(Kind::Boolean, size / 2);
                form(key, list(&[first, self.term(Kind::Boolean, size / 2)]))
            }
            8 => form("isEmpty", self.term(Kind::List, size)),
            _ if self.random.chance(80) => form("not", self.term(Kind::Boolean, size)),
            _ => self.chain("not", "", size),
        }
    }

    /// A form nested some dozen times.
    fn chain(&mut self, key: &str, rest: &str, size: usize) -> String {
        let kind = if key == "not" { Kind::Boolean } else { Kind::Number };
        let mut term = self.term(kind, size / 2);
        for _ in 0..self.random.below(60) {
            let operand = if rest.is_empty() { term } else { format!("[{term},1]") };
            term = form(key, operand);
        }
        term
    }

    fn list(&mut self, size: usize) -> String {
        match self.random.below(6) {
            0 => {
                let head = self.any(size / 2);
                let tail = self.term(Kind::List, size / 2);
                form("cons", format!(r#"{{"head":{head},"tail":{tail}}}"#))
            }
            1 if self.random.chance(50) => self.parts(size),
            1 => form("tail", self.term(Kind::List, size)),
            2 => {
                let count = self.random.below(12);
                let items: Vec<String> = (0..count).map(|n| n.to_string()).collect();
                list(&items)
            }
            _ => {
                let count = 1 + self.random.below(4);
                let items: Vec<String> =
                    (0..count).map(|_| self.term(Kind::Number, size / count)).collect();
                list(&items)
            }
        }
    }
}
