import { AuthLayout } from '@/components/layout/auth-layout';
import { ButtonLink } from '@/components/ui/button';
import { goToCallback } from '@/lib/browser/callback';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';

type Props = {
  signedIn: boolean;
  /** The learner's destination, as known to the server. */
  destination: string;
};

/** The account is active. A user who confirmed on another device still has to sign in on this one. */
export function SuccessScreen({ signedIn, destination }: Props) {
  const { t } = useMessages('registration-success');
  const env = usePublicEnv();
  return (
    <AuthLayout heading={t('heading')} lead={signedIn ? undefined : t('signInLead')}>
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
        <ButtonLink kind="primary" href={paths.signIn}>
          {t('signIn')}
        </ButtonLink>
      )}
    </AuthLayout>
  );
}
