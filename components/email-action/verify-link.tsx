import { useState } from 'react';
import { FullScreenLoader } from '@/components/layout/full-screen-loader';
import { carryEmail } from '@/lib/browser/account/carried-email';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import type { EmailVerification } from '@/lib/shared/account/email-action';
import { reportError } from '@/lib/shared/error-reporting/report';
import { paths } from '@/lib/shared/paths';
import { UnusableLink, Unreachable } from './unusable-link';
import { AccountMismatch, PasswordVerifyPanel } from './lazy-panels';
import { useSignedInUser } from './use-signed-in-user';
import { Verified } from './verified';
import { VerifyPanel } from './verify-panel';

type Props = {
  code: string;
  /** Null when the server could not determine it. */
  verification: EmailVerification | null;
  /** This browser has a pending registration, for which a new code can be sent. */
  canResend: boolean;
};

/** A link that confirms an address. */
export function VerifyLink({ code, verification, canResend }: Props) {
  if (verification === null) return <Unreachable code="unknown" onRetry={() => window.location.reload()} />;
  if (verification.email !== null) return <OpenLink code={code} canResend={canResend} {...verification} />;
  const end = verification.state === 'expired' ? 'EXPIRED_OOB_CODE' : 'INVALID_OOB_CODE';
  return <UnusableLink mode="verifyEmail" code={end} canResend={canResend} />;
}

type OpenProps = Extract<EmailVerification, { email: string }> & Pick<Props, 'code' | 'canResend'>;

function OpenLink({ code, canResend, state: before, email }: OpenProps) {
  const env = usePublicEnv();
  const present = useSignedInUser();
  const [state, setState] = useState(before);
  if (present.isLoading) return <FullScreenLoader />;
  if (present.email !== null && present.email !== email)
    return <AccountMismatch present={present.email} wanted={email} onSwitch={present.signOut} />;

  const goOn = async (customToken: string | undefined) => {
    carryEmail(email);
    if (customToken === undefined) return window.location.assign(paths.registrationSuccess);
    const { finishRegistration } = await import('@/lib/browser/auth/sign-in/finish-registration');
    await finishRegistration(env, email, customToken);
  };
  const onVerified = (customToken?: string) => {
    if (present.email !== null) return setState('verified');
    goOn(customToken).catch((error: unknown) => {
      reportError(error, { during: 'signing in after the confirmation' });
      // The address is confirmed all the same.
      window.location.assign(paths.registrationSuccess);
    });
  };
  const panel = { code, email, onVerified };
  switch (state) {
    case 'verified':
      return <Verified email={email} isSignedIn={present.email !== null} />;
    case 'new-password':
      return <PasswordVerifyPanel {...panel} />;
    case 'same-browser':
      return <VerifyPanel {...panel} canResend={canResend} onNewPassword={() => setState('new-password')} />;
  }
}
