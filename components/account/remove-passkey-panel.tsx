import { PasskeyFailureNotice } from '@/components/account-forms/passkey-failure-notice';
import { Button } from '@/components/ui/button';
import type { Proof, ProofFailure } from '@/lib/browser/account/account-methods';
import { useLanguage, useMessages } from '@/lib/browser/use-messages';
import type { AccountSecurity, WaysToSignIn } from '@/lib/shared/account/security';
import { ChangePanel, MethodFailure } from './change-panel';
import { ProofPanel } from './proof-form';
import { useNames } from './security-parts';

type Props = {
  account: AccountSecurity;
  /** What the owner can sign in with afterwards. */
  left: WaysToSignIn;
  phase: { name: string; change: { name: string }; failure?: ProofFailure | undefined };
  onProof: (proof: Proof) => Promise<ProofFailure | null>;
  onConfirm: () => void;
  onCancel: () => void;
};

/** What the removal of a passkey changes, and the removal; before it the reauthentication that an older session needs. */
export default function RemovePasskeyPanel({ account, left, phase, onProof, onConfirm, onCancel }: Props) {
  const { t } = useMessages('security');
  const names = useRemaining(left);
  const { change, name, failure } = phase;
  const { name: passkey } = change;
  if (name !== 'asking' && name !== 'working')
    return (
      <ProofPanel
        account={account}
        phase={phase}
        text={t('passkeys.toRemove', { passkey })}
        deed={{ label: t('passkeys.removeNow'), kind: 'danger' }}
        onProof={onProof}
        onCancel={onCancel}
      />
    );
  return (
    <ChangePanel
      stage="ask"
      onCancel={onCancel}
      text={t('passkeys.removal', { passkey })}
      facts={[t('passkeys.remaining', { methods: names }), t('passkeys.othersSignedOut'), t('passkeys.managerKeeps')]}
      failure={failure && <RemovalFailure email={account.email} failure={failure} />}
    >
      <Button kind="danger" busy={name === 'working'} busyLabel={t('proof.working')} onClick={onConfirm}>
        {t('passkeys.removeNow')}
      </Button>
    </ChangePanel>
  );
}

function RemovalFailure({ email, failure }: { email: string | null; failure: ProofFailure }) {
  if (failure === 'last-method') return <PasskeyFailureNotice failure={failure} />;
  return <MethodFailure failure={failure} email={email} />;
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
