import { PasskeyFailureNotice } from '@/components/account-forms/passkey-failure-notice';
import { Button } from '@/components/ui/button';
import { TextField } from '@/components/ui/form/fields';
import { useFlowForm } from '@/components/ui/form/form';
import type { ProofFailure } from '@/lib/browser/account/account-methods';
import type { PasskeyFailure } from '@/lib/browser/passkeys/failure';
import { useMessages } from '@/lib/browser/use-messages';
import { PASSKEY_NAME_MAX_LENGTH } from '@/lib/shared/account/passkeys';
import type { AccountSecurity, WaysToSignIn } from '@/lib/shared/account/security';
import { ChangePanel, CreationFailure, MethodFailure } from './change-panel';
import { FormInPlace } from './form-in-place';
import { ProofPanel } from './proof-form';
import { useRemaining } from './security-parts';
import type { ChangeHook } from './use-change';

type AdditionProps = {
  account: AccountSecurity;
  hook: ChangeHook<unknown, ProofFailure>;
  onCancel: () => void;
};

/** Adds a passkey after the reauthentication that an older session needs. */
export function AddPasskeyPanel({ account, hook, onCancel }: AdditionProps) {
  const { t } = useMessages('security');
  const { phase } = hook;
  if (phase.name !== 'proved')
    return <ProofPanel account={account} hook={hook} text={t('passkeys.toAdd')} onCancel={onCancel} />;
  return (
    <ChangePanel
      stage="create"
      onCancel={onCancel}
      text={t('passkeys.proved')}
      failure={phase.failure && <CreationFailure email={account.email} failure={phase.failure} />}
    >
      {/* Some browsers open the dialog for a new passkey only right after a click. */}
      <Button busy={phase.isBusy} busyLabel={t('proof.working')} onClick={hook.press}>
        {t('passkeys.continue')}
      </Button>
    </ChangePanel>
  );
}

type RemovalProps = {
  account: AccountSecurity;
  /** The owner's sign-in methods after the removal. */
  left: WaysToSignIn;
  /** The passkey's name. */
  passkey: string;
  hook: ChangeHook<unknown, ProofFailure>;
  onCancel: () => void;
};

/** Explains the removal of a passkey, and removes it. An older session needs a reauthentication first. */
export function RemovePasskeyPanel({ account, left, passkey, hook, onCancel }: RemovalProps) {
  const { t } = useMessages('security');
  const names = useRemaining()(left, (count) => t('passkeys.others', { count }));
  const { phase } = hook;
  if (phase.name !== 'asking')
    return (
      <ProofPanel
        account={account}
        hook={hook}
        text={t('passkeys.toRemove', { passkey })}
        deed={{ label: t('passkeys.removeNow'), kind: 'danger' }}
        onCancel={onCancel}
      />
    );
  return (
    <ChangePanel
      stage="ask"
      onCancel={onCancel}
      text={t('passkeys.removal', { passkey })}
      facts={[t('passkeys.remaining', { methods: names }), t('passkeys.othersSignedOut'), t('passkeys.managerKeeps')]}
      failure={phase.failure && <RemovalFailure email={account.email} failure={phase.failure} />}
    >
      <Button kind="danger" busy={phase.isBusy} busyLabel={t('proof.working')} onClick={hook.press}>
        {t('passkeys.removeNow')}
      </Button>
    </ChangePanel>
  );
}

function RemovalFailure({ email, failure }: { email: string | null; failure: ProofFailure }) {
  if (failure === 'last-method') return <PasskeyFailureNotice failure={failure} />;
  return <MethodFailure failure={failure} email={email} />;
}

type RenameProps = {
  name: string;
  /** Whether the passkey was just added. */
  isNew: boolean;
  onName: (name: string) => Promise<PasskeyFailure | null>;
  onCancel: () => void;
};

export function RenamePasskeyForm({ name, isNew, onName, onCancel }: RenameProps) {
  const { t } = useMessages('security');
  const form = useFlowForm<{ name: string }, PasskeyFailure>({
    schema: async () => (await import('@/lib/browser/account/schemas')).passkeyNameSchema,
    defaults: { name },
    submit: ({ name: next }) => onName(next),
  });
  const { phase } = form;
  return (
    <FormInPlace
      label={isNew ? t('passkeys.nameForm') : t('passkeys.renameForm', { passkey: name })}
      form={form}
      save={t('passkeys.save')}
      cancel={isNew ? t('passkeys.skip') : t('proof.cancel')}
      onCancel={onCancel}
      selects
    >
      {phase.name === 'failed' && <PasskeyFailureNotice failure={phase.failure} />}
      <TextField
        form={form.fields}
        name="name"
        label={t('passkeys.name')}
        autoComplete="off"
        maxLength={PASSKEY_NAME_MAX_LENGTH}
      />
    </FormInPlace>
  );
}
