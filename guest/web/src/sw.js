// The service worker: keeps every file of one version of the page, and serves them from there. It keeps the
// analyst when the page asks for it. A new version takes over when no page of the old one is open, so files of
// two versions never mix.

const CACHE = "mcp-pif-%VERSION%";
const FILES = %FILES%;
const ANALYST = "%ANALYST%";

addEventListener("install", (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)));
});

addEventListener("activate", (event) => {
  const clean = async () => {
    for (const name of await caches.keys()) {
      if (name.startsWith("mcp-pif-") && name !== CACHE) await caches.delete(name);
    }
    await clients.claim();
  };
  event.waitUntil(clean());
});

addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || new URL(request.url).origin !== location.origin) return;
  const answer = async () => {
    const cache = await caches.open(CACHE);
    const key = request.mode === "navigate" ? "./" : request;
    const kept = await cache.match(key, { ignoreSearch: true });
    if (kept !== undefined) return kept;
    const fetched = await fetch(request);
    if (fetched.ok && new URL(request.url).pathname.endsWith(`/${ANALYST}`)) await cache.put(request, fetched.clone());
    return fetched;
  };
  event.respondWith(answer());
});
