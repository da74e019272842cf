import { useState } from 'react';
import type { VerifiedEmail } from '@/lib/browser/account/api';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { takeReturnByLink } from '@/lib/browser/auth/link-return';
import { usePublicEnv } from '@/lib/browser/config/context';
import type { EmailVerification } from '@/lib/shared/account/email-action';
import { reportError } from '@/lib/shared/error-reporting/report';
import { paths, pathWithFlow } from '@/lib/shared/paths';
import { PASSKEY_METHOD } from '@/lib/shared/sign-in-methods';
import { EmailLead } from '@/components/layout/email-lead';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { ProblemNotice } from '@/components/account-forms/problem-notice';
import { Button, ButtonLink } from '@/components/ui/button';
import { verifyEmail } from '@/lib/browser/account/email-action';
import { useMessages } from '@/lib/browser/use-messages';
import { goToCallback } from '@/lib/browser/callback';
import { AccountMismatch, CheckingLink, PasswordVerifyPanel, Unreachable, UnusableLink } from './unusable-link';
import { getLinkEnd, toLinkFailure, useCallOnArrival, useSignedInUser } from './use-email-action';

type Props = {
  code: string;
  /** Null if the server could not determine it. */
  verification: EmailVerification | null;
  canResend: boolean;
};

/** A link that confirms an address. */
export function VerifyLink({ code, verification, canResend }: Props) {
  if (verification === null) return <NotKnown />;
  if (verification.email !== null) return <OpenLink code={code} canResend={canResend} {...verification} />;
  const end = verification.state === 'expired' ? 'EXPIRED_OOB_CODE' : 'INVALID_OOB_CODE';
  return <UnusableLink mode="verifyEmail" code={end} canResend={canResend} />;
}

function NotKnown() {
  return <Unreachable code="unknown" onRetry={() => window.location.reload()} />;
}

type OpenProps = Extract<EmailVerification, { email: string }> & Pick<Props, 'code' | 'canResend'>;

function OpenLink({ code, canResend, state: before, email }: OpenProps) {
  const env = usePublicEnv();
  const present = useSignedInUser();
  const [state, setState] = useState(before);
  if (present.isLate) return <NotKnown />;
  if (present.isLoading) return <CheckingLink mode="verifyEmail" />;
  if (present.email !== null && present.email !== email)
    return <AccountMismatch present={present.email} wanted={email} onSwitch={present.signOut} />;

  const goOn = async ({ customToken, method = 'password', flow }: VerifiedEmail) => {
    carriedEmail.set(email);
    takeReturnByLink(email);
    try {
      if (customToken !== undefined) {
        const { finishRegistration } = await import('@/lib/browser/auth/sign-in/finish-registration');
        return await finishRegistration(env, { customToken, method, flow });
      }
    } catch (error) {
      // The address is confirmed anyway.
      reportError(error, { during: 'signing in after the confirmation' });
    }
    // The account has no password, so only the code can sign in.
    const isByPasskey = method === PASSKEY_METHOD;
    window.location.assign(isByPasskey ? pathWithFlow(paths.registrationConfirm, flow) : paths.registrationSuccess);
  };
  const onVerified = (verified: VerifiedEmail = {}) => {
    if (present.email === null) void goOn(verified);
    else setState('verified');
  };
  const onPasswordSaved = async (password: string) => {
    if (present.email !== null) return setState('verified');
    carriedEmail.set(email);
    takeReturnByLink(email);
    const { finishWithPassword } = await import('@/lib/browser/auth/sign-in/finish-registration');
    await finishWithPassword(env, { email, password });
  };
  const panel = { code, email };
  switch (state) {
    case 'verified':
      return <Verified email={email} isSignedIn={present.email !== null} />;
    case 'new-password':
      return <PasswordVerifyPanel {...panel} onVerified={onPasswordSaved} />;
    case 'same-browser':
      return (
        <VerifyPanel
          {...panel}
          canResend={canResend}
          onVerified={onVerified}
          onNewPassword={() => setState('new-password')}
        />
      );
  }
}

type VerifyPanelProps = {
  code: string;
  email: string;
  canResend: boolean;
  onVerified: (verified: VerifiedEmail) => void;
  /** Called if the server no longer recognizes this browser as the requester of the link. */
  onNewPassword: () => void;
};

/** A link that this browser requested. It confirms automatically, without a click. */
function VerifyPanel({ code, email, canResend, onVerified, onNewPassword }: VerifyPanelProps) {
  const { t } = useMessages('actions');
  const env = usePublicEnv();
  const { failure, isUnderWay, act, reset } = useCallOnArrival(async () => {
    const result = await verifyEmail(env, code);
    if (!result.ok && result.code !== 'new-password-required') return toLinkFailure(result);
    if (result.ok) onVerified(result.data);
    else onNewPassword();
    return null;
  });
  const end = failure && getLinkEnd(failure);
  if (end !== null) return <UnusableLink mode="verifyEmail" code={end} canResend={canResend} />;
  return (
    <AuthLayout heading={t('heading.verifyEmail')} lead={<EmailLead text={t('verify.lead')} email={email} />}>
      <div className={styles.stack}>
        {failure && <ProblemNotice failure={failure} hasForm={false} onExpire={reset} />}
        <Button busy={isUnderWay} busyLabel={t('verify.busy')} onClick={act}>
          {t('verify.button')}
        </Button>
      </div>
    </AuthLayout>
  );
}

/** The address is confirmed, by this link or earlier. Both are a success. */
function Verified({ email, isSignedIn }: { email: string; isSignedIn: boolean }) {
  const { t } = useMessages('actions');
  const env = usePublicEnv();
  return (
    <AuthLayout
      step="done"
      heading={t('verify.done')}
      lead={isSignedIn ? t('verify.doneLead') : t('verify.signInLead')}
    >
      {isSignedIn ? (
        <Button onClick={() => goToCallback(env)}>{t('verify.continue')}</Button>
      ) : (
        <ButtonLink kind="primary" href={paths.signIn} onClick={() => carriedEmail.set(email)}>
          {t('verify.signIn')}
        </ButtonLink>
      )}
    </AuthLayout>
  );
}
