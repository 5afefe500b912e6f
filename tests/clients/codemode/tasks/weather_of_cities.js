const cities = ["New York", "Chicago", "Boston", "Los Angeles"];
const settled = await Promise.allSettled(
  cities.map(location => everything.get_structured_content({ location }))
);
const reports = [];
const missing = [];
settled.forEach((result, i) => {
  if (result.status === "fulfilled") {
    const { temperature, humidity } = result.value;
    reports.push({ city: cities[i], celsius: Math.round(((temperature - 32) * 50) / 9) / 10, humidity });
  } else {
    missing.push(cities[i]);
  }
});
reports.sort((a, b) => b.celsius - a.celsius || a.city.localeCompare(b.city));
const humidity = reports.reduce((sum, r) => sum + r.humidity, 0) / reports.length;
return { reports, missing, humidity: humidity.toFixed(2), warmest: reports[0]?.city ?? "none" };
