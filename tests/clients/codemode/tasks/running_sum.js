```js
const numbers = [3, 14, 15, 92, 65];
let total = 0;
const steps = [];
for (const n of numbers) {
  const text = await everything["get-sum"]({ a: total, b: n });
  const match = text.match(/is (-?\d+)\.?$/);
  if (!match) throw new Error(`Unexpected answer: ${text}`);
  total = Number(match[1]);
  steps.push(total);
}
const message = await everything.echo({ message: `total=${total}` });
return { steps, message: message.replace("Echo: ", ""), largest: Math.max(...numbers) };
```
