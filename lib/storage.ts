type Kind = 'localStorage' | 'sessionStorage';

/**
 * The browser's storage, for what is nice to have remembered. Some browsers throw at the mere access, others once it is
 * full or a page's data is blocked: then nothing is kept, and nobody is held up.
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
    clear: () => void attempt((store) => store.clear()),
  };
}
