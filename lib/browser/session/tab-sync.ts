/**
 * Messages to the learner's other tabs about sign-in and sign-out (docs/product.md#session). `session-changed`: it may have
 * ended; check it.
 */
export type TabMessage = 'signed-in' | 'signed-out' | 'session-changed' | 'device-cleared';

const CHANNEL = 'learner-session';

/** One channel per page: a channel does not receive its own messages. */
let channel: BroadcastChannel | null | undefined;

function getChannel(): BroadcastChannel | null {
  if (channel === undefined) channel = openChannel();
  return channel;
}

/** Firefox refuses a channel to a page whose cookies are blocked. */
function openChannel(): BroadcastChannel | null {
  try {
    return new BroadcastChannel(CHANNEL);
  } catch {
    return null;
  }
}

export function broadcast(message: TabMessage): void {
  getChannel()?.postMessage(message);
}

/**
 * @param listener must ignore unknown messages: a tab may run another version of this app
 * @returns a function that removes the listener
 */
export function onMessage(listener: (message: TabMessage) => void): () => void {
  const shared = getChannel();
  const hear = ({ data }: MessageEvent<TabMessage>) => listener(data);
  shared?.addEventListener('message', hear);
  return () => shared?.removeEventListener('message', hear);
}
