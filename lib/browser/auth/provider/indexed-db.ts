import { promiseTimeout } from '@/lib/shared/promise-timeout';

const PROBE_DATABASE = 'storage-probe';

/**
 * Hides an IndexedDB that does not open and write within 2 s from this document. In some browsers it sometimes never
 * responds, and the SDK waits for it without a timeout: before each sign-in for the user, and before each request for
 * its usage statistics. Without one it uses local storage.
 */
export async function hideUnusableIndexedDb(): Promise<void> {
  try {
    await promiseTimeout(probe());
  } catch {
    Object.defineProperty(window, 'indexedDB', { value: undefined, configurable: true });
  }
}

function probe(): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = window.indexedDB.open(PROBE_DATABASE);
    // Opening succeeds once this is stored.
    request.onupgradeneeded = () => request.result.createObjectStore('probe').put(1, 1);
    request.onerror = () => reject(new Error('IndexedDB cannot be opened', { cause: request.error }));
    request.onsuccess = () => {
      request.result.close();
      window.indexedDB.deleteDatabase(PROBE_DATABASE);
      resolve();
    };
  });
}
