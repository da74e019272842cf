import { useState, useEffect, useRef, type ComponentProps } from 'react';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { useRefusal } from '@/components/account-forms/use-refusal';
import { Button } from '@/components/ui/button';
import { Form, useFlowForm } from '@/components/ui/form/form';
import { PasswordField } from '@/components/ui/form/fields';
import { ProviderButton } from '@/components/ui/provider-button';
import { WRONG_PASSWORD, type Proof, type ProofFailure } from '@/lib/browser/account/account-methods';
import { hasPasskeyMeans } from '@/lib/browser/passkeys/means';
import { isFactorFailure, isProofMissing, type FactorFailure } from '@/lib/browser/second-factor/api';
import { useClientValue } from '@/lib/browser/hooks';
import { getSocialProviderId, SOCIAL_PROVIDERS } from '@/lib/shared/sign-in-methods';
import { useMessages } from '@/lib/browser/use-messages';
import { ChangePanel, MethodFailure } from './change-panel';
import { AppCodeField, RecoveryCodeField, type CodeValues, useStepRefusal } from './factor-code-fields';
import styles from './security.module.css';

type Deed = { label: string; kind: 'primary' | 'danger' };

type Props = {
  account: AccountSecurity;
  busy: boolean;
  /** What the proof does at once: names its last button. */
  deed?: Deed | undefined;
  onProof: (proof: Proof) => Promise<ProofFailure | null>;
};

/**
 * Reauthenticates the user with the password, a passkey or any provider of the account; after a first factor alone, also with a
 * code.
 */
function ProofForm({ account, busy, deed, onProof }: Props) {
  const [takesCode, setTakesCode] = useState(false);
  const prove = async (proof: Proof) => {
    const failure = await onProof(proof);
    // After a proof that was accepted, the form stays what it is.
    if (failure !== null)
      setTakesCode(failure === 'code-required' || (isFactorFailure(failure) && !isFirstFactorOver(failure)));
    return failure;
  };
  return takesCode ? (
    <CodeProof busy={busy} deed={deed} onProof={prove} />
  ) : (
    <FirstFactorProof account={account} busy={busy} deed={deed} onProof={prove} />
  );
}

type PanelProps = Omit<Props, 'busy'> &
  Omit<ComponentProps<typeof ChangePanel>, 'stage' | 'failure' | 'children'> & {
    phase: { name: string; failure?: ProofFailure | undefined };
    keepChange?: () => void;
  };

/** The step of a change that authenticates the user again. Busy also while the change is made. */
export function ProofPanel({ account, phase, keepChange, deed, onProof, ...panel }: PanelProps) {
  const { name, failure } = phase;
  const notice = failure && <MethodFailure failure={failure} email={account.email} keepChange={keepChange} />;
  return (
    <ChangePanel stage="prove" failure={notice} {...panel}>
      <ProofForm account={account} busy={name !== 'proving'} deed={deed} onProof={onProof} />
    </ChangePanel>
  );
}

/** Whether no other code completes the proof: it begins again. */
function isFirstFactorOver(failure: FactorFailure): boolean {
  return isProofMissing(failure) || failure.factor === 'code-locked';
}

function FirstFactorProof({ account, busy, deed, onProof }: Props) {
  const [pressed, setPressed] = useState<string | null>(null);
  /** Of several ways only the one that was taken says that it is busy. */
  const take = (way: string) => ({
    busy: busy && pressed === way,
    inactive: busy && pressed !== way,
    onProof: (proof: Proof) => {
      setPressed(way);
      return onProof(proof);
    },
  });
  return (
    <>
      {account.methods.some(({ id }) => id === 'password') && (
        <PasswordProof {...take('password')} deed={account.hasSecondFactor ? undefined : deed} />
      )}
      {account.passkeys > 0 && <PasskeyProof account={account} {...take('passkey')} />}
      {account.methods
        .filter(({ id }) => id !== 'password')
        .map(({ id }) => (
          <ProviderProof key={id} id={id} {...take(id)} />
        ))}
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
        {t('common:continueWith', { provider: t('sso') })}
      </Button>
    );
  return (
    <ProviderButton
      provider={SOCIAL_PROVIDERS[social]}
      label={t('common:continueWith', { provider: SOCIAL_PROVIDERS[social].name })}
      busy={busy}
      busyLabel={t('proof.working')}
      onPress={inactive ? () => undefined : press}
    />
  );
}

function PasskeyProof({ account: { methods }, busy, inactive, onProof }: WayProps & Pick<Props, 'account'>) {
  const { t } = useMessages('security');
  const hasMeans = useClientValue(hasPasskeyMeans, true);
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

function PasswordProof({ busy, inactive, deed, onProof }: WayProps & Pick<Props, 'deed'>) {
  const { t } = useMessages('security');
  const form = useFlowForm<{ current: string }, ProofFailure>({
    schema: async () => (await import('@/lib/browser/account/schemas')).proofSchema,
    defaults: { current: '' },
    submit: ({ current }) => onProof({ by: 'password', password: current }),
  });
  const isWrong = form.phase.name === 'failed' && form.phase.failure === WRONG_PASSWORD;
  return (
    <Form label={t('proof.form')} flow={form}>
      <PasswordField
        form={form.fields}
        name="current"
        label={t('common:fields.currentPassword')}
        refusal={useRefusal(form, 'current', isWrong ? t('common:fields.currentWrong') : null)}
        autoComplete="current-password"
      />
      <Button type="submit" kind={deed?.kind} busy={busy} inactive={inactive} busyLabel={t('proof.working')}>
        {deed?.label ?? t('proof.confirm')}
      </Button>
    </Form>
  );
}

/** The second factor of a reauthentication: a code of an authenticator app, or a recovery code. */
function CodeProof(props: Omit<Props, 'account'>) {
  const { t } = useMessages('two-step-verification');
  const [isRecovery, setIsRecovery] = useState(false);
  return (
    <>
      <CodeStep key={String(isRecovery)} isRecovery={isRecovery} {...props} />
      <div className={styles.other}>
        <Button kind="quiet" onClick={() => setIsRecovery(!isRecovery)}>
          {isRecovery ? t('codeProof.useApp') : t('codeProof.useRecovery')}
        </Button>
      </div>
    </>
  );
}

/** The step before took the focus with it: the field takes it, and the panel when a code was not enough and the proof begins again. */
function CodeStep({ isRecovery, busy, deed, onProof }: Omit<Props, 'account'> & { isRecovery: boolean }) {
  const { t } = useMessages('two-step-verification');
  const form = useFlowForm<CodeValues, ProofFailure>({
    schema: async () => {
      const schemas = await import('@/lib/browser/account/schemas');
      return isRecovery ? schemas.recoveryCodeSchema : schemas.appCodeSchema;
    },
    defaults: { code: '' },
    submit: ({ code }) => onProof({ by: 'code', code: isRecovery ? { recoveryCode: code } : { code } }),
  });
  const field = { form: form.fields, refusal: useStepRefusal(form) };
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const panel = box.current?.closest<HTMLElement>('[role="group"]');
    box.current?.querySelector('input')?.focus();
    return () => {
      if (document.activeElement === document.body) panel?.focus();
    };
  }, []);
  return (
    <div ref={box}>
      <Form label={t('codeProof.form')} flow={form}>
        {isRecovery ? <RecoveryCodeField {...field} hint={t('recoveryCode.hint')} /> : <AppCodeField {...field} />}
        <Button type="submit" kind={deed?.kind} busy={busy} busyLabel={t('working')}>
          {deed?.label ?? t('codeProof.confirm')}
        </Button>
      </Form>
    </div>
  );
}
