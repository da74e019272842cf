import type { NewApp } from '@/lib/shared/account/second-factor';
import { MAX_APPS } from '@/lib/shared/account/second-factor';
import { ApiProblem } from '@/lib/shared/problem';
import { type Account, editClaims, isStorable, type ClaimsEdit } from '@/lib/server/policy';
import { withAccountLock, changeJudgedAccount, findById, idTokenByCustomToken } from '@/lib/server/identity';
import {
  changeOwnAccount,
  renewAfterRevocation,
  type RenewedSession,
  getSessionBackend,
  type LiveSession,
  mintRenewedTokenWithFactor,
  mintTokenOfFirstFactor,
  type CreatedSession,
  type SessionRequest,
  verifyCookie,
} from '@/lib/server/session';
import { wakeOutbox } from '@/lib/server/notifications';
import { readSecondFactor } from './rows';
import {
  checkApp,
  confirmApp,
  confirmRecoveryCodes,
  insertApp,
  insertCodesOfApp,
  insertRecoveryCodes,
} from './setup-rows';
import { RECORDS_TIMEOUT_MS, withRecords, consumeLimit } from '@/lib/server/storage';
import { notifyOfSecondFactor } from './notify';
import { toFactorClaims } from './factor-claims';
import { openKey, sealKey } from './keys';
import { compareCode } from './compare-code';
import { createRecoveryCodes, readRecoveryCode } from './recovery-codes';
import { createSecret, describeApp, findStep } from './totp';
import { requireSignInToSetUp } from './waiting-sign-in';

/** How long an app or recovery codes can be set up, in milliseconds. */
const SETUP_MS = 30 * 60_000;

/** Whose second factor is set up. `limitKey`: a sign-in that waits has a limit of its own, or it would use up the owner's. */
type SetUpOwner = { uid: string; limitKey: string };

/**
 * Begins an authenticator app for the signed-in user, who has given a proof (`requireProof`).
 * @throws ApiProblem `factor-limit`, `too-many-requests`, `records-unavailable`, 503
 */
export async function beginApp({ uid, limitKey }: SetUpOwner, issuer: string): Promise<NewApp> {
  await consumeLimit('second-factor', limitKey);
  const { facts } = await getAccount(uid);
  const secret = createSecret();
  const sealed = await sealKey(secret, uid);
  const begun = await withRecords(
    (records) => insertApp(records, { ...sealed, uid, at: new Date() }, MAX_APPS),
    RECORDS_TIMEOUT_MS,
  );
  if (!begun) throw new ApiProblem('factor-limit');
  return describeApp(secret, { issuer, label: facts.email ?? uid });
}

/**
 * Takes the first code of an app that is being set up.
 * @returns the recovery codes to show; null when the account has some, so that the app is on now
 * @throws ApiProblem `code-wrong`, `code-used`, `code-expired`, `too-many-requests`, `records-unavailable`
 */
export async function confirmNewApp(
  { uid, limitKey }: SetUpOwner,
  code: string,
  request: SessionRequest,
): Promise<string[] | null> {
  await consumeLimit('second-factor', limitKey);
  const at = new Date();
  const { newApp, apps } = await withRecords((records) => readSecondFactor(records, uid), RECORDS_TIMEOUT_MS);
  if (newApp === null || isTooOld(newApp.createdAt, at)) throw new ApiProblem('code-expired');
  const { secret } = await openKey(newApp, uid);
  const step = findStep(secret, code, at.getTime());
  if (step === null) throw new ApiProblem('code-wrong');
  if (apps.length === 0) await consumeLimit('derive-recovery-codes', uid);
  const checked = { uid, id: newApp.id, at, step };
  // Before the codes are derived, which costs ten passwords: a replayed code must cost nothing.
  if (!(await withRecords((records) => checkApp(records, checked), RECORDS_TIMEOUT_MS)))
    throw new ApiProblem('code-used');
  if (apps.length === 0) {
    const { shown, stored } = await createRecoveryCodes(request.client());
    // Another set-up of the account, at the same time, must not get app and codes of two.
    if (!(await withRecords((records) => insertCodesOfApp(records, checked, stored), RECORDS_TIMEOUT_MS)))
      throw new ApiProblem('code-expired');
    return shown;
  }
  const brand = await request.emailContext();
  const isOn = await changeOwnAccount(uid, request, ({ facts }) => {
    const announce = notifyOfSecondFactor('factor-app-added', { uid, to: facts.email ?? '', at, brand });
    const occasion = { uid, id: newApp.id, at, client: request.client(), announce };
    return withRecords((records) => confirmApp(records, occasion));
  });
  if (isOn !== true) throw new ApiProblem('code-expired');
  wakeOutbox();
  return null;
}

/**
 * Makes new recovery codes for the signed-in user, who has given a proof. They are in force when one of them was typed back.
 * @throws ApiProblem `not-found` without a second factor, `too-many-requests`, `records-unavailable`
 */
