import { useEffect, useRef } from 'react';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import { displayWait } from '@/lib/shared/moment';

type Props = {
  /** The failure that holds the rate limit; `retryAfter` in seconds. */
  failure: { retryAfter: number | null };
  /** Called when the rate limit has expired and the message no longer applies. */
  onExpire: () => void;
};

/** Shows when the user can retry. The timer starts at the failure; rerenders of the form do not restart it. */
export function RetryAfterNotice({ failure, onExpire }: Props) {
  const { t } = useMessages('common');
  const language = useLanguage();
  const latest = useRef(onExpire);
  useEffect(() => {
    latest.current = onExpire;
  });
  useEffect(() => {
    if (failure.retryAfter === null) return;
    const timer = setTimeout(() => latest.current(), failure.retryAfter * 1_000);
    return () => clearTimeout(timer);
  }, [failure]);
  if (failure.retryAfter === null) return null;
  return <p>{t('errors.retryAfter', { when: displayWait(failure.retryAfter, language) })}</p>;
}
