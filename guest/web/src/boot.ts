// Fetches the component and starts the worker with it; looks after the page without a network.

import { Client } from "./client.ts";
import { compile } from "./component.ts";
import { byId, figure } from "./dom.ts";

/** Where the build has put things. */
const { component, analyst, worker } = (document.querySelector("script[data-component]") as HTMLScriptElement).dataset;

/** Starts the evaluator and tells its hash in the foot of the page. */
export async function boot(): Promise<Client> {
  const bytes = await fetched(component, "evaluator");
  const analyze = async () => compile(await fetched(analyst, "analyst"));
  const client = new Client(new URL(worker ?? "", document.baseURI), await compile(bytes), analyze);
  void tell(bytes);
  return client;
}

async function fetched(file: string | undefined, name: string): Promise<Uint8Array<ArrayBuffer>> {
  const response = await fetch(new URL(file ?? "", document.baseURI));
  if (!response.ok) throw new Error(`the ${name} cannot be fetched: ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
}

async function tell(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  const foot = byId("component");
  foot.textContent = `The server’s own evaluator: ${figure(bytes.length)} bytes of WebAssembly`;
  // There is no digest on pages that are not served securely.
  if (!("subtle" in crypto)) return;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const hex = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  foot.dataset["sha256"] = hex;
  foot.title = `sha256 ${hex}`;
  foot.textContent += `, sha256 ${hex.slice(0, 12)}…`;
}

/** Keeps the page for times without a network, where the browser can. */
export async function offline(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  try {
    await navigator.serviceWorker.register(new URL("sw.js", document.baseURI));
    await navigator.serviceWorker.ready;
    byId("offline").textContent = "Works offline.";
  } catch {
    // Without it the page works as long as there is a network.
  }
}
