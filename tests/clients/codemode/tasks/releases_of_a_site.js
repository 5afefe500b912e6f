async () => {
  const index = await fetch.fetch({ url: `${data.site}/` });
  const links = [...index.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].map(m => ({ version: m[1], href: m[2] }));
  const pages = await Promise.all(
    links.map(({ href }) => fetch.fetch({ url: href.startsWith("http") ? href : data.site + href }))
  );
  const releases = pages.map((page, i) => {
    const released = page.match(/Released: (\d{4}-\d{2}-\d{2})/)?.[1] ?? null;
    const downloads = Number(page.match(/Downloads: ([\d,]+)/)[1].replaceAll(",", ""));
    return { ...links[i], released, downloads };
  });
  releases.sort((a, b) => new Date(a.released) - new Date(b.released));
  const days = releases
    .slice(1)
    .map((r, i) => (new Date(r.released) - new Date(releases[i].released)) / (24 * 60 * 60 * 1000));
  const total = releases.reduce((n, { downloads }) => n + downloads, 0);
  return {
    releases: releases.map(({ version, downloads }) => ({
      version,
      share: Math.round((downloads / total) * 100) + "%",
    })),
    days,
    total,
  };
}
