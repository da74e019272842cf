import { changeAccount, type AccountChange } from '../identity-provider/identity-toolkit';
import { endRevokedInBackground } from '../records/record-event';
import { markAllEnded } from './ended';
import { forgetSessionsOfAccount } from './session-state';

/**
 * Changes an account and evicts its sessions from this process's cache: the change takes effect immediately here, and
 * within the revocation window in all other processes, with a database soon after.
 * @throws ApiProblem 503, and those of `changeAccount`
 */
export async function changeAccountWithSessions(uid: string, change: AccountChange): Promise<void> {
  await changeAccount(uid, change);
  forgetSessionsOfAccount(uid);
  // The provider revokes by whole seconds. The sessions are over already: this is for the list of them, and other processes.
  if (change.revoke) endRevokedInBackground(uid, new Date(Math.floor(Date.now() / 1000) * 1000), markAllEnded);
}
