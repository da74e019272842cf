import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import type { Proof, ProofFailure } from '@/lib/browser/account/account-methods';
import { useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { ChangePanel, MethodFailure } from './change-panel';
import { ProofPanel } from './proof-form';
import { SignInAgain } from './sign-in-again';

type Props = {
  account: AccountSecurity;
  phase: { name: string; failure?: ProofFailure | undefined };
  onProof: (proof: Proof) => Promise<ProofFailure | null>;
  /** Creates the passkey. */
  onContinue: () => void;
  onCancel: () => void;
};

/** Adds a passkey after the reauthentication that an older session needs. */
export function AddPasskeyPanel({ account, phase, onProof, onContinue, onCancel }: Props) {
  const { t } = useMessages('security');
  const { name, failure } = phase;
  if (name === 'proving' || name === 'checking')
    return (
      <>
        <ProofPanel account={account} phase={phase} text={t('passkeys.toAdd')} onProof={onProof} onCancel={onCancel} />
        <ByEmailLink account={account} />
      </>
    );
  return (
    <ChangePanel
      stage="create"
      onCancel={onCancel}
      text={t('passkeys.proved')}
      failure={failure && <CreationFailure account={account} failure={failure} />}
    >
      {/* Some browsers open the dialog of a new passkey only right after a click. */}
      <Button busy={name === 'finishing'} busyLabel={t('proof.working')} onClick={onContinue}>
        {t('passkeys.continue')}
      </Button>
    </ChangePanel>
  );
}

/**
 * The way of an account that has nothing else to show: within 5 minutes after a sign-in, none is needed. The identity provider lists a
 * password also for who has only used email links.
 */
function ByEmailLink({ account: { methods, passkeys, email } }: Pick<Props, 'account'>) {
  const { t } = useMessages('security');
  if (passkeys > 0 || methods.some(({ id }) => id !== 'password')) return null;
  return (
    <div>
      <p>{t('passkeys.byEmailLink')}</p>
      <SignInAgain email={email} byEmailLink />
    </div>
  );
}

/** Why no passkey was created. */
export function CreationFailure({ account, failure }: { account: AccountSecurity; failure: ProofFailure }) {
  const { t } = useMessages('security');
  if (failure === 'cancelled') return <Notice tone="info">{t('passkeys.notAdded')}</Notice>;
  return <MethodFailure failure={failure} email={account.email} />;
}
