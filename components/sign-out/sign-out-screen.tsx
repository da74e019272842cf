import { useState, type FormEvent } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import { Button, ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { APP_TIMEOUT_MS } from '@/lib/browser/callback';
import { useAppConfig, usePublicEnv } from '@/lib/browser/config/context';
import { useFreshAfterBack } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';
import { PAGE_ACCOUNT_FIELD } from '@/lib/shared/request-headers';
import styles from '../layout/flow.module.css';

type Props = {
  email: string | null;
  /** The account that the form names; undefined while it cannot be read. */
  accountUid?: string;
  destination: string;
  action: string;
  failure: 'other-account' | 'failed' | null;
};

/** Asks before signing out. A plain form, which works without JavaScript; with it, the identity provider's user is signed out as well. */
export function SignOutScreen({ email, accountUid, destination, action, failure }: Props) {
  const { t } = useMessages('sign-out');
  const env = usePublicEnv();
  const brand = useAppConfig()?.brandName ?? env.brandName;
  const [isLeaving, setIsLeaving] = useState(false);
  useFreshAfterBack(() => setIsLeaving(false));
  const leave = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    setIsLeaving(true);
    void import('@/lib/browser/auth/sign-in/sign-out')
      .then(({ signOutByForm }) => signOutByForm(env, form))
      .catch(() => form.submit())
      // An app opens without leaving this page, and a navigation can be stopped.
      .finally(() => setTimeout(() => setIsLeaving(false), APP_TIMEOUT_MS));
  };
  const lead = email === null ? t('lead', { brand }) : t('leadWithEmail', { brand, email });
  return (
    <AuthLayout heading={t('heading', { brand })} lead={lead} showsContext={false}>
      <div className={styles.stack}>
        {failure === 'failed' && <Notice tone="error">{t('common:signOutFailed')}</Notice>}
        {failure === 'other-account' && <Notice tone="error">{t('otherAccount')}</Notice>}
        {/* Ready from the start: the early script must not hold it back until hydration. */}
        <form className={styles.stack} method="post" action={action} data-ready="" onSubmit={leave}>
          {accountUid !== undefined && <input type="hidden" name={PAGE_ACCOUNT_FIELD} value={accountUid} />}
          <Button type="submit" busy={isLeaving} busyLabel={t('common:signingOut')}>
            {t('signOut')}
          </Button>
        </form>
        <ButtonLink href={destination}>{t('stay')}</ButtonLink>
      </div>
    </AuthLayout>
  );
}
