import { useTranslation } from 'next-i18next/pages';
import { useEffect } from 'react';
import { Notice } from '@/components/ui/notice';
import type { EntryFailure } from '@/lib/auth/enter';
import { errorTextKey, isCredentialFailure } from '@/lib/auth/error-codes';

type Props = {
  failure: EntryFailure;
  /** Failed tries so far: the second adds a way on, the third the support. */
  tries: number;
  /** Told when a limit has ended and the message is no longer true. */
  onOver: () => void;
};

export function EntryFailureNotice({ failure, tries, onOver }: Props) {
  const { t } = useTranslation('common');
  useEffect(() => {
    if (failure.retryAfter === null) return;
    const timer = setTimeout(onOver, failure.retryAfter * 1_000);
    return () => clearTimeout(timer);
  }, [failure, onOver]);

  const isGeneral = isCredentialFailure(failure.code);
  return (
    <Notice tone="error">
      <p>{t(isGeneral ? errorTextKey('auth/invalid-login-credentials') : errorTextKey(failure.code))}</p>
      {failure.retryAfter !== null && <p>{t('errors.retryAfter', { count: failure.retryAfter })}</p>}
      {isGeneral && tries === 2 && <p>{t('errors.tryReset')}</p>}
      {isGeneral && tries > 2 && <p>{t('errors.trySupport')}</p>}
    </Notice>
  );
}
