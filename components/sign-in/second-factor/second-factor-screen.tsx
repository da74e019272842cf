import { Suspense, useEffect, useId, useRef, useState, type RefObject } from 'react';
import { AuthLayout } from '@/components/layout/auth-layout';
import { FullScreenLoader } from '@/components/layout/page-frame';
import { RedirectLoopScreen } from '@/components/session/lazy-redirect-loop';
import { useLeaving } from '@/components/session/use-sign-out';
import type { CallFailure } from '@/lib/browser/api-client';
import { signInAgain } from '@/lib/browser/auth/sign-in/sign-out';
import { goOn } from '@/lib/browser/callback';
import { useAppConfig, useBrand, usePublicEnv } from '@/lib/browser/config/context';
import { getSignInEnd, type SignInEnd, signInWithFactor, stepUpWithFactor } from '@/lib/browser/second-factor/sign-in';
import { useMessages } from '@/lib/browser/use-messages';
import styles from '@/components/providers/methods.module.css';
import { Button, ButtonLink } from '@/components/ui/button';
import { LateNotice } from '@/components/ui/late-notice';
import { Notice } from '@/components/ui/notice';
import { lazyWithFallback, useFirstFocus } from '@/lib/browser/hooks';
import { REMEMBERED_DAYS, pathToPart, type FactorCode } from '@/lib/shared/account/security';
import { paths } from '@/lib/shared/paths';
import flowStyles from '@/components/layout/flow.module.css';
import { BackToSignIn } from '@/components/sign-in/back-to-sign-in';
import { PasskeyInstead, SwitchButton, usePasskeysOffered } from './other-ways';
import type { ResetStageProps } from './reset-stage';
import { useCodeForm, useRefusedCode } from '@/components/account-forms/code-entry';
import { CodeField } from '@/components/ui/form/code-field';
import { Form, isBusy, type FormPhase } from '@/components/ui/form/form';
import { APP_CODE_LENGTH, normalizeAppCode } from '@/lib/shared/account/typed-codes';
import { type FieldRefusal, TextField } from '@/components/ui/form/fields';
import { RetryAfterNotice } from '@/components/account-forms/retry-after-notice';

type Stage =
  /** `switched`: the user chose this kind of code here. */
  | { name: 'app' | 'recovery'; switched: boolean }
  /** The user has lost the app and the recovery codes. */
  | { name: 'reset'; sent: ResetStageProps['sent'] }
  | { name: 'ended'; why: SignInEnd }
  | { name: 'recovered'; codesLeft: number; goOn: () => void };

type Props = {
  bounced?: boolean | null;
  stepUp?: boolean;
  isShared?: boolean;
  hasPasskeys?: boolean;
  resetCode?: ResetStageProps['sent'];
};

/**
 * Asks for the second factor of a sign-in: a code of an authenticator app, a recovery code, or a passkey instead.
 * @param props `stepUp`: the live session shows it because the platform requires it; `isShared`: the computer is
 *   shared; `hasPasskeys`: the account has passkeys; `resetCode`: a code was emailed before the page was left or
 *   reloaded
 */
