import { useTranslation } from 'next-i18next/pages';
import { useEffect, useRef } from 'react';

type Props = {
  /** The failure that names the limit; `retryAfter` in seconds. */
  failure: { retryAfter: number | null };
  /** Told when the limit has ended and the message is no longer true. */
  onOver: () => void;
};

/** Says when another try may be made. Counted from the failure, however often the form is drawn anew meanwhile. */
export function LimitEnd({ failure, onOver }: Props) {
  const { t } = useTranslation('common');
  const latest = useRef(onOver);
  useEffect(() => {
    latest.current = onOver;
  });
  useEffect(() => {
    if (failure.retryAfter === null) return;
    const timer = setTimeout(() => latest.current(), failure.retryAfter * 1_000);
    return () => clearTimeout(timer);
  }, [failure]);
  const { retryAfter: seconds } = failure;
  if (seconds === null) return null;
  // Nobody counts 3000 seconds.
  if (seconds >= 120) return <p>{t('errors.retryAfterMinutes', { count: Math.ceil(seconds / 60) })}</p>;
  return <p>{t('errors.retryAfter', { count: seconds })}</p>;
}
