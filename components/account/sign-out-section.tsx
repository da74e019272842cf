import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { useMessages } from '@/lib/browser/use-messages';
import { signOutEverywhere, signOutAndClearDevice } from '@/lib/browser/auth/sign-in/sign-out';
import { usePublicEnv } from '@/lib/browser/config/context';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { ChangePanel } from './change-panel';
import styles from './security.module.css';
import { useChange } from './use-change';

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
  const isAsked = question !== undefined;
  const { phase, press, cancel, getButton } = useChange<'sign-out', null>(async (_, at) => {
    if (isAsked && at === 'opening') return { name: 'asking' };
    const next = await end(env);
    if (next === null) return isAsked ? { name: 'asking', failure: null } : { name: 'failed', failure: null };
    window.location.replace(next);
    return null;
  });
  const failure = 'failure' in phase && <Notice tone="error">{t('signOutFailed')}</Notice>;
  if (isAsked && phase.name === 'asking')
    return (
      <div className={styles.block}>
        <ChangePanel stage="ask" text={question} failure={failure} onCancel={cancel}>
          <Button kind="danger" busy={phase.isBusy} busyLabel={t('signingOut')} onClick={press}>
            {button}
          </Button>
        </ChangePanel>
      </div>
    );
  return (
    <div className={styles.block}>
      <p>{text}</p>
      {failure}
      <div className={styles.choices}>
        <Button
          kind={isAsked ? 'danger-secondary' : 'secondary'}
          {...getButton('sign-out')}
          busyLabel={t('signingOut')}
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
