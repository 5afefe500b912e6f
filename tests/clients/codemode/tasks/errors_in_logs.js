const { content: list } = await filesystem.search_files({ path: data.root, pattern: "**/*.log" });
const paths = list.trim().split("\n");
const results = await Promise.all(paths.map(p => filesystem.read_text_file({ path: p })));

const pattern = /^(?<time>\S+) ERROR (?<what>\w+) (?<how>\w+) after (?<ms>\d+)ms/;
const stats = new Map();
results.forEach(({ content }, i) => {
  const file = paths[i].split("/").pop();
  for (const line of content.split("\n")) {
    const m = line.match(pattern);
    if (!m) continue;
    const { what, how, ms } = m.groups;
    const key = `${what} ${how}`;
    const entry = stats.get(key) ?? { count: 0, slowest: 0, files: new Set() };
    entry.count += 1;
    entry.slowest = Math.max(entry.slowest, parseInt(ms, 10));
    entry.files.add(file);
    stats.set(key, entry);
  }
});

const rows = [...stats.entries()]
  .map(([error, { count, slowest, files }]) => ({ error, count, slowest, files: [...files].sort() }))
  .sort((a, b) => b.count - a.count || b.slowest - a.slowest);

const report = rows.map(r => `- ${r.error}: ${r.count}× (max ${(r.slowest / 1000).toFixed(1)} s)`).join("\n");
await filesystem.write_file({ path: `${data.root}/report.md`, content: `# Errors\n\n${report}\n` });
const { content: written } = await filesystem.read_text_file({ path: `${data.root}/report.md`, head: 3 });
return { rows, written };
