import { Suspense, useEffect, useRef, useState } from 'react';
import { PasskeyFailureNotice } from '@/components/account-forms/passkey-failure-notice';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { Button, ButtonLink } from '@/components/ui/button';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { goToCallback } from '@/lib/browser/callback';
import { usePublicEnv } from '@/lib/browser/config/context';
import type { PasskeyFailure } from '@/lib/browser/passkeys/failure';
import { useMessages } from '@/lib/browser/use-messages';
import { useVisits } from '@/lib/browser/use-visits';
import type { PasskeyOffer } from '@/lib/shared/account/passkeys';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { paths } from '@/lib/shared/paths';
import { lazyPart } from './not-loaded';

type Phase =
  | { name: 'idle' | 'working' }
  /** The sign-in was too long ago. */
  | { name: 'confirming' }
  | { name: 'failed'; failure: PasskeyFailure };

const loadCreate = () => import('@/lib/browser/passkeys/create');
const loadConfirmed = () => import('./confirmed-passkey');
const ConfirmedPasskey = lazyPart(loadConfirmed);

function preload(): void {
  for (const load of [loadCreate, loadConfirmed]) load().catch(() => undefined);
}

type Props = { offer: PasskeyOffer; account: AccountSecurity | null };

/** Offers a passkey for this device before the destination, after a sign-in or instead of a password. */
export function AddPasskeyScreen({ offer, account }: Props) {
  const { t } = useMessages('add-passkey');
  const env = usePublicEnv();
  const isOver = offer === 'none' || account === null;
  useEffect(() => {
    // This account cannot have a passkey, so there is nothing to offer.
    if (isOver) goToCallback(env);
  }, [isOver, env]);
  if (isOver) return <AuthLayout heading={t('heading')}>{null}</AuthLayout>;
  return <Offer account={account} isRegistration={offer === 'instead-of-password'} />;
}

function Offer({ account, isRegistration }: { account: AccountSecurity; isRegistration: boolean }) {
  const { t } = useMessages('add-passkey');
  const env = usePublicEnv();
  const [phase, setPhase] = useState<Phase>({ name: 'idle' });
  const visits = useVisits(() => setPhase({ name: 'idle' }));
  /** The panel's focus is lost with it, so move it to the button in its place. */
  const returnFocus = useRef(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (returnFocus.current) button.current?.focus();
    returnFocus.current = false;
  }, [phase]);
  const source = isRegistration ? 'registration' : 'offer';
  const create = async () => {
    const visit = visits.current;
    setPhase({ name: 'working' });
    const result = await loadCreate()
      .then(({ createPasskey }) => createPasskey(source))
      .catch(() => ({ failure: 'network' }) as const);
    if ('passkey' in result || result.failure === 'passkey-exists') return goToCallback(env);
    if (visit !== visits.current) return;
    const { failure } = result;
    setPhase(failure === 'recent-login-required' ? { name: 'confirming' } : { name: 'failed', failure });
  };
  return (
    <AuthLayout
      heading={isRegistration ? t('first.heading') : t('heading')}
      lead={isRegistration ? t('first.lead') : t('lead')}
    >
      <div className={styles.stack}>
        {phase.name === 'failed' && <PasskeyFailureNotice failure={phase.failure} />}
        {phase.name === 'confirming' ? (
          <Suspense>
            <ConfirmedPasskey
              account={account}
              source={source}
              onCreated={() => goToCallback(env)}
              onCancel={() => {
                returnFocus.current = true;
                setPhase({ name: 'idle' });
              }}
            />
          </Suspense>
        ) : (
          <Button
            ref={button}
            busy={phase.name === 'working'}
            busyLabel={t('creating')}
            onFocus={preload}
            onPointerEnter={preload}
            onClick={() => void create()}
          >
            {t('create')}
          </Button>
        )}
        {isRegistration && (
          <ButtonLink href={paths.forgetPassword} onClick={() => carriedEmail.set(account.email ?? '')}>
            {t('first.password')}
          </ButtonLink>
        )}
        {/* The session is open. After a failed attempt, do not keep a learner here who has no other sign-in method yet. */}
        {(!isRegistration || phase.name === 'failed' || phase.name === 'confirming') && (
          <Button kind="secondary" onClick={() => goToCallback(env)}>
            {t('notNow')}
          </Button>
        )}
        <p className={styles.soft}>{t('later')}</p>
      </div>
    </AuthLayout>
  );
}
