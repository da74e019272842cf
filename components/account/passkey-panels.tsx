import { PasskeyFailureNotice } from '@/components/account-forms/passkey-failure-notice';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import type { ProofFailure } from '@/lib/browser/account/account-methods';
import type { PasskeyChange } from '@/lib/browser/passkeys/change';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity, WaysToSignIn } from '@/lib/shared/account/security';
import { ChangePanel, MethodFailure } from './change-panel';
import { ProofForm } from './proof-form';
import styles from '@/components/layout/flow.module.css';
import { useNames } from './security-parts';
import type { PasskeysPhase, usePasskeys } from './use-passkeys';

type Changing = Extract<PasskeysPhase, { change: unknown }>;
type Hook = ReturnType<typeof usePasskeys>;
type FailureProps = { account: AccountSecurity; failure: ProofFailure };
type AddProps = { account: AccountSecurity; hook: Hook; phase: Changing };

/** Adds a passkey after the reauthentication that an older session needs. */
export function AddPanel({ account, hook, phase }: AddProps) {
  const { t } = useMessages('security');
  const { change, name, failure } = phase;
  if (name === 'proving' || name === 'checking')
    return <ProofPanel account={account} hook={hook} phase={phase} text={t('passkeys.toAdd')} />;
  return (
    <ChangePanel
      stage="create"
      onCancel={hook.cancel}
      text={t('passkeys.proved')}
      failure={failure && <CreationFailure account={account} failure={failure} />}
    >
      <Button busy={name === 'finishing'} busyLabel={t('proof.working')} onClick={() => hook.apply(change, true)}>
        {t('passkeys.continue')}
      </Button>
    </ChangePanel>
  );
}

type RemoveProps = AddProps & {
  phase: Changing & { change: Extract<PasskeyChange, { kind: 'remove' }> };
  /** What the owner can sign in with afterwards. */
  left: WaysToSignIn;
};

/** What the removal of a passkey changes, and the removal; before it the reauthentication that an older session needs. */
export function RemovePanel({ account, left, hook, phase }: RemoveProps) {
  const { t } = useMessages('security');
  const names = useRemaining(left);
  const { change, name, failure } = phase;
  const { name: passkey } = change;
  if (name !== 'asking' && name !== 'working')
    return (
      <ProofPanel account={account} hook={hook} phase={phase} text={t('passkeys.toRemove', { passkey })} isRemoval />
    );
  return (
    <ChangePanel
      stage="ask"
      onCancel={hook.cancel}
      text={t('passkeys.removal', { passkey })}
      failure={failure && <ChangeFailure account={account} failure={failure} />}
    >
      <ul className={styles.facts}>
        <li>{t('passkeys.remaining', { methods: names })}</li>
        <li>{t('passkeys.othersSignedOut')}</li>
        <li>{t('passkeys.managerKeeps')}</li>
      </ul>
      <Button
        kind="danger"
        busy={name === 'working'}
        busyLabel={t('proof.working')}
        onClick={() => hook.apply(change, false)}
      >
        {t('passkeys.removeNow')}
      </Button>
    </ChangePanel>
  );
}

/** Why no passkey was created. */
export function CreationFailure({ account, failure }: FailureProps) {
  const { t } = useMessages('security');
  if (failure === 'cancelled') return <Notice tone="info">{t('passkeys.notAdded')}</Notice>;
  return <ChangeFailure account={account} failure={failure} />;
}

function ChangeFailure({ account, failure }: FailureProps) {
  if (failure === 'last-method') return <PasskeyFailureNotice failure={failure} />;
  return <MethodFailure failure={failure} email={account.email} keepChange={() => undefined} />;
}

function ProofPanel({
  text,
  isRemoval = false,
  account,
  hook,
  phase,
}: AddProps & { text: string; isRemoval?: boolean }) {
  const { t } = useMessages('security');
  const { failure } = phase;
  return (
    <ChangePanel
      stage="prove"
      onCancel={hook.cancel}
      text={text}
      failure={failure && <ChangeFailure account={account} failure={failure} />}
    >
      <ProofForm
        account={account}
        busy={phase.name !== 'proving'}
        deed={isRemoval ? { label: t('passkeys.removeNow'), kind: 'danger' } : undefined}
        onProof={(proof) => hook.prove(phase.change, proof)}
      />
    </ChangePanel>
  );
}

/** Such as `password, Google, or 1 other passkey`. */
function useRemaining({ methods, passkeys }: WaysToSignIn): string {
  const { t } = useMessages('security');
  const language = useLanguage();
  const { nameMethod } = useNames();
  const names = methods.filter(({ usable }) => usable).map(({ id }) => nameMethod(id));
  if (passkeys > 0) names.push(t('passkeys.others', { count: passkeys }));
  return new Intl.ListFormat(language, { type: 'disjunction' }).format(names);
}
