import type { ReactNode } from 'react';
import { ContinueLink } from '@/components/account-forms/continue-link';
import { ProblemNotice } from '@/components/account-forms/problem-notice';
import { EmailLead } from '@/components/layout/email-lead';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { Button, ButtonLink } from '@/components/ui/button';
import { resendConfirmation } from '@/lib/browser/account/api';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { useCall } from '@/lib/browser/use-call';
import { useMessages } from '@/lib/browser/use-messages';
import { paths, pathWithFlow } from '@/lib/shared/paths';

type Props = {
  signedIn: boolean;
  /** The learner's destination according to the server. */
  destination: string;
  /** The registration's email, for a user who came back to its code page. Null otherwise. */
  email: string | null;
  /** The flow of a passkey registration whose account has no sign-in method yet, so that another code is needed. */
  passkeyFlow?: string;
};

/** Shows that the account is active. A user who confirmed on another device still has to sign in on this device. */
export function SuccessScreen({ signedIn, destination, email, passkeyFlow }: Props) {
  const { t } = useMessages('registration-success');
  if (passkeyFlow !== undefined && email !== null) return <AnotherCode flow={passkeyFlow} email={email} />;
  return (
    <AuthLayout step="done" heading={t('heading')} lead={getLead()}>
      {signedIn ? (
        <ContinueLink destination={destination} label={t('continue')} />
      ) : (
        <ButtonLink kind="primary" href={paths.signIn} onClick={() => email !== null && carriedEmail.set(email)}>
          {t('signIn')}
        </ButtonLink>
      )}
    </AuthLayout>
  );

  function getLead(): ReactNode {
    if (email !== null) return <EmailLead text={signedIn ? t('signedInAs') : t('signInAs')} email={email} />;
    return signedIn ? t('signedInLead') : t('signInLead');
  }
}

/** The code did not sign the browser in, and a code works only once. */
function AnotherCode({ flow, email }: { flow: string; email: string }) {
  const { t } = useMessages('registration-success');
  const { phase, failure, act, reset } = useCall(
    async () => {
      const answer = await resendConfirmation(flow);
      // After a reload, the page shows the next step.
      if (!answer.ok && ['code-missing', 'code-expired'].includes(answer.code)) window.location.reload();
      return answer;
    },
    () => {
      window.location.assign(pathWithFlow(paths.registrationConfirm, flow));
      // Stay busy until the page is left.
      return new Promise<never>(() => undefined);
    },
  );
  return (
    <AuthLayout heading={t('passkey.heading')} lead={<EmailLead text={t('passkey.lead')} email={email} />}>
      <div className={styles.stack}>
        {phase === 'failed' && failure && <ProblemNotice failure={failure} hasForm={false} onExpire={reset} />}
        <Button busy={phase === 'busy'} busyLabel={t('passkey.sending')} onClick={act}>
          {t('passkey.send')}
        </Button>
      </div>
    </AuthLayout>
  );
}
