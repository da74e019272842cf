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
  attempt(() => void window.indexedDB.deleteDatabase(PROVIDER_DATABASE));
}

/** If storage is blocked, it contains nothing to clear. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // Blocked.
  }
}
