import { useTranslation } from 'next-i18next/pages';
import { useEffect, type ReactNode } from 'react';
import { Notice } from '@/components/ui/notice';
import { problemTextKey } from '@/lib/account/problem-texts';
import type { ApiAnswer } from '@/lib/api/client';
import { errorTextKey, isAuthErrorCode, type AuthErrorCode } from '@/lib/auth/error-codes';

export type Failure = {
  code: AuthErrorCode | Extract<ApiAnswer<unknown>, { ok: false }>['code'];
  retryAfter: number | null;
  triesLeft?: number | null;
};

type Props = {
  failure: Failure;
  /** Told when a limit has ended and the message is no longer true. */
  onOver: () => void;
  /** A way on. */
  children?: ReactNode;
};

/** Says why something did not work, and what to do next. Goes away when the limit it names has ended. */
export function ProblemNotice({ failure, onOver, children }: Props) {
  const { t } = useTranslation('common');
  const { code, retryAfter, triesLeft } = failure;
  useEffect(() => {
    if (code !== 'too-many-requests' || retryAfter === null) return;
    const timer = setTimeout(onOver, retryAfter * 1_000);
    return () => clearTimeout(timer);
  }, [code, retryAfter, onOver]);
  // Said at the field.
  if (code === 'password-common' || code === 'password-personal') return null;
  return (
    <Notice tone="error">
      <p>{t(isAuthErrorCode(code) ? errorTextKey(code) : problemTextKey(code))}</p>
      {code === 'too-many-requests' && retryAfter !== null && <p>{waitText(t, retryAfter)}</p>}
      {code === 'code-wrong' && typeof triesLeft === 'number' && (
        <p>{triesLeft > 0 ? t('problems.triesLeft', { count: triesLeft }) : t('problems.code-locked')}</p>
      )}
      {children}
    </Notice>
  );
}

/** Nobody counts 3000 seconds. */
function waitText(t: ReturnType<typeof useTranslation>['t'], seconds: number): string {
  if (seconds < 120) return t('errors.retryAfter', { count: seconds });
  return t('errors.retryAfterMinutes', { count: Math.ceil(seconds / 60) });
}
