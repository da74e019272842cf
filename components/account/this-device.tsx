import { useTranslation } from 'next-i18next/pages';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { clearDevice } from '@/lib/auth/shared-computer';
import { signOut } from '@/lib/auth/sign-out';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { paths } from '@/lib/paths';
import styles from './security.module.css';

/** For who leaves a computer that is not theirs. */
export function ThisDevice() {
  const { t } = useTranslation('dashboard');
  const env = usePublicEnv();
  const [phase, setPhase] = useState<'idle' | 'working' | 'failed'>('idle');
  const leave = async () => {
    setPhase('working');
    if (!(await signOut(env))) return setPhase('failed');
    clearDevice(env);
    window.location.replace(paths.signIn);
  };
  return (
    <section className={styles.section} aria-labelledby="security-device">
      <h2 id="security-device">{t('security.device.heading')}</h2>
      <p>{t('security.device.text')}</p>
      {phase === 'failed' && <Notice tone="error">{t('common:errors.auth/session-unavailable')}</Notice>}
      <Button
        kind="secondary"
        busy={phase === 'working'}
        busyLabel={t('common:signingOut')}
        onClick={() => void leave()}
      >
        {t('security.device.button')}
      </Button>
    </section>
  );
}
