import { useState } from 'react';
import type { CallFailure, EmailSent } from '@/lib/browser/account/api';
import type { ApiResult } from '@/lib/browser/api-client';
import {
  getResetEnd,
  requestFactorReset,
  requestFactorResetCode,
  type SignInEnd,
} from '@/lib/browser/second-factor/sign-in';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { Button, ButtonLink } from '@/components/ui/button';
import { useCall } from '@/lib/browser/use-call';
import { useMessages, useLanguage } from '@/lib/browser/use-messages';
import { useCodeForm, restartCode } from '@/components/account-forms/code-entry';
import { OneTimeCodeField } from '@/components/account-forms/one-time-code-field';
import { ResendButton } from '@/components/account-forms/resend-button';
import { Form, isBusy } from '@/components/ui/form/form';
import type { CodeValues } from '@/lib/shared/account/code-schemas';
import { displayMoment, useDate } from '@/lib/browser/dates';
import { RESET_HOURS } from '@/lib/shared/account/security';
import { paths } from '@/lib/shared/paths';
import { ProblemNotice } from '@/components/account-forms/problem-notice';
import { Notice } from '@/components/ui/notice';
import { SwitchButton } from './other-ways';

export type ResetStageProps = {
  /** Set if a code was emailed before the page was loaded. */
  sent: { resendAfter: number } | null;
  /** Returns to the app's code. */
  onBack: () => void;
  /** Called when the sign-in has ended. */
  onEnd: (why: SignInEnd) => void;
};

type Step = { name: 'intro' } | { name: 'code'; wait: number } | { name: 'scheduled'; effectiveAt: string };

/**
 * Turns a lost second factor off, 72 hours later. It explains the reset, asks for a code from the mailbox, and then
 * shows the time. Loaded on demand.
 */
export default function ResetStage({ sent, onBack, onEnd }: ResetStageProps) {
  const [step, setStep] = useState<Step>(sent ? { name: 'code', wait: sent.resendAfter } : { name: 'intro' });

  /** @returns the failure to show, or null if the sign-in has ended */
  const check = (failure: CallFailure): CallFailure | null => {
    const why = getResetEnd(failure);
    if (why === null) return failure;
    onEnd(why);
    return null;
  };
  const send = async () => {
    const result = await requestFactorResetCode();
    if (!result.ok) check(result);
    return result;
  };
  if (step.name === 'scheduled') return <ResetScheduled effectiveAt={step.effectiveAt} />;
  if (step.name === 'code')
    return (
      <ResetCode
        wait={step.wait}
        send={send}
        check={check}
        onScheduled={(effectiveAt) => setStep({ name: 'scheduled', effectiveAt })}
        onBack={onBack}
      />
    );
  return <ResetIntro send={send} onSent={(wait) => setStep({ name: 'code', wait })} onBack={onBack} />;
}

type Send = () => Promise<ApiResult<EmailSent>>;
type Props = {
  send: Send;
  /** Called when the code was emailed. `wait`: seconds until another code can be emailed. */
  onSent: (wait: number) => void;
  onBack: () => void;
};

/** Explains a reset before the user requests it. */
function ResetIntro({ send, onSent, onBack }: Props) {
  const { t } = useMessages('second-factor');
  const { phase, failure, act, reset } = useCall(send, ({ resendAfter }) => onSent(resendAfter));
  return (
    <AuthLayout heading={t('reset.heading')} lead={t('reset.lead')}>
      <div className={styles.stack}>
        <ul className={styles.facts}>
          {(['email', 'wait', 'cancel', 'signedOut'] as const).map((fact) => (
            <li key={fact}>{t(`reset.${fact}`)}</li>
          ))}
        </ul>
        {phase === 'failed' && failure && <ResetFailureNotice failure={failure} hasForm={false} onExpire={reset} />}
        <Button busy={phase === 'busy'} busyLabel={t('reset.sending')} onClick={act}>
          {t('reset.send')}
        </Button>
        <SwitchButton onClick={onBack}>{t('code.instead')}</SwitchButton>
      </div>
    </AuthLayout>
  );
}

type ResetCodeProps = {
  /** Seconds until another code can be emailed. */
  wait: number;
  send: Send;
  check: (failure: CallFailure) => CallFailure | null;
  onScheduled: (effectiveAt: string) => void;
  onBack: () => void;
};

/** Asks for the code from the mailbox. */
function ResetCode({ wait, send, check, onScheduled, onBack }: ResetCodeProps) {
  const { t } = useMessages('second-factor');
  const form = useCodeForm<CodeValues, CallFailure>({
    schema: async () => (await import('@/lib/shared/account/code-schemas')).codeSchema,
    submit: async ({ code }) => {
      const result = await requestFactorReset(code);
      if (!result.ok) return check(result);
      onScheduled(result.data.effectiveAt);
      return null;
    },
  });
  const { phase } = form;
  const [endsAt] = useState(() => new Date(Date.now() + RESET_HOURS * 3_600_000).toISOString());
  const date = useDate(endsAt);
  return (
    <AuthLayout heading={t('reset.codeHeading')} lead={t('reset.codeLead')}>
      <Form label={t('reset.codeHeading')} flow={form}>
        {phase.name === 'failed' && <ResetFailureNotice failure={phase.failure} hasForm onExpire={form.reset} />}
        <OneTimeCodeField flow={form} onComplete={form.onComplete} />
        <Button type="submit" busy={isBusy(phase)} busyLabel={t('checking')}>
          {t('reset.confirm', { date })}
        </Button>
      </Form>
      <div className={styles.links}>
        <ResendButton wait={wait} onResend={send} onSent={() => restartCode(form)} />
        <SwitchButton onClick={onBack}>{t('code.instead')}</SwitchButton>
      </div>
    </AuthLayout>
  );
}

/** Shows when a scheduled reset takes effect, in this browser's time zone, and what to do until then. */
function ResetScheduled({ effectiveAt }: { effectiveAt: string }) {
  const { t } = useMessages('second-factor');
  const language = useLanguage();
  return (
    <AuthLayout
      heading={t('reset.doneHeading')}
      lead={t('reset.doneLead', { date: displayMoment(effectiveAt, language) })}
    >
      <div className={styles.stack}>
        <p>{t('reset.doneEmails')}</p>
        <p>{t('reset.doneFound')}</p>
        <ButtonLink kind="primary" href={paths.signIn}>
          {t('backToSignIn')}
        </ButtonLink>
      </div>
    </AuthLayout>
  );
}

type ResetFailureNoticeProps = { failure: CallFailure; hasForm: boolean; onExpire: () => void };

/** Explains why a reset cannot be requested, and the next step. */
function ResetFailureNotice({ failure, hasForm, onExpire }: ResetFailureNoticeProps) {
  const { t } = useMessages('second-factor');
  if (failure.code === 'other-method-required')
    return (
      <Notice tone="error">
        <p>{t('reset.otherMethod')}</p>
        <ButtonLink href={paths.signIn}>{t('common:signInAgain')}</ButtonLink>
      </Notice>
    );
  return <ProblemNotice failure={failure} hasForm={hasForm} onExpire={onExpire} />;
}
