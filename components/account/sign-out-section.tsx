import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { useMessages } from '@/lib/browser/use-messages';
import { signOutEverywhere, signOutAndClearDevice } from '@/lib/browser/auth/sign-in/sign-out';
import { usePublicEnv } from '@/lib/browser/config/context';
import { paths, pathWithReturn } from '@/lib/shared/paths';
import { ChangePanel, useFocusAfterPanel } from './change-panel';
import styles from './security.module.css';

type Props = {
  text: string;
  button: string;
  /** Asked in place before it is done; without it, nothing is asked. */
  question?: string;
  /** Ends one or more sessions and navigates away. @returns whether it succeeded */
  onSignOut: () => Promise<boolean>;
};

/** One way to sign out: its description, its button, and the error if it fails. */
function SignOutChoice({ text, button, question, onSignOut }: Props) {
  const { t } = useMessages('common');
  const [phase, setPhase] = useState<'idle' | 'asking' | 'working' | 'failed'>('idle');
  const isAsking = question !== undefined && phase !== 'idle';
  const box = useFocusAfterPanel<HTMLDivElement>(isAsking, 'button');
  const signOutHere = async () => {
    setPhase('working');
    if (!(await onSignOut())) setPhase('failed');
  };
  const failure = phase === 'failed' && <Notice tone="error">{t('errors.auth/session-unavailable')}</Notice>;
  if (isAsking)
    return (
      <div className={styles.block}>
        <ChangePanel stage="ask" text={question} failure={failure} onCancel={() => setPhase('idle')}>
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

/** For users who have lost a device or left one signed in. */
export function SignOutEverywhere() {
  const { t } = useMessages('security');
  const env = usePublicEnv();
  const signOutHere = async () => {
    const ended = await signOutEverywhere(env);
    if (ended) window.location.replace(pathWithReturn(null, 'AutoSignOut'));
    return ended;
  };
  return (
    <SignOutChoice
      text={t('everywhere.text')}
      button={t('everywhere.button')}
      question={t('everywhere.ask')}
      onSignOut={signOutHere}
    />
  );
}

/** For users who leave a computer that is not theirs. */
export function ThisDevice() {
  const { t } = useMessages('security');
  const env = usePublicEnv();
  const signOutHere = async () => {
    const done = await signOutAndClearDevice(env);
    if (done) window.location.replace(paths.signIn);
    return done;
  };
  return <SignOutChoice text={t('device.text')} button={t('device.button')} onSignOut={signOutHere} />;
}
