//! Random programs in which elements of a value are kept under another name by every way that there
//! is, and values change: what one name changes the others see. Many of them are refused; none may
//! give another value than JavaScript.

use super::Javascript;

/// What stands before the statements of each program, in two ways for lists and maps.
const LISTS: [&str; 2] = [
    "const xs = data.rs.map(r => ({c: r.k, n: r.v, kids: [], o: {z: r.v}}));",
    "const xs = []; for (const r of data.rs) xs.push({n: r.v, c: r.k, kids: [r.v], o: {z: 0}});",
];
const MAPS: [&str; 2] = [
    "const by = new Map(data.rs.map(r => [r.k, {n: r.v, kids: [], o: {}}]));",
    "const by = new Map(); for (const r of data.rs) by.set(r.k, {...r, n: r.v, kids: [], o: {z: 1}});",
];
const RECORDS: &str = "const key = data.rs[0].k; let out = []; let rec = {};
const g = {a: {n: 1, kids: [], o: {z: 1}}, b: {n: 2, kids: [], o: {z: 2}}};
function first() { return xs[0] } function bump() { xs[0].n += 100 }
";

/// Statements that keep parts of a value under another name.
const KEEPS: &[&str] = &[
    "for (const n of by.values()) out.push(n);",
    "for (const [k, n] of by) out.push(n);",
    "by.forEach(n => out.push(n));",
    "by.forEach((n, k) => { out.push(n) });",
    "out.push(...by.values());",
    "for (const n of Object.values(g)) out.push(n);",
    "for (const k of Object.keys(g)) out.push(g[k]);",
    "for (const [k, n] of Object.entries(g)) out.push(n);",
    "Object.entries(g).forEach(([k, n]) => out.push(n));",
    "Object.values(g).forEach(n => out.push(n));",
    "out.push(...Object.values(g));",
    "xs.forEach(n => out.push(n));",
    "for (const n of xs) out.push(n);",
    "out.push(...xs.filter(x => x.n > 1));",
    "for (const n of xs.slice(1)) out.push(n);",
    "for (let i = 0; i < xs.length; i++) out.push(xs[i]);",
    "out.push(xs.find(x => x.n === 2));",
    "out.push(xs.at(-1));",
    "out.push(xs[xs.length - 1]);",
    "{ const t = xs.map(x => x); out.push(...t); }",
    "out.push(xs.reduce((a, b) => a.n > b.n ? a : b));",
    "out.push(by.get(\"a\"));",
    "{ const e = by.get(\"a\"); out.push(e); }",
    "rec.k = xs[0];",
    "rec[key] = g.a;",
    "{ const [f0] = xs; out.push(f0); }",
    "{ const {a} = g; out.push(a); }",
    "out.push({w: xs[0]});",
    "out.push([xs[0]]);",
    "{ const pk = k => g[k]; out.push(pk(\"a\")); }",
    "{ const pk = i => xs[i]; out.push(pk(0)); }",
    "out.push(first());",
    "out.push(...xs.toSorted((a, b) => b.n - a.n));",
    "out.push(xs[0] ?? null);",
    "out.push(xs[0].n ? xs[0] : xs[1]);",
    "out.push(xs.pop());",
    "out.push(xs.shift());",
    "out.push(...Array.from(by.values()));",
    "out.push(...Array.from(xs, x => x));",
    "out.push(structuredClone(xs[0]));",
    "out.push({...xs[0]});",
    "{ const m2 = new Map(xs.map(x => [x.n, x])); out.push(m2.get(1)); }",
    "{ const idx = Object.fromEntries(xs.map(x => [x.c, x])); out.push(idx.a); }",
    "{ const grp = Object.groupBy(xs, x => x.c); out.push(grp.a); }",
    "{ const {n, ...rest} = xs[0]; out.push(rest); }",
    "out.push(xs.flatMap(x => [x]));",
    "out.push(xs.concat([]));",
    "out.push([...xs]);",
    "{ let last = null; for (const x of xs) last = x; out.push(last); }",
    "{ let cur = xs[0]; out.push(cur); }",
    "{ const s = new Set(xs); out.push([...s]); }",
    "out.unshift(xs[0]);",
    "rec.list = [xs[0], xs[1]];",
    "out = xs.filter(x => x.n > 0);",
    "out.push(xs[0].kids);",
    "out.push(xs[0].o);",
    "rec.o = g.a.o;",
    "out.push(by.get(\"a\")?.kids);",
    "xs.push(by.get(\"b\"));",
    "by.set(\"q\", xs[0]);",
    "g.q = xs[1];",
    "g.q = by.get(\"a\");",
    "xs.push(g.b);",
    "xs[0].o = g.a.o;",
    "g.a.kids = xs[0].kids;",
    "by.get(\"a\").o = xs[0];",
    "out.push(Object.assign({}, xs[0]));",
    "out.push(xs.map(x => x.kids));",
    "out.push(xs.map(x => ({w: x})));",
    "out.push(xs.map(({kids}) => kids));",
    "out.push(...xs.map(x => x.o).filter(Boolean));",
    "{ const t = xs; out.push(t[0]); }",
    "{ const t = {...g}; out.push(t.a); }",
    "{ const t = [...xs]; out.push(t[0]); }",
    "{ const t = new Map(by); out.push(t.get(\"a\")); }",
    "out.push(g.a || xs[0]);",
    "out.push(g.zz || xs[0]);",
    "for (const x of xs) { if (x.n === 2) { rec.found = x; break; } }",
    "rec.best = xs.filter(x => x.n > 1)[0];",
    "for (const x of xs) (rec[x.c] ??= []).push(x);",
    "for (const x of xs) rec[x.c] = x;",
    "xs.forEach(x => { rec[x.c] = x; });",
    "rec = xs.reduce((m, x) => { m[x.c] = x; return m; }, {});",
    "rec = xs.reduce((m, x) => ({...m, [x.c]: x}), {});",
];

