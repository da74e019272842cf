import { resolveValue, toast, useToaster } from 'react-hot-toast/headless';
import { useMessages } from '@/lib/browser/use-messages';
import { Icon } from './icons';
import { Notice, type NoticeTone } from './notice';
import styles from './toaster.module.css';

/** How long a toast stays visible, in milliseconds (docs/product.md#constants). */
export const TOAST_DURATION = 5_000;

export function addToast(tone: NoticeTone, message: string): void {
  // Its time would pass unseen in a tab behind others, as where another tab has signed out.
  if (document.visibilityState === 'hidden')
    return document.addEventListener('visibilitychange', () => addToast(tone, message), { once: true });
  const id = `${tone}:${message}`;
  toast.custom(message, { id, duration: TOAST_DURATION, className: tone });
}

export default function Toaster() {
  const { t } = useMessages('common');
  const { toasts, handlers } = useToaster();
  return (
    <div
      className={styles.stack}
      onMouseEnter={handlers.startPause}
      onMouseLeave={handlers.endPause}
      onFocus={handlers.startPause}
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
              onClick={() => toast.dismiss(item.id)}
              aria-label={t('toast.close')}
            >
              <Icon glyph="close" />
            </button>
          </div>
        ))}
    </div>
  );
}
