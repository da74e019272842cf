type Kind = 'localStorage' | 'sessionStorage';

/**
 * Web storage for optional data. Some browsers throw on access, others when it is full or a page's data is blocked:
 * errors are ignored and nothing is stored.
 */
export function storage(kind: Kind) {
  const attempt = <T>(work: (store: Storage) => T): T | null => {
    try {
      return work(window[kind]);
    } catch {
      return null;
    }
  };
  return {
    getItem: (key: string) => attempt((store) => store.getItem(key)),
    setItem: (key: string, value: string) => void attempt((store) => store.setItem(key, value)),
    removeItem: (key: string) => void attempt((store) => store.removeItem(key)),
  };
}
