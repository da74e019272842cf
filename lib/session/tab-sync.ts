/** Tells this learner's other tabs about sign-in and sign-out (product decisions, 3). */
export type TabMessage = 'signed-in' | 'signed-out';

const CHANNEL = 'learner-session';

/** One channel a page: what a channel says it does not hear itself. */
let channel: BroadcastChannel | null | undefined;

function tabChannel(): BroadcastChannel | null {
  channel ??= typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(CHANNEL);
  return channel;
}

export function tellOtherTabs(message: TabMessage): void {
  tabChannel()?.postMessage(message);
}

/** @returns a function that stops listening */
export function onOtherTab(listener: (message: TabMessage) => void): () => void {
  const shared = tabChannel();
  const hear = ({ data }: MessageEvent<unknown>) => {
    if (data === 'signed-in' || data === 'signed-out') listener(data);
  };
  shared?.addEventListener('message', hear);
  return () => shared?.removeEventListener('message', hear);
}
