import { useTranslation } from 'next-i18next/pages';
import { useEffect, useRef, useState } from 'react';
import { AddressLead } from '@/components/layout/address-lead';
import { AuthLayout } from '@/components/layout/auth-layout';
import styles from '@/components/layout/flow.module.css';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { carryEmail } from '@/lib/account/carried-email';
import type { EmailAction } from '@/lib/account/email-action';
import { confirmAddress } from '@/lib/auth/email-action';
import { errorTextKey, type AuthErrorCode } from '@/lib/auth/error-codes';
import { goToCallback } from '@/lib/callback/browser';
import { usePublicEnv } from '@/lib/config/public-env-context';
import { writeCookie } from '@/lib/cookies/browser';
import { paths } from '@/lib/paths';
import { useAuthStatus } from '@/lib/session/status';

type Props = {
  action: EmailAction;
  email: string;
  /** This very browser waits for the confirmation of this very address: no button is needed. */
  askedHere: boolean;
};
type Phase = { name: 'idle' } | { name: 'busy' } | { name: 'failed'; code: AuthErrorCode } | { name: 'done' };

export function VerifyPanel({ action, email, askedHere }: Props) {
  const { t } = useTranslation('actions');
  const env = usePublicEnv();
  const auth = useAuthStatus();
  const [phase, setPhase] = useState<Phase>(askedHere ? { name: 'busy' } : { name: 'idle' });

  const confirm = async () => {
    setPhase({ name: 'busy' });
    const failure = await confirmAddress(env, action);
    if (failure) return setPhase({ name: 'failed', code: failure });
    if (auth.status === 'authenticated') return setPhase({ name: 'done' });
    carryEmail(email);
    writeCookie('registrationRequiresSignIn', '1', env.mainDomain);
    window.location.assign(paths.registrationSuccess);
  };
  useOnce(askedHere, confirm);

  if (phase.name === 'done') return <Confirmed />;
  return (
    <AuthLayout heading={t('heading.verifyEmail')} lead={<AddressLead text={t('verify.lead')} email={email} />}>
      <div className={styles.stack}>
        {phase.name === 'failed' && <Notice tone="error">{t(errorTextKey(phase.code))}</Notice>}
        <Button busy={phase.name === 'busy'} busyLabel={t('verify.busy')} onClick={() => void confirm()}>
          {t('verify.button')}
        </Button>
      </div>
    </AuthLayout>
  );
}

/** The address of who is signed in is confirmed, by this link or before: a success in both cases. */
export function Confirmed() {
  const { t } = useTranslation('actions');
  const env = usePublicEnv();
  return (
    <AuthLayout heading={t('verify.done')} lead={t('verify.doneLead')}>
      <Button onClick={() => goToCallback(env)}>{t('verify.continue')}</Button>
    </AuthLayout>
  );
}

/** Runs once when the page asks for it, also where effects run twice. */
function useOnce(wanted: boolean, run: () => Promise<void>): void {
  const begun = useRef(false);
  useEffect(() => {
    if (!wanted || begun.current) return;
    begun.current = true;
    void run();
    // What it does does not depend on later renders.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [wanted]);
}
