import type { ProofFailure } from '@/lib/browser/account/account-methods';
import { usePublicEnv } from '@/lib/browser/config/context';
import { changePasskeys, type PasskeyChange } from '@/lib/browser/passkeys/change';
import type { PasskeySource } from '@/lib/shared/account/passkeys';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { useConfirmedChange, useReload } from './change-panel';
import { AddPasskeyPanel } from './passkey-panels';

type Props = { account: AccountSecurity; source: PasskeySource; onCreated: () => void; onCancel: () => void };

/** proving → checking → proved → finishing. A failure returns to proving or proved. */
type Rest = { name: 'proving' | 'proved' | 'finishing'; change: PasskeyChange; failure?: ProofFailure };

/** Creates a passkey after the reauthentication that an older session needs. */
export default function ConfirmedPasskey({ account, source, onCreated, onCancel }: Props) {
  const env = usePublicEnv();
  const reload = useReload();
  const change: PasskeyChange = { kind: 'add', source };
  const hook = useConfirmedChange<PasskeyChange, Rest>(account, { name: 'proving', change });
  const { phase, startAttempt, confirm, cancel } = hook;
  const create = async () => {
    const { show, signal } = startAttempt();
    show({ name: 'finishing', change });
    const outcome = await changePasskeys(env, change, true, signal);
    if (signal.aborted) return;
    if (!('failure' in outcome) || outcome.failure === 'passkey-exists') return onCreated();
    const { failure } = outcome;
    const isProofMissing = failure === 'recent-login-required';
    // A second factor may have been turned on after the page was loaded.
    if (isProofMissing) await reload();
    show({ name: isProofMissing ? 'proving' : 'proved', change, failure });
  };
  return (
    <AddPasskeyPanel
      account={account}
      phase={phase}
      onProof={(proof) =>
        confirm(change, proof, ({ show }) => {
          show({ name: 'proved', change });
          return Promise.resolve(null);
        })
      }
      onContinue={() => void create()}
      onCancel={() => {
        cancel();
        onCancel();
      }}
    />
  );
}
