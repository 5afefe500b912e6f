// Where the bindings of the session lie between two visits: IndexedDB, for they may be larger than what
// `localStorage` takes. It may be missing, full or meddled with. Then the session lasts as long as the page.

/** A name with the term of its value, as it lies there. */
export interface Binding {
  name: string;
  kind: string;
  term: string;
  /** The sources of the tools that the term names at their revisions, by `name@hash`. */
  tools: Record<string, string>;
}

const DATABASE = "mcp-pif.session";
const STORE = "bindings";
/** How long the browser may take to open it. */
const PATIENCE_MILLISECONDS = 3000;
/** Records that are read, however many there are. */
const MOST = 1000;

function opened(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "name" });
    request.onsuccess = () => {
      const database = request.result;
      // Another page wants to delete it or to make it anew.
      database.onversionchange = () => database.close();
      resolve(database);
    };
    request.onerror = () => reject(request.error);
    setTimeout(() => reject(new Error("the browser does not open its storage")), PATIENCE_MILLISECONDS);
  });
}

/** Does something in one transaction: all of it happens, or nothing. */
async function transact(mode: IDBTransactionMode, act: (store: IDBObjectStore) => void): Promise<void> {
  const database = await opened();
  try {
    await new Promise<void>((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      transaction.oncomplete = () => resolve();
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
      act(transaction.objectStore(STORE));
    });
  } finally {
    database.close();
  }
}

/** Reads what lies there, one after the other, until `take` has had enough. It may be anything. */
export async function read(take: (record: unknown) => boolean): Promise<void> {
  let count = 0;
  await transact("readonly", (store) => {
    const request = store.openCursor();
    request.onsuccess = () => {
      const cursor = request.result;
      if (cursor !== null && ++count <= MOST && take(cursor.value)) cursor.continue();
    };
  });
}

/** Puts bindings there and removes others; whether the browser did so. */
export async function write(bindings: Binding[], forgotten: string[] = []): Promise<boolean> {
  try {
    await transact("readwrite", (store) => {
      for (const name of forgotten) store.delete(name);
      for (const binding of bindings) store.put(binding);
    });
    return true;
  } catch {
    return false;
  }
}

/** Removes everything, even what another version of the page has left. */
export function clear(): Promise<boolean> {
  return new Promise((resolve) => {
    try {
      const request = indexedDB.deleteDatabase(DATABASE);
      request.onsuccess = () => resolve(true);
      request.onerror = request.onblocked = () => resolve(false);
    } catch {
      resolve(false);
    }
  });
}
