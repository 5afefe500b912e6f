async () => {
  const dir = `${data.root}/services`;
  const { content } = await filesystem.list_directory({ path: dir });
  const files = content
    .split("\n")
    .filter(line => line.startsWith("[FILE]") && line.endsWith(".json"))
    .map(line => line.replace(/^\[FILE\]\s+/, ""));

  const services = await Promise.all(
    files.map(async file => {
      const { content: text } = await filesystem.read_text_file({ path: `${dir}/${file}` });
      return JSON.parse(text);
    })
  );

  const byPort = {};
  for (const { name, port } of services) {
    (byPort[port] ||= []).push(name);
  }
  return Object.entries(byPort)
    .filter(([, names]) => names.length > 1)
    .map(([port, names]) => ({ port: Number(port), names: names.sort() }));
}
