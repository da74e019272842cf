import { useTranslation } from 'next-i18next/pages';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { stayingSession } from '@/lib/auth/stay';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { displayTime } from '@/lib/dates';
import { useSessionEnd } from '@/lib/session/ending';
import { setAuthStatus } from '@/lib/session/status';
import styles from './app-shell.module.css';

/** Says, aloud too, that the session is about to end, while there is time to stay; nothing on the page is lost by it. */
export function SessionEnding() {
  const { t } = useTranslation('app-shell');
  const env = usePublicEnv();
  const end = useSessionEnd();
  const [phase, setPhase] = useState<'idle' | 'working' | 'failed'>('idle');
  const stay = async () => {
    setPhase('working');
    const session = await stayingSession(env);
    if (session) setAuthStatus({ status: 'authenticated', session });
    setPhase(session ? 'idle' : 'failed');
  };
  return (
    <div aria-live="polite" className={styles.ending}>
      {end && (
        <Notice tone="info" inRegion>
          <div className={styles.endingRow}>
            <div>
              <p>{t('ending.text', { time: displayTime(end) })}</p>
              {phase === 'failed' && <p>{t('ending.failed')}</p>}
            </div>
            <Button
              kind="secondary"
              busy={phase === 'working'}
              busyLabel={t('ending.working')}
              onClick={() => void stay()}
            >
              {t('ending.stay')}
            </Button>
          </div>
        </Notice>
      )}
    </div>
  );
}
