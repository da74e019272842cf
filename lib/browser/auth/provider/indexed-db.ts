import { promiseTimeout } from '@/lib/shared/promise-timeout';

const PROBE_DATABASE = 'storage-probe';

/**
 * Hides an IndexedDB that does not open, store and read within 2 s from this document. In some browsers it sometimes
 * never responds, and the SDK waits for it without a timeout: before each sign-in for the user, and before each request for
 * its usage statistics. Without one it uses local storage.
 */
export async function hideUnusableIndexedDb(): Promise<void> {
  try {
    await promiseTimeout(probe());
  } catch {
    Object.defineProperty(window, 'indexedDB', { value: undefined, configurable: true });
  }
}

async function probe(): Promise<void> {
  const open = indexedDB.open(PROBE_DATABASE);
  open.onupgradeneeded = () => open.result.createObjectStore(PROBE_DATABASE);
  const database = await toPromise(open);
  const store = database.transaction(PROBE_DATABASE, 'readwrite').objectStore(PROBE_DATABASE);
  await Promise.all([toPromise(store.put(1, 1)), toPromise(store.get(1))]);
  database.close();
  indexedDB.deleteDatabase(PROBE_DATABASE);
}

function toPromise<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = reject;
  });
}
