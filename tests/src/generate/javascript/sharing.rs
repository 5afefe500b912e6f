//! Random programs in which several names lead to one value, and values change: what one name
//! changes the others see. Many of them are refused; none may give another value than JavaScript.

use super::Javascript;

/// Variables that hold records, and lists.
const RECORDS: [&str; 3] = ["p", "q", "r"];
const LISTS: [&str; 2] = ["us", "vs"];
const MEMBERS: [&str; 4] = ["x", "y", "z", "w"];
const KEYS: [&str; 5] = ["k1", "k2", "\"x\"", "\"y\"", "data.rs[0].k"];

/// What stands before the statements of each program.
const BEGIN: &str = "const k1 = \"x\"; const k2 = data.rs[1].k;
let p = {x: data.r, w: []}; let q = {w: [], y: {z: 1}}; let r = {y: data.xs, z: {}};
const us = []; const vs = []; const g = {}; const m = new Map();
";

impl Javascript {
    /// A program of such statements that returns what all names lead to.
    pub fn sharing(&mut self) -> String {
        let mut program = BEGIN.to_owned();
        for _ in 0..=self.below(4) {
            program.push_str(&self.change(0));
            program.push('\n');
        }
        if self.below(5) == 0 {
            let body = [self.change(1), self.change(1)].join(" ");
            program.push_str(&format!("for (const o of data.rs) {{ {body} }}\n"));
        }
        program.push_str("return [p, q, r, us, vs, g, [...m], data.r, data.xs];");
        program
    }

    fn member(&mut self) -> &'static str {
        self.pick(&MEMBERS)
    }

    fn key(&mut self) -> &'static str {
        self.pick(&KEYS)
    }

    /// A new record, some of whose members others see, too.
    fn fresh_record(&mut self, depth: usize) -> String {
        let part = self.shared_value(depth);
        match self.below(5) {
            0 => format!("{{x: {part}, y: {}}}", self.shared_value(depth)),
            1 => format!("{{...{}, z: {part}}}", self.pick(&RECORDS)),
            2 => format!("{{w: [], x: {part}}}"),
            3 => format!("{{y: {{z: 1}}, x: {part}}}"),
            _ => "{}".to_owned(),
        }
    }

    fn shared_value(&mut self, depth: usize) -> String {
        match self.below(9) {
            0 => self.below(9).to_string(),
            1 => "data.r".to_owned(),
            2 => "data.xs".to_owned(),
            3 => self.pick(&RECORDS).to_owned(),
            4 => self.pick(&LISTS).to_owned(),
            5 => format!("{}.{}", self.pick(&RECORDS), self.member()),
            6 => "[]".to_owned(),
            _ if depth > 1 => "{}".to_owned(),
            _ => self.fresh_record(depth + 1),
        }
    }

    fn path(&mut self) -> String {
        if self.below(10) == 0 {
            return format!("{}[{}]", self.pick(&RECORDS), self.key());
        }
        let mut path = self.pick(&["p", "q", "r", "p", "q", "us[0]", "vs[0]", "g[k1]"]).to_owned();
        for _ in 0..self.below(3) {
            path = format!("{path}.{}", self.member());
        }
        path
    }

    /// A statement that changes something.
    fn change(&mut self, depth: usize) -> String {
        let member = self.member();
        let value = self.shared_value(1);
        let list = self.pick(&LISTS);
        match self.below(19) {
            0 | 1 => {
                let path = self.path();
                let is_record =
                    "typeof it === \"object\" && !Array.isArray(it)".replace("it", &path);
                format!("if ({path} && {is_record}) {path}.{member} = {value};")
            }
            2 | 3 => {
                let path = format!("{}.{member}", self.pick(&["p", "q", "r", "g[k1]"]));
                format!("if ({path} && Array.isArray({path})) {path}.push({value});")
            }
            4 => format!("{} = {};", self.pick(&RECORDS), self.fresh_record(0)),
            5 => format!("{} = {} ?? {{}};", self.pick(&RECORDS), self.path()),
            6 => format!("{list}.push({});", self.pick(&RECORDS)),
            7 => format!("{list}.push({});", self.fresh_record(0)),
            8 => format!("g[{}] ??= {};", self.key(), self.fresh_record(0)),
            9 => format!("g[{}] = {};", self.key(), self.pick(&RECORDS)),
            10 => {
                let other = self.fresh_record(0);
                format!("{{ const e = g[k1] ?? {other}; e.{member} = {value}; g[k1] = e; }}")
            }
            11 => format!("m.set({}, {});", self.key(), self.pick(&RECORDS)),
            12 => format!("{{ const e = m.get(\"x\"); if (e) {{ e.{member} = {value}; }} }}"),
            13 => format!(
                "for (const v of {list}) {{ if (v && !Array.isArray(v)) {{ v.{member} = {value}; }} }}"
            ),
            14 => format!("for (const v of Object.values(g)) {{ v.{member} = {value}; }}"),
            15 => format!("for (const k in g) {{ g[k].{member} = {value}; }}"),
            16 => "{ let e = us.find(u => u.x === 1); if (!e) { e = {x: 1, w: []}; us.push(e); } \
                   e.n = (e.n || 0) + 1; }"
                .to_owned(),
            17 => format!(
                "{{ const last = {list}.at(-1); if (last) {{ last.{member} = {value}; }} }}"
            ),
            _ if depth < 2 => {
                let test = self.pick(&["p.x", "q.y", "data.n > 1", "us.length > 1"]);
                let [one, other] = [self.change(depth + 1), self.change(depth + 1)];
                format!("if ({test}) {{ {one} }} else {{ {other} }}")
            }
            _ => format!("{} = {};", self.pick(&RECORDS), self.fresh_record(0)),
        }
    }
}
