import type { ScheduledDeletion } from '@/lib/shared/account/security';
import type { PasskeySignal } from '@/lib/shared/account/passkeys';
import { postJson } from '../api-client';
import type { AssertionJson } from './credential';

// Separate from the other calls (ceremony.ts), because /sign-in loads these for the browser's autofill.

/** Options of a ceremony, and the token of its challenge, which is sent back with the response. */
export type RequestOptions = { options: PublicKeyCredentialRequestOptionsJSON; challenge: string };
/** The response of an authenticator, and the token of the challenge that it signed. `rpId`: from the options. */
export type Assertion = { challenge: string; response: AssertionJson; rpId: string };
/** `signal`: all passkeys of the account, for the browser's password managers. */
export type SignedInWithPasskey = { uid: string; signal: PasskeySignal | null } & ScheduledDeletion;

export const requestSignInOptions = () => postJson<RequestOptions>('/api/passkeys/sign-in-options');
export const signInByAssertion = ({ challenge, response }: Assertion) =>
  postJson<SignedInWithPasskey>('/api/passkeys/sign-in', { challenge, response });
