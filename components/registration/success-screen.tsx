import type { ReactNode } from 'react';
import { EmailLead } from '@/components/layout/email-lead';
import { AuthLayout } from '@/components/layout/auth-layout';
import { ButtonLink } from '@/components/ui/button';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { goToCallback } from '@/lib/browser/callback';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';

type Props = {
  signedIn: boolean;
  /** The learner's destination, as known to the server. */
  destination: string;
  /** The registration's email, for a user who came back to its code page; null otherwise. */
  email: string | null;
};

/** The account is active. A user who confirmed on another device still has to sign in on this one. */
export function SuccessScreen({ signedIn, destination, email }: Props) {
  const { t } = useMessages('registration-success');
  const env = usePublicEnv();
  return (
    <AuthLayout heading={t('heading')} lead={getLead()}>
      {signedIn ? (
        // A plain link, so that it works before hydration.
        <ButtonLink
          kind="primary"
          href={destination}
          onClick={(event) => {
            event.preventDefault();
            goToCallback(env);
          }}
        >
          {t('continue')}
        </ButtonLink>
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
