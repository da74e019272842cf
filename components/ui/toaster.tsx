import { useRef, type FocusEvent, type MouseEvent } from 'react';
import { resolveValue, toast, useToaster } from 'react-hot-toast/headless';
import { useMessages } from '@/lib/browser/use-messages';
import { CloseIcon } from './close-icon';
import { Notice, type NoticeTone } from './notice';
import styles from './toaster.module.css';

/** How long a toast stays visible, in milliseconds (docs/product.md#constants). */
export const TOAST_DURATION = 5_000;

export function addToast(tone: NoticeTone, message: string): void {
  // Wait until the tab is visible, because a toast would expire unseen in a background tab, for example after another
  // tab signed out.
  if (document.visibilityState === 'hidden')
    return document.addEventListener('visibilitychange', () => addToast(tone, message), { once: true });
  const id = `${tone}:${message}`;
  toast.custom(message, { id, duration: TOAST_DURATION, className: tone });
}

export default function Toaster() {
  const { t } = useMessages('common');
  const { toasts, handlers } = useToaster();
  const before = useRef<HTMLElement | null>(null);
  const noteFocus = ({ currentTarget, relatedTarget }: FocusEvent) => {
    handlers.startPause();
    if (currentTarget.contains(relatedTarget)) return;
    before.current = relatedTarget instanceof HTMLElement ? relatedTarget : null;
  };
  const close = (id: string, { currentTarget: button }: MouseEvent) => {
    // The button is removed with its toast, so return the focus to where it was, or else to the heading.
    if (button === document.activeElement) {
      // Each page renders its own heading, and the toaster is outside of all pages.
      const heading = document.querySelector('h1');
      heading?.setAttribute('tabindex', '-1');
      (before.current?.isConnected ? before.current : heading)?.focus({ preventScroll: true });
    }
    toast.dismiss(id);
  };
  return (
    <div
      className={styles.stack}
      onMouseEnter={handlers.startPause}
      onMouseLeave={handlers.endPause}
      onFocus={noteFocus}
      onBlur={handlers.endPause}
    >
      {toasts
        .filter(({ visible }) => visible)
        .map((item) => (
          <div key={item.id} className={styles.toast}>
            <Notice tone={(item.className ?? 'info') as NoticeTone} inRegion>
              {resolveValue(item.message, item)}
            </Notice>
            <button
              type="button"
              className={styles.close}
              onClick={(event) => close(item.id, event)}
              aria-label={t('toast.close')}
            >
              <CloseIcon />
            </button>
          </div>
        ))}
    </div>
  );
}
