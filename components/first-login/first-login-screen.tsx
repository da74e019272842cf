import { useEffect, useState } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import { getCurrentEmail } from '@/lib/browser/account/change-password';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { reportError } from '@/lib/shared/error-reporting/report';
import { FirstPasswordForm } from './first-password-form';

/** A user of the previous system must first choose a new password (docs/product.md#screens). */
export function FirstLoginScreen() {
  const { t } = useMessages('reset-password-init');
  const env = usePublicEnv();
  const [email, setEmail] = useState('');
  useEffect(() => {
    getCurrentEmail(env)
      .then((present) => {
        // Without a recent sign-in there is no account to set a password for.
        if (present === null) window.location.replace(paths.signIn);
        else setEmail(present);
      })
      .catch((error: unknown) => reportError(error, { during: 'finding the signed-in user' }));
  }, [env]);
  return (
    <AuthLayout heading={t('heading')} lead={t('lead')}>
      <FirstPasswordForm email={email} />
    </AuthLayout>
  );
}
