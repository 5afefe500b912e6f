//! Random terms of records, and of quotes with holes.

use super::term::{Generator, Kind};
use super::text::{form, lambda, list, variable};

const KEYS: &[&str] = &[
    "\"a\"",
    "\"b\"",
    "\"b\"",
    "\"é\"",
    "\"c7\"",
    "\"07\"",
    "\"3\"",
    "12",
    "{\"concat\":[\"a\",\"b\"]}",
    "{\"concat\":[\"c1\",\"1\"]}",
];

/// Records with an order of their keys: 16 members have none yet. Of more than 64 members they become
/// trees.
const LARGE: &[&str] = &[
    r#"{"from_entries":{"enumerate":{"range":[0,16]}}}"#,
    r#"{"from_entries":{"enumerate":{"range":[0,30]}}}"#,
    r#"{"from_entries":{"map":[{"lam":"i","body":{"pair":[{"concat":["c",{"to_string":{"var":"i"}}]},{"var":"i"}]}},{"reverse":{"range":[0,17]}}]}}"#,
    r#"{"from_entries":{"map":[{"lam":"i","body":{"pair":[{"mod":[{"mul":[{"var":"i"},5]},20]},{"var":"i"}]}},{"range":[0,18]}]}}"#,
    r#"{"from_entries":{"enumerate":{"range":[0,70]}}}"#,
    r#"{"put":[{"from_entries":{"enumerate":{"reverse":{"range":[0,64]}}}},"3",[1]]}"#,
    r#"{"reduce":[{"lam":["r","i"],"body":{"put":[{"var":"r"},{"concat":["c",{"to_string":{"mod":[{"mul":[{"var":"i"},7]},71]}}]},{"var":"i"}]}},{"record":{}},{"range":[0,80]}]}"#,
    r#"{"json_parse":"{\"z\":1,\"12\":2,\"3\":{\"b\":1,\"0\":2,\"a\":3},\"a\":4}"}"#,
];

impl Generator {
    fn key(&mut self, size: usize) -> String {
        if self.random.chance(85) {
            self.random.pick(KEYS).to_owned()
        } else {
            self.term(Kind::Text, size / 3)
        }
    }

    /// A form that takes a value of any kind out of a record.
    pub(super) fn of_record(&mut self, kind: Kind, size: usize) -> String {
        let (key, value) = (self.key(size), self.term(kind, size / 2));
        let record = form("put", list(&[self.term(Kind::Record, size / 2), key.clone(), value]));
        match self.random.below(5) {
            0 => form("get", list(&[record, key])),
            3 => self.member(size),
            1 => {
                let (other, default) = (self.key(size), self.term(kind, size / 3));
                form("get", list(&[record, other, default]))
            }
            2 => {
                let index = self.random.pick(&["0", "1", "-1", "2"]).to_owned();
                let (path, within) = (list(&[index, key]), list(&[record, "null".to_owned()]));
                let default = self.term(kind, size / 3);
                form("get_in", list(&[within, path, default]))
            }
            _ => form("get_in", list(&[record, list(&[key])])),
        }
    }

    /// A form that gives a record.
    pub(super) fn record(&mut self, size: usize) -> String {
        let record = self.large_or_any(size / 2);
        match self.random.below(7) {
            0 => form("put", list(&[record, self.key(size), self.any(size / 2)])),
            1 => form("update", list(&[record, self.key(size), self.function(size / 2)])),
            2 => form("remove", list(&[record, self.key(size)])),
            3 => {
                let mut operands = [record, self.large_or_any(size / 2)];
                if self.random.chance(30) {
                    operands.reverse();
                }
                form("merge", list(&operands))
            }
            4 => {
                let key = self.random.pick(&["pick", "omit"]);
                let keys = list(&[self.key(size), self.key(size)]);
                form(key, list(&[record, keys]))
            }
            5 => {
                let pairs = [self.key(size), self.key(size)]
                    .map(|key| form("pair", list(&[key, self.any(size / 3)])));
                form("from_entries", list(&pairs))
            }
            _ => {
                let (more, other) = (self.term(Kind::Record, size / 3), self.any(size / 3));
                form("describe", list(&[list(&[record, more, other])]))
            }
        }
    }

    fn large_or_any(&mut self, size: usize) -> String {
        if self.random.chance(25) {
            self.random.pick(LARGE).to_owned()
        } else {
            self.term(Kind::Record, size)
        }
    }

    /// A look at a list or a text by an index, or at its length.
    fn member(&mut self, size: usize) -> String {
        let keys = ["0", "1", "-1", "\"length\"", "\"1\"", "{\"float\":2.0}", "\"a\""];
        let kind = self.random.pick(&[Kind::List, Kind::Text, Kind::Pair]);
        let key = self.random.pick(&keys).to_owned();
        let mut operands = vec![self.term(kind, size / 2), key];
        match self.random.below(6) {
            0 => operands.push(self.any(size / 3)),
            1 => return form("put", list(&[operands, vec![self.any(size / 3)]].concat())),
            2 => return form("has", list(&operands)),
            3 => return form("update", list(&[operands, vec![self.function(size / 3)]].concat())),
            4 => return form("get_in", list(&[operands[0].clone(), list(&operands[1..])])),
            _ => {}
        }
        form("get", list(&operands))
    }

    /// A form that gives a list of what is in a record.
    pub(super) fn parts(&mut self, size: usize) -> String {
        let key = self.random.pick(&["keys", "values", "entries"]);
        form(key, self.large_or_any(size))
    }

    /// A quote with holes.
    pub(super) fn template(&mut self, size: usize) -> String {
        let (one, two) = (self.any(size / 2), self.term(Kind::Quoted, size / 2));
        let (a, b) = (form("unquote", one), form("unquote", two));
        let other = self.any(size / 3);
        form(
            "quote",
            match self.random.below(7) {
                0 => a,
                1 => list(&[b, other, a]),
                2 => form("add", list(&[b, a])),
                3 => lambda(r#""x""#, &form("pair", list(&[b, variable("x")]))),
                4 => form("record", format!(r#"{{"b":{b},"a":{a}}}"#)),
                5 => form("quote", list(&[form("unquote", a), other, form("unquote", b)])),
                _ => format!(r#"{{"let":[["x",{a}]],"in":{b}}}"#),
            },
        )
    }
}
