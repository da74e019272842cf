import { Suspense, useSyncExternalStore } from 'react';
import { latePart } from '@/lib/late-part';
import type { NoticeTone } from './notice';

const toaster = () => import('./toaster');
const Toaster = latePart(toaster);

let wanted = false;
const listeners = new Set<() => void>();

/** Shows a passing message, bottom right. The same message twice shows once. */
export async function showToast(tone: NoticeTone, message: string): Promise<void> {
  const { addToast } = await toaster();
  addToast(tone, message);
  wanted = true;
  listeners.forEach((listener) => listener());
}

/** Where toasts appear. Nothing is loaded for them before the first one; the region that says them is there before they are. */
export function Toasts() {
  const shown = useSyncExternalStore(
    subscribe,
    () => wanted,
    () => false,
  );
  return (
    <div aria-live="polite">
      <Suspense>{shown && <Toaster />}</Suspense>
    </div>
  );
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
