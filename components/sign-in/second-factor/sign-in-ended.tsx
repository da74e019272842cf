import { AuthLayout } from '@/components/layout/auth-layout';
import { ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import type { SignInEnd } from '@/lib/browser/second-factor/sign-in';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';

/** The pending sign-in is over without a session: why, and the link to a new one. */
export function SignInEnded({ why }: { why: SignInEnd }) {
  const { t } = useMessages('second-factor');
  return (
    <AuthLayout heading={t('ended.heading')}>
      <Notice tone="error">{t(`ended.${why}`)}</Notice>
      <ButtonLink kind="primary" href={paths.signIn}>
        {t('common:signInAgain')}
      </ButtonLink>
    </AuthLayout>
  );
}
