import { NewPasswordForm } from '@/components/account-forms/new-password-form';
import { PageLink } from '@/components/ui/page-link';
import { needsRecentSignIn, setFirstPassword } from '@/lib/browser/account/change-password';
import { goToSecondFactor } from '@/lib/browser/auth/sign-in/second-factor-step';
import { goToCallback } from '@/lib/browser/callback';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';

export function FirstPasswordForm({ email }: { email: string }) {
  const { t } = useMessages('reset-password-init');
  const env = usePublicEnv();
  const save = async (password: string) => {
    const failure = await setFirstPassword(env, password);
    if (failure === null) goToCallback(env);
    else if (!(await goToSecondFactor(env, 'password', failure.code))) return failure;
    return null;
  };
  return (
    <NewPasswordForm
      label={t('form')}
      email={email}
      button={t('set')}
      busyLabel={t('setting')}
      save={save}
      getNextStep={(failure) => needsRecentSignIn(failure) && <PageLink href={paths.signIn}>{t('signIn')}</PageLink>}
    />
  );
}
