const zones = ["UTC", "Asia/Tokyo", "Asia/Kolkata", "Africa/Nairobi"];
const now = await Promise.all(zones.map(z => time.get_current_time({ timezone: z })));

const stamps = now.map(n => new Date(n.datetime).getTime());
const spread = Math.max(...stamps) - Math.min(...stamps);

const offsets = now.map(({ timezone, datetime }) => {
  const [, sign, h, m] = /([+-])(\d\d):(\d\d)$/.exec(datetime);
  return [timezone, (sign === "-" ? -1 : 1) * (Number(h) * 60 + Number(m))];
});

const days = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const today = days[new Date(now[0].datetime).getUTCDay()];
return {
  together: spread < 60_000,
  offsets: Object.fromEntries(offsets.sort(([, a], [, b]) => a - b)),
  weekdayAgrees: today === now[0].day_of_week,
  summerTime: now.some(n => n.is_dst),
};
