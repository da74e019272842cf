import {
  generateRegistrationOptions,
  verifyRegistrationResponse,
  type PublicKeyCredentialCreationOptionsJSON,
} from '@simplewebauthn/server';
import { decodeCredentialPublicKey } from '@simplewebauthn/server/helpers';
import type { Passkey, PasskeySignal, PasskeySource } from '@/lib/shared/account/passkeys';
import type { Language } from '@/lib/shared/i18n/languages';
import { ApiProblem } from '@/lib/shared/problem';
import { type Account, decideAddition } from '@/lib/server/policy';
import { changeOwnAccount, type LiveSession, type SessionRequest, type VerifiedToken } from '@/lib/server/session';
import { findById } from '@/lib/server/identity';
import { formatDevice, wakeOutbox } from '@/lib/server/notifications';
import type { ClientDescription } from '@/lib/server/runtime';
import {
  ensureUserHandle,
  insertPasskey,
  listPasskeys,
  type NewPasskey,
  withRecords,
  withRecordsInTime,
  consumeLimit,
} from '@/lib/server/storage';
import type { RelyingParty } from '@/lib/server/http';
import { getAuthenticatorName, toPasskey, toSignal, notifyOfPasskey } from './credentials';
import type { Options } from './assertion';
import {
  CHALLENGE_TTL_SECONDS,
  isCrossOrigin,
  issueCeremonyChallenge,
  openChallenge,
  toAttestationJson,
  type Attestation,
} from './ceremony';

/**
 * COSE algorithms: ES256, RS256, EdDSA. The list is fixed, because the library's default depends on the Node version,
 * and two processes could differ.
 */
const ALGORITHMS = [-7, -257, -8];

/**
 * Creates the options to add a passkey for the signed-in user, who has given a proof (`requireProof`).
 * @throws ApiProblem a code of `decideAddition`, `records-unavailable`, `too-many-requests`
 */
export async function createAdditionOptions(
  rp: RelyingParty,
  { uid, source }: { uid: string; source: PasskeySource },
  rpName: string,
): Promise<Options<PublicKeyCredentialCreationOptionsJSON>> {
  await consumeLimit('add-passkey', uid);
  const { user, facts } = await getAccount(uid);
  const { emailVerified, requiresSso } = facts;
  refuse(
    decideAddition({ isExpectedAccount: true, emailVerified, requiresSso, isVerified: true, isCrossOrigin: false }),
  );
  const { userHandle, passkeys } = await withRecordsInTime(async (records) => {
    const handle = await ensureUserHandle(records, uid, new Date());
    return { userHandle: handle, passkeys: (await listPasskeys(records, uid)).passkeys };
  });
  const { challenge, token } = await issueCeremonyChallenge({ kind: 'add', uid, source });
  const options = await generateRegistrationOptions({
    rpID: rp.id,
    rpName,
    userID: new Uint8Array(Buffer.from(userHandle, 'base64url')),
    userName: facts.email ?? '',
    userDisplayName: user.displayName ?? facts.email ?? '',
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: CHALLENGE_TTL_SECONDS * 1000,
    attestationType: 'none',
    excludeCredentials: passkeys.map(({ credentialId: id, transports }) => ({ id, transports })),
    // Always set this option. Otherwise an earlier call of the library can change its default for other calls.
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      // A browser that creates a passkey automatically cannot verify the user.
      userVerification: source === 'upgrade' ? 'preferred' : 'required',
    },
    supportedAlgorithmIDs: ALGORITHMS,
  });
  return { options, challenge: token };
}

/** The stored passkey, and all passkeys of the account for the browser's password managers. */
type AddedPasskey = { passkey: Passkey; signal: PasskeySignal };

/**
 * Stores the passkey that the signed-in user's authenticator has created, with its event and email, and redeems its
 * challenge.
 * @throws ApiProblem a code of `decideAddition`, `passkey-exists`, `passkey-limit`, `passkey-challenge-expired`, or 503
 */
