import { useEffect, useState } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import { LateNotice } from '@/components/ui/late-notice';
import { Notice } from '@/components/ui/notice';
import { getDestination } from '@/lib/browser/callback';
import { useBrand, usePublicEnv } from '@/lib/browser/config/context';
import { readCookie } from '@/lib/browser/cookies';
import { useMessages } from '@/lib/browser/use-messages';
import { useVisits } from '@/lib/browser/use-visits';
import { Button, ButtonLink } from '@/components/ui/button';
import { PageLink } from '@/components/ui/page-link';
import { deletionPage } from '@/lib/shared/account/security';
import { postJson } from '@/lib/browser/api-client';
import { signInAgain } from '@/lib/browser/auth/sign-in/sign-out';
import { useClientValue } from '@/lib/browser/hooks';
import { paths } from '@/lib/shared/paths';
import { apiPaths } from '@/lib/shared/api-paths';
import styles from './mobile.module.css';

type Props = {
  /** Null if the app's request is missing, invalid or expired. */
  selection: Selection | null;
};

/** The learner selects the account for the mobile app (docs/product.md#screens). */
export function AccountSelectionScreen({ selection }: Props) {
  const { t } = useMessages('mobile');
  const env = usePublicEnv();
  const brand = useBrand().name;
  // The learner comes from a sign-in whose callback is the app (`goToCallback`). Null on the server, which does not
  // know the callback.
  const callback = useClientValue(() => (readCookie('loggedIn') === '1' ? getDestination(env) : ''), null);
  if (selection) return <AccountChoice selection={selection} />;
  if (callback?.startsWith(env.mobileScheme)) return <Sent address={callback} />;
  if (callback === null)
    return (
      <AuthLayout heading={t('heading')} lead={t('lead', { brand })} showsContext={false}>
        {null}
      </AuthLayout>
    );
  return (
    <AuthLayout heading={t('back')} lead={t('noRequest', { brand })} showsContext={false}>
      <ButtonLink href={paths.signIn}>{t('toSignIn')}</ButtonLink>
    </AuthLayout>
  );
}

/** The app was opened, unless the browser prevented it. */
function Sent({ address }: { address: string }) {
  const { t } = useMessages('mobile');
  const brand = useBrand().name;
  return (
    <AuthLayout heading={t('sent')} lead={t('sentLead', { brand })}>
      <ButtonLink kind="primary" href={address}>
        {t('openApp')}
      </ButtonLink>
    </AuthLayout>
  );
}

type Selection = { request: string; name: string | null; email: string | null; canDelete: boolean };

/** Authorizes the app with the signed-in account. Signs in again if required, or with another account. */
function AccountChoice({ selection }: { selection: Selection }) {
  const { t } = useMessages('mobile');
  const env = usePublicEnv();
  const brand = useBrand().name;
  const [phase, setPhase] = useState<Phase>({ name: 'idle' });
  // The learner is back from another account's sign-in or from the app. A waiting button would stay blocked.
  const visitsRef = useVisits(() => setPhase((present) => (present.name === 'sent' ? present : { name: 'idle' })));
  // The learner left for the deletion page, so the app must not open.
  useEffect(() => () => void (visitsRef.current += 1), [visitsRef]);
  /**
   * @returns a function that shows the outcome and returns whether it did. It ignores an attempt from before Back, or
   *   before the other button was pressed
   */
  const begin = (next: Phase) => {
    const visit = (visitsRef.current += 1);
    setPhase(next);
    return (outcome: Phase) => {
      if (visit === visitsRef.current) setPhase(outcome);
      return visit === visitsRef.current;
    };
  };

  const goOn = async () => {
    const show = begin({ name: 'asking' });
    const result = await postJson<{ address: string }>(apiPaths.mobileAuthorize, { request: selection.request });
    if (!result.ok && result.code === 'recent-login-required') show({ name: 'sign-in-required', leaving: false });
    else if (!result.ok) show({ name: 'failed', reason: getFailureReason(result.status) });
    else if (show({ name: 'sent', address: result.data.address })) window.location.assign(result.data.address);
  };
  const leave = async (phaseMeanwhile: Phase, filledIn: string | null) => {
    const show = begin(phaseMeanwhile);
    if (!(await signInAgain(env, filledIn))) show({ name: 'failed', reason: 'sign-out' });
  };
  const who = selection.name ?? selection.email ?? t('thisAccount');
  if (phase.name === 'sent') return <Sent address={phase.address} />;
  const needsSignIn = phase.name === 'sign-in-required';
  return (
    <AuthLayout heading={t('heading')} lead={t('lead', { brand })}>
      <div className={styles.stack}>
        {phase.name === 'failed' && (
          <Notice tone="error">
            {phase.reason === 'sign-out' ? t('common:signOutFailed') : t(`failed.${phase.reason}`)}
          </Notice>
        )}
        <LateNotice tone="info">{needsSignIn && t('signIn')}</LateNotice>
        <p className={styles.account}>
          <strong dir="auto">{who}</strong>
          {selection.name !== null && selection.email !== null && <bdi>{selection.email}</bdi>}
        </p>
        {/* A single button changes its label, because it was just clicked and must keep the focus. */}
        <Button
          busy={needsSignIn ? phase.leaving : phase.name === 'asking'}
          inactive={phase.name === 'leaving'}
          busyLabel={needsSignIn ? t('common:signingOut') : t('asking')}
          onClick={() =>
            void (needsSignIn ? leave({ name: 'sign-in-required', leaving: true }, selection.email) : goOn())
          }
        >
          {needsSignIn ? t('common:signInAgain') : t('continueAs', { name: who })}
        </Button>
        <Button
          kind="secondary"
          busy={phase.name === 'leaving'}
          inactive={needsSignIn && phase.leaving}
          busyLabel={t('common:signingOut')}
          onClick={() => void leave({ name: 'leaving' }, null)}
        >
          {t('another')}
        </Button>
        {selection.canDelete && (
          <PageLink className={styles.link ?? ''} href={deletionPage}>
            {t('delete')}
          </PageLink>
        )}
      </div>
    </AuthLayout>
  );
}

/**
 * Why the sign-in to the mobile app failed: its request has expired, the session has ended, or the state cannot be
 * determined.
 */
export const CHOICE_FAILURES = ['request', 'session', 'unavailable'] as const;
type ChoiceFailure = (typeof CHOICE_FAILURES)[number];

type Phase =
  | { name: 'idle' | 'asking' | 'leaving' }
  /** The last sign-in is too old to authorize an app. */
  | { name: 'sign-in-required'; leaving: boolean }
  | { name: 'sent'; address: string }
  | { name: 'failed'; reason: ChoiceFailure | 'sign-out' };

function getFailureReason(status: number): ChoiceFailure {
  if (status === 400) return 'request';
  return status === 401 ? 'session' : 'unavailable';
}
