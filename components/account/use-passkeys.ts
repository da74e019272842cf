import { useRouter } from 'next/router';
import { useEffect } from 'react';
import { leaveIfSignedOut, type Proof, type ProofFailure } from '@/lib/browser/account/account-methods';
import { changeRememberedMethod } from '@/lib/browser/auth/sign-in/remembered-accounts';
import { usePublicEnv } from '@/lib/browser/config/context';
import { renamePasskey } from '@/lib/browser/passkeys/ceremony';
import { changePasskeys, type PasskeyChange } from '@/lib/browser/passkeys/change';
import { toPasskeyFailure, type PasskeyFailure } from '@/lib/browser/passkeys/failure';
import { signalPasskeys } from '@/lib/browser/passkeys/signals';
import type { PasskeySignal } from '@/lib/shared/account/passkeys';
import type { AccountSecurity } from '@/lib/shared/account/security';
import { useConfirmedChange } from './use-confirmed-change';

type Outcome = 'added' | 'renamed' | 'removed';

/**
 * A young session: idle → (remove: asking →) working → (add: renaming →) done. An older one: working → proving → checking → (add: proved →)
 * finishing → done. A failure leads back to asking, proving or proved.
 */
export type PasskeysPhase = ReturnType<typeof usePasskeys>['phase'];
type Rest =
  | { name: 'idle' }
  /** `isNew`: it was just added. */
  | { name: 'renaming'; id: string; isNew: boolean }
  | { name: 'done'; outcome: Outcome; passkey: string }
  | { name: 'asking' | 'working' | 'proved' | 'finishing'; change: PasskeyChange; failure?: ProofFailure };

/** Failures after which the list on the page is probably old. */
const STALE: readonly PasskeyFailure[] = ['last-method', 'passkey-exists', 'passkey-limit', 'passkey-unknown'];

/** Adds, renames and removes passkeys of the signed-in user. */
export function usePasskeys(account: AccountSecurity) {
  const env = usePublicEnv();
  const router = useRouter();
  const { phase, startAttempt, confirm, cancel } = useConfirmedChange<PasskeyChange, Rest>(account, { name: 'idle' });

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
      // Nothing answers for the account there any more.
      const [other] = account.methods;
      if (account.passkeys === 1 && account.email !== null && other) changeRememberedMethod(account.email, other.id);
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

  const prove = (change: PasskeyChange, proof: Proof) =>
    confirm(change, proof, async ({ show }) => {
      // Some browsers open the dialog of a new passkey only right after a click.
      if (change.kind === 'add') show({ name: 'proved', change });
      else await apply(change, true);
      return null;
    });

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
    cancel,
    /** The name that the server has given to a new passkey stays. */
    keepName: () => startAttempt().show({ name: 'done', outcome: 'added', passkey: '' }),
  };
}

/** Tells the browser's password managers which passkeys the account has: once for each list that the server sends. */
export function usePasskeySignal(signal: PasskeySignal | null): void {
  const list = JSON.stringify(signal);
  useEffect(() => void signalPasskeys(JSON.parse(list) as PasskeySignal | null), [list]);
}
