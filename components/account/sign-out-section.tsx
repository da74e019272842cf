import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { useMessages } from '@/lib/browser/use-messages';
import { signOutEverywhere, signOutAndClearDevice } from '@/lib/browser/auth/sign-in/sign-out';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useVisits } from '@/lib/browser/use-visits';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { ChangePanel, useFocusAfterPanel } from './change-panel';
import styles from './security.module.css';

type Props = {
  text: string;
  button: string;
  /** Question shown before the sign-out. Without it, nothing is asked. */
  question?: string;
  /** Ends one or more sessions. @returns the next page, or null if it failed */
  end: (env: PublicEnv) => Promise<string | null>;
};

/** A way to sign out: its description, its button, and the error if it fails. */
function SignOutChoice({ text, button, question, end }: Props) {
  const { t } = useMessages('common');
  const env = usePublicEnv();
  const [phase, setPhase] = useState<'idle' | 'asking' | 'working' | 'failed'>('idle');
  const visitsRef = useVisits(() => setPhase('idle'));
  const isAsking = question !== undefined && phase !== 'idle';
  const box = useFocusAfterPanel<HTMLDivElement>(isAsking, 'button');
  const signOutHere = async () => {
    const visit = visitsRef.current;
    setPhase('working');
    const next = await end(env);
    if (next !== null) window.location.replace(next);
    else if (visit === visitsRef.current) setPhase('failed');
  };
  const cancel = () => {
    // A later failure must not open the question again.
    visitsRef.current += 1;
    setPhase('idle');
  };
  const failure = phase === 'failed' && <Notice tone="error">{t('signOutFailed')}</Notice>;
  if (isAsking)
    return (
      <div className={styles.block}>
        <ChangePanel stage="ask" text={question} failure={failure} onCancel={cancel}>
          <Button
            kind="danger"
            busy={phase === 'working'}
            busyLabel={t('signingOut')}
            onClick={() => void signOutHere()}
          >
            {button}
          </Button>
        </ChangePanel>
      </div>
    );
  return (
    <div className={styles.block} ref={box}>
      <p>{text}</p>
      {failure}
      <div className={styles.choices}>
        <Button
          kind={question === undefined ? 'secondary' : 'danger-secondary'}
          busy={phase === 'working'}
          busyLabel={t('signingOut')}
          onClick={() => (question === undefined ? void signOutHere() : setPhase('asking'))}
        >
          {button}
        </Button>
      </div>
    </div>
  );
}

/** Sign-outs for users who have lost a device, left a device signed in, or use another person's computer. */
export function SignOutChoices() {
  const { t } = useMessages('security');
  return (
    <>
      <SignOutChoice
        text={t('everywhere.text')}
        button={t('everywhere.button')}
        question={t('everywhere.ask')}
        end={signOutEverywhere}
      />
      <SignOutChoice text={t('device.text')} button={t('device.button')} end={signOutAndClearDevice} />
    </>
  );
}
