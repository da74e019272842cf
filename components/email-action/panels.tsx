import type { ReactNode } from 'react';
import { NewPasswordForm } from '@/components/account-forms/new-password-form';
import type { FlowFailure } from '@/components/account-forms/problem-notice';
import { AuthLayout } from '@/components/layout/auth-layout';
import { EmailLead } from '@/components/layout/email-lead';
import styles from '@/components/layout/flow.module.css';
import { useLeaving } from '@/components/session/use-sign-out';
import { Button, ButtonLink } from '@/components/ui/button';
import { PageLink } from '@/components/ui/page-link';
import { resetByLink } from '@/lib/browser/account/api';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { verifyEmail } from '@/lib/browser/account/email-action';
import { takeReturnByLink } from '@/lib/browser/auth/link-return';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import type { ProviderAction } from '@/lib/shared/account/email-action';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { paths } from '@/lib/shared/paths';
import { getLinkEnd, toLinkFailure } from './use-email-action';

/** Sets a new password with an email link. */
export function ResetPanel({ action, email }: { action: ProviderAction; email: string }) {
  const { t } = useMessages('actions');
  const env = usePublicEnv();
  const save = async (password: string) => {
    const result = await resetByLink(action.code, password);
    if (!result.ok) return toLinkFailure(result);
    carriedEmail.set(email);
    takeReturnByLink(email);
    const { finishReset } = await import('@/lib/browser/auth/sign-in/finish-reset');
    await finishReset(env, result.data);
    return null;
  };
  return (
    <AuthLayout heading={t('heading.resetPassword')} lead={<EmailLead text={t('reset.lead')} email={email} />}>
      <NewPasswordForm
        label={t('heading.resetPassword')}
        email={email}
        button={t('reset.button')}
        busyLabel={t('reset.busy')}
        save={save}
        getNextStep={(failure) => (
          <AfterEnd failure={failure} email={email}>
            <PageLink href={paths.forgetPassword}>{t('dead.newCode')}</PageLink>
          </AfterEnd>
        )}
      />
    </AuthLayout>
  );
}

type EndProps = { failure: FlowFailure; email: string; children: ReactNode };

/** Offers sign-in in addition to a new link, because an attempt whose response was lost may have used this link. */
function AfterEnd({ failure, email, children }: EndProps) {
  const { t } = useMessages('actions');
  if (getLinkEnd(failure) === null) return null;
  return (
    <p>
      {children}
      <span> </span>
      <PageLink href={paths.signIn} onClick={() => carriedEmail.set(email)}>
        {t('dead.signIn')}
      </PageLink>
    </p>
  );
}

type VerifyProps = {
  code: string;
  email: string;
  /** @param password the password that was saved */
  onVerified: (password: string) => Promise<void>;
};

/** A link in another browser than the registration's. Confirming also requires a new password. */
export function PasswordVerifyPanel({ code, email, onVerified }: VerifyProps) {
  const { t } = useMessages('actions');
  const env = usePublicEnv();
  const save = async (password: string) => {
    const result = await verifyEmail(env, code, password);
    if (!result.ok) return toLinkFailure(result);
    await onVerified(password);
    return null;
  };
  return (
    <AuthLayout heading={t('heading.verifyEmail')} lead={<EmailLead text={t('verify.lead')} email={email} />}>
      <NewPasswordForm
        label={t('heading.verifyEmail')}
        email={email}
        button={t('verify.savePassword')}
        busyLabel={t('verify.busy')}
        save={save}
        getNextStep={(failure) => (
          <AfterEnd failure={failure} email={email}>
            <PageLink href={paths.emailLink}>{t('dead.newLink')}</PageLink>
          </AfterEnd>
        )}
      >
        <p>{t('verify.whyPassword')}</p>
      </NewPasswordForm>
    </AuthLayout>
  );
}

type MismatchProps = { present: string; wanted: string | null; onSwitch: () => Promise<boolean> };

/** A link that was opened while another user is signed in. The user chooses the account. */
export function AccountMismatch({ present, wanted, onSwitch }: MismatchProps) {
  const { t } = useMessages('actions');
  const env = usePublicEnv();
  const { isBusy, leave } = useLeaving(onSwitch);
  const lead = wanted === null ? t('other.leadUnknown', { present }) : t('other.lead', { present, wanted });
  return (
    <AuthLayout heading={t('other.heading')} lead={lead}>
      <div className={styles.stack}>
        <Button busy={isBusy} busyLabel={t('other.switching')} onClick={() => void leave()}>
          {t('other.switch')}
        </Button>
        <ButtonLink href={getCallbackPolicy(env).dashboardUrl}>{t('other.stay')}</ButtonLink>
      </div>
    </AuthLayout>
  );
}