/// Statements that change a value.
const CHANGES: &[&str] = &[
    "xs[0].n = 9;",
    "xs[0].kids.push(5);",
    "xs[0].o.z = 7;",
    "xs.push({n: 8, kids: [], o: {}, c: \"z\"});",
    "xs.find(x => x.n === 1)?.kids.push(6);",
    "for (const x of xs) x.n = 9;",
    "xs.forEach(x => { x.kids.push(1) });",
    "by.get(\"a\").kids.push(5);",
    "by.get(\"a\").n++;",
    "for (const n of by.values()) n.n = 4;",
    "by.set(\"a\", {n: 1, kids: [], o: {}});",
    "by.delete(\"b\");",
    "g.a.kids.push(5);",
    "g.a.n = 4;",
    "g[\"a\"].o.z = 4;",
    "Object.values(g).forEach(v => { v.n = 4 });",
    "for (const k in g) g[k].n = 4;",
    "delete g.a.n;",
    "g.a = {n: 0, kids: [], o: {}};",
    "if (out[0]) out[0].n = 5;",
    "out.forEach(v => { if (v) v.n = 3 });",
    "if (out[0] && out[0].kids) out[0].kids.push(2);",
    "xs.sort((a, b) => b.n - a.n);",
    "xs.reverse();",
    "xs[0] = {n: 5, kids: [], o: {}};",
    "Object.assign(xs[0], {n: 6});",
    "{ const e2 = xs[0]; e2.n = 11; }",
    "{ const e3 = by.get(\"b\"); if (e3) e3.kids.push(1); }",
    "{ const l = xs.at(-1); l.n = 12; }",
    "if (rec.k) rec.k.n = 13;",
    "if (rec[key]) rec[key].kids.push(14);",
    "if (rec.list) rec.list[0].n = 15;",
    "{ const f = xs.find(x => x.n === 2); if (f) f.n = 16; }",
    "xs.splice(0, 1);",
    "g.a.kids = [];",
    "[xs[0], xs[1]] = [xs[1], xs[0]];",
    "for (let i = 0; i < xs.length; i++) { xs[i].n += 1; }",
    "for (const x of xs) { if (x.n > 1) { x.o.z = 1; } }",
    "g.b.o = {z: 17};",
    "xs.map(x => { x.n = 2; return x; });",
    "bump();",
];

impl Javascript {
    /// A program of such statements that returns what all names lead to.
    pub fn keeping(&mut self) -> String {
        let mut body: Vec<&str> = Vec::new();
        for _ in 0..=self.below(3) {
            let table = if self.below(2) == 0 { KEEPS } else { CHANGES };
            body.push(self.pick(table));
        }
        body.extend([self.pick(KEEPS), self.pick(CHANGES)]);
        if self.below(3) == 0 {
            body.reverse();
        }
        let begin = [self.pick(&LISTS), self.pick(&MAPS), RECORDS].join(" ");
        let all = body.join(" ");
        let (last, before) = body.split_last().unwrap_or((&"", &[]));
        let body = match self.below(10) {
            0 | 1 => format!("for (const q of [1, 2]) {{ {all} }}"),
            2 => format!("[1, 2].forEach(q => {{ {all} }});"),
            3 => format!("function go() {{ {last} }} {} go();", before.join(" ")),
            4 => format!("for (let i = 0; i < 2; i++) {{ if (i) {{ {last} }} else {{ {all} }} }}"),
            _ => all,
        };
        format!("{begin}{body}\nreturn [xs, [...by], g, out, rec];")
    }
}
