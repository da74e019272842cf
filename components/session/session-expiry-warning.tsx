import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { signInAgain } from '@/lib/browser/auth/sign-in/sign-in-again';
import { extendSession } from '@/lib/browser/session/extend-session';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import { displayTime } from '@/lib/browser/dates';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import { useSessionEnd } from '@/lib/browser/session/session-end';
import { setAuthStatus, useAuthStatus } from '@/lib/browser/session/status';
import styles from './session.module.css';

/** Announces, also to screen readers, that the session expires soon. Extending it keeps the page's state. */
export function SessionExpiryWarning() {
  const { t } = useMessages('app-shell');
  const language = useLanguage();
  const env = usePublicEnv();
  const auth = useAuthStatus();
  const email = auth.status === 'authenticated' ? auth.session.email : null;
  const end = useSessionEnd();
  const [outcome, setOutcome] = useState<'open' | 'sign-in-required' | 'failed'>('open');
  const [working, setWorking] = useState(false);
  const needsSignIn = outcome === 'sign-in-required';
  const stay = async () => {
    const extended = await extendSession(env);
    if (typeof extended === 'string') return setOutcome(extended);
    setAuthStatus({ status: 'authenticated', session: extended });
    setOutcome('open');
  };
  const press = async () => {
    setWorking(true);
    // On the redirect to sign-in the button stays busy until the page unloads.
    if (needsSignIn && (await signInAgain(env, email))) return;
    if (!needsSignIn) await stay();
    setWorking(false);
  };
  return (
    <div aria-live="polite" className={styles.ending}>
      {end && (
        <Notice tone="info" inRegion>
          <div className={styles.endingRow}>
            <div>
              <p>
                {needsSignIn
                  ? t('ending.signIn', { time: displayTime(end, language) })
                  : t('ending.text', { time: displayTime(end, language) })}
              </p>
              {outcome === 'failed' && <p>{t('ending.failed')}</p>}
            </div>
            <Button
              kind="secondary"
              busy={working}
              busyLabel={needsSignIn ? t('common:signingOut') : t('ending.working')}
              onClick={() => void press()}
            >
              {needsSignIn ? t('common:signInAgain') : t('ending.stay')}
            </Button>
          </div>
        </Notice>
      )}
    </div>
  );
}
