import { Suspense, useEffect, useId, useRef, useState } from 'react';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { useRefusal } from '@/components/account-forms/use-refusal';
import { Button } from '@/components/ui/button';
import { Form, useFlowForm } from '@/components/ui/form/form';
import { PasswordField } from '@/components/ui/form/fields';
import { ProviderButton } from '@/components/ui/provider-button';
import {
  checkSignInByEmail,
  WRONG_PASSWORD,
  type AccountProof,
  type ProofFailure,
} from '@/lib/browser/account/account-methods';
import { usePublicEnv } from '@/lib/browser/config/context';
import { hasPasskeyMeans } from '@/lib/browser/passkeys/means';
import { isFactorFailure, isProofMissing } from '@/lib/browser/second-factor/api';
import { useClientValue } from '@/lib/browser/hooks';
import { paths } from '@/lib/shared/paths';
import { getSocialProviderId, SOCIAL_PROVIDERS } from '@/lib/shared/sign-in-methods';
import { useMessages } from '@/lib/browser/use-messages';
import { ChangePanel, MethodFailure, usePanelFocus } from './change-panel';
import type { CodeProofProps } from './factor-steps';
import { lazyPart } from './not-loaded';
import styles from './security.module.css';
import { SignInAgain } from './sign-in-again';
import type { ChangeHook } from './use-change';

const loadCodeProof = async () => ({ default: (await import('./factor-steps')).CodeProof });
const CodeProof = lazyPart(loadCodeProof);

type Props = CodeProofProps & {
  account: AccountSecurity;
  /** Runs before a new sign-in, so that the change continues after it. */
  keepChange?: (() => void) | undefined;
};

/**
 * Reauthenticates the user with the password, a passkey or any provider of the account. If there is nothing else, a new
 * sign-in with an emailed link is used. If a first factor is not sufficient, a code follows.
 */
function ProofForm({ busy, deed, onProof, ...rest }: Props) {
  const [takesCode, setTakesCode] = useState(false);
  const prove = async (proof: AccountProof) => {
    const failure = await onProof(proof);
    // After an accepted proof, the form does not change.
    if (failure !== null)
      setTakesCode(
        failure === 'code-required' ||
          // After a missing proof or a lockout, another code is useless, so the proof begins again.
          (isFactorFailure(failure) && !isProofMissing(failure) && failure.factor !== 'code-locked'),
      );
    return failure;
  };
  const codeBox = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The first step's focus is lost with it. The field for the code takes it, but may load late or fail.
    if (document.activeElement === document.body) codeBox.current?.closest<HTMLElement>('[role="group"]')?.focus();
  }, [takesCode]);
  const props = { busy, deed, onProof: prove };
  if (!takesCode) return <FirstFactorProof {...props} {...rest} />;
  return (
    <div className={styles.within} ref={codeBox}>
      <Suspense>
        <CodeProof {...props} />
      </Suspense>
    </div>
  );
}

type PanelProps = Omit<Props, 'busy' | 'onProof'> & {
  hook: ChangeHook;
  text: string;
  /** The effect of the change. */
  facts?: readonly string[] | undefined;
  /** Replaces the cancellation of the change. */
  onCancel?: () => void;
};

/** The reauthentication step of a change. It stays busy during the change. */
export function ProofPanel({ account, hook, keepChange, deed, onCancel = hook.cancel, ...panel }: PanelProps) {
  const { phase } = hook;
  if (phase.name !== 'proving') return null;
  const { failure, isBusy = false } = phase;
  const notice = failure && <MethodFailure failure={failure} email={account.email} keepChange={keepChange} />;
  return (
    <ChangePanel stage="prove" failure={notice} onCancel={onCancel} {...panel}>
      <ProofForm
        account={account}
        busy={isBusy}
        deed={deed}
        keepChange={keepChange}
        onProof={(proof) => hook.prove(account, proof)}
      />
    </ChangePanel>
  );
}

function FirstFactorProof({ account, busy, deed, keepChange, onProof }: Props) {
  const hasMeans = useClientValue(hasPasskeyMeans, true);
  const [pressed, setPressed] = useState<string | null>(null);
  /** Only the chosen way shows that it is busy. */
  const take = (way: string) => ({
    busy: busy && pressed === way,
    inactive: busy && pressed !== way,
    onProof: (proof: AccountProof) => {
      setPressed(way);
      return onProof(proof);
    },
  });
  const others = account.methods.filter(({ id }) => id !== 'password');
  useEffect(() => {
    // Errors are ignored, because the code form loads again.
    if (account.hasSecondFactor) loadCodeProof().catch(() => undefined);
  }, [account.hasSecondFactor]);
  return (
    <>
      {account.methods.length > others.length && (
        <PasswordProof {...take('password')} account={account} deed={account.hasSecondFactor ? undefined : deed} />
      )}
      {account.passkeys > 0 && <PasskeyProof account={account} hasMeans={hasMeans} {...take('passkey')} />}
      {others.map(({ id }) => (
        <ProviderProof key={id} id={id} {...take(id)} />
      ))}
      {others.length === 0 && !(account.passkeys > 0 && hasMeans) && (
        <EmailProof account={account} deed={deed} keepChange={keepChange} {...take('email')} />
      )}
    </>
  );
}

