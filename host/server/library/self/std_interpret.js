// An evaluator of the core calculus, written in it.
//
// A term is data, as `term_to_data` writes it: a record with the key of its form. A rule is a function of
// the interpreter `m`, a term `t`, the environment `env` (a record of variables) and the state `s` (a
// record). It gives a pair: the value of the term, and the state after it. Values are those of the language
// itself. A function takes its argument and the state, and gives such a pair.
request => {
  // raise, attempt: a fault carries the state in which it arose, and one of a form is one of the program.
  const raise = (code, message, s) => fail({fault: {code, message, hint: null, value: null}, state: s});
  const attempt = (f, s) =>
    try(f(), e => fail({fault: {code: e.code, message: e.message, hint: e.hint, value: e.value}, state: s}));
  // listed: one operand and one parameter need no brackets.
  const listed = x => type_of(x) == "list" ? x : [x];
  // form: the form of a term. Its key is the last one in the order of the alphabet.
  const form = t => type_of(t) == "record" ? last(keys(t)) : type_of(t) == "list" ? "list" : "literal";
  // called: what a function is called where this term gives it.
  const called = t =>
    form(t) == "var" ? t.var : form(t) == "self" ? "self"
    : form(t) == "tool" && type_of(t.tool) == "string" ? concat("@", t.tool) : concat("(", form(t), ")");

  // evaluate: the value of a term, by the rule of its form.
  const evaluate = (m, t, env, s) => {
      if (s.fuel < 1) return raise("out-of-fuel", "the fuel is used up", s);
      return m.rules.get(form(t), m.rules.operation)(m, t, env, s.put("fuel", s.fuel - 1));
    },
    // sequence: what a rule such as `evaluate` gives for each of several terms, from left to right.
    sequence = (m, rule, ts, env, s) => {
      const all = ts.reduce((done, t) => {
        const next = rule(m, t, env, snd(done));
        return pair(cons(fst(next), fst(done)), snd(next));
      }, pair([], s));
      return pair(reverse(fst(all)), snd(all));
    },
    // operate: what `f` makes of the list of the values of several terms.
    operate = (m, f, ts, env, s) => {
      const all = sequence(m, evaluate, ts, env, s);
      return pair(attempt(() => f(fst(all)), snd(all)), snd(all));
    },
    // apply: a function applied to arguments, one by one. `t` is the term that gave the function.
    apply = (m, t, f, xs, s) => {
      if (type_of(f) != "function") return raise("not-a-function", concat(called(t), " is no function"), s);
      if (isEmpty(tail(xs))) return f(head(xs), s);
      const next = f(head(xs), s);
      return apply(m, t, fst(next), tail(xs), snd(next));
    },
    // close: a function with these parameters and this body, in the environment that `around` gives.
    close = (m, names, body, around) => (x, s) => {
      const env = around().put(head(names), x);
      if (isEmpty(tail(names))) return evaluate(m, body, env, s);
      return pair(close(m, tail(names), body, () => env), s);
    },
    // tie: the environment in which the functions of a `letrec` see each other.
    tie = (m, bindings, env) => bindings.reduce((all, b) =>
      all.put(b[0], close(m, listed(b[1].lam), b[1].body, () => tie(m, bindings, env))), env),
    // reach: the value of a tool, which is evaluated once. The program itself is the tool "".
    reach = (m, name, s) => {
      if (s.tools.has(name)) return pair(s.tools[name], s);
      const term = attempt(() => name == "" ? data_to_term(m.program) : code_of(name), s);
      const next = evaluate(m.put("home", name), term_to_data(term), name == "" ? m.env : {}, s);
      return pair(fst(next), snd(next).put("tools", snd(next).tools.put(name, fst(next))));
    };

  const test = next =>
    type_of(fst(next)) == "boolean" ? next : raise("type-mismatch", "a test must be a boolean", snd(next));
  // own: the name of the tool whose code is evaluated. A submitted program and a plain quote have none.
  const own = (m, s) =>
    m.home == null || m.home == "" ? raise("outside-tool", "no tool holds this code", s) : m.home;
  // unary, folding: the rule of a form with one operand, and of one that folds a list.
  const unary = f => (m, t, env, s) => operate(m, xs => f(head(xs)), [last(values(t))], env, s);
  const folding = give => (m, t, env, s) => {
    const parts = last(values(t));
    const all = sequence(m, evaluate, parts, env, s);
    const [f, start, list] = fst(all);
    if (type_of(list) != "list") return raise("type-mismatch", "only a list can be folded", snd(all));
    if (type_of(f) != "function")
      return raise("not-a-function", concat(called(parts[0]), " is no function"), snd(all));
    return list.reduce((done, x) => m.rules.application(m, parts[0], f, give(fst(done), x), snd(done)),
      pair(start, snd(all)));
  };

  const rules = {
    // Variables and functions.
    var: (m, t, env, s) =>
      env.has(t.var) ? pair(env[t.var], s) : raise("unbound", concat("nothing binds ", t.var), s),
    lam: (m, t, env, s) => pair(close(m, listed(t.lam), t.body, () => env), s),
    app: (m, t, env, s) => {
      const f = evaluate(m, t.app.func, env, s);
      const given = t.app.has("args") ? t.app.args : [t.app.arg];
      const all = sequence(m, m.rules.argument, given, env, snd(f));
      return m.rules.application(m, t.app.func, fst(f), fst(all), snd(all));
    },
    let: (m, t, env, s) => {
      const bound = t.let.reduce((done, b) => {
        const next = m.rules.argument(m, b[1], fst(done), snd(done));
        return pair(fst(done).put(b[0], fst(next)), snd(next));
      }, pair(env, s));
      return evaluate(m, t.in, fst(bound), snd(bound));
    },
    letrec: (m, t, env, s) => evaluate(m, t.in, tie(m, t.letrec, env), s),
    // These two decide the strategy: what a name is bound to, and how a function is applied.
    argument: evaluate,
    application: apply,

    // Control.
    if: (m, t, env, s) => {
      const next = test(evaluate(m, t.if.cond, env, s));
      return evaluate(m, fst(next) ? t.if.then : t.if.else, env, snd(next));
    },
    and: (m, t, env, s) =>
      t.and.reduce((done, u) => fst(done) ? test(evaluate(m, u, env, snd(done))) : done, pair(true, s)),
    or: (m, t, env, s) =>
      t.or.reduce((done, u) => fst(done) ? done : test(evaluate(m, u, env, snd(done))), pair(false, s)),
    try: (m, t, env, s) => try(evaluate(m, t.try, env, s), e => {
      const {fault, state} = e.value;
      if (!(t.has("codes") ? t.codes.contains(fault.code) : fault.code != "out-of-fuel"))
        return fail(e.value);
      const f = evaluate(m, t.catch, env, state.put("evals", s.evals));
      return m.rules.application(m, t.catch, fst(f), [fault], snd(f));
    }, ["fail"]),
    fail: unary(x => fail(x)),

    // Values.
    literal: (m, t, env, s) => pair(t, s),
    float: (m, t, env, s) => pair(to_number(t.float), s),
    list: (m, t, env, s) => sequence(m, evaluate, t, env, s),
    nil: (m, t, env, s) => pair([], s),
    cons: (m, t, env, s) => operate(m, xs => cons(xs[0], xs[1]), [t.cons.head, t.cons.tail], env, s),
    record: (m, t, env, s) =>
      operate(m, xs => from_entries(keys(t.record).zip(xs)), values(t.record), env, s),
    not: unary(x => not(x)), head: unary(x => head(x)), tail: unary(x => tail(x)),
    isEmpty: unary(x => isEmpty(x)),
    length: unary(x => length(x)), fst: unary(x => fst(x)), snd: unary(x => snd(x)),
    truth: unary(x => truth(x)), type_of: unary(x => type_of(x)), to_number: unary(x => to_number(x)),
    keys: unary(x => keys(x)), values: unary(x => values(x)), entries: unary(x => entries(x)),
    fold: folding((sum, x) => [pair(sum, x)]),
    reduce: folding((sum, x) => [sum, x]),

    // Terms and tools. `home` is the tool whose code is evaluated; a plain quote has none.
    data_to_term: unary(x => data_to_term(x)), term_to_data: unary(x => term_to_data(x)),
    quote: (m, t, env, s) => pair(attempt(() => data_to_term(t.quote), s), s),
    eval: (m, t, env, s) => {
      const code = evaluate(m, t.eval, env, s);
      const term = attempt(() => term_to_data(fst(code)), snd(code));
      if (s.evals >= 100) return raise("eval-depth", "too many evals are active", snd(code));
      const home = entries(snd(code).read)
        .reduce((home, known) => known[1] == fst(code) ? known[0] : home, null);
      const next = evaluate(m.put("home", home), term, env, snd(code).put("evals", add(s.evals, 1)));
      return pair(fst(next), snd(next).put("evals", s.evals));
    },
    code_of: (m, t, env, s) => {
      const next = evaluate(m, t.code_of, env, s);
      const isOwn = type_of(fst(next)) == "string" && fst(next) == "self";
      const name = isOwn ? own(m, snd(next)) : fst(next);
      const code = attempt(() => code_of(name), snd(next));
      return pair(code, snd(next).put("read", snd(next).read.put(name, code)));
    },
    self: (m, t, env, s) => m.home == null ? own(m, s) : reach(m, m.home, s),
    tool: (m, t, env, s) => {
      const name = operate(m, xs => fst(pair(head(xs), code_of(head(xs)))), [t.tool], env, s);
      return reach(m, fst(name), snd(name));
    },
    continue: (m, t, env, s) => {
      const next = evaluate(m, t.continue.input, env, s);
      return pair({continuation: true, input: fst(next), step: 1, tool: own(m, snd(next))}, snd(next));
    },

    // Any other form is an operation on the values of its operands.
    operation: (m, t, env, s) => {
      if (!m.operations.has(form(t))) return raise("unknown-form", concat("no rule interprets ", form(t)), s);
      return operate(m, m.operations[form(t)], listed(t[form(t)]), env, s);
    }
  };

  // Of more than two operands the first two make the first of the others.
  const binary = f => xs => tail(xs).reduce((a, b) => f(a, b), head(xs));
  const operations = {
    add: binary((a, b) => add(a, b)), sub: binary((a, b) => a - b), mul: binary((a, b) => a * b),
    div: binary((a, b) => div(a, b)), mod: binary((a, b) => mod(a, b)),
    eq: binary((a, b) => a == b), lt: binary((a, b) => a < b), gt: binary((a, b) => a > b),
    lte: binary((a, b) => a <= b), gte: binary((a, b) => a >= b),
    concat: binary((a, b) => concat(a, b)), pair: binary((a, b) => pair(a, b)),
    // The forms beyond the core that this evaluator needs to evaluate itself.
    get: xs => length(xs) == 2 ? xs[0][xs[1]] : xs[0].get(xs[1], xs[2]),
    get_in: xs => length(xs) == 2 ? get_in(xs[0], xs[1]) : get_in(xs[0], xs[1], xs[2]),
    has: binary((a, b) => a.has(b)), put: xs => xs[0].put(xs[1], xs[2]),
    remove: binary((a, b) => a.remove(b)),
    plus: binary((a, b) => plus(a, b)),
    last: xs => last(head(xs)), reverse: xs => reverse(head(xs)), from_entries: xs => from_entries(head(xs)),
    contains: binary((a, b) => a.contains(b)), zip: binary((a, b) => a.zip(b)),
    merge: binary((a, b) => merge(a, b))
  };

  const m = {
    base: rules, rules: merge(rules, request.get("rules", {})),
    operations: merge(operations, request.get("operations", {})),
    evaluate, called, program: request.get("term", null), env: request.get("env", {}), home: ""
  };
  const name = request.get("tool", ""), fuel = request.get("fuel", 1000000);
  const told = s => request.has("notes") ? {fuel: fuel - s.fuel, notes: s.notes} : {fuel: fuel - s.fuel};
  const start = {fuel, evals: 0, tools: {}, read: {}, notes: request.get("notes", null)};
  const run = () => {
    const f = reach(m, name, start);
    if (type_of(fst(f)) != "function" || !request.has("input")) return f;
    const input = attempt(() => term_to_data(data_to_term(request.input)), snd(f));
    const x = evaluate(m.put("home", name == "" ? null : name), input, {}, snd(f));
    return m.rules.application(m, {self: null}, fst(f), [fst(x)], snd(x));
  };
  const finish = done => merge({value: fst(done)}, told(snd(done)));
  return try(finish(run()), e => merge({fault: e.value.fault}, told(e.value.state)), ["fail"]);
}
