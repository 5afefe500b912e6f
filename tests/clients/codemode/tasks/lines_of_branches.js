export default async function () {
  const base = "main";
  const branches = (await git.git_branch({ repo_path: data.repository, branch_type: "local" }))
    .split("\n")
    .map(b => b.replace("*", "").trim())
    .filter(Boolean);

  const summary = [];
  for (const branch of branches.filter(b => b !== base)) {
    await git.git_checkout({ repo_path: data.repository, branch_name: branch });
    const diff = await git.git_diff({ repo_path: data.repository, target: base });
    const files = new Map();
    let current = null;
    for (const line of diff.split("\n")) {
      if (line.startsWith("diff --git")) {
        current = line.split(" b/")[1];
        files.set(current, { added: 0, removed: 0 });
      } else if (current && /^[+-]/.test(line) && !/^(\+\+\+|---) /.test(line)) {
        const f = files.get(current);
        if (line[0] === "+") f.added++;
        else f.removed++;
      }
    }
    summary.push({ branch, files: [...files].map(([path, { added, removed }]) => ({ path, added, removed })) });
  }
  await git.git_checkout({ repo_path: data.repository, branch_name: base });

  const todos = [];
  for (const name of ["parser.js", "printer.js"]) {
    const { content } = await filesystem.read_text_file({ path: `${data.repository}/src/${name}` });
    content.split("\n").forEach((line, i) => {
      const m = line.match(/\/\/\s*(TODO|FIXME):\s*(.+)$/);
      if (m) todos.push(`${name}:${i + 1} ${m[1]} ${m[2]}`);
    });
  }
  return { summary, todos };
}
