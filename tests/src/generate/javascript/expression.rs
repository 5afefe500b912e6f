//! Random expressions of a type.

use super::Javascript;
use super::Kind::{self, Boolean, Number, Numbers, Record, Records, Text, Texts};

impl Javascript {
    /// An expression of a type.
    pub(super) fn of(&mut self, kind: Kind) -> String {
        if self.left == 0 || self.below(6) == 0 {
            return self.leaf(kind);
        }
        self.left -= 1;
        let made = match kind {
            Number => self.number(),
            Text => self.text(),
            Boolean => self.boolean(),
            Numbers => self.numbers(),
            Texts => self.texts(),
            Record => self.record(),
            Records => self.records(),
        };
        self.left += 1;
        made
    }

    fn leaf(&mut self, kind: Kind) -> String {
        if self.below(2) == 0
            && let Some(name) = self.variable(kind, false)
        {
            return name;
        }
        match kind {
            Number => self.pick(&[
                "1",
                "2",
                "3",
                "0",
                "7",
                "0.5",
                "10",
                "data.n",
                "data.f",
                "data.zero",
                "data.r.c",
                "-1",
            ]),
            Text => {
                self.pick(&["\"a\"", "\"\"", "\"b-c\"", "data.s", "data.e", "\"12\"", "data.ws[0]"])
            }
            Boolean => self.pick(&["true", "false", "data.on", "data.n > 3"]),
            Numbers => self.pick(&["data.xs", "data.ys", "[1, 2, 3]", "[]"]),
            Texts => self.pick(&[
                "data.ws",
                "[\"x\", \"y\"]",
                "data.s.split(\" \")",
                "Object.keys(data.r)",
            ]),
            Record => self.pick(&["data.r", "{a: 1, b: 2}", "{}"]),
            Records => self.pick(&["data.rs"]),
        }
        .to_owned()
    }

    fn number(&mut self) -> String {
        let a = self.of(Number);
        match self.below(24) {
            0 => format!("({a} + {})", self.of(Number)),
            1 => format!("({a} - {})", self.of(Number)),
            2 => format!("({a} * {})", self.of(Number)),
            3 => format!("({a} / {})", self.pick(&["2", "3", "4", "data.n", "0.5"])),
            4 => format!("({a} % {})", self.pick(&["2", "3", "5", "data.n"])),
            5 => format!(
                "Math.{}({a})",
                self.pick(&["floor", "ceil", "round", "trunc", "abs", "sign"])
            ),
            6 => format!("Math.max({a}, {})", self.of(Number)),
            7 => format!("{}.length", self.of(Numbers)),
            8 => format!("{}.length", self.of(Text)),
            9 => format!("{}.reduce((s, x) => s + x, 0)", self.of(Numbers)),
            10 => format!("({} ? {a} : {})", self.of(Boolean), self.of(Number)),
            11 => format!("({a} || {})", self.of(Number)),
            12 => format!("({a} && {})", self.of(Number)),
            13 => format!("({}.q ?? {a})", self.of(Record)),
            14 => format!("{}.indexOf({a})", self.of(Numbers)),
            15 => format!("{}.indexOf({})", self.of(Text), self.of(Text)),
            16 => format!(
                "(Math.floor({a}) {} {})",
                self.pick(&["&", "|", "^", "<<", ">>"]),
                self.pick(&["1", "2", "5"])
            ),
            17 => format!("{}.findIndex(x => x > {a})", self.of(Numbers)),
            18 => format!("({}[{}] ?? -1)", self.of(Numbers), self.pick(&["0", "1", "9"])),
            19 => format!("Number({}.toFixed(2))", a),
            20 => format!("{}.filter(x => x % 2).length", self.of(Numbers)),
            21 => format!("{}.map(r => r.v).reduce((a, b) => a + b, 0)", self.of(Records)),
            22 => format!("(-{a})"),
            _ => format!("Object.values({}).length", self.of(Record)),
        }
    }

    fn text(&mut self) -> String {
        let a = self.of(Text);
        match self.below(20) {
            0 => format!("({a} + {})", self.of(Text)),
            1 => format!("({a} + {})", self.of(Number)),
            2 => format!("({} + {a})", self.of(Number)),
            3 => format!("`${{{a}}}: ${{{}}}`", self.of(Number)),
            4 => format!("{a}.toUpperCase()"),
            5 => format!(
                "{a}.slice({}, {})",
                self.pick(&["0", "1", "-2"]),
                self.pick(&["2", "3", "-1"])
            ),
            6 => format!(
                "{a}.substring({}, {})",
                self.pick(&["0", "3"]),
                self.pick(&["1", "2", "-1"])
            ),
            7 => format!("{}.join({})", self.of(Numbers), self.pick(&["\",\"", "\"\"", "\" - \""])),
            8 => format!("{}.join(\"/\")", self.of(Texts)),
            9 => format!(
                "{a}.replace({}, {})",
                self.pick(&["/[aeiou]/g", "\"a\"", "/(\\w)(\\w)/", "/\\s+/"]),
                self.pick(&["\"*\"", "\"$1-$2\"", "\"[$&]\"", "m => m + \"!\""])
            ),
            10 => format!("String({})", self.of(Number)),
            11 => format!("{a}.padStart({}, \"-\")", self.pick(&["3", "8"])),
            12 => format!("({a} || {})", self.of(Text)),
            13 => format!("{a}.charAt({})", self.pick(&["0", "1", "5"])),
            14 => format!("JSON.stringify({})", self.of(Numbers)),
            15 => format!("({} ? {a} : {})", self.of(Boolean), self.of(Text)),
            16 => format!("typeof {}", self.of(Number)),
            17 => format!("[...{a}].reverse().join(\"\")"),
            18 => format!("({}).toFixed({})", self.of(Number), self.below(3)),
            _ => format!("{a}.trim().toLowerCase()"),
        }
    }

