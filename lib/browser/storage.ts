import { createEvent } from './create-event';

type Kind = 'localStorage' | 'sessionStorage';

/**
 * Web storage for optional data. Some browsers throw on access, others when it is full or a page's data is blocked:
 * errors are ignored and nothing is stored.
 */
export function storage(kind: Kind) {
  return {
    getItem: (key: string) => attempt(() => window[kind].getItem(key)),
    /** What is stored as JSON; null also for a text that is none. */
    getJson: (key: string) => attempt(() => JSON.parse(window[kind].getItem(key) ?? 'null') as unknown),
    setItem: (key: string, value: string) => void attempt(() => window[kind].setItem(key, value)),
    removeItem: (key: string) => void attempt(() => window[kind].removeItem(key)),
  };
}

const PROVIDER_DATABASE = 'firebaseLocalStorageDb';

const clearing = createEvent();
/** For code that stores data in this browser and would otherwise write it back after the clear. */
export const onClearStorage = clearing.on;

/** Removes all personal data stored outside cookies, in this tab; the server clears the cookies. */
export function clearStorage(): void {
  clearing.emit();
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
