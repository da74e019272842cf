import { Suspense, useSyncExternalStore } from 'react';
import { createEvent } from '@/lib/browser/create-event';
import { lazyWithFallback } from '@/lib/browser/hooks';
import type { NoticeTone } from './notice';

const toaster = () => import('./toaster');
const Toaster = lazyWithFallback(toaster);

let wanted = false;
const change = createEvent();

/** Shows a temporary message at the bottom right. Duplicate messages are shown once. */
export async function showToast(tone: NoticeTone, message: string): Promise<void> {
  const { addToast } = await toaster();
  addToast(tone, message);
  wanted = true;
  change.emit();
}

/** Container for toasts. Their code is loaded with the first toast, but the live region must exist before it. */
export function Toasts() {
  const shown = useSyncExternalStore(
    change.on,
    () => wanted,
    () => false,
  );
  return (
    <div aria-live="polite">
      <Suspense>{shown && <Toaster />}</Suspense>
    </div>
  );
}
