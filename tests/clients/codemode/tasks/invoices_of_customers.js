const getPrices = async () => {
  const page = await fetch.fetch({ url: data.site + "/prices.json", raw: true });
  return JSON.parse(page.slice(page.indexOf("{")));
};
const { currency, prices } = await getPrices();

let archive;
try {
  archive = await fetch.fetch({ url: data.site + "/archive" });
} catch (e) {
  archive = /404/.test(e.message) ? "no archive" : e.message;
}

const months = ["january", "february"];
const texts = await Promise.all(
  months.map(m => filesystem.read_text_file({ path: `${data.root}/orders/${m}.csv` }))
);
const unknown = new Set();
const totals = {};
texts.forEach(({ content }) => {
  const [header, ...lines] = content.trim().split("\n");
  const columns = header.split(",");
  for (const line of lines) {
    const cells = line.split(",");
    const order = Object.fromEntries(columns.map((c, j) => [c, cells[j]]));
    const price = prices[order.sku];
    if (price === undefined) {
      unknown.add(order.sku);
      continue;
    }
    totals[order.customer] = (totals[order.customer] ?? 0) + price * parseInt(order.qty);
  }
});

const ranking = Object.entries(totals).sort((a, b) => b[1] - a[1]);
await memory.create_entities({
  entities: ranking.map(([name, total]) => ({
    name,
    entityType: "customer",
    observations: [`owes ${total.toFixed(2)} ${currency}`],
  })),
});
const { entities: [top] } = await memory.open_nodes({ names: [ranking[0][0]] });
return {
  top,
  ranking: ranking.map(([name, total]) => `${name}: ${total.toFixed(2)}`),
  unknown: [...unknown],
  archive,
};
