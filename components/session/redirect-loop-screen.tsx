import { useState } from 'react';
import { Button, ButtonLink } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { usePublicEnv } from '@/lib/browser/config/context';
import { removeCookie } from '@/lib/browser/cookies';
import { useMessages } from '@/lib/browser/use-messages';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '../layout/flow.module.css';

/** Stops a redirect loop between this app and the platform, and offers ways to recover (docs/product.md#callbacks). */
export default function RedirectLoopScreen() {
  const { t } = useMessages('bounced');
  const env = usePublicEnv();
  const [phase, setPhase] = useState<'idle' | 'leaving' | 'failed'>('idle');
  const leave = async () => {
    setPhase('leaving');
    // Lazy-loaded, because few users need it and it must not slow down sign-in.
    const next = await import('@/lib/browser/auth/sign-in/sign-out')
      .then((module) => module.signOut(env))
      .catch(() => null);
    if (next === null) return setPhase('failed');
    removeCookie('callbackBounces', env.mainDomain);
    window.location.replace(next);
  };
  return (
    <AuthLayout heading={t('heading')} lead={t('lead')} showsContext={false}>
      <div className={styles.stack}>
        {phase === 'failed' && <Notice tone="error">{t('common:signOutFailed')}</Notice>}
        <Button busy={phase === 'leaving'} busyLabel={t('leaving')} onClick={() => void leave()}>
          {t('startAgain')}
        </Button>
        <ButtonLink href={getCallbackPolicy(env).dashboardUrl}>{t('dashboard')}</ButtonLink>
      </div>
    </AuthLayout>
  );
}
