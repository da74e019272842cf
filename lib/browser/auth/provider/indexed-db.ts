import { promiseTimeout } from '@/lib/shared/promise-timeout';

const PROBE_DATABASE = 'probe';

/**
 * Hides an IndexedDB that does not open within 2 s from this document. In some browsers it sometimes never
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
    const request = indexedDB.open(PROBE_DATABASE);
    request.onerror = reject;
    request.onsuccess = () => {
      request.result.close();
      indexedDB.deleteDatabase(PROBE_DATABASE);
      resolve();
    };
  });
}
