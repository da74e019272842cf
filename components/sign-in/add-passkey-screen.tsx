import { useEffect, useState } from 'react';
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
import { paths } from '@/lib/shared/paths';

type Phase = { name: 'idle' } | { name: 'working' } | { name: 'failed'; failure: PasskeyFailure };

const loadCreate = () => import('@/lib/browser/passkeys/create');

/** Offers a passkey for this device, on the way to the destination: after a sign-in, or in place of a password. */
export function AddPasskeyScreen({ offer, email }: { offer: PasskeyOffer; email: string | null }) {
  const { t } = useMessages('add-passkey');
  const env = usePublicEnv();
  const [phase, setPhase] = useState<Phase>({ name: 'idle' });
  const visits = useVisits(() => setPhase({ name: 'idle' }));
  useEffect(() => {
    // This account may have none: there is nothing to offer.
    if (offer === 'none') goToCallback(env);
  }, [offer, env]);
  const isRegistration = offer === 'instead-of-password';
  const create = async () => {
    const visit = visits.current;
    setPhase({ name: 'working' });
    const result = await loadCreate()
      .then(({ createPasskey }) => createPasskey(isRegistration ? 'registration' : 'offer'))
      .catch(() => ({ failure: 'network' }) as const);
    if ('passkey' in result || result.failure === 'passkey-exists') return goToCallback(env);
    if (visit === visits.current) setPhase({ name: 'failed', failure: result.failure });
  };
  if (offer === 'none') return <AuthLayout heading={t('heading')}>{null}</AuthLayout>;
  return (
    <AuthLayout
      heading={isRegistration ? t('first.heading') : t('heading')}
      lead={isRegistration ? t('first.lead') : t('lead')}
    >
      <div className={styles.stack}>
        {phase.name === 'failed' && <PasskeyFailureNotice failure={phase.failure} />}
        <Button
          busy={phase.name === 'working'}
          busyLabel={t('creating')}
          onFocus={() => void loadCreate().catch(() => undefined)}
          onPointerEnter={() => void loadCreate().catch(() => undefined)}
          onClick={() => void create()}
        >
          {t('create')}
        </Button>
        {isRegistration ? (
          <ButtonLink href={paths.forgetPassword} onClick={() => carriedEmail.set(email ?? '')}>
            {t('first.password')}
          </ButtonLink>
        ) : (
          <Button kind="secondary" onClick={() => goToCallback(env)}>
            {t('notNow')}
          </Button>
        )}
        <p className={styles.soft}>{t('later')}</p>
      </div>
    </AuthLayout>
  );
}
