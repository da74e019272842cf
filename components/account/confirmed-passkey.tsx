import { usePublicEnv } from '@/lib/browser/config/context';
import { changePasskeys, type PasskeyChange } from '@/lib/browser/passkeys/change';
import type { PasskeySource } from '@/lib/shared/account/passkeys';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { useReload } from './change-panel';
import { AddPasskeyPanel } from './passkey-panels';
import { useChange } from './use-change';

type Props = { account: AccountSecurity; source: PasskeySource; onCreated: () => void; onCancel: () => void };

/** Creates a passkey after the reauthentication that an older session needs. */
export default function ConfirmedPasskey({ account, source, onCreated, onCancel }: Props) {
  const env = usePublicEnv();
  const reload = useReload();
  const start = { name: 'proving', change: { kind: 'add', source } } as const;
  const hook = useChange<PasskeyChange>(async (change, at, { signal }) => {
    if (at === 'proving') return { name: 'proved' };
    const outcome = await changePasskeys(env, change, true, signal);
    if (signal.aborted) return null;
    if (!('failure' in outcome) || outcome.failure === 'passkey-exists') {
      onCreated();
      return null;
    }
    const { failure } = outcome;
    const isProofMissing = failure === 'recent-login-required';
    // A second factor may have been turned on after the page was loaded.
    if (isProofMissing) await reload();
    return { name: isProofMissing ? 'proving' : 'proved', failure };
  }, start);
  return (
    <AddPasskeyPanel
      account={account}
      hook={hook}
      onCancel={() => {
        hook.cancel();
        onCancel();
      }}
    />
  );
}
