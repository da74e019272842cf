/** The browser's storage, or null where it is refused: some browsers throw at the mere access. */
export function storage(kind: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    return window[kind];
  } catch {
    return null;
  }
}
