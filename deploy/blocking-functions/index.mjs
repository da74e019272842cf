import { initializeApp } from 'firebase-admin/app';
import { getAuth } from 'firebase-admin/auth';
import { beforeUserCreated, beforeUserSignedIn, HttpsError } from 'firebase-functions/v2/identity';
import { decideOnCreate, decideOnSignIn } from './decide.mjs';
import { readDirectory } from './directory.mjs';

initializeApp();
const directory = readDirectory(new URL('./directory.json', import.meta.url));

/**
 * Runs before an account that a client requested is saved. It does not run for accounts that firebase-admin creates.
 */
export const blockDirectSignUps = beforeUserCreated((event) =>
  // Every refusal has the same response, because clients can read it.
  toResponse(decideOnCreate(toSignIn(event), directory), event, 'Accounts are created by the app'),
);

/** Runs before a client gets an ID token for a sign-in, and before a provider is linked to an account. */
export const blockUnlistedProviders = beforeUserSignedIn(async (event) => {
  const decision = await decideOnSignIn(toSignIn(event), directory, () => getStoredAccount(event.data.uid));
  return toResponse(decision, event, 'This provider cannot sign in to this account');
});

const toSignIn = ({ additionalUserInfo, data }) => ({ providerId: additionalUserInfo?.providerId, email: data.email });

function toResponse({ isAllowed, changes }, { additionalUserInfo, data }, refusal) {
  if (isAllowed) return changes;
  console.warn('Refused', { provider: additionalUserInfo?.providerId, uid: data.uid });
  throw new HttpsError('permission-denied', refusal);
}

/** Throws if the account cannot be read, because an error denies the sign-in. */
async function getStoredAccount(uid) {
  try {
    const { providerData, emailVerified } = await getAuth().getUser(uid);
    return { methods: providerData.map(({ providerId }) => providerId), emailVerified };
  } catch (error) {
    if (error.code === 'auth/user-not-found') return null;
    throw error;
  }
}
