import { useEffect, useRef } from 'react';
import { useMessages } from '@/lib/browser/use-messages';

type Props = {
  /** The failure that holds the rate limit; `retryAfter` in seconds. */
  failure: { retryAfter: number | null };
  /** Called when the rate limit has expired and the message no longer applies. */
  onExpire: () => void;
};

/** Shows when the user can retry. The timer starts at the failure; rerenders of the form do not restart it. */
export function RetryAfterNotice({ failure, onExpire }: Props) {
  const { t } = useMessages('common');
  const latest = useRef(onExpire);
  useEffect(() => {
    latest.current = onExpire;
  });
  useEffect(() => {
    if (failure.retryAfter === null) return;
    const timer = setTimeout(() => latest.current(), failure.retryAfter * 1_000);
    return () => clearTimeout(timer);
  }, [failure]);
  const { retryAfter: seconds } = failure;
  if (seconds === null) return null;
  // Long waits are shown in minutes: 3000 seconds is not readable.
  if (seconds >= 120) return <p>{t('errors.retryAfterMinutes', { count: Math.ceil(seconds / 60) })}</p>;
  return <p>{t('errors.retryAfter', { count: seconds })}</p>;
}