export async function addPasskey(
  rp: RelyingParty,
  { challenge: token, response }: { challenge: string; response: Attestation },
  { sid, status: { uid } }: LiveSession,
  request: SessionRequest,
): Promise<AddedPasskey> {
  const { challenge, expiresAt, ceremony } = await openChallenge(token, 'add');
  const { source } = ceremony;
  const { user, facts } = await getAccount(uid);
  const { emailVerified, requiresSso } = facts;
  const info = await verify(rp, challenge, response, source);
  refuse(
    decideAddition({
      isExpectedAccount: ceremony.uid === uid,
      emailVerified,
      requiresSso,
      isVerified: info !== null,
      isCrossOrigin: isCrossOrigin(response.response.clientDataJSON),
    }),
  );
  if (info === null || facts.email === null) throw new ApiProblem('passkey-refused');
  const { credential } = info;
  const emailContext = await request.emailContext();
  const passkey: NewPasskey = {
    credentialId: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString('base64url'),
    algorithm: info.algorithm,
    counter: credential.counter,
    transports: response.response.transports,
    aaguid: info.aaguid,
    backupEligible: info.credentialDeviceType === 'multiDevice',
    backedUp: info.credentialBackedUp,
    userVerified: info.userVerified,
    rpId: rp.id,
    email: facts.email,
    name: getFirstName(info.aaguid, request.client(), emailContext.language),
    source,
  };
  const announce = notifyOfPasskey('passkey-added', facts.email, emailContext);
  const occasion = { at: new Date(), client: request.client(), challenge, expiresAt, announce, sid };
  const added = await changeOwnAccount(uid, request, ({ locked }) =>
    withRecords((records) => insertPasskey(records, locked, passkey, occasion)),
  );
  if (added === 'challenge-used') throw new ApiProblem('passkey-challenge-expired');
  if (added === 'exists') throw new ApiProblem('passkey-exists');
  if (added === 'limit') throw new ApiProblem('passkey-limit');
  wakeOutbox();
  const stored = added.passkeys.find(({ credentialId }) => credentialId === credential.id);
  const signal = toSignal(rp, user, added);
  if (!stored || signal === null) throw new ApiProblem('internal-error');
  return { passkey: toPasskey(stored), signal };
}

/**
 * Returns a passkey's name until its owner changes it. If its provider is unknown, the passkey is named after the
 * browser.
 */
function getFirstName(aaguid: string, client: ClientDescription, language?: Language): string | null {
  const isKnown = client.browser !== null || client.system !== null;
  return getAuthenticatorName(aaguid) === null && isKnown ? formatDevice(client, language) : null;
}

async function getAccount(uid: string): Promise<Account> {
  const account = await findById(uid);
  if (account === null) throw new ApiProblem('user-deleted');
  return account;
}

function refuse(code: ReturnType<typeof decideAddition>): void {
  if (code !== null) throw new ApiProblem(code);
}

/** @returns null if the library refuses the response */
async function verify(rp: RelyingParty, challenge: string, response: Attestation, source: PasskeySource) {
  // An automatic creation shows the user nothing (WebAuthn Level 3, section 5.1.3). The user has given a proof before.
  const isAutomatic = source === 'upgrade';
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: toAttestationJson(response),
      expectedChallenge: challenge,
      expectedOrigin: [...rp.origins],
      expectedRPID: rp.id,
      requireUserPresence: !isAutomatic,
      requireUserVerification: !isAutomatic,
      supportedAlgorithmIDs: ALGORITHMS,
    });
    // Both ids must be equal (WebAuthn Level 3, section 5.1). The library does not compare them, and only the outer id
    // has a bounded length.
    if (!verified || registrationInfo.credential.id !== response.id) return null;
    return { ...registrationInfo, algorithm: getAlgorithm(registrationInfo.credential.publicKey) };
  } catch {
    return null;
  }
}

/** Reads `alg` of a COSE key (RFC 9052, section 7.1). The library has compared it with `ALGORITHMS`. */
function getAlgorithm(publicKey: Uint8Array): number {
  return Number(decodeCredentialPublicKey(new Uint8Array(publicKey)).get(3));
}

/**
 * Requires a password that was entered within 5 minutes. It replaces the user presence and verification, which a
 * passkey may lack if the browser creates it automatically.
 * @param proof a recent proof (`requireProof`)
 * @throws ApiProblem `recent-login-required`
 */
export function requireUpgradeProof({ signIn }: VerifiedToken): void {
  if (signIn.provider !== 'password') throw new ApiProblem('recent-login-required');
}
