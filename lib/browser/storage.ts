type Kind = 'localStorage' | 'sessionStorage';

/**
 * Web storage for optional data. Some browsers throw on access, others when it is full or a page's data is blocked:
 * errors are ignored and nothing is stored.
 */
export function storage(kind: Kind) {
  return {
    getItem: (key: string) => attempt(() => window[kind].getItem(key)),
    setItem: (key: string, value: string) => void attempt(() => window[kind].setItem(key, value)),
    removeItem: (key: string) => void attempt(() => window[kind].removeItem(key)),
  };
}

const PROVIDER_DATABASE = 'firebaseLocalStorageDb';

const clearListeners = new Set<() => void>();

/** Registers a listener for code that stores data in this browser and would otherwise write it back after the clear. */
export function onClearStorage(listener: () => void): void {
  clearListeners.add(listener);
}

/** Removes all personal data stored outside cookies, in this tab; the server clears the cookies. */
export function clearStorage(): void {
  clearListeners.forEach((listener) => listener());
  attempt(() => window.localStorage.clear());
  attempt(() => window.sessionStorage.clear());
  attempt(() => window.indexedDB.deleteDatabase(PROVIDER_DATABASE));
}

/** @returns null if storage is blocked, and so contains nothing */
function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
