import { ProblemNotice } from '@/components/account-forms/problem-notice';
import { ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import type { CallFailure } from '@/lib/browser/account/api';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';

type Props = { failure: CallFailure; onExpire: () => void };

/** Why a reset cannot be asked for, and the next step. */
export function ResetFailureNotice({ failure, onExpire }: Props) {
  const { t } = useMessages('second-factor');
  if (failure.code === 'other-method-required')
    return (
      <Notice tone="error">
        <p>{t('reset.otherMethod')}</p>
        <ButtonLink href={paths.signIn}>{t('common:signInAgain')}</ButtonLink>
      </Notice>
    );
  if (failure.code === 'records-unavailable')
    return <Notice tone="error">{t('common:errors.auth/session-unavailable')}</Notice>;
  return <ProblemNotice failure={failure} onExpire={onExpire} />;
}
