import { useTranslation } from 'next-i18next/pages';
import { useState } from 'react';
import { Button, ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { callbackPolicyOf } from '@/lib/config/public-env';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { removeCookie } from '@/lib/cookies/browser';
import { paths } from '@/lib/paths';
import { AuthLayout } from './auth-layout';
import styles from './flow.module.css';

/** Ends a loop between this app and the platform: names it, and offers the ways out (product decisions, 5). */
export function BouncedScreen() {
  const { t } = useTranslation('bounced');
  const env = usePublicEnv();
  const [phase, setPhase] = useState<'idle' | 'leaving' | 'failed'>('idle');
  const leave = async () => {
    setPhase('leaving');
    // Nobody on the way in waits for what few need.
    const done = await import('@/lib/auth/sign-out').then((way) => way.signOut(env)).catch(() => false);
    if (!done) return setPhase('failed');
    removeCookie('callbackBounces', env.mainDomain);
    window.location.replace(paths.signIn);
  };
  return (
    <AuthLayout heading={t('heading')} lead={t('lead')} showsContext={false}>
      <div className={styles.stack}>
        {phase === 'failed' && <Notice tone="error">{t('common:errors.auth/session-unavailable')}</Notice>}
        <Button busy={phase === 'leaving'} busyLabel={t('leaving')} onClick={() => void leave()}>
          {t('startAgain')}
        </Button>
        <ButtonLink href={callbackPolicyOf(env).dashboardUrl}>{t('dashboard')}</ButtonLink>
      </div>
    </AuthLayout>
  );
}
