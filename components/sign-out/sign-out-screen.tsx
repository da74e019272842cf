import { AuthLayout } from '@/components/layout/auth-layout';
import { Button, ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { useAppConfig } from '@/lib/browser/config/app-config-context';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { useMessages } from '@/lib/browser/use-messages';
import styles from '../layout/flow.module.css';

type Props = { email: string | null; destination: string; action: string; failed: boolean };

/** Asks before signing out. A plain form, which works without JavaScript. */
export function SignOutScreen({ email, destination, action, failed }: Props) {
  const { t } = useMessages('sign-out');
  const env = usePublicEnv();
  const brand = useAppConfig()?.brandName ?? env.brandName;
  const lead = email === null ? t('lead', { brand }) : t('leadWithEmail', { brand, email });
  return (
    <AuthLayout heading={t('heading', { brand })} lead={lead} showsContext={false}>
      <div className={styles.stack}>
        {failed && <Notice tone="error">{t('failed')}</Notice>}
        {/* Ready from the start: the early script must not hold it back until hydration. */}
        <form className={styles.stack} method="post" action={action} data-ready="">
          <Button type="submit">{t('signOut')}</Button>
        </form>
        <ButtonLink href={destination}>{t('stay')}</ButtonLink>
      </div>
    </AuthLayout>
  );
}
