import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { SignInFailureNotice } from '@/components/account-forms/sign-in-failure-notice';
import { AuthLayout } from '@/components/layout/auth-layout';
import { RedirectLoopScreen } from '@/components/session/lazy-redirect-loop';
import { ButtonLink, Button } from '@/components/ui/button';
import { useMessages } from '@/lib/browser/use-messages';
import { paths } from '@/lib/shared/paths';
import { Notice } from '@/components/ui/notice';
import type { SignInFailure } from '@/lib/browser/auth/sign-in/error-codes';
import { restoreOriginalCallback, signInWithPartner } from '@/lib/browser/auth/sign-in/sso';
import { getPendingRedirect } from '@/lib/browser/auth/pending';
import { useRedirectReturn } from '@/lib/browser/auth/redirect/use-redirect-return';
import { usePublicEnv } from '@/lib/browser/config/context';
import { useVisits } from '@/lib/browser/use-visits';
import styles from '@/components/layout/flow.module.css';

type PartnerOfLink = { name: string; provider: string };
type Props = { partner: PartnerOfLink | null; bounced?: boolean | null };

/** Partner sign-in, started by the partner's link. It shows an error if the link is invalid. */
export function PartnerScreen({ partner, bounced }: Props) {
  const { t } = useMessages('partner');
  if (bounced) return <RedirectLoopScreen />;
  if (partner) {
    return (
      <AuthLayout heading={t('heading', { partner: partner.name })} lead={t('lead')}>
        <PartnerStart partner={partner} />
      </AuthLayout>
    );
  }
  return (
    <AuthLayout heading={t('unknownHeading')} lead={t('unknownLead')} showsContext={false}>
      <ButtonLink kind="primary" href={paths.signIn}>
        {t('signIn')}
      </ButtonLink>
    </AuthLayout>
  );
}

type Phase = { name: 'idle' | 'busy' | 'unanswered' } | { name: 'failed'; failure: SignInFailure };

/** Redirects to the partner automatically. If an earlier redirect returned without a result, it waits for a click. */
function PartnerStart({ partner: { name, provider } }: { partner: PartnerOfLink }) {
  const { t } = useMessages('partner');
  const env = usePublicEnv();
  const [own, setOwn] = useState<Phase | null>(null);
  const started = useRef(false);
  useEffect(() => {
    // Restore the callback before the redirect is completed below.
    if (getPendingRedirect() !== null) restoreOriginalCallback(env);
  }, [env]);
  const back = useRedirectReturn((started) => started === provider);
  // After Back from the partner, do not continue automatically.
  const visits = useVisits(() => setOwn({ name: 'unanswered' }));

  const start = useCallback(() => {
    started.current = true;
    setOwn({ name: 'busy' });
    const visit = visits.current;
    void signInWithPartner(env, provider).then((failure) => {
      if (failure && visit === visits.current) setOwn({ name: 'failed', failure });
    });
  }, [env, provider, visits]);

  useEffect(() => {
    if (back.name !== 'none' || started.current) return;
    // After Back from a page after the sign-in, such as the code page, the partner would redirect there again.
    queueMicrotask(isGoneBackTo() ? () => setOwn({ name: 'unanswered' }) : start);
  }, [back.name, start]);

  const phase = own ?? back;
  // Keep a single object, so that its wait starts once.
  const failure = useMemo(() => {
    if (phase.name !== 'failed') return null;
    const { code } = phase.failure;
    // The original message is about typed input.
    return {
      ...phase.failure,
      code: code === 'auth/session-unavailable' ? ('unknown' as const) : code,
      provider: name,
    };
  }, [phase, name]);
  const isBusy = !['idle', 'failed', 'unanswered'].includes(phase.name);
  return (
    <div className={styles.stack}>
      {failure && <SignInFailureNotice failure={failure} onExpire={() => setOwn({ name: 'idle' })} />}
      {phase.name === 'unanswered' && <Notice tone="info">{t('unanswered', { partner: name })}</Notice>}
      <Button busy={isBusy} busyLabel={t('leaving')} onClick={start}>
        {t('common:continueWith', { provider: name })}
      </Button>
      {!isBusy && <ButtonLink href={paths.signIn}>{t('anotherWay')}</ButtonLink>}
    </div>
  );
}

/** Whether the Back button loaded this document. */
function isGoneBackTo(): boolean {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return entry?.type === 'back_forward';
}
