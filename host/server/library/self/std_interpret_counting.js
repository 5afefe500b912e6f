// Counts how often each function is applied, under the name that it is called by.
request => {
  const application = (m, t, f, xs, s) => {
    const name = m.called(t);
    return m.base.application(m, t, f, xs, s.put("notes", s.notes.put(name, add(s.notes.get(name, 0), 1))));
  };
  const rules = merge({application}, request.get("rules", {}));
  const done = @std_interpret(merge(request, {rules, notes: {}}));
  return done.remove("notes").put("counts", done.notes);
}
