import { changeAccount, type AccountChange } from '../identity-provider/identity-toolkit';
import { forgetSessionsOfAccount } from './session-state';

/**
 * Changes an account and evicts its sessions from this process's cache: the change takes effect immediately here, and
 * within the revocation window in all other processes.
 * @throws ApiProblem 503, and those of `changeAccount`
 */
export async function changeAccountWithSessions(uid: string, change: AccountChange): Promise<void> {
  await changeAccount(uid, change);
  forgetSessionsOfAccount(uid);
}
