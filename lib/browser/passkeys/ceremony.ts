import type { Passkey, PasskeySignal, PasskeySource } from '@/lib/shared/account/passkeys';
import { passkeyPaths } from '@/lib/shared/security-paths';
import { postJson } from '../api-client';
import type { AttestationJson } from './credential';
import type { Assertion, RequestOptions } from './sign-in-api';

/** Options of a ceremony, and the token of its challenge, which is sent back with the response. */
type CreationOptions = { options: PublicKeyCredentialCreationOptionsJSON; challenge: string };

/** `signal`: all passkeys of the account, for the browser's password managers. */
type Removed = { signal: PasskeySignal | null; customToken?: string };

export const requestProofOptions = () => postJson<RequestOptions>(passkeyPaths.proofOptions);
/** @param token ID token of a sign-in at most 5 minutes ago; not needed if the session is that recent */
export const requestCreationOptions = (source: PasskeySource, token?: string) =>
  postJson<CreationOptions>(passkeyPaths.creationOptions, { source, token });

export const proveByAssertion = (assertion: Omit<Assertion, 'rpId'>) =>
  postJson<{ customToken: string }>(passkeyPaths.prove, assertion);
export const addCredential = (challenge: string, response: AttestationJson) =>
  postJson<{ passkey: Passkey; signal: PasskeySignal }>(passkeyPaths.add, { challenge, response });

export const renamePasskey = (id: string, name: string) => postJson(passkeyPaths.rename, { id, name });
/** @param token ID token of a sign-in at most 5 minutes ago; not needed if the session is that recent */
export const removePasskey = (id: string, token?: string) => postJson<Removed>(passkeyPaths.remove, { id, token });
