// Traces each application of a function: its arguments and its value, in the order in which the values came.
request => {
  const application = (m, t, f, xs, s) => {
    const next = m.base.application(m, t, f, xs, s);
    const line = {function: m.called(t), arguments: xs, value: fst(next)};
    return pair(fst(next), snd(next).put("notes", cons(line, snd(next).notes)));
  };
  const rules = merge({application}, request.get("rules", {}));
  const done = @std_interpret(merge(request, {rules, notes: []}));
  return done.remove("notes").put("trace", reverse(done.notes));
}
