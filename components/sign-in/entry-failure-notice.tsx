import { useTranslation } from 'next-i18next/pages';
import { useEffect } from 'react';
import { Notice } from '@/components/ui/notice';
import type { EntryFailure } from '@/lib/auth/enter';
import { errorTextKey, type AuthErrorCode } from '@/lib/auth/error-codes';

/** Codes that a wrong password, an unknown address and a disabled account share, so that none of them tells which. */
const GENERAL: readonly AuthErrorCode[] = [
  'auth/wrong-password',
  'auth/user-not-found',
  'auth/user-disabled',
  'auth/invalid-credential',
  'auth/invalid-login-credentials',
];

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

  const isGeneral = GENERAL.includes(failure.code);
  return (
    <Notice tone="error">
      <p>{t(isGeneral ? errorTextKey('auth/invalid-login-credentials') : errorTextKey(failure.code))}</p>
      {failure.retryAfter !== null && <p>{t('errors.retryAfter', { count: failure.retryAfter })}</p>}
      {isGeneral && tries === 2 && <p>{t('errors.tryReset')}</p>}
      {isGeneral && tries > 2 && <p>{t('errors.trySupport')}</p>}
    </Notice>
  );
}
