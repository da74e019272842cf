import { eq } from 'drizzle-orm';
import type { NewApp } from '@/lib/shared/account/security';
import { ApiProblem } from '@/lib/shared/problem';
import { changeJudgedAccount, findById, idTokenByCustomToken, retryWhileUnavailable } from '@/lib/server/identity';
import { cancelFactorReset, wakeOutbox } from '@/lib/server/notifications';
import { type Account, isStorable } from '@/lib/server/policy';
import {
  changeOwnAccount,
  type CreatedSession,
  getSessionBackend,
  getSessionId,
  type LiveSession,
  mintTokenOfFirstFactor,
  passPendingSignIn,
  type RenewedSession,
  revokeAllSessions,
  type SessionRequest,
  verifyCookie,
} from '@/lib/server/session';
import {
  accounts,
  addEvent,
  consumeLimit,
  findBrowserOfCookie,
  type LockedAccount,
  transactInTime,
  type Tx,
  withAccountLock,
  withRecords,
  withRecordsInTime,
  writeAboutKnownAccount,
} from '@/lib/server/storage';
import { readAll, readSecondFactor } from './factors';
import { notifyOfSecondFactor } from './notify';
import { begin as beginCodes, type CheckedCode, isUnusedCode, recoveryCodes } from './recovery-codes';
import { requireSignInToSetUp, toFactorClaims } from './sign-in';
import { type CheckedApp, totp } from './totp';

/** The owner of a new second factor. `limitKey`: a waiting sign-in has a separate limit, and does not use the owner's. */
type SetUpOwner = { uid: string; limitKey: string };

/**
 * Begins an authenticator app for the signed-in user, who has given a proof (`requireProof`).
 * @throws ApiProblem `factor-limit`, `too-many-requests`, `records-unavailable`, 503
 */
export async function beginApp({ uid, limitKey }: SetUpOwner, request: SessionRequest): Promise<NewApp> {
  const { brandName: issuer } = await request.emailContext();
  await consumeLimit('second-factor', limitKey);
  const account = await findById(uid);
  if (account === null) throw new ApiProblem('user-deleted');
  return totp.enroll.begin({ uid, email: account.facts.email, issuer, client: request.client() });
}

/**
 * Checks the first code of a new app.
 * @param typed `app`: its id, if the caller knows it
 * @returns the recovery codes to show, or null if the account has some, and the app is now on
 * @throws ApiProblem `code-wrong`, `code-used`, `code-expired`, `factor-replaced`, `too-many-requests`,
 *   `records-unavailable`
 */
export async function confirmNewApp(
  { uid, limitKey }: SetUpOwner,
  { code, app }: { code: string; app: string | undefined },
  request: SessionRequest,
): Promise<string[] | null> {
  await consumeLimit('second-factor', limitKey);
  let isFirst = false;
  // Use up the app's code first, so that a replayed code is cheap. Recovery codes cost as much as ten passwords.
  const checked = await totp.enroll.check({ uid, at: new Date(), app }, code, async ({ apps }) => {
    isFirst = apps.length === 0;
    if (isFirst) await consumeLimit('derive-recovery-codes', uid);
  });
  if (isFirst) {
    // A concurrent setup of the account must not combine the app of one setup with the codes of another.
    return beginCodes({ uid, client: request.client() }, async (tx) => {
      const { apps, newApp } = await totp.read(tx, uid);
      return apps.length === 0 && newApp?.id === checked.id && newApp.lastStep === checked.step;
    });
  }
  const brand = await request.emailContext();
  const isOn = await changeOwnAccount(uid, request, ({ locked, account: { facts } }) => {
    const announce = notifyOfSecondFactor('factor-app-added', { uid, to: facts.email ?? '', at: checked.at, brand });
    return turnFurtherAppOn(locked, checked, request, announce);
  });
  if (isOn !== true) throw new ApiProblem('code-expired');
  wakeOutbox();
  return null;
}

/** Finds the browser of the request. The change itself may just have ended its session. */
async function findBrowser(tx: Tx, { sessionCookie }: SessionRequest): Promise<string | null> {
  return sessionCookie === null ? null : findBrowserOfCookie(tx, getSessionId(sessionCookie));
}

/** @returns false if the new app no longer exists */
function turnFurtherAppOn(
  locked: LockedAccount,
  checked: CheckedApp,
  request: SessionRequest,
  announce: (tx: Tx) => Promise<void>,
): Promise<boolean | null> {
  const { uid, at } = checked;
  const client = request.client();
  return withRecords((records) =>
    writeAboutKnownAccount(records, uid, async (tx) => {
      await locked.assertHeld(tx);
      // The owner has a second factor after all.
      await cancelFactorReset(tx, { uid, at, client });
      if (!(await totp.enroll.turnOn(tx, checked, await findBrowser(tx, request)))) return false;
      await addEvent(tx, { uid, at, client, kind: 'factor-app-added' });
      await announce(tx);
      return true;
    }),
  );
}

/**
 * Creates new recovery codes for the signed-in user, who has given a proof. They are valid once the user has typed one.
 * @throws ApiProblem `not-found` without a second factor, `too-many-requests`, `records-unavailable`
 */
export async function renewRecoveryCodes(uid: string, request: SessionRequest): Promise<string[]> {
  await consumeLimit('second-factor', uid);
  await consumeLimit('derive-recovery-codes', uid);
  const { apps } = await withRecordsInTime((records) => readSecondFactor(records, uid));
  if (apps.length === 0) throw new ApiProblem('not-found');
  return beginCodes({ uid, client: request.client() });
}

