// Signatures: DSSE envelopes and keys of ed25519, by the browser's own cryptography. It knows nothing of runs.

export interface Envelope {
  payloadType: string;
  payload: string;
  signatures: { keyid: string; sig: string }[];
}

export interface Statement {
  _type: string;
  subject: { name: string; digest: { sha256: string } }[];
  predicateType: string;
  predicate: unknown;
}

/** A key, by the sha256 of its `SubjectPublicKeyInfo`. */
interface Key {
  id: string;
  key: CryptoKey;
}

const PAYLOAD = "application/vnd.in-toto+json";
const STATEMENT = "https://in-toto.io/Statement/v1";
const ROTATION = "https://github.com/mcp-pif/mcp-pif/key-rotation/v1";

export async function sha256(content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function refuse(reason: string): never {
  throw new Error(reason);
}

/** The keys of a text in PEM. What stands between them is a comment. */
async function keysOf(pem: string): Promise<Key[]> {
  const blocks = pem.matchAll(/-----BEGIN PUBLIC KEY-----([^-]*)-----END PUBLIC KEY-----/g);
  const keys: Key[] = [];
  for (const [, body = ""] of blocks) {
    const der = bytesOf(body.replace(/\s/g, ""));
    const key = await crypto.subtle.importKey("spki", der, "Ed25519", false, ["verify"]);
    keys.push({ id: await sha256(der), key });
  }
  return keys;
}

async function isSignedBy({ payloadType, payload, signatures }: Envelope, { id, key }: Key): Promise<boolean> {
  const content = bytesOf(payload);
  const head = new TextEncoder().encode(`DSSEv1 ${utf8Length(payloadType)} ${payloadType} ${content.length} `);
  const message = new Uint8Array(head.length + content.length);
  message.set(head);
  message.set(content, head.length);
  for (const { keyid, sig } of signatures) {
    if (keyid === id && (await crypto.subtle.verify("Ed25519", key, bytesOf(sig), message))) return true;
  }
  return false;
}

/** The statement of an envelope, if it is one of this predicate. It does not look at the signatures. */
export function statementOf({ payloadType, payload }: Envelope, predicate: string): Statement | undefined {
  if (payloadType !== PAYLOAD) return undefined;
  const statement = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytesOf(payload))) as Statement;
  return statement._type === STATEMENT && statement.predicateType === predicate ? statement : undefined;
}

/** The ids of revoked keys, each with the moment from which its signatures do not count. A line of the text has an id
    and a moment; without one none of them counts. What follows `#` is a comment. */
function revocationsOf(text: string): Map<string, number> {
  const revoked = new Map<string, number>();
  for (const [at, line] of text.split("\n").entries()) {
    const [id, moment, ...rest] = (line.split("#")[0] ?? "").trim().split(/\s+/);
    if (id === undefined || id === "") continue;
    const from = moment === undefined ? -Infinity : momentOf(moment);
    if (!/^[0-9a-f]{64}$/i.test(id) || Number.isNaN(from) || rest.length > 0) {
      refuse(`line ${at + 1} of the revoked keys is not the id of a key and a moment, as in 3f… 2026-01-31`);
    }
    revoked.set(id.toLowerCase(), from);
  }
  return revoked;
}

/** A day, or a day and a time, in milliseconds since 1970; no number for any other text. The zone defaults to UTC. */
function momentOf(text: string): number {
  const parts = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/i.exec(text);
  return parts === null ? NaN : Date.parse(`${parts[1]}T${parts[2] ?? "00:00"}${parts[3] ?? "Z"}`.toUpperCase());
}

/** The id of the key that signed an envelope: a key of the text, or one that followed it. It was not
    revoked at the moment, in milliseconds since 1970. */
export async function signerOf(envelope: Envelope, rotations: Envelope[], pem: string, revoked: string, moment: number): Promise<string> {
  const revocations = revocationsOf(revoked);
  const isRevoked = (id: string, at: number) => (revocations.get(id) ?? Infinity) <= at;
  const keys = await keysOf(pem);
  if (keys.length === 0) refuse("there is no public key to trust");
  for (const rotation of rotations) {
    const { from, to, at } = (statementOf(rotation, ROTATION)?.predicate ?? {}) as { from?: string; to?: string; at?: string };
    const [older] = await keysOf(from ?? "");
    const [newer] = await keysOf(to ?? "");
    if (older === undefined || newer === undefined || !keys.some(({ id }) => id === older.id)) continue;
    const followed = momentOf(at ?? "");
    if (isRevoked(older.id, Number.isNaN(followed) ? Infinity : followed)) continue;
    if ((await isSignedBy(rotation, older)) && (await isSignedBy(rotation, newer))) keys.push(newer);
  }
  let early: string | undefined;
  for (const { id, key } of keys) {
    if (!(await isSignedBy(envelope, { id, key }))) continue;
    if (!isRevoked(id, moment)) return id;
    early = id;
  }
  return refuse(early === undefined ? "no trusted key has signed it" : `its key ${early} was revoked before it was signed`);
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** The bytes of a text in base64, which has no other spelling. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const binary = atob(base64);
  if (btoa(binary) !== base64) refuse("a text is no base64");
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
