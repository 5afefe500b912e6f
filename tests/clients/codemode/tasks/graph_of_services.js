async function main() {
  const names = ["auth", "billing", "search", "storage", "index"];
  const services = await Promise.all(
    names.map(n =>
      filesystem.read_text_file({ path: `${data.root}/services/${n}.json` }).then(r => JSON.parse(r.content))
    )
  );
  const owners = [...new Set(services.map(s => s.owner))];
  await memory.create_entities({
    entities: [
      ...services.map(s => ({ name: s.name, entityType: "service", observations: [`port ${s.port}`] })),
      ...owners.map(o => ({ name: o, entityType: "person", observations: [] })),
    ],
  });
  const relations = [];
  for (const s of services) {
    relations.push({ from: s.owner, to: s.name, relationType: "owns" });
    for (const need of s.needs) {
      relations.push({ from: s.name, to: need, relationType: "needs" });
    }
  }
  await memory.create_relations({ relations });

  const graph = await memory.read_graph({});
  const needs = new Map();
  for (const { from, to, relationType } of graph.relations) {
    if (relationType !== "needs") continue;
    if (!needs.has(from)) needs.set(from, new Set());
    needs.get(from).add(to);
  }
  const reach = name => {
    const seen = new Set();
    const queue = [name];
    while (queue.length > 0) {
      const current = queue.shift();
      for (const next of needs.get(current) ?? []) {
        if (!seen.has(next)) {
          seen.add(next);
          queue.push(next);
        }
      }
    }
    return [...seen].sort();
  };
  return Object.fromEntries(names.map(n => [n, reach(n)]));
}

return await main();
