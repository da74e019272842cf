import { useTranslation } from 'next-i18next/pages';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { signOutEverywhere } from '@/lib/auth/sign-out';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { paths, queryNames } from '@/lib/paths';
import styles from './security.module.css';

const DONE = `${paths.signIn}?${new URLSearchParams({ [queryNames.notification]: 'ForcedSignOut' }).toString()}`;

/** For who has lost a device, or left one signed in. */
export function SignOutEverywhere() {
  const { t } = useTranslation('dashboard');
  const env = usePublicEnv();
  const [phase, setPhase] = useState<'idle' | 'working' | 'failed'>('idle');
  const leave = async () => {
    setPhase('working');
    if (await signOutEverywhere(env)) window.location.replace(DONE);
    else setPhase('failed');
  };
  return (
    <section className={styles.section} aria-labelledby="security-everywhere">
      <h2 id="security-everywhere">{t('security.everywhere.heading')}</h2>
      <p>{t('security.everywhere.text')}</p>
      {phase === 'failed' && <Notice tone="error">{t('common:errors.auth/session-unavailable')}</Notice>}
      <Button
        kind="secondary"
        busy={phase === 'working'}
        busyLabel={t('common:signingOut')}
        onClick={() => void leave()}
      >
        {t('security.everywhere.button')}
      </Button>
    </section>
  );
}
