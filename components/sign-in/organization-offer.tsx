import { useEffect, useState } from 'react';
import { Button } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import { carriedEmail } from '@/lib/browser/account/carried-email';
import { type SignInFailure, errorTextKey } from '@/lib/browser/auth/sign-in/error-codes';
import { useEnabledIdentities, usePublicEnv } from '@/lib/browser/config/context';
import { useFreshAfterBack } from '@/lib/browser/hooks';
import { useMessages } from '@/lib/browser/use-messages';

const loadSso = () => import('@/lib/browser/auth/sign-in/sso');

type Phase = { name: 'idle' | 'busy' } | { name: 'failed'; failure: SignInFailure };

/** Offers the organization of the refused email's domain, if there is one. Its users often have no password here. */
export function OrganizationOffer() {
  const { t } = useMessages('providers');
  const env = usePublicEnv();
  const isOffered = useEnabledIdentities().includes('enterprise');
  const [organization, setOrganization] = useState<string | null>(null);
  const [phase, setPhase] = useState<Phase>({ name: 'idle' });
  useEffect(() => {
    if (!isOffered) return;
    loadSso()
      .then(({ fetchOrganization }) => fetchOrganization(carriedEmail.get()))
      .then(setOrganization)
      // The form works without it.
      .catch(() => undefined);
  }, [isOffered]);
  useFreshAfterBack(() => setPhase({ name: 'idle' }));
  const press = async () => {
    setPhase({ name: 'busy' });
    const { signInWithEnterprise } = await loadSso();
    const failure = await signInWithEnterprise(env, carriedEmail.get());
    // After a success, the button stays busy until the page is left.
    if (failure !== null) setPhase({ name: 'failed', failure });
  };
  if (organization === null) return null;
  return (
    <>
      <LateNotice tone="info">
        <p>{t('organization', { organization })}</p>
        {phase.name === 'failed' && <p>{t(errorTextKey(phase.failure.code), phase.failure)}</p>}
      </LateNotice>
      <Button kind="secondary" busy={phase.name === 'busy'} busyLabel={t('signingIn')} onClick={() => void press()}>
        {t('common:continueWith', { provider: organization })}
      </Button>
    </>
  );
}