    fn boolean(&mut self) -> String {
        match self.below(15) {
            0 => format!(
                "{} {} {}",
                self.of(Number),
                self.pick(&["<", "<=", ">", ">=", "===", "!=="]),
                self.of(Number)
            ),
            1 => format!(
                "{} {} {}",
                self.of(Text),
                self.pick(&["<", ">", "===", "!=="]),
                self.of(Text)
            ),
            2 => format!("!{}", self.of(Boolean)),
            3 => format!("({} && {})", self.of(Boolean), self.of(Boolean)),
            4 => format!("({} || {})", self.of(Boolean), self.of(Boolean)),
            5 => format!("{}.includes({})", self.of(Numbers), self.of(Number)),
            6 => format!("{}.includes({})", self.of(Text), self.of(Text)),
            7 => format!("{}.some(x => x > {})", self.of(Numbers), self.of(Number)),
            8 => format!("{}.every(x => x)", self.of(Numbers)),
            9 => format!(
                "/{}/.test({})",
                self.pick(&["a", "^[A-Z]", "\\d+", "o.*x$"]),
                self.of(Text)
            ),
            10 => format!("\"{}\" in {}", self.pick(&["a", "q"]), self.of(Record)),
            11 => format!("!!{}", self.of(Number)),
            12 => format!("{}.q === undefined", self.of(Record)),
            13 => format!("{}.startsWith({})", self.of(Text), self.of(Text)),
            _ => format!("Number.isInteger({})", self.of(Number)),
        }
    }

    fn numbers(&mut self) -> String {
        let a = self.of(Numbers);
        match self.below(15) {
            0 => format!("{a}.map(x => x * {})", self.of(Number)),
            1 => format!("{a}.map((x, i) => x + i)"),
            2 => format!("{a}.filter(x => x > {})", self.of(Number)),
            3 => format!("[...{a}, {}]", self.of(Number)),
            4 => format!("{a}.slice({})", self.pick(&["1", "-2", "0, 2", "1, -1"])),
            5 => format!("[...{a}].sort((a, b) => {})", self.pick(&["a - b", "b - a"])),
            6 => format!("{a}.concat({})", self.of(Numbers)),
            7 => format!("[...{a}].reverse()"),
            8 => format!("Array.from({{length: {}}}, (_, i) => i * 2)", self.below(4)),
            9 => format!("{}.map(r => r.v)", self.of(Records)),
            10 => format!("[{a}, [1]].flat()"),
            11 => format!("{a}.flatMap(x => x > 2 ? [x, x] : [])"),
            12 => format!("[...new Set({a})]"),
            13 => format!("Object.values({})", self.of(Record)),
            _ => format!("{}.map(w => w.length)", self.of(Texts)),
        }
    }

    fn texts(&mut self) -> String {
        let a = self.of(Texts);
        match self.below(8) {
            0 => format!("{a}.map(w => w + {})", self.of(Text)),
            1 => format!("{a}.filter(w => w.length > {})", self.below(5)),
            2 => format!(
                "{}.split({})",
                self.of(Text),
                self.pick(&["\" \"", "\"\"", "/[ -]/", "\"a\""])
            ),
            3 => format!("[...{a}].sort()"),
            4 => format!("{}.map(x => `<${{x}}>`)", self.of(Numbers)),
            5 => format!("({}.match(/\\w+/g) || [])", self.of(Text)),
            6 => format!("Object.entries({}).map(([k, v]) => k + v)", self.of(Record)),
            _ => format!("{}.map(r => r.k)", self.of(Records)),
        }
    }

    fn record(&mut self) -> String {
        match self.below(6) {
            0 => format!("{{...{}, q: {}}}", self.of(Record), self.of(Number)),
            1 => format!("{{[{}]: {}}}", self.of(Text), self.of(Number)),
            2 => format!(
                "{}.reduce((acc, w) => {{ acc[w] = (acc[w] || 0) + 1; return acc; }}, {{}})",
                self.of(Texts)
            ),
            3 => format!("Object.fromEntries({}.map((w, i) => [w, i]))", self.of(Texts)),
            4 => format!("Object.assign({{}}, {}, {{z: 1}})", self.of(Record)),
            _ => format!("{}.reduce((acc, x) => ({{...acc, [x]: x}}), {{}})", self.of(Numbers)),
        }
    }

    fn records(&mut self) -> String {
        let a = self.of(Records);
        match self.below(4) {
            0 => format!("{a}.filter(r => r.v > {})", self.of(Number)),
            1 => format!("{a}.map(r => ({{...r, n: r.t?.length ?? 0}}))"),
            2 => format!("[...{a}].sort((a, b) => a.v - b.v || a.k.localeCompare(b.k))"),
            _ => format!("{}.map(x => ({{k: \"k\" + x, v: x}}))", self.of(Numbers)),
        }
    }
}
