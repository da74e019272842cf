import { useTranslation } from 'next-i18next/pages';
import { useState } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import { LearningContext } from '@/components/layout/learning-context';
import { Button, ButtonLink } from '@/components/ui/button';
import { goToCallback } from '@/lib/callback/browser';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { paths } from '@/lib/paths';

/** The account is open. Who confirmed on another device still has to sign in on this one. */
export function SuccessScreen({ signedIn }: { signedIn: boolean }) {
  const { t } = useTranslation('registration-success');
  return (
    <AuthLayout heading={t('heading')} lead={signedIn ? <LearningContext /> : t('signInLead')}>
      {signedIn ? (
        <ContinueButton />
      ) : (
        <ButtonLink kind="primary" href={paths.signIn}>
          {t('signIn')}
        </ButtonLink>
      )}
    </AuthLayout>
  );
}

function ContinueButton() {
  const { t } = useTranslation('registration-success');
  const env = usePublicEnv();
  const [leaving, setLeaving] = useState(false);
  return (
    <Button
      busy={leaving}
      busyLabel={t('leaving')}
      onClick={() => {
        setLeaving(true);
        goToCallback(env);
      }}
    >
      {t('continue')}
    </Button>
  );
}
