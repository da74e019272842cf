import { useRouter } from 'next/router';
import { useEffect, useRef } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import type { ApiResult } from '@/lib/browser/api-client';
import { keepAccount } from '@/lib/browser/account/api';
import { displayDay } from '@/lib/browser/dates';
import { cancelReset } from '@/lib/browser/second-factor/api';
import { useCall } from '@/lib/browser/use-call';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import type { DeletionState } from '@/lib/shared/account/deletion';
import { LAST_CODES, type SecondFactor } from '@/lib/shared/account/second-factor';
import type { SignInToCheck } from '@/lib/shared/account/sign-in-check';
import { displayMomentInUtc } from '@/lib/shared/moment';
import styles from './attention.module.css';
import { PartLink } from './security-parts';
import { SignInChecks } from './sign-in-checks';

type Props = { deletion: DeletionState; signIns: SignInToCheck[]; secondFactor: SecondFactor | 'unavailable' | null };

/** What needs the learner now, before everything else on /security. Dates as the emails say them: in UTC. */
export function Attention({ deletion, signIns, secondFactor }: Props) {
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
        keep={cancelReset}
      />
      <SignInChecks signIns={signIns} />
      {factor !== null && factor.apps.length > 0 && factor.codesLeft <= LAST_CODES && (
        <Notice tone="warning">
          <p>
            {factor.codesLeft === 0 ? t('two-step-verification:codes.none') : t('two-step-verification:codes.last')}
          </p>
          <p className={styles.link}>
            <PartLink part="two-step-verification">{t('two-step-verification:codes.renew')}</PartLink>
          </p>
        </Notice>
      )}
    </section>
  );
}

type KeepProps = {
  /** Null: there is nothing to keep. */
  warning: string | null;
  button: string;
  kept: string;
  failed: string;
  keep: () => Promise<ApiResult<unknown>>;
};

/** Something that is lost at a time, and the button that keeps it. */
function Keep({ warning, button, kept, failed, keep }: KeepProps) {
  const { t } = useMessages('security');
  const router = useRouter();
  const box = useRef<HTMLDivElement>(null);
  const { phase, act } = useCall(keep, () => router.replace(router.asPath));
  const isKept = phase === 'done' && warning === null;
  // The button took the focus with it.
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
