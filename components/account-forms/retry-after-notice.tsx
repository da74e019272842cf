import { useEffect, useRef } from 'react';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import { getDateLocale, type Language } from '@/lib/shared/i18n/languages';

type Props = {
  /** The failure with the rate limit. `retryAfter`: in seconds. */
  failure: { retryAfter: number | null };
  /** Called when the rate limit has expired and the message no longer applies. */
  onExpire?: (() => void) | undefined;
};

/** Shows when the user can retry. The timer starts at the failure, and rerenders do not restart it. */
export function RetryAfterNotice({ failure, onExpire }: Props) {
  const { t } = useMessages('common');
  const language = useLanguage();
  const latest = useRef(onExpire);
  useEffect(() => {
    latest.current = onExpire;
  });
  useEffect(() => {
    if (failure.retryAfter === null) return;
    const timer = setTimeout(() => latest.current?.(), failure.retryAfter * 1_000);
    return () => clearTimeout(timer);
  }, [failure]);
  if (failure.retryAfter === null) return null;
  return <p>{t('errors.retryAfter', { when: displayWait(failure.retryAfter, language) })}</p>;
}

/** Shows when the page tries again. @param wait in seconds */
export function RepeatNotice({ wait }: { wait: number }) {
  const { t } = useMessages('common');
  const language = useLanguage();
  return <p>{t('errors.repeat', { when: displayWait(wait, language) })}</p>;
}

/** Formats a wait, such as `in 15 minutes`, because 3000 seconds are not readable. */
export function displayWait(seconds: number, language: Language): string {
  const format = new Intl.RelativeTimeFormat(getDateLocale(language));
  if (seconds < 120) return format.format(seconds, 'second');
  if (seconds < 7_200) return format.format(Math.ceil(seconds / 60), 'minute');
  return format.format(Math.ceil(seconds / 3_600), 'hour');
}
