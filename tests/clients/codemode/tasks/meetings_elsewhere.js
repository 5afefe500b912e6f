(async () => {
  const file = await filesystem.read_text_file({ path: data.root + "/meetings.json" });
  const meetings = JSON.parse(file.content);
  const requests = meetings.flatMap(m => m.with.map(zone => ({ title: m.title, at: m.at, from: m.zone, zone })));
  const answers = await Promise.all(
    requests.map(({ at, from, zone }) =>
      time.convert_time({ source_timezone: from, time: at, target_timezone: zone })
    )
  );
  return requests.map((r, i) => {
    const { source, target, time_difference: difference } = answers[i];
    const [, hh, mm] = target.datetime.match(/T(\d{2}):(\d{2})/);
    const nextDay = source.day_of_week !== target.day_of_week;
    return { title: r.title, zone: r.zone, local: `${hh}:${mm}`, nextDay, hours: parseFloat(difference) };
  });
})();
