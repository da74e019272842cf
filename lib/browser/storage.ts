import { createEvent } from './create-event';

type Kind = 'localStorage' | 'sessionStorage';

/**
 * Web storage for optional data. It ignores errors and then stores nothing. Some browsers throw on access, others if the
 * storage is full or the page's data is blocked.
 */
export function storage(kind: Kind) {
  return {
    getItem: (key: string) => attempt(() => window[kind].getItem(key)),
    /** Parses the stored JSON. Returns null if the text is not JSON. */
    getJson: (key: string) => attempt(() => JSON.parse(window[kind].getItem(key) ?? 'null') as unknown),
    setItem: (key: string, value: string) => void attempt(() => window[kind].setItem(key, value)),
    removeItem: (key: string) => void attempt(() => window[kind].removeItem(key)),
  };
}

const PROVIDER_DATABASE = 'firebaseLocalStorageDb';

const clearing = createEvent();
/** Subscribe here if your code stores data in this browser. It would otherwise write the data back after the clear. */
export const onClearStorage = clearing.on;

/** Removes all personal data that is stored outside cookies, in this tab. The server clears the cookies. */
export function clearStorage(): void {
  clearing.emit();
  attempt(() => window.localStorage.clear());
  attempt(() => window.sessionStorage.clear());
  attempt(() => window.indexedDB.deleteDatabase(PROVIDER_DATABASE));
}

/** Runs work on the storage. @returns null if storage is blocked, so it contains nothing */
function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch {
    return null;
  }
}
