import { AuthLayout } from '@/components/layout/auth-layout';
import { Button, ButtonLink } from '@/components/ui/button';
import { carryEmail } from '@/lib/browser/account/carried-email';
import { goToCallback } from '@/lib/browser/callback';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';

/** The address is confirmed, by this link or earlier: both count as success. */
export function Verified({ email, isSignedIn }: { email: string; isSignedIn: boolean }) {
  const { t } = useMessages('actions');
  const env = usePublicEnv();
  return (
    <AuthLayout heading={t('verify.done')} lead={isSignedIn ? t('verify.doneLead') : t('verify.signInLead')}>
      {isSignedIn ? (
        <Button onClick={() => goToCallback(env)}>{t('verify.continue')}</Button>
      ) : (
        <ButtonLink kind="primary" href={paths.signIn} onClick={() => carryEmail(email)}>
          {t('verify.signIn')}
        </ButtonLink>
      )}
    </AuthLayout>
  );
}
