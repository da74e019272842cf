import { useTranslation } from 'next-i18next/pages';
import { useEffect, useState } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import { presentEmail } from '@/lib/auth/change-password';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { paths } from '@/lib/paths';
import { reportError } from '@/lib/sentry/report';
import { FirstPasswordForm } from './first-password-form';

/** A person of the previous system chooses a new password before anything else (product decisions, 6). */
export function FirstLoginScreen() {
  const { t } = useTranslation('reset-password-init');
  const env = usePublicEnv();
  const [email, setEmail] = useState('');
  useEffect(() => {
    presentEmail(env)
      .then((present) => {
        // Without a fresh sign-in there is nobody to set a password for.
        if (present === null) window.location.replace(paths.signIn);
        else setEmail(present);
      })
      .catch((error: unknown) => reportError(error, { during: 'looking for who is signed in' }));
  }, [env]);
  return (
    <AuthLayout heading={t('heading')} lead={t('lead')}>
      <FirstPasswordForm email={email} />
    </AuthLayout>
  );
}
