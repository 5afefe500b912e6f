//! Random terms of the forms on lists.

use super::term::{Generator, Kind};
use super::text::{NAMES, form, lambda, list, variable};

/// Forms that apply a function and give a list.
const MAPS: &[&str] = &[
    "map",
    "flat_map",
    "filter",
    "sort_by",
    "group_by",
    "count_by",
    "distinct_by",
    "map",
    "filter",
];

/// Forms that give a list of one.
const LISTS: &[&str] = &["sort", "reverse", "distinct", "flatten", "enumerate"];

/// Forms that give a list of one and a number.
const PARTS: &[&str] = &["take", "drop", "chunk"];

impl Generator {
    /// A form on lists that gives a value of this kind, as a rule.
    pub(super) fn of_list(&mut self, kind: Kind, size: usize) -> String {
        match kind {
            Kind::List => self.new_list(size),
            Kind::Number if self.random.chance(60) => {
                let statistics = ["sum", "product", "mean", "median", "sum"];
                let key = self.random.pick(&statistics);
                let numbers = self.elements(Kind::Number, size);
                if self.random.chance(20) {
                    let p = self.random.pick(&["0", "50", "100", "33", "101", r#"{"float":12.5}"#]);
                    return form("percentile", list(&[numbers, p.to_owned()]));
                }
                form(key, list(&[numbers]))
            }
            Kind::Boolean => {
                let key = self.random.pick(&["any", "all"]);
                self.applied(key, Kind::Boolean, size)
            }
            Kind::Pair if self.random.chance(70) => self.applied("partition", Kind::Boolean, size),
            _ => {
                let elements = self.elements(kind, size);
                match self.random.below(4) {
                    0 => form("last", list(&[elements])),
                    1 => form("nth", list(&[elements, self.random.below(3).to_string()])),
                    2 => {
                        let key = self.random.pick(&["max_by", "min_by"]);
                        let f = self.lambda_on(kind, Kind::Number, size / 2);
                        form(key, list(&[f, elements]))
                    }
                    _ => {
                        let f = self.lambda_on(kind, Kind::Boolean, size / 2);
                        form("find", list(&[f, elements]))
                    }
                }
            }
        }
    }

    fn new_list(&mut self, size: usize) -> String {
        match self.random.below(8) {
            0..4 => {
                let key = self.random.pick(MAPS);
                let gives = match key {
                    "flat_map" => Kind::List,
                    "filter" => Kind::Boolean,
                    _ if self.random.chance(60) => Kind::Number,
                    _ => self.kind(),
                };
                self.applied(key, gives, size)
            }
            4 => {
                let key = self.random.pick(LISTS);
                let kind = if key == "flatten" { Kind::List } else { self.kind() };
                if self.random.chance(20) {
                    let kinds = [Kind::Number, Kind::Number];
                    let f = self.lambda_of(&kinds, Kind::Number, size / 2);
                    let elements = self.elements(Kind::Number, size);
                    return form("sort_with", list(&[f, elements]));
                }
                let elements = self.elements(kind, size);
                form(key, list(&[elements]))
            }
            5 => {
                let key = self.random.pick(PARTS);
                let elements = self.term(Kind::List, size / 2);
                let n = self.random.pick(&["0", "1", "2", "5", "-1", "18446744073709551616"]);
                form(key, list(&[elements, n.to_owned()]))
            }
            6 => {
                let key = self.random.pick(&["append", "zip"]);
                let (a, b) = (self.term(Kind::List, size / 2), self.term(Kind::List, size / 2));
                form(key, list(&[a, b]))
            }
            _ => {
                let from = self.random.below(10);
                let to = from + self.random.below(10);
                let step = self.random.pick(&["1", "3", "-2", "0", "18446744073709551616"]);
                let mut operands = vec![from.to_string(), to.to_string()];
                if self.random.chance(50) {
                    operands.push(step.to_owned());
                }
                form("range", list(&operands))
            }
        }
    }

    /// A list of a few terms of a kind, or any list.
    fn elements(&mut self, kind: Kind, size: usize) -> String {
        if self.random.chance(30) {
            return self.term(Kind::List, size / 2);
        }
        let n = self.random.below(6);
        let mut items: Vec<String> = (0..n).map(|_| self.term(kind, size / 6)).collect();
        if self.random.chance(10) {
            items.push("null".to_owned());
        }
        list(&items)
    }

    fn lambda_on(&mut self, kind: Kind, gives: Kind, size: usize) -> String {
        if self.random.chance(10) {
            return self.term(Kind::Function, size);
        }
        let outer = self.scope.len();
        let name = self.random.pick(NAMES);
        self.scope.push((variable(name), kind));
        let body = self.term(gives, size);
        self.scope.truncate(outer);
        lambda(&format!(r#""{name}""#), &body)
    }

    /// A form that applies a function to the elements of a list.
    fn applied(&mut self, key: &str, gives: Kind, size: usize) -> String {
        let kind = if self.random.chance(70) { Kind::Number } else { self.kind() };
        let f = self.lambda_on(kind, gives, size);
        let elements = self.elements(kind, size);
        if key == "sort_by" && self.random.chance(40) {
            let order = self.random.pick(&["\"desc\"", "\"desc\"", "\"asc\"", "1"]);
            return form(key, list(&[f, elements, order.to_owned()]));
        }
        form(key, list(&[f, elements]))
    }
}
