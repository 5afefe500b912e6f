// Call by need: a name is bound to a promise, which is kept when the name is first read, and once.
//
// A promise is a set of one number. Under this number the notes have the term, and later its value. No rule
// of the evaluator makes sets, so a set in the environment is a promise.
request => {
  const argument = (m, t, env, s) => {
    const place = s.notes.next;
    return pair(to_set([place]), s.put("notes", s.notes.put("next", add(place, 1)).put(place, {m, t, env})));
  };
  const read = (m, t, env, s) => {
    const found = m.base.var(m, t, env, s);
    if (type_of(fst(found)) != "set") return found;
    const place = elements(fst(found))[0];
    const promise = s.notes[place];
    if (promise.has("value")) return pair(promise.value, snd(found));
    const next = m.evaluate(promise.m, promise.t, promise.env, snd(found));
    const notes = snd(next).notes.put(place, {value: fst(next)});
    return pair(fst(next), snd(next).put("notes", notes));
  };
  const rules = merge({argument, var: read}, request.get("rules", {}));
  return @std_interpret(merge(request, {rules, notes: {next: 0}})).remove("notes");
}
