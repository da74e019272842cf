import { useEffect, useRef, useId, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { denySignInWithProof, needsProof } from '@/lib/browser/account/account-data';
import type { ApiResult } from '@/lib/browser/api-client';
import { usePublicEnv } from '@/lib/browser/config/context';
import { keepAccount, checkSignIn } from '@/lib/browser/account/api';
import { displayDay, displayRecent, useDate } from '@/lib/browser/dates';
import { cancelFactorReset } from '@/lib/browser/second-factor/api';
import { useCall } from '@/lib/browser/use-call';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import {
  LAST_CODES,
  type AccountSecurity,
  type DeletionState,
  type SecondFactor,
  type SignInToCheck,
} from '@/lib/shared/account/security';
import { displayMomentInUtc } from '@/lib/shared/moment';
import { paths } from '@/lib/shared/paths';
import { actionQuery } from '@/lib/shared/security-paths';
import { useReload } from './change-panel';
import { ProofPanel } from './proof-form';
import { PartLink, useNames } from './security-parts';
import flow from '@/components/layout/flow.module.css';
import styles from './attention.module.css';
import { useChange } from './use-change';

type Props = {
  account: AccountSecurity;
  deletion: DeletionState;
  signIns: SignInToCheck[];
  secondFactor: SecondFactor | 'unavailable' | null;
};

/** Shows what needs the learner's attention, at the top of /security. Dates are in UTC, as in the emails. */
export function Attention({ account, deletion, signIns, secondFactor }: Props) {
  const { t } = useMessages('security');
  const language = useLanguage();
  const factor = typeof secondFactor === 'object' ? secondFactor : null;
  const deletedAt = typeof deletion === 'object' ? deletion?.effectiveAt : null;
  const endsAt = factor?.endsAt;
  return (
    <section className={styles.all} aria-label={t('attention')}>
      <Keep
        warning={deletedAt ? t('data.scheduled', { date: displayDay(deletedAt, language, 'UTC') }) : null}
        button={t('data.keep')}
        kept={t('data.kept')}
        failed={t('data.keepFailed')}
        keep={keepAccount}
      />
      <Keep
        warning={
          endsAt ? t('two-step-verification:reset.scheduled', { date: displayMomentInUtc(endsAt, language) }) : null
        }
        button={t('two-step-verification:reset.keep')}
        kept={t('two-step-verification:reset.kept')}
        failed={t('two-step-verification:reset.failed')}
        keep={cancelFactorReset}
      />
      <SignInChecks account={account} signIns={signIns} />
      {factor !== null && factor.apps.length > 0 && factor.codesLeft <= LAST_CODES && (
        <Notice tone="warning">
          <p>
            {factor.codesLeft === 0 ? t('two-step-verification:codes.none') : t('two-step-verification:codes.last')}
          </p>
          <p className={flow.aside}>
            <PartLink part="two-step-verification">{t('two-step-verification:codes.renew')}</PartLink>
          </p>
        </Notice>
      )}
    </section>
  );
}

type KeepProps = {
  /** Null if there is nothing to keep. */
  warning: string | null;
  button: string;
  kept: string;
  failed: string;
  keep: () => Promise<ApiResult<unknown>>;
};

/** A warning about a scheduled loss, and the button that cancels it. */
function Keep({ warning, button, kept, failed, keep }: KeepProps) {
  const { t } = useMessages('security');
  const reload = useReload();
  const box = useRef<HTMLDivElement>(null);
  const { phase, act } = useCall(keep, reload);
  const isKept = phase === 'done' && warning === null;
  // The focused button was removed.
  useEffect(() => void (isKept && box.current?.focus()), [isKept]);
  if (warning === null && !isKept) return null;
  return (
    <div className={styles.box} ref={box} tabIndex={-1}>
      {isKept && <Notice tone="success">{kept}</Notice>}
      {phase === 'failed' && <Notice tone="error">{failed}</Notice>}
      {warning !== null && (
        <Notice tone="warning">
          <p>{warning}</p>
          <div className={styles.button}>
            <Button busy={phase === 'busy'} busyLabel={t('proof.working')} onClick={act}>
              {button}
            </Button>
          </div>
        </Notice>
      )}
    </div>
  );
}

/** Asks about sign-ins on new browsers, like their emails. */
function SignInChecks({ account, signIns }: Pick<Props, 'account' | 'signIns'>) {
  const { t } = useMessages('security');
  const reload = useReload();
  const thanks = useRef<HTMLDivElement>(null);
  const [checked, setChecked] = useState(0);
  // The focused button was removed.
  useEffect(() => void (checked > 0 && thanks.current?.focus()), [checked]);
  const acknowledge = async (isLast: () => boolean) => {
    await reload();
    if (isLast()) setChecked((count) => count + 1);
  };
  return (
    <>
      {checked > 0 && (
        <div className={styles.box} ref={thanks} tabIndex={-1}>
          <Notice tone="success">{t('check.thanks')}</Notice>
        </div>
      )}
      {signIns.map((signIn) => (
        <Check key={signIn.id} account={account} signIn={signIn} onAcknowledged={acknowledge} />
      ))}
    </>
  );
}

type CheckProps = {
  account: AccountSecurity;
  signIn: SignInToCheck;
  /** @param isLast whether no other answer was given in the meantime */
  onAcknowledged: (isLast: () => boolean) => Promise<void>;
};

function Check({ account, signIn, onAcknowledged }: CheckProps) {
  const { t } = useMessages('security');
  const env = usePublicEnv();
  const question = useId();
  const date = useDate(signIn.at, displayRecent);
  const client = useNames().nameClient(signIn);
  // "This wasn't me" replaces the other answer, even while that is being sent.
  const hook = useChange<'own' | 'other', null>(async (answer, at, { signal }) => {
    const isProved = at === 'proving';
    const result = isProved
      ? await denySignInWithProof(env, signIn.id)
      : await checkSignIn(signIn.id, answer === 'own');
    if (signal.aborted) return null;
    if (result === 'proof-required' || (!result.ok && needsProof(result.code)))
      return { name: 'proving', failure: isProved ? 'auth/requires-recent-login' : undefined };
    if (!result.ok) return { name: 'failed', failure: null };
    const { code } = result.data;
    if (code === undefined) await onAcknowledged(() => !signal.aborted);
    else openUndoing(code);
    return null;
  });
  const { phase, getButton } = hook;
  if (phase.name === 'proving')
    return (
      <div className={styles.box}>
        <ProofPanel
          account={account}
          hook={hook}
          text={t('check.toUndo')}
          deed={{ label: t('check.other'), kind: 'danger' }}
        />
      </div>
    );
  return (
    <div className={styles.box} role="group" aria-labelledby={question}>
      {phase.name === 'failed' && <Notice tone="error">{t('check.failed')}</Notice>}
      <Notice tone="warning">
        <p id={question}>{t('check.question', { client: client ?? t('devices.unknown'), date })}</p>
        <div className={styles.answers}>
          <Button
            kind="secondary"
            {...getButton('own')}
            inactive={phase.name === 'opening' && phase.change === 'other'}
            busyLabel={t('proof.working')}
          >
            {t('check.own')}
          </Button>
          <Button kind="danger-secondary" {...getButton('other')} busyLabel={t('proof.working')}>
            {t('check.other')}
          </Button>
        </div>
      </Notice>
    </div>
  );
}

/** Loads a document, because the server removes the code from the URL. */
function openUndoing(code: string): void {
  window.location.assign(
    `${paths.actions}?${actionQuery.mode}=disavowSignIn&${actionQuery.code}=${encodeURIComponent(code)}`,
  );
}
