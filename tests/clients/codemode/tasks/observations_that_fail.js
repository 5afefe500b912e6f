const people = [
  { name: "Ada", role: "parser", since: 2019 },
  { name: "Grace", role: "printer", since: 2016 },
  { name: "Edsger", role: "docs", since: 2012 },
];
await memory.create_entities({
  entities: people.map(({ name, role, since }) => ({
    name,
    entityType: "person",
    observations: [`role: ${role}`, `since: ${since}`],
  })),
});

const facts = { Ada: ["likes tests"], Linus: ["joins in May"], Grace: ["is on leave"] };
const failed = [];
for (const [entityName, contents] of Object.entries(facts)) {
  try {
    await memory.add_observations({ observations: [{ entityName, contents }] });
  } catch (error) {
    failed.push(`${entityName}: ${error.message}`);
  }
}

const { entities } = await memory.search_nodes({ query: "role: p" });
const since = e => Number(e.observations.find(o => o.startsWith("since: ")).split(": ")[1]);
const oldest = entities.reduce((best, e) => (since(e) < since(best) ? e : best));
await memory.delete_entities({ entityNames: [oldest.name] });
const graph = await memory.read_graph();
return {
  failed,
  oldest,
  left: graph.entities.map(e => e.name),
  observations: graph.entities.reduce((n, e) => n + e.observations.length, 0),
};
