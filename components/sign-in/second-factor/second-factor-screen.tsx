import { Suspense, useState } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import { FullScreenLoader } from '@/components/layout/full-screen-loader';
import { RedirectLoopScreen } from '@/components/session/lazy-redirect-loop';
import { goOn } from '@/lib/browser/callback';
import { useAppConfig } from '@/lib/browser/config/app-config-context';
import { usePublicEnv } from '@/lib/browser/config/public-env-context';
import {
  getSignInEnd,
  signInWithFactor,
  stepUpWithFactor,
  type CodeFailure,
  type SignInEnd,
} from '@/lib/browser/second-factor/sign-in';
import { useMessages } from '@/lib/browser/use-messages';
import type { FactorCode } from '@/lib/shared/account/second-factor';
import { BackToSignIn } from '../back-to-sign-in';
import styles from '@/components/providers/methods.module.css';
import { AppCodeForm } from './app-code-form';
import { LazyReset, preloadReset } from './lazy-reset';
import { PasskeyInstead } from './passkey-instead';
import { RememberBrowser } from './remember-browser';
import { RecoveryCodeForm } from './recovery-code-form';
import { SignInEnded } from './sign-in-ended';
import { SignedInByRecovery } from './signed-in-by-recovery';
import { SwitchButton } from './switch-button';
import { usePasskeysOffered } from './use-passkeys-offered';

type Stage =
  /** `switched`: the user chose this kind of code here. */
  | { name: 'app' | 'recovery'; switched: boolean }
  /** Everything is lost. */
  | { name: 'reset' }
  | { name: 'ended'; why: SignInEnd }
  | { name: 'recovered'; codesLeft: number; goOn: () => void };

/**
 * Asks for the second factor of a sign-in: a code of an authenticator app, a recovery code, or a passkey instead.
 * @param props `stepUp`: of the live session, for a platform that asks for it
 */
export function SecondFactorScreen({ bounced, stepUp = false }: { bounced: boolean | null; stepUp?: boolean }) {
  const { t } = useMessages('second-factor');
  const env = usePublicEnv();
  const brand = useAppConfig()?.brandName ?? env.brandName;
  const hasPasskeys = usePasskeysOffered();
  const [stage, setStage] = useState<Stage>({ name: 'app', switched: false });
  const [remember, setRemember] = useState(false);

  const submit = async (factor: FactorCode): Promise<CodeFailure | null> => {
    const result = await (stepUp ? stepUpWithFactor(factor) : signInWithFactor(factor, { remember }));
    if (!result.ok) {
      const why = getSignInEnd(result);
      if (why === null) return result;
      setStage({ name: 'ended', why });
      return null;
    }
    const { codesLeft } = result.data;
    if (codesLeft === null) goOn(env, result.data);
    else setStage({ name: 'recovered', codesLeft, goOn: () => goOn(env, result.data) });
    return null;
  };

  if (bounced) return <RedirectLoopScreen />;
  if (stage.name === 'ended') return <SignInEnded why={stage.why} />;
  if (stage.name === 'recovered') return <SignedInByRecovery codesLeft={stage.codesLeft} onContinue={stage.goOn} />;
  const toApp = () => setStage({ name: 'app', switched: true });
  if (stage.name === 'reset')
    return (
      <Suspense fallback={<FullScreenLoader />}>
        <LazyReset onBack={toApp} onEnd={(why) => setStage({ name: 'ended', why })} />
      </Suspense>
    );
  const byApp = stage.name === 'app';
  const form = { submit, hasPasskeys, isFocused: stage.switched };
  return (
    <AuthLayout heading={t('heading')} lead={byApp ? t('code.lead', { brand }) : t('recovery.lead')}>
      <div className={styles.methods}>
        {!stepUp && <RememberBrowser checked={remember} onChange={setRemember} />}
        {byApp ? <AppCodeForm {...form} /> : <RecoveryCodeForm {...form} />}
        {hasPasskeys && <PasskeyInstead />}
        {byApp ? (
          <SwitchButton onClick={() => setStage({ name: 'recovery', switched: true })}>
            {t('recovery.instead')}
          </SwitchButton>
        ) : (
          <SwitchButton onClick={toApp}>{t('code.instead')}</SwitchButton>
        )}
        {!stepUp && (
          <SwitchButton onApproach={preloadReset} onClick={() => setStage({ name: 'reset' })}>
            {t('reset.link')}
          </SwitchButton>
        )}
      </div>
      {!stepUp && <BackToSignIn label={t('backToSignIn')} />}
    </AuthLayout>
  );
}
