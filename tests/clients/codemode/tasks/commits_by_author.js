const log = await git.git_log({ repo_path: data.repository, max_count: 20 });
const pattern = /Commit: (\w+)\nAuthor: (.+)\nDate: (\S+) (\S+)\nMessage: (.+)/g;
const commits = [...log.matchAll(pattern)].map(([, hash, author, day, , message]) => ({
  hash: hash.slice(0, 7),
  author,
  day,
  message,
}));

const byAuthor = {};
for (const c of commits) {
  const kind = c.message.split(":")[0];
  byAuthor[c.author] ??= { commits: 0, kinds: {}, issues: [], last: c.day };
  const entry = byAuthor[c.author];
  entry.commits++;
  entry.kinds[kind] = (entry.kinds[kind] || 0) + 1;
  const issue = c.message.match(/#(\d+)/);
  if (issue) entry.issues.push(+issue[1]);
}

return Object.entries(byAuthor)
  .sort(([a, x], [b, y]) => y.commits - x.commits || a.localeCompare(b))
  .map(([author, stats]) => ({ author, ...stats }));
