import { useState } from 'react';
import type { CallFailure } from '@/lib/browser/account/api';
import { getResetEnd } from '@/lib/browser/second-factor/reset';
import type { SignInEnd } from '@/lib/browser/second-factor/sign-in';
import { ResetCode } from './reset-code';
import { ResetIntro } from './reset-intro';
import { ResetScheduled } from './reset-scheduled';

export type ResetStageProps = {
  /** Back to the code of the app. */
  onBack: () => void;
  /** The sign-in is over. */
  onEnd: (why: SignInEnd) => void;
};

type Step = { name: 'intro' } | { name: 'code'; wait: number } | { name: 'scheduled'; effectiveAt: string };

/** Turns a lost second factor off, 72 hours later: explained, then a code from the mailbox, then the time. Loaded when it is asked for. */
export default function ResetStage({ onBack, onEnd }: ResetStageProps) {
  const [step, setStep] = useState<Step>({ name: 'intro' });

  /** @returns the failure to show; null when the sign-in is over */
  const check = (failure: CallFailure): CallFailure | null => {
    const why = getResetEnd(failure);
    if (why === null) return failure;
    onEnd(why);
    return null;
  };
  if (step.name === 'scheduled') return <ResetScheduled effectiveAt={step.effectiveAt} />;
  if (step.name === 'code')
    return (
      <ResetCode
        wait={step.wait}
        check={check}
        onScheduled={(effectiveAt) => setStep({ name: 'scheduled', effectiveAt })}
        onBack={onBack}
      />
    );
  return <ResetIntro check={check} onSent={(wait) => setStep({ name: 'code', wait })} onBack={onBack} />;
}
