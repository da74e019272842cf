import { useTranslation } from 'next-i18next/pages';
import { AuthLayout } from '@/components/layout/auth-layout';
import { ButtonLink } from '@/components/ui/button';
import { goToCallback } from '@/lib/callback/browser';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { paths } from '@/lib/paths';

type Props = {
  signedIn: boolean;
  /** Where the learner goes on to, as the server knows it. */
  destination: string;
};

/** The account is open. Who confirmed on another device still has to sign in on this one. */
export function SuccessScreen({ signedIn, destination }: Props) {
  const { t } = useTranslation('registration-success');
  const env = usePublicEnv();
  return (
    <AuthLayout heading={t('heading')} lead={signedIn ? undefined : t('signInLead')}>
      {signedIn ? (
        // A plain link, so that it works from the first moment on.
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
