// Threats: interleaved-change, pre-hijacking, unnoticed-sign-in
import { expect, test } from 'vitest';
import { changeAccountWithSessions } from '@/lib/server/identity/change-account';
import { withAccountLock } from '@/lib/server/storage';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { freezeAccount } from '@/lib/server/identity/identity-toolkit';
import { createTestUser } from '../support/test-users';

test('a revocation does not end the freeze of a change in progress', async () => {
  const { uid } = await createTestUser();
  const isFrozen = async () => {
    const { tokensValidAfterTime } = await getIdentityAdmin().getUser(uid);
    return Date.parse(tokensValidAfterTime ?? '') > Date.now() + 2_000;
  };
  let freeze = () => {};
  const begun = new Promise<void>((resolve) => (freeze = resolve));
  let finish = () => {};
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const change = withAccountLock(uid, async () => {
    await freezeAccount(uid);
    freeze();
    await finished;
    return isFrozen();
  });
  await begun;
  const revocation = changeAccountWithSessions(uid, { revoke: 'new-password' });
  // If the revocation did not wait, it would reach the provider before these two calls have responses.
  await Promise.race([revocation, isFrozen().then(isFrozen)]);
  finish();
  expect(await change).toBe(true);
  await revocation;
  expect(await isFrozen()).toBe(false);
});
