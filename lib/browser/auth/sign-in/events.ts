import type { User } from 'firebase/auth';
import { createEvent } from '@/lib/browser/create-event';

/** Sign-in events of the learner, for listeners (docs/product.md#states). */
export type AuthEvent = 'autoSignIn' | 'autoSignIn_failure' | 'signOut' | 'userDeleted';
export const { on: onAuthEvent, emit: emitAuthEvent } = createEvent<AuthEvent>();

/**
 * What led to a sign-in (docs/product.md#states): an existing account, a new account, a password change, or a method
 * linked during sign-in.
 */
export type LoginMode = 'signIn' | 'signUp' | 'update' | 'link';

/** A user who may not be signed in at the identity provider in this browser. */
export type SignedInUser = { uid: string; email: string | null; displayName: string | null };

/** What the identity provider knows of an account, for analytics. Dates are RFC 7231 dates, as the SDK writes them. */
export type ProviderAccount = {
  photoURL: string | null;
  providerIds: string[];
  createdAt: string | undefined;
  lastSignInAt: string | undefined;
  anonymous: boolean;
};

/** Emitted after a sign-in, with the provider id of the method. The redirect follows immediately. */
export type SignInEvent = {
  user: User | (SignedInUser & { account?: ProviderAccount | null });
  method: string;
  mode: LoginMode;
};
export const { on: onSignIn, emit: emitSignIn } = createEvent<SignInEvent>();
