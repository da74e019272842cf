import { useTranslation } from 'next-i18next/pages';
import type { ReactNode } from 'react';
import { Notice } from '@/components/ui/notice';
import { PageLink } from '@/components/ui/page-link';
import { isPasswordRefusal } from '@/lib/account/password-refusals';
import { problemTextKey } from '@/lib/account/problem-texts';
import type { ApiAnswer } from '@/lib/api/client';
import { errorTextKey, isAuthErrorCode, type AuthErrorCode } from '@/lib/auth/error-codes';
import { paths } from '@/lib/paths';
import { LimitEnd } from './limit-end';

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
  const { t } = useTranslation('problems');
  const { code, triesLeft } = failure;
  // Said at the field.
  if (isPasswordRefusal(code)) return null;
  return (
    <Notice tone="error">
      <p>{t(isAuthErrorCode(code) ? errorTextKey(code) : problemTextKey(code))}</p>
      {code === 'too-many-requests' && <LimitEnd failure={failure} onOver={onOver} />}
      {code === 'code-wrong' && typeof triesLeft === 'number' && (
        <p>{triesLeft > 0 ? t('triesLeft', { count: triesLeft }) : t('code-locked')}</p>
      )}
      {code === 'code-used' && <PageLink href={paths.signIn}>{t('toSignIn')}</PageLink>}
      {children}
    </Notice>
  );
}
