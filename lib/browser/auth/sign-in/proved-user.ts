import type { User } from 'firebase/auth';
import type { ProviderAccount, SignedInUser } from './events';

/**
 * A user whom the identity provider has authenticated, but who is not signed in at its SDK. `signInAtProvider`: signs in
 * there, for steps that need the SDK's user. `account`: null if analytics does not describe it.
 */
export type ProvedUser = SignedInUser & {
  getIdToken: () => Promise<string>;
  signInAtProvider: () => Promise<User>;
  account: Promise<ProviderAccount | null> | null;
};

/** Whether the SDK does not have the user. */
export const isOnlyProved = (user: User | ProvedUser): user is ProvedUser => 'signInAtProvider' in user;

/** Returns the SDK's user, and signs in there if needed. @throws the SDK's errors */
export const toProviderUser = async (user: User | ProvedUser): Promise<User> =>
  isOnlyProved(user) ? user.signInAtProvider() : user;