export function SecondFactorScreen({
  bounced,
  stepUp = false,
  isShared = false,
  hasPasskeys: areThere = false,
  resetCode = null,
}: Props) {
  const { t } = useMessages('second-factor');
  const env = usePublicEnv();
  const brand = useBrand().name;
  const hasPasskeys = usePasskeysOffered() && areThere;
  const [stage, setStage] = useState<Stage>(
    resetCode ? { name: 'reset', sent: resetCode } : { name: 'app', switched: false },
  );
  const rememberBox = useRef<HTMLInputElement>(null);
  const [remembers, setRemembers] = useState(false);

  const submit = async (factor: FactorCode): Promise<CallFailure | null> => {
    const remember = rememberBox.current?.checked === true;
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
  if (stage.name === 'ended') return <SignInEnded why={stage.why} stepUp={stepUp} />;
  if (stage.name === 'recovered') return <SignedInByRecovery codesLeft={stage.codesLeft} onContinue={stage.goOn} />;
  const toReset = () => {
    // The checkbox is removed with the form.
    setRemembers(rememberBox.current?.checked === true);
    setStage({ name: 'reset', sent: null });
  };
  const toApp = () => setStage({ name: 'app', switched: true });
  if (stage.name === 'reset')
    return (
      <Suspense fallback={<FullScreenLoader />}>
        <LazyReset sent={stage.sent} onBack={toApp} onEnd={(why) => setStage({ name: 'ended', why })} />
      </Suspense>
    );
  const byApp = stage.name === 'app';
  const form = { submit, hasPasskeys, isFocused: stage.switched };
  return (
    <AuthLayout step="code" heading={t('heading')} lead={byApp ? t('code.lead', { brand }) : t('recovery.lead')}>
      <div className={styles.methods}>
        {!stepUp && !isShared && <RememberBrowser box={rememberBox} isChecked={remembers} />}
        <FactorForm key={stage.name} kind={stage.name} {...form} />
        {hasPasskeys && <PasskeyInstead />}
        {byApp ? (
          <SwitchButton onClick={() => setStage({ name: 'recovery', switched: true })}>
            {t('recovery.instead')}
          </SwitchButton>
        ) : (
          <SwitchButton onClick={toApp}>{t('code.instead')}</SwitchButton>
        )}
        {stepUp ? (
          <div className={styles.cancel}>
            <StepUpExit kind="quiet" />
          </div>
        ) : (
          <SwitchButton onApproach={preloadReset} onClick={toReset}>
            {t('reset.link')}
          </SwitchButton>
        )}
      </div>
      {!stepUp && <BackToSignIn label={t('backToSignIn')} />}
    </AuthLayout>
  );
}

const loadReset = () => import('./reset-stage');

const LazyReset = lazyWithFallback<ResetStageProps>(loadReset, NotLoaded);

/**
 * Loads the stage when the pointer or the focus reaches its button. Errors are ignored, because showing it loads it
 * again.
 */
function preloadReset(): void {
  loadReset().catch(() => undefined);
}

function NotLoaded() {
  const { t } = useMessages('second-factor');
  return (
    <AuthLayout heading={t('reset.heading')}>
      <Notice tone="error">{t('common:errors.auth/network-request-failed')}</Notice>
      <Button onClick={() => window.location.reload()}>{t('reset.reload')}</Button>
    </AuthLayout>
  );
}

/**
 * Leaves a step-up by a new sign-in, which offers all ways to continue without the app. It signs out first, because
 * with the session, /sign-in would return to the step-up.
 */
function StepUpExit({ kind }: { kind: 'primary' | 'quiet' }) {
  const { t } = useMessages('common');
  const env = usePublicEnv();
  const { isBusy, leave } = useLeaving(() => signInAgain(env, null));
  return (
    <Button kind={kind} busy={isBusy} busyLabel={t('signingOut')} onClick={() => void leave()}>
      {t('signInAgain')}
    </Button>
  );
}

type RememberProps = { box: RefObject<HTMLInputElement | null>; isChecked: boolean };

/**
 * The checkbox is placed before the code, which submits itself, and is absent if the origin does not allow it. The
 * server renders it, because a later checkbox could move under a tap on the code. Its state is read when the code is
 * sent, because it may have been checked before hydration.
 */
function RememberBrowser({ box, isChecked }: RememberProps) {
  const { t } = useMessages('second-factor');
  const hintId = useId();
  const isAllowed = useAppConfig()?.rememberBrowsers === true;
  if (!isAllowed) return null;
  return (
    <div>
      <label className={styles.tick}>
        <input ref={box} type="checkbox" defaultChecked={isChecked} aria-describedby={hintId} />
        <span>{t('remember.label', { count: REMEMBERED_DAYS })}</span>
      </label>
      <p className={styles.soft} id={hintId}>
        {t('remember.hint')}
      </p>
    </div>
  );
}

/** The sign-in, or the session of the step-up, has ended. Shows the reason and a link to a new sign-in. */
function SignInEnded({ why, stepUp }: { why: SignInEnd; stepUp: boolean }) {
  const { t } = useMessages('second-factor');
  return (
    <AuthLayout heading={t('ended.heading')}>
      <Notice tone="error">{t(`ended.${why}`)}</Notice>
      {stepUp ? (
        <StepUpExit kind="primary" />
      ) : (
        <ButtonLink kind="primary" href={paths.signIn}>
          {t('common:signInAgain')}
        </ButtonLink>
      )}
    </AuthLayout>
  );
}

/** The session is open. Shows the number of remaining recovery codes before the destination. */
function SignedInByRecovery({ codesLeft, onContinue }: { codesLeft: number; onContinue: () => void }) {
  const { t } = useMessages('second-factor');
  return (
    <AuthLayout heading={t('recovered.heading')}>
      <LateNotice tone="info">
        {codesLeft === 0 ? t('recovered.none') : t('recovered.left', { count: codesLeft })}
      </LateNotice>
      <Button onClick={onContinue}>{t('continue')}</Button>
      <div className={flowStyles.links}>
        {/* The page needs its own document (lib/browser/page-start.ts). */}
        <a href={pathToPart('two-step-verification')}>{t('recovered.renew')}</a>
        <a href={pathToPart('two-step-verification')}>{t('recovered.newApp')}</a>
      </div>
    </AuthLayout>
  );
}

type FactorFormProps = {
  /** The kind of code: of an authenticator app, or a recovery code instead. */
  kind: 'app' | 'recovery';
  /** @returns null if the sign-in is completed or has ended */
  submit: (factor: FactorCode) => Promise<CallFailure | null>;
  /** Whether a passkey can be used instead. */
  hasPasskeys: boolean;
  /** The user chose this form, so its field gets the focus, even on phones. */
  isFocused: boolean;
};

function FactorForm({ kind, submit, hasPasskeys, isFocused }: FactorFormProps) {
  const { t } = useMessages('second-factor');
  const isApp = kind === 'app';
  const name = isApp ? 'code' : 'recoveryCode';
  const form = useCodeForm<FactorCode, CallFailure>({
    schema: async () => {
      const schemas = await import('@/lib/browser/second-factor/sign-in-schemas');
      return isApp ? schemas.appCodeSchema : schemas.recoveryCodeSchema;
    },
    submit,
  });
  const { fields, phase } = form;
  const refusal = useFactorRefusal(kind, form);
  useFirstFocus(name);
  useEffect(() => {
    if (isFocused) document.getElementsByName(name)[0]?.focus();
  }, [name, isFocused]);
  return (
    <Form label={isApp ? t('code.form') : t('recovery.form')} flow={form}>
      {phase.name === 'failed' && (
        <CodeFailureNotice failure={phase.failure} hasPasskeys={hasPasskeys} onExpire={form.reset} />
      )}
      {isApp ? (
        <CodeField
          form={fields}
          name="code"
          label={t('code.label')}
          refusal={refusal}
          length={APP_CODE_LENGTH}
          inputMode="numeric"
          normalize={normalizeAppCode}
          onComplete={form.onComplete}
        />
      ) : (
        <TextField
          form={fields}
          name="recoveryCode"
          label={t('recovery.label')}
          hint={t('recovery.hint')}
          refusal={refusal}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
        />
      )}
      <Button type="submit" busy={isBusy(phase)} busyLabel={t('checking')}>
        {t('continue')}
      </Button>
    </Form>
  );
}

type NoticeProps = {
  failure: CallFailure;
  hasPasskeys: boolean;
  onExpire: () => void;
};

/** Explains why a code did not sign in, and the next step. The input stays. */
function CodeFailureNotice({ failure, hasPasskeys, onExpire }: NoticeProps) {
  const { t } = useMessages('second-factor');
  switch (failure.code) {
    // The field shows these failures.
    case 'code-wrong':
    case 'code-used':
      return null;
    case 'too-many-requests':
      return (
        <Notice tone="error">
          <p>{t('failures.tooMany')}</p>
          <RetryAfterNotice failure={failure} onExpire={onExpire} />
          <p>{hasPasskeys ? t('failures.passkey') : t('failures.recovery')}</p>
        </Notice>
      );
    case 'network':
      return <Notice tone="error">{t('common:errors.auth/network-request-failed')}</Notice>;
    case 'records-unavailable':
    case 'provider-unavailable':
    case 'shutting-down':
    case 'starting':
    case 'unavailable':
      return <Notice tone="error">{t('common:errors.auth/session-unavailable')}</Notice>;
    default:
      return <Notice tone="error">{t('common:errors.unknown')}</Notice>;
  }
}

/** Returns the field's message for a refused code, or null for any other failure. */
function useFactorRefusal(
  kind: 'app' | 'recovery',
  { phase, reset }: { phase: FormPhase<CallFailure>; reset: () => void },
): FieldRefusal | null {
  const { t } = useMessages('second-factor');
  const getText = () => {
    if (phase.name !== 'failed') return null;
    const { code, triesLeft } = phase.failure;
    const isApp = kind === 'app';
    if (code === 'code-used') return isApp ? t('failures.used') : t('failures.recoveryUsed');
    if (code !== 'code-wrong') return null;
    const left = triesLeft !== null && t('failures.triesLeft', { count: triesLeft });
    return [t('failures.wrong'), left, isApp && t('failures.clock')].filter(Boolean).join(' ');
  };
  return useRefusedCode(getText(), reset, kind === 'app' ? 'code' : 'recoveryCode');
}
