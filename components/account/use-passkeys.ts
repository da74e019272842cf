import { useRouter } from 'next/router';
import { useEffect } from 'react';
import { reauthenticate, type Proof, type ProofFailure, leaveIfSignedOut } from '@/lib/browser/account/account-methods';
import { usePublicEnv } from '@/lib/browser/config/context';
import { renamePasskey } from '@/lib/browser/passkeys/api';
import { changePasskeys, type PasskeyChange } from '@/lib/browser/passkeys/change';
import { toPasskeyFailure, type PasskeyFailure } from '@/lib/browser/passkeys/failure';
import { signalPasskeys } from '@/lib/browser/passkeys/signals';
import type { PasskeySignal } from '@/lib/shared/account/passkeys';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { POPUP_CLOSED, useAttempts } from './change-panel';

type Outcome = 'added' | 'renamed' | 'removed';

/**
 * A young session: idle → (remove: asking →) working → (add: renaming →) done. An older one: working → proving → checking → (add: proved →)
 * finishing → done. A failure leads back to asking, proving or proved.
 */
export type PasskeysPhase =
  | { name: 'idle' }
  /** `isNew`: it was just added. */
  | { name: 'renaming'; id: string; isNew: boolean }
  | { name: 'done'; outcome: Outcome; passkey: string }
  | {
      name: 'asking' | 'working' | 'proving' | 'checking' | 'proved' | 'finishing';
      change: PasskeyChange;
      failure?: ProofFailure;
    };

/** Failures after which the list on the page is probably old. */
const STALE: readonly PasskeyFailure[] = ['last-method', 'passkey-exists', 'passkey-limit', 'passkey-unknown'];

/** Adds, renames and removes passkeys of the signed-in user. */
export function usePasskeys(account: AccountSecurity) {
  const env = usePublicEnv();
  const router = useRouter();
  const { phase, startAttempt } = useAttempts<PasskeysPhase>({ name: 'idle' });

  const reload = () => router.replace(router.asPath);

  /** @returns whether the page is being left, since the session is over */
  const followFailure = async (failure: PasskeyFailure) => {
    if (STALE.includes(failure)) await reload();
    if (failure !== 'unknown') return false;
    return leaveIfSignedOut(account.email);
  };

  const apply = async (change: PasskeyChange, isProved: boolean) => {
    const { show, signal } = startAttempt();
    show({ name: isProved ? 'finishing' : 'working', change });
    const outcome = await changePasskeys(env, change, isProved, signal);
    if (!('failure' in outcome)) {
      // Also after Cancel: the server had the change already.
      await reload();
      if (change.kind === 'add') return show({ name: 'renaming', id: outcome.id, isNew: true });
      return show({ name: 'done', outcome: 'removed', passkey: change.name });
    }
    const { failure } = outcome;
    if (failure === 'recent-login-required') {
      // A second factor may have been turned on since the page was loaded.
      if (isProved) await reload();
      return show({ name: 'proving', change, ...(isProved && { failure: failure }) });
    }
    if (signal.aborted || (await followFailure(failure))) return;
    return show({ name: isProved && change.kind === 'add' ? 'proved' : 'asking', change, failure });
  };

  const prove = async (change: PasskeyChange, proof: Proof): Promise<ProofFailure | null> => {
    const { show, signal } = startAttempt();
    show({ name: 'checking', change });
    const onClosed = () => show({ name: 'proving', change, failure: POPUP_CLOSED });
    const failure = await reauthenticate(env, account, proof, { signal, onClosed });
    if (failure !== null) show({ name: 'proving', change, failure });
    // Some browsers open the dialog of a new passkey only right after a click.
    else if (change.kind === 'add') show({ name: 'proved', change });
    else if (!signal.aborted) await apply(change, true);
    return failure;
  };

  const rename = async (id: string, name: string): Promise<PasskeyFailure | null> => {
    const { show } = startAttempt();
    const result = await renamePasskey(id, name);
    if (result.ok) {
      await reload();
      show({ name: 'done', outcome: 'renamed', passkey: name });
      return null;
    }
    const failure = toPasskeyFailure(result);
    await followFailure(failure);
    return failure;
  };

  return {
    phase,
    add: () => void apply({ kind: 'add' }, false),
    askToRemove: (passkey: { id: string; name: string }) =>
      startAttempt().show({ name: 'asking', change: { kind: 'remove', ...passkey } }),
    apply: (change: PasskeyChange, isProved: boolean) => void apply(change, isProved),
    prove,
    beginRename: (id: string) => startAttempt().show({ name: 'renaming', id, isNew: false }),
    rename,
    cancel: () => startAttempt().show({ name: 'idle' }),
    /** The name that the server has given to a new passkey stays. */
    keepName: () => startAttempt().show({ name: 'done', outcome: 'added', passkey: '' }),
  };
}

/** Tells the browser's password managers which passkeys the account has: once for each list that the server sends. */
export function usePasskeySignal(signal: PasskeySignal | null): void {
  const list = JSON.stringify(signal);
  useEffect(() => void signalPasskeys(JSON.parse(list) as PasskeySignal | null), [list]);
}