type WayProps = Pick<Props, 'busy' | 'onProof'> & { inactive: boolean };

function ProviderProof({ id, busy, inactive, onProof }: WayProps & { id: string }) {
  const { t } = useMessages('security');
  const social = getSocialProviderId(id);
  const press = () => void onProof({ by: 'provider', provider: social ?? id });
  if (social === null)
    return (
      <Button kind="secondary" busy={busy} inactive={inactive} busyLabel={t('proof.working')} onClick={press}>
        {t('proof.confirmWith', { provider: t('sso') })}
      </Button>
    );
  return (
    <ProviderButton
      provider={SOCIAL_PROVIDERS[social]}
      label={t('proof.confirmWith', { provider: SOCIAL_PROVIDERS[social].name })}
      busy={busy}
      busyLabel={t('proof.working')}
      onPress={inactive ? () => undefined : press}
    />
  );
}

type PasskeyProps = WayProps & Pick<Props, 'account'> & { hasMeans: boolean };

function PasskeyProof({ account: { methods }, hasMeans, busy, inactive, onProof }: PasskeyProps) {
  const { t } = useMessages('security');
  const isOnly = methods.length === 0;
  if (!hasMeans) return isOnly ? <p>{t('proof.noPasskeyMeans')}</p> : null;
  return (
    <Button
      kind={isOnly ? 'primary' : 'secondary'}
      busy={busy}
      inactive={inactive}
      busyLabel={t('proof.working')}
      onClick={() => void onProof({ by: 'passkey' })}
    >
      {t('proof.passkey')}
    </Button>
  );
}

function PasswordProof({ account, busy, inactive, deed, onProof }: WayProps & Pick<Props, 'account' | 'deed'>) {
  const { t } = useMessages('security');
  const form = useFlowForm<{ current: string }, ProofFailure>({
    schema: async () => (await import('@/lib/browser/account/schemas')).proofSchema,
    defaults: { current: '' },
    submit: ({ current }) => onProof({ by: 'password', password: current }),
  });
  const isWrong = form.phase.name === 'failed' && form.phase.failure === WRONG_PASSWORD;
  useEffect(() => {
    // The user chose another way, so this way's error is obsolete.
    if (inactive) form.reset();
    // The form is another object in every rendering.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [inactive]);
  return (
    <Form label={t('proof.form')} flow={form}>
      {/* Identifies the account for password managers. */}
      <input type="email" autoComplete="username" value={account.email ?? ''} readOnly hidden />
      <PasswordField
        form={form.fields}
        name="current"
        label={t('current-password:label')}
        refusal={useRefusal(form, 'current', isWrong ? t('current-password:wrong') : null)}
        autoComplete="current-password"
      />
      <Button type="submit" kind={deed?.kind} busy={busy} inactive={inactive} busyLabel={t('proof.working')}>
        {deed?.label ?? t('proof.confirm')}
      </Button>
    </Form>
  );
}

/**
 * A proof for an account without any other. The identity provider also lists a password for a user of email links, so
 * this is offered in addition to the password.
 */
function EmailProof({ account, busy, inactive, deed, keepChange, onProof }: WayProps & Props) {
  const { t } = useMessages('security');
  const env = usePublicEnv();
  const textId = useId();
  const [check, setCheck] = useState<Awaited<ReturnType<typeof checkSignInByEmail>> | 'loading'>('loading');
  const box = usePanelFocus(check);
  useEffect(() => {
    // Check only while no change runs, because a change revokes tokens. Check again after it, because the proof may
    // have been too late.
    if (!busy) void checkSignInByEmail(env, account).then(setCheck);
  }, [env, account, busy]);
  // Its space is reserved from the start, because late content must not move "Cancel" under a click.
  const isLoading = check === 'loading';
  const isRecent = check !== 'auth/requires-recent-login';
  const last = check === null ? deed : undefined;
  return (
    <div className={styles.within} ref={box}>
      <p id={textId} className={isLoading ? styles.unknown : undefined}>
        {isRecent ? t('proof.byRecentEmail') : t('proof.byEmailLink')}
      </p>
      {isRecent ? (
        <Button
          kind={last?.kind ?? 'secondary'}
          busy={busy || isLoading}
          inactive={inactive}
          busyLabel={t('proof.working')}
          aria-describedby={isLoading ? undefined : textId}
          onClick={() => void onProof({ by: 'email' })}
        >
          {last?.label ?? t('passkeys.continue')}
        </Button>
      ) : (
        <SignInAgain email={account.email} path={paths.emailLink} label={t('proof.emailLink')} onLeave={keepChange} />
      )}
    </div>
  );
}
