/** Tells this learner's other tabs about sign-in and sign-out (product decisions, 3). */
export type TabMessage = 'signed-in' | 'signed-out';

const CHANNEL = 'learner-session';

export function tellOtherTabs(message: TabMessage): void {
  if (typeof BroadcastChannel === 'undefined') return;
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage(message);
  channel.close();
}

/** @returns a function that stops listening */
export function onOtherTab(listener: (message: TabMessage) => void): () => void {
  if (typeof BroadcastChannel === 'undefined') return () => undefined;
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (data === 'signed-in' || data === 'signed-out') listener(data);
  };
  return () => channel.close();
}