/**
 * Activates the new recovery codes after the owner has typed one of them. With the first app, this turns the second
 * factor on. It then revokes all sessions and tokens of the account, and this browser gets a new session.
 * @returns null if no session was revoked, or the new session could not be created
 * @throws ApiProblem `code-wrong`, `code-expired`, `too-many-requests`, `records-unavailable`, 503
 */
export async function confirmCodes(
  { status: { uid } }: LiveSession,
  typed: string,
  request: SessionRequest,
): Promise<RenewedSession | null> {
  const checked = await checkCode({ uid, limitKey: uid }, typed, request);
  // Read it before the revocation, which also revokes this session.
  const session = await verifyCookie(request.sessionCookie ?? '');
  return changeOwnAccount(uid, request, async ({ locked, account, renew }) => {
    if ((await putInForce(locked, account, checked, null, request)) === 'replaced') return null;
    return renew(session, 'totp');
  });
}

/**
 * Turns the second factor on for a sign-in that waits for it, and opens the session of that sign-in.
 * @param secret the secret in the browser's cookie
 * @throws ApiProblem a code of `confirmCodes`, `requireSignInToSetUp` or `SessionBackend.openWithSecondFactor`
 */
export async function confirmCodesOfSignIn(
  { secret, uid, limitKey }: SetUpOwner & { secret: string },
  typed: string,
  request: SessionRequest,
): Promise<CreatedSession> {
  const checked = await checkCode({ uid, limitKey }, typed, request);
  return withAccountLock(uid, async (locked) => {
    // Check again, because this may have waited for a change that has ended the sign-in.
    const { pending, account } = await requireSignInToSetUp(secret, locked);
    await putInForce(locked, account, checked, pending.digest, request);
    const token = await idTokenByCustomToken(await mintTokenOfFirstFactor(pending, 'totp', new Date()));
    return getSessionBackend().openWithSecondFactor(token, request, { remembersBrowser: false, locked });
  });
}

/** @throws ApiProblem a code of `confirmCodes` */
async function checkCode(
  { uid, limitKey }: SetUpOwner,
  typed: string,
  { client }: SessionRequest,
): Promise<CheckedCode> {
  await consumeLimit('second-factor', limitKey);
  return recoveryCodes.enroll.check({ uid, client, at: new Date() }, typed);
}

/**
 * Activates new recovery codes and a new app. With the first app, it marks the account, and revokes all its sessions and
 * tokens.
 * @param account as it was judged for the session or the waiting sign-in
 * @param signIn digest of the waiting sign-in, which is used up. Null if the user is signed in
 */
async function putInForce(
  locked: LockedAccount,
  account: Account,
  checked: CheckedCode,
  signIn: string | null,
  request: SessionRequest,
): Promise<'on' | 'replaced'> {
  const brand = await request.emailContext();
  const { user, facts } = account;
  const { uid, email } = facts;
  const { at } = checked;
  const claims = toFactorClaims(account, at);
  if (!isStorable(user.customClaims, claims))
    throw new ApiProblem('internal-error', { detail: 'The claims of the account are too long' });
  const announce = async (tx: Tx, kind: 'second-factor-on' | 'recovery-codes-replaced') => {
    await addEvent(tx, { uid, at, client: request.client(), kind });
    await notifyOfSecondFactor(kind, { uid, to: email ?? '', at, brand })(tx);
  };
  const before = await transactInTime((tx) => readAll(tx, uid));
  // Revoke now, so that an interruption leaves no session of an intruder. The mark revokes what was opened in between.
  if (before.apps.length === 0 && isUnusedCode(before, checked)) await revokeAllSessions(locked, 'second-factor-on');
  const confirmed = await withRecords((records) =>
    writeAboutKnownAccount(records, uid, async (tx) => {
      await locked.assertHeld(tx);
      const stored = await readAll(tx, uid);
      if (!isUnusedCode(stored, checked)) return 'gone';
      const app = stored.newApp?.checkedAt ? stored.newApp : null;
      // Disavowals before 2026-11-28 could leave an account that needs a second factor, and has no app.
      const isFirst = stored.apps.length === 0;
      if (isFirst && app === null) return 'gone';
      // A sign-in with one factor must not add anything to an account with two.
      if (signIn !== null && (!isFirst || stored.since !== null)) return 'gone';
      if (signIn !== null && !(await passPendingSignIn(tx, { uid, at }, signIn))) return 'gone';
      await cancelFactorReset(tx, { uid, at, client: request.client() });
      // A waiting sign-in has no session yet. Its session later records what was set up.
      const addedIn = signIn === null ? await findBrowser(tx, request) : null;
      await recoveryCodes.enroll.turnOn(tx, checked, addedIn);
      if (isFirst && app !== null) {
        await totp.enroll.turnOn(tx, { uid, id: app.id, at }, addedIn);
        // Wrong codes of waiting sign-ins before the second factor must not lock it.
        const on = { secondFactorSince: at, failedFactors: 0, factorsLockedUntil: null };
        await tx.update(accounts).set(on).where(eq(accounts.uid, uid));
      }
      await announce(tx, isFirst ? 'second-factor-on' : 'recovery-codes-replaced');
      return isFirst ? 'on' : 'replaced';
    }),
  );
  if (confirmed === null || confirmed === 'gone') throw new ApiProblem('code-expired');
  wakeOutbox();
  // After a failure in between, the next sign-in asks for the second factor even without the mark (records/sessions.ts).
  if (confirmed === 'on')
    await retryWhileUnavailable(() => changeJudgedAccount(locked, account, { claims, revoke: 'second-factor-on' }));
  return confirmed;
}
