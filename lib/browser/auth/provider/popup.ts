/** How often to look whether the provider's window is closed, in milliseconds. */
const POLL_MS = 200;
/** How long a sign-in may take to succeed after its window closed itself, in milliseconds. */
const GRACE_MS = 500;

let popup: Window | null = null;
let onOpen: () => void = () => undefined;
let isRecording = false;

type Watcher = {
  /** The window is open. */
  onOpen?: (() => void) | undefined;
  /**
   * The user closed the window. Not final: some browsers hide from its opener that a window is open
   * (Cross-Origin-Opener-Policy), so the call can still succeed.
   */
  onClosed?: (() => void) | undefined;
};

/** Runs an SDK call that opens the provider's window. The SDK itself reports a closed window after ten seconds. */
export async function withPopup<T>(call: () => Promise<T>, { onOpen: opened, onClosed }: Watcher): Promise<T> {
  recordPopups();
  popup = null;
  onOpen = () => opened?.();
  let closedFor = 0;
  const timer = setInterval(() => {
    // Focus is elsewhere, e.g. in a window that only seems to be closed.
    if (!popup?.closed || !document.hasFocus()) return;
    closedFor += POLL_MS;
    if (closedFor <= GRACE_MS) return;
    clearInterval(timer);
    onClosed?.();
  }, POLL_MS);
  try {
    return await call();
  } finally {
    clearInterval(timer);
  }
}

/** Closes the provider's window; the call that opened it fails later. */
export function closePopup(): void {
  popup?.close();
}

/** The SDK does not return its window. */
function recordPopups(): void {
  if (isRecording) return;
  isRecording = true;
  const open = window.open.bind(window);
  window.open = (...args) => {
    popup = open(...args);
    if (popup) onOpen();
    return popup;
  };
}
