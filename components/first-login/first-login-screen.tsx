import { useEffect, useState } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import { getCurrentEmail, needsRecentSignIn, setFirstPassword } from '@/lib/browser/account/change-password';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { reportError } from '@/lib/shared/error-reporting/report';
import { NewPasswordForm } from '@/components/account-forms/new-password-form';
import { PageLink } from '@/components/ui/page-link';
import { goToSecondFactor } from '@/lib/browser/auth/sign-in/required-step';

/** A user of the previous system must first choose a new password (docs/product.md#screens). */
export function FirstLoginScreen() {
  const { t } = useMessages('reset-password-init');
  const env = usePublicEnv();
  const [email, setEmail] = useState('');
  useEffect(() => {
    getCurrentEmail(env)
      .then((present) => {
        // Without a recent sign-in, there is no account to set a password for.
        if (present === null) window.location.replace(paths.signIn);
        else setEmail(present);
      })
      .catch((error: unknown) => reportError(error, { during: 'finding the signed-in user' }));
  }, [env]);
  const save = async (password: string) => {
    const failure = await setFirstPassword(env, password);
    return failure === null || (await goToSecondFactor(env, 'password', failure.code)) ? null : failure;
  };
  return (
    <AuthLayout heading={t('heading')} lead={t('lead')}>
      <NewPasswordForm
        label={t('form')}
        email={email}
        button={t('set')}
        busyLabel={t('setting')}
        save={save}
        getNextStep={(failure) => needsRecentSignIn(failure) && <PageLink href={paths.signIn}>{t('signIn')}</PageLink>}
      />
    </AuthLayout>
  );
}
