import { storage } from '@/lib/browser/storage';

/** Detects whether the user is active, across tabs (docs/product.md#constants). */
export const IDLE_TIMEOUT_MS = 5_000;
export const IDLE_EVENT_THROTTLE_MS = 500;

const LAST_ACTIVE_KEY = 'last-active-time';
const INPUT_EVENTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart', 'focus'] as const;

export type Activity = { isIdle: () => boolean; stop: () => void };

/**
 * Listens for input and updates `last-active-time`, which all tabs share.
 * @param onChange called when the user becomes idle or active
 */
export function watchActivity(onChange: (idle: boolean) => void): Activity {
  let idle = false;
  let noticedAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const settle = () => {
    const quietFor = Date.now() - lastActive();
    if (quietFor < IDLE_TIMEOUT_MS) timer = setTimeout(settle, IDLE_TIMEOUT_MS - quietFor);
    else change(true);
  };
  const change = (next: boolean) => {
    if (next === idle) return;
    idle = next;
    onChange(idle);
  };
  const wake = () => {
    clearTimeout(timer);
    timer = setTimeout(settle, IDLE_TIMEOUT_MS);
    change(false);
  };
  const notice = () => {
    const now = Date.now();
    if (now - noticedAt < IDLE_EVENT_THROTTLE_MS) return;
    noticedAt = now;
    remember(now);
    wake();
  };
  const noticeOtherTab = (event: StorageEvent) => {
    if (event.key === LAST_ACTIVE_KEY) wake();
  };

  INPUT_EVENTS.forEach((name) => window.addEventListener(name, notice, { passive: true, capture: true }));
  window.addEventListener('storage', noticeOtherTab);
  notice();
  return {
    isIdle: () => idle,
    stop: () => {
      clearTimeout(timer);
      INPUT_EVENTS.forEach((name) => window.removeEventListener(name, notice, { capture: true }));
      window.removeEventListener('storage', noticeOtherTab);
    },
  };
}

let fallback = 0;

function remember(time: number): void {
  fallback = time;
  // Without storage, this tab only tracks its own activity.
  storage('localStorage').setItem(LAST_ACTIVE_KEY, String(time));
}

function lastActive(): number {
  const stored = Number(storage('localStorage').getItem(LAST_ACTIVE_KEY));
  // A timestamp in the future, after the clock was set back, must not keep the user active forever.
  return Number.isFinite(stored) && stored <= Date.now() ? Math.max(stored, fallback) : fallback;
}
