import { useEffect, useState } from 'react';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import type { CallFailure, EmailSent } from '@/lib/browser/account/api';
import type { ApiResult } from '@/lib/browser/api-client';
import { useAttempt } from '@/lib/browser/hooks';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import { useVisits } from '@/lib/browser/use-visits';
import styles from '../layout/flow.module.css';
import { ProblemNotice } from './problem-notice';
import { displayWait } from './retry-after-notice';

type Props = {
  /** Seconds until the button is enabled, set by the server. */
  wait: number;
  onResend: () => Promise<ApiResult<EmailSent>>;
  /** Called after another email was sent. */
  onSent?: () => void;
  /** Called if the flow is already completed, for example in another tab. Opens the page that explains this. */
  onUsed?: () => void;
  texts?: { button: string; sent: string };
};

type Phase = { name: 'idle' } | { name: 'sending' } | { name: 'sent' } | { name: 'failed'; failure: CallFailure };

/** Says where to look for the email, and requests another one, by default with a code, after the server's waiting time. */
export function ResendButton({ wait, onResend, onSent, onUsed, texts }: Props) {
  const { t } = useMessages('one-time-code');
  const language = useLanguage();
  const [phase, setPhase] = useState<Phase>({ name: 'idle' });
  const [left, setLeft] = useSecondsLeft(wait);
  const visits = useVisits(() => setPhase({ name: 'idle' }));
  // A submitted code makes the earlier message about another code obsolete.
  useAttempt(() => setPhase((now) => (now.name === 'sending' ? now : { name: 'idle' })));

  const resend = async () => {
    const visit = visits.current;
    setPhase({ name: 'sending' });
    const result = await onResend();
    if (!result.ok && visit !== visits.current) return;
    if (!result.ok && result.code === 'code-used' && onUsed) return onUsed();
    // This browser has lost the flow of the code. After a reload, the page shows the next step.
    if (!result.ok && (result.code === 'code-missing' || result.code === 'code-expired'))
      return window.location.reload();
    setLeft(result.ok ? result.data.resendAfter : (result.retryAfter ?? 0));
    setPhase(result.ok ? { name: 'sent' } : { name: 'failed', failure: result });
    if (result.ok) onSent?.();
  };
  return (
    <div className={styles.resend}>
      <p>{t('spam')}</p>
      <LateNotice>{phase.name === 'sent' && (texts?.sent ?? t('resend.sent'))}</LateNotice>
      {phase.name === 'failed' && (
        <ProblemNotice failure={phase.failure} hasForm={false} onExpire={() => setPhase({ name: 'idle' })} />
      )}
      <p>
        <Button kind="quiet" inactive={left > 0} busy={phase.name === 'sending'} onClick={() => void resend()}>
          {texts?.button ?? t('resend.button')}
        </Button>
        {left > 0 && (
          <span>{left < 600 ? t('resend.wait', { time: toClock(left) }) : displayWait(left, language)}</span>
        )}
      </p>
    </div>
  );
}

/** Formats seconds such as `0:28`. */
const toClock = (seconds: number) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;

/** Counts down in whole seconds by the clock, because a sleeping tab must not extend the wait. */
function useSecondsLeft(initial: number): [number, (seconds: number) => void] {
  const [left, setLeft] = useState(initial);
  // An object, because an equal number of seconds can be another wait.
  const [from, setFrom] = useState({ seconds: initial });
  useEffect(() => {
    const end = Date.now() + from.seconds * 1_000;
    const timer = setInterval(() => {
      const rest = Math.max(0, Math.ceil((end - Date.now()) / 1_000));
      setLeft(rest);
      if (rest === 0) clearInterval(timer);
    }, 250);
    return () => clearInterval(timer);
  }, [from]);
  return [
    left,
    (seconds) => {
      setLeft(seconds);
      setFrom({ seconds });
    },
  ];
}