export async function renewRecoveryCodes(uid: string, request: SessionRequest): Promise<string[]> {
  await consumeLimit('second-factor', uid);
  await consumeLimit('derive-recovery-codes', uid);
  const { apps } = await withRecords((records) => readSecondFactor(records, uid), RECORDS_TIMEOUT_MS);
  if (apps.length === 0) throw new ApiProblem('not-found');
  const { shown, stored } = await createRecoveryCodes(request.client());
  const at = new Date();
  await withRecords((records) => insertRecoveryCodes(records, { ...stored, uid, at }), RECORDS_TIMEOUT_MS);
  return shown;
}

/**
 * Puts the new recovery codes in force, since their owner has typed one of them. With the first app, the second factor is on: all sessions
 * and tokens of the account are revoked, and this browser gets a new session.
 * @returns null when no session was revoked, or the new one could not be created
 * @throws ApiProblem `code-wrong`, `code-expired`, `too-many-requests`, `records-unavailable`, 503
 */
export async function confirmCodes(
  { status: { uid } }: LiveSession,
  typed: string,
  request: SessionRequest,
): Promise<RenewedSession | null> {
  const codes = await readTypedCode({ uid, limitKey: uid }, typed, request);
  // Before the revocation, which takes it too.
  const decoded = await verifyCookie(request.sessionCookie ?? '');
  return changeOwnAccount(uid, request, async (account) => {
    if ((await putInForce(account, { ...codes, signIn: null }, request)) === 'replaced') return null;
    return renewAfterRevocation(decoded, request, () => mintRenewedTokenWithFactor(decoded, 'totp'));
  });
}

/**
 * The same for a sign-in that waits for it: it is used up, and opens its session.
 * @param secret of the browser's cookie
 * @throws ApiProblem as `confirmCodes`, `requireSignInToSetUp` and `SessionBackend.completeSignIn`
 */
export async function confirmCodesOfSignIn(
  { secret, uid, limitKey }: SetUpOwner & { secret: string },
  typed: string,
  request: SessionRequest,
): Promise<CreatedSession> {
  const codes = await readTypedCode({ uid, limitKey }, typed, request);
  return withAccountLock(uid, async () => {
    // Once more: it may have waited for a change that has ended it.
    const { pending, account } = await requireSignInToSetUp(secret);
    await putInForce(account, { ...codes, signIn: pending.digest }, request);
    const token = await idTokenByCustomToken(await mintTokenOfFirstFactor(pending, 'totp', new Date()));
    return getSessionBackend().completeSignIn(token, request, false);
  });
}

type TypedCode = { digest: string; since: Date; at: Date };

/** The new recovery code that was typed. @throws ApiProblem as `confirmCodes` */
async function readTypedCode(
  { uid, limitKey }: SetUpOwner,
  typed: string,
  request: SessionRequest,
): Promise<TypedCode> {
  await consumeLimit('second-factor', limitKey);
  const at = new Date();
  const since = new Date(at.getTime() - SETUP_MS);
  const code = readRecoveryCode(typed);
  const { newCodes } = await withRecords((records) => readSecondFactor(records, uid), RECORDS_TIMEOUT_MS);
  const [first] = newCodes;
  if (!first || first.createdAt < since) throw new ApiProblem('code-expired');
  const digest = code === null ? null : await compareCode({ uid, code, salt: first.salt }, request.client());
  if (digest === null || !newCodes.some((own) => own.digest === digest)) throw new ApiProblem('code-wrong');
  return { digest, since, at };
}

/**
 * Within the account's lock. With the first app it marks the account, and revokes all of its sessions and tokens.
 * @param account as its session, or its sign-in that waits, was judged
 */
async function putInForce(
  account: Account,
  { at, ...codes }: TypedCode & { signIn: string | null },
  request: SessionRequest,
): Promise<'on' | 'replaced'> {
  const brand = await request.emailContext();
  const { user, facts } = account;
  const { uid } = facts;
  const claims: ClaimsEdit = toFactorClaims(account, at);
  if (!isStorable(editClaims(user.customClaims, claims)))
    throw new ApiProblem('internal-error', { detail: 'The claims of the account are too long' });
  const announce = (tx: Parameters<ReturnType<typeof notifyOfSecondFactor>>[0], kind: 'on' | 'replaced') =>
    notifyOfSecondFactor(kind === 'on' ? 'second-factor-on' : 'recovery-codes-replaced', {
      uid,
      to: facts.email ?? '',
      at,
      brand,
    })(tx);
  const occasion = { uid, at, client: request.client(), announce, ...codes };
  const confirmed = await withRecords((records) => confirmRecoveryCodes(records, occasion));
  if (confirmed === null || confirmed === 'gone') throw new ApiProblem('code-expired');
  wakeOutbox();
  // A failure in between leaves a second factor that the next sign-in asks for (records/sessions.ts) without the mark.
  if (confirmed === 'on') await changeJudgedAccount(account, { claims, revoke: true });
  return confirmed;
}

function isTooOld(begunAt: Date, now: Date): boolean {
  return now.getTime() - begunAt.getTime() > SETUP_MS;
}

async function getAccount(uid: string): Promise<Account> {
  const account = await findById(uid);
  if (account === null) throw new ApiProblem('user-deleted');
  return account;
}
