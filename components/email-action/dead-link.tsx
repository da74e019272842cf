import { useTranslation } from 'next-i18next/pages';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { Button, ButtonLink } from '@/components/ui/button';
import type { EmailAction } from '@/lib/account/email-action';
import { errorTextKey, type AuthErrorCode } from '@/lib/auth/error-codes';
import { paths } from '@/lib/paths';

type Props = {
  action: EmailAction;
  code: AuthErrorCode;
  /** This browser has a registration under way, for which a new code can be sent. */
  canResend: boolean;
};

/** A link that has expired, was used, or never worked: says so, with a button that goes on. */
export function DeadLink({ action, code, canResend }: Props) {
  const { t } = useTranslation('actions');
  const next = nextStep(action, canResend);
  return (
    <AuthLayout heading={t('dead.heading')} lead={t(errorTextKey(code))}>
      <div className={styles.stack}>
        {next && (
          <ButtonLink kind="primary" href={next}>
            {action.mode === 'signIn' ? t('dead.newLink') : t('dead.newCode')}
          </ButtonLink>
        )}
        <ButtonLink kind={next ? 'secondary' : 'primary'} href={paths.signIn}>
          {t('dead.signIn')}
        </ButtonLink>
      </div>
    </AuthLayout>
  );
}

/** Where a new one is to be had. Who signs in with an unconfirmed address gets a new code there. */
function nextStep({ mode }: EmailAction, canResend: boolean): string | null {
  if (mode === 'resetPassword') return paths.forgetPassword;
  if (mode === 'signIn') return paths.emailLink;
  return mode === 'verifyEmail' && canResend ? paths.registrationConfirm : null;
}

export function Unreachable({ code, onAgain }: { code: AuthErrorCode; onAgain: () => void }) {
  const { t } = useTranslation('actions');
  return (
    <AuthLayout heading={t('unreachable.heading')} lead={t(errorTextKey(code))}>
      <Button onClick={onAgain}>{t('unreachable.again')}</Button>
    </AuthLayout>
  );
}
