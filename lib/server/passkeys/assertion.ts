import {
  generateAuthenticationOptions,
  verifyAuthenticationResponse,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { PASSKEY_METHOD, UNVERIFIED_PASSKEY_METHOD, type TokenMethod } from '@/lib/shared/sign-in-methods';
import { ApiProblem } from '@/lib/shared/problem';
import { type Account, decideAssertion, decideVerification, toProblem } from '@/lib/server/policy';
import { findById, changeAccountWithSessions, idTokenByCustomToken, toOwnTime } from '@/lib/server/identity';
import { type EmailContext, wakeOutbox } from '@/lib/server/notifications';
import { type ClientDescription, runOutsideOfRequest, setRequestAccount } from '@/lib/server/runtime';
import {
  findPasskey,
  LATE_ENDS,
  listPasskeys,
  recordPasskeyUse,
  suspectPasskey,
  tryLater,
  type AccountPasskeys,
  type FoundPasskey,
  withRecords,
  withRecordsInTime,
} from '@/lib/server/storage';
import type { RelyingParty } from '@/lib/server/http';
import type { PasskeySignal } from '@/lib/shared/account/passkeys';
import {
  getSessionBackend,
  mintCustomTokenForProof,
  requireEnabled,
  type CreatedSession,
  type SessionRequest,
} from '@/lib/server/session';
import { notifyOfPasskey, toSignal } from './credentials';
import {
  CHALLENGE_TTL_SECONDS,
  isCrossOrigin,
  issueCeremonyChallenge,
  openChallenge,
  toAssertionJson,
  type Assertion,
} from './ceremony';
/** Options of a ceremony, and the token of its challenge. */
export type Options<O> = { options: O; challenge: string };
type RequestOptions = Options<PublicKeyCredentialRequestOptionsJSON>;

/** The client that makes the call, and the context of emails that the response causes. */
type AssertionContext = { client: () => ClientDescription; emailContext: () => Promise<EmailContext> };

/** Creates the options to sign in with any passkey. They reveal nothing about accounts. */
export async function createSignInOptions(rp: RelyingParty): Promise<RequestOptions> {
  const { challenge, token } = await issueCeremonyChallenge({ kind: 'sign-in' });
  return { options: await createOptions(rp, challenge), challenge: token };
}

/**
 * Creates the options to show one of the signed-in user's passkeys again. @throws ApiProblem `passkey-unknown` if there
 * is none
 */
export async function createProofOptions(rp: RelyingParty, uid: string): Promise<RequestOptions> {
  const { passkeys } = await withRecordsInTime((records) => listPasskeys(records, uid));
  const own = passkeys
    .filter(({ suspectAt }) => suspectAt === null)
    .map(({ credentialId: id, transports }) => ({ id, transports }));
  if (own.length === 0) throw new ApiProblem('passkey-unknown');
  const { challenge, token } = await issueCeremonyChallenge({ kind: 'proof', uid });
  return { options: await createOptions(rp, challenge, own), challenge: token };
}

function createOptions(
  rp: RelyingParty,
  challenge: string,
  allowCredentials?: { id: string; transports: string[] }[],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return generateAuthenticationOptions({
    rpID: rp.id,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: CHALLENGE_TTL_SECONDS * 1000,
    userVerification: 'required',
    ...(allowCredentials && { allowCredentials }),
  });
}

/**
 * A passkey whose holder was verified just now. `method`: whether it counts as a single factor or as two.
 * `unverifiedPasskey`: its id in the records, if another factor in the same sign-in makes its verification count.
 */
type VerifiedPasskey = {
  account: Account;
  passkeys: AccountPasskeys;
  method: TokenMethod;
  unverifiedPasskey: string | null;
  /** When it was verified. A later removal of the passkey ends this sign-in's tokens and sessions. */
  at: Date;
};

/**
 * Verifies the response of an authenticator, and redeems its challenge.
 * @param uid the signed-in user who gives a proof, or null at a sign-in
 * @throws ApiProblem `passkey-unknown`, `passkey-refused`, `passkey-suspect`, `passkey-challenge-expired`,
 *   `other-account`, `records-unavailable`, or 503
 */
export async function verifyAssertion(
  rp: RelyingParty,
  { challenge: token, response, uid }: { challenge: string; response: Assertion; uid: string | null },
  context: AssertionContext,
): Promise<VerifiedPasskey> {
  const opened = await openChallenge(token, uid === null ? 'sign-in' : 'proof');
  const madeFor = 'uid' in opened.ceremony ? opened.ceremony.uid : null;
  const passkey = await withRecordsInTime((records) => findPasskey(records, response.id));
  if (passkey === null) throw new ApiProblem('passkey-unknown');
  setRequestAccount(passkey.uid);
  const verified = await verify(rp, opened.challenge, response, passkey);
  // Look the account up first, because the exchange of a custom token would create an unknown account.
  const account = await findById(passkey.uid);
  const counter = verified?.newCounter ?? 0;
  const handle = response.response.userHandle;
  // If the options list the passkeys, an authenticator may omit the user handle (WebAuthn Level 3, section 7.2). Many
  // phones do.
  const isHandleLeftOut = uid !== null && !handle;
  const decision = decideAssertion({
    isKnown: account !== null && account.facts.email === passkey.email && passkey.rpId === rp.id,
    isVerified: verified !== null,
    isCrossOrigin: isCrossOrigin(response.response.clientDataJSON),
    hasOwnHandle: passkey.userHandle !== null && (isHandleLeftOut || handle === passkey.userHandle),
    hasSameBackupEligibility: (verified?.credentialDeviceType === 'multiDevice') === passkey.backupEligible,
    isSuspect: passkey.suspectAt !== null,
    isBackupEligible: passkey.backupEligible,
    hasCounterGoneBack: (counter > 0 || passkey.counter > 0) && counter <= passkey.counter,
    isOlderThanLastUse: passkey.lastUsedAt !== null && opened.issuedAt <= passkey.lastUsedAt,
    isExpectedAccount: uid === null ? null : passkey.uid === uid && madeFor === uid,
  });
  const [at, ref] = [new Date(), { id: passkey.id, uid: passkey.uid }];
  if (decision.outcome === 'suspect') {
    const [client, brand] = [context.client(), await context.emailContext()];
    const announce = notifyOfPasskey('passkey-suspect', passkey.email, brand);
    const { challenge, expiresAt } = opened;
    const suspicion = { ...ref, at, client, announce, challenge, expiresAt };
    const marked = await withRecords((records) => suspectPasskey(records, suspicion));
    if (marked === 'challenge-used') throw new ApiProblem('passkey-challenge-expired');
    wakeOutbox();
    // The copy may have signed in before.
    if (marked) await revokeWithMark(passkey.uid, at);
  }
  if (decision.outcome !== 'accept' || account === null) {
    // The revocation with the mark may have failed. If it worked, the account's revocation time is later than the mark.
    const { suspectAt, uid: owner } = passkey;
    const isMarked =
      'code' in decision && decision.code === 'passkey-suspect' && suspectAt !== null && account !== null;
    if (isMarked && toOwnTime(account.facts.validSince * 1000) < suspectAt.getTime())
      await changeAccountWithSessions(owner, { revoke: 'passkey-suspect' });
    throw 'code' in decision ? toProblem(decision) : new ApiProblem('passkey-unknown', { rule: 'unknown-passkey' });
  }
  const { challenge, expiresAt } = opened;
  const use = { ...ref, at, challenge, expiresAt, counter, backedUp: verified?.credentialBackedUp ?? false };
  const passkeys = await withRecords((records) => recordPasskeyUse(records, use));
  if (passkeys === 'challenge-used') throw new ApiProblem('passkey-challenge-expired');
  if (passkeys === null) throw new ApiProblem('passkey-unknown');
  const isUserVerified = verified?.userVerified ?? false;
  const verification = { isInitialized: passkey.userVerified, isUserVerified };
  const alone = decideVerification({ ...verification, hasOtherFactor: false });
  const withOther = decideVerification({ ...verification, hasOtherFactor: true });
  return {
    account,
    passkeys,
    method: alone.factors === 2 ? PASSKEY_METHOD : UNVERIFIED_PASSKEY_METHOD,
    unverifiedPasskey: withOther.initializes ? passkey.id : null,
    at,
  };
}

/**
 * Revokes all sessions, and retries later if that fails, because the email about the mark states that it was done.
 * @param markedAt a revocation after this time is enough
 * @throws ApiProblem 503
 */
async function revokeWithMark(uid: string, markedAt: Date): Promise<void> {
  const revoke = () => changeAccountWithSessions(uid, { revoke: 'passkey-suspect' });
  try {
    await revoke();
  } catch (error) {
    const revokeLate = async () => {
      const account = await findById(uid);
      if (account !== null && toOwnTime(account.facts.validSince * 1000) < markedAt.getTime()) await revoke();
    };
    void runOutsideOfRequest(() => tryLater(`suspect ${uid}`, LATE_ENDS, revokeLate));
    throw error;
  }
}

/** @returns null if the library refuses the response */
async function verify(rp: RelyingParty, challenge: string, response: Assertion, passkey: FoundPasskey) {
  const { credentialId: id, publicKey } = passkey;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: toAssertionJson(response),
      expectedChallenge: challenge,
      expectedOrigin: [...rp.origins],
      expectedRPID: rp.id,
      requireUserVerification: true,
      // The library would compare the counter before the signature. Then any client could mark a passkey as suspect.
      credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter: 0 },
    });
    return verified ? authenticationInfo : null;
  } catch {
    return null;
  }
}

/** `signal`: all passkeys of the account, for the browser's password managers. */
type PasskeySignIn = CreatedSession & { uid: string; signal: PasskeySignal | null };

/**
 * Signs a user in with a passkey. The server exchanges the custom token, so that no identity provider token reaches the
 * browser (docs/adr/0030).
 * @throws ApiProblem a code of `requireEnabled`, `verifyAssertion` or `SessionBackend.open`
 */
export async function signInWithPasskey(
  rp: RelyingParty,
  { challenge, response }: { challenge: string; response: Assertion },
  request: SessionRequest,
): Promise<PasskeySignIn> {
  // Check this before the challenge is redeemed and the passkey is read.
  await requireEnabled(PASSKEY_METHOD, request);
  const { account, passkeys, method, unverifiedPasskey, at } = await verifyAssertion(
    rp,
    { challenge, response, uid: null },
    request,
  );
  const { uid } = account.user;
  const token = await idTokenByCustomToken(await mintCustomTokenForProof(uid, { method, at }));
  const created = await getSessionBackend().open(token, request, unverifiedPasskey);
  return { ...created, uid, signal: toSignal(rp, account.user, passkeys) };
}
