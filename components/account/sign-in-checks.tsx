import { useRouter } from 'next/router';
import { useEffect, useId, useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { checkSignIn } from '@/lib/browser/account/api';
import { displayDay, displayRecent } from '@/lib/browser/dates';
import { useClientValue } from '@/lib/browser/use-client-value';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import type { SignInToCheck } from '@/lib/shared/account/sign-in-check';
import { actionQuery, paths } from '@/lib/shared/paths';
import styles from './attention.module.css';

/** Asks about sign-ins on new browsers: the same as their emails do. */
export function SignInChecks({ signIns }: { signIns: SignInToCheck[] }) {
  const { t } = useMessages('security');
  const router = useRouter();
  const thanks = useRef<HTMLDivElement>(null);
  const [checked, setChecked] = useState(0);
  // The button took the focus with it.
  useEffect(() => void (checked > 0 && thanks.current?.focus()), [checked]);
  const acknowledge = async () => {
    await router.replace(router.asPath);
    setChecked((count) => count + 1);
  };
  return (
    <>
      {checked > 0 && (
        <div className={styles.box} ref={thanks} tabIndex={-1}>
          <Notice tone="success">{t('check.thanks')}</Notice>
        </div>
      )}
      {signIns.map((signIn) => (
        <Check key={signIn.id} signIn={signIn} onAcknowledged={acknowledge} />
      ))}
    </>
  );
}

function getDisavowal(code: string): string {
  const query = new URLSearchParams({ [actionQuery.mode]: 'disavowSignIn', [actionQuery.code]: code });
  return `${paths.actions}?${query.toString()}`;
}

type CheckProps = { signIn: SignInToCheck; onAcknowledged: () => Promise<void> };

function Check({ signIn: { id, at, browser, system }, onAcknowledged }: CheckProps) {
  const { t } = useMessages('security');
  const [phase, setPhase] = useState<'idle' | 'own' | 'other' | 'failed'>('idle');
  const question = useId();
  const language = useLanguage();
  const date = useClientValue(() => displayRecent(at, language), displayDay(at, language, 'UTC'));
  const client = browser && system ? t('activity.client', { browser, system }) : (browser ?? system);
  const answer = async (isOwn: boolean) => {
    setPhase(isOwn ? 'own' : 'other');
    const result = await checkSignIn(id, isOwn);
    if (!result.ok) return setPhase('failed');
    const { code } = result.data;
    if (code === undefined) return onAcknowledged();
    // A document load: the server takes the code out of the address.
    window.location.assign(getDisavowal(code));
  };
  return (
    <div className={styles.box} role="group" aria-labelledby={question}>
      {phase === 'failed' && <Notice tone="error">{t('check.failed')}</Notice>}
      <Notice tone="warning">
        <p id={question}>{t('check.question', { client: client ?? t('devices.unknown'), date })}</p>
        <div className={styles.answers}>
          <Button
            kind="secondary"
            busy={phase === 'own'}
            busyLabel={t('proof.working')}
            onClick={() => void answer(true)}
          >
            {t('check.own')}
          </Button>
          <Button
            kind="danger-secondary"
            busy={phase === 'other'}
            busyLabel={t('proof.working')}
            onClick={() => void answer(false)}
          >
            {t('check.other')}
          </Button>
        </div>
      </Notice>
    </div>
  );
}
