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
  mintRenewedTokenWithFactor,
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

/** Whose second factor is set up. `limitKey`: a sign-in that waits has a limit of its own, or it would use up the owner's. */
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
 * Takes the first code of an app that is being set up.
 * @param typed `app`: its id, as far as the caller says
 * @returns the recovery codes to show; null when the account has some, so that the app is on now
 * @throws ApiProblem `code-wrong`, `code-used`, `code-expired`, `factor-replaced`, `too-many-requests`, `records-unavailable`
 */
export async function confirmNewApp(
  { uid, limitKey }: SetUpOwner,
  { code, app }: { code: string; app: string | undefined },
  request: SessionRequest,
): Promise<string[] | null> {
  await consumeLimit('second-factor', limitKey);
  let isFirst = false;
  // The app's code is used up before recovery codes are derived, which costs ten passwords: a replayed code must cost nothing.
  const checked = await totp.enroll.check({ uid, at: new Date(), app }, code, async ({ apps }) => {
    isFirst = apps.length === 0;
    if (isFirst) await consumeLimit('derive-recovery-codes', uid);
  });
  if (isFirst) {
    // Another set-up of the account, at the same time, must not get app and codes of two.
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

/** The browser of the request, whose session may have ended just now by the change itself. */
async function findBrowser(tx: Tx, { sessionCookie }: SessionRequest): Promise<string | null> {
  return sessionCookie === null ? null : findBrowserOfCookie(tx, getSessionId(sessionCookie));
}

/** @returns false when it is gone */
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
      await locked.assertHeld();
      // Its owner has a second factor after all.
      await cancelFactorReset(tx, { uid, at, client });
      if (!(await totp.enroll.turnOn(tx, checked, await findBrowser(tx, request)))) return false;
      await addEvent(tx, { uid, at, client, kind: 'factor-app-added' });
      await announce(tx);
      return true;
    }),
  );
}

/**
 * Makes new recovery codes for the signed-in user, who has given a proof. They are in force when one of them was typed back.
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
  const checked = await checkCode({ uid, limitKey: uid }, typed, request);
  // Before the revocation, which takes it too.
  const decoded = await verifyCookie(request.sessionCookie ?? '');
  return changeOwnAccount(uid, request, async ({ locked, account, renew }) => {
    if ((await putInForce(locked, account, checked, null, request)) === 'replaced') return null;
    return renew(decoded, () => mintRenewedTokenWithFactor(decoded, 'totp'));
  });
}

/**
 * Turns the second factor on for a sign-in that waits for it. The waiting sign-in is used up and opens its session.
 * @param secret the secret in the browser's cookie
 * @throws ApiProblem as `confirmCodes`, `requireSignInToSetUp` and `SessionBackend.openWithSecondFactor`
 */
export async function confirmCodesOfSignIn(
  { secret, uid, limitKey }: SetUpOwner & { secret: string },
  typed: string,
  request: SessionRequest,
): Promise<CreatedSession> {
  const checked = await checkCode({ uid, limitKey }, typed, request);
  return withAccountLock(uid, async (locked) => {
    // Once more: it may have waited for a change that has ended it.
    const { pending, account } = await requireSignInToSetUp(secret);
    await putInForce(locked, account, checked, pending.digest, request);
    const token = await idTokenByCustomToken(await mintTokenOfFirstFactor(pending, 'totp', new Date()));
    return getSessionBackend().openWithSecondFactor(token, request, { remembersBrowser: false, locked });
  });
}

/** @throws ApiProblem as `confirmCodes` */
async function checkCode(
  { uid, limitKey }: SetUpOwner,
  typed: string,
  { client }: SessionRequest,
): Promise<CheckedCode> {
  await consumeLimit('second-factor', limitKey);
  return recoveryCodes.enroll.check({ uid, client, at: new Date() }, typed);
}

/**
 * With the first app it marks the account, and revokes all of its sessions and tokens.
 * @param account as its session, or its sign-in that waits, was judged
 * @param signIn digest of the sign-in that waits for it, which is used up; null: the signed-in user does it
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
  // Before, so that an interruption leaves no session of an intruder; and with the mark, for what was opened in between.
  if (before.apps.length === 0 && isUnusedCode(before, checked)) await revokeAllSessions(locked, 'second-factor-on');
  const confirmed = await withRecords((records) =>
    writeAboutKnownAccount(records, uid, async (tx) => {
      await locked.assertHeld();
      const stored = await readAll(tx, uid);
      if (!isUnusedCode(stored, checked)) return 'gone';
      const app = stored.newApp?.checkedAt ? stored.newApp : null;
      // Disavowals before 2026-11-28 could leave an account that needs a second factor, and has no app.
      const isFirst = stored.apps.length === 0;
      if (isFirst && app === null) return 'gone';
      // A sign-in of one factor adds nothing to an account that has two.
      if (signIn !== null && (!isFirst || stored.since !== null)) return 'gone';
      if (signIn !== null && !(await passPendingSignIn(tx, { uid, at }, signIn))) return 'gone';
      await cancelFactorReset(tx, { uid, at, client: request.client() });
      // That of a sign-in has no session yet, which says later what was set up in it.
      const addedIn = signIn === null ? await findBrowser(tx, request) : null;
      await recoveryCodes.enroll.turnOn(tx, checked, addedIn);
      if (isFirst && app !== null) {
        await totp.enroll.turnOn(tx, { uid, id: app.id, at }, addedIn);
        // Guesses without one, at a sign-in that waits, do not lock it.
        const on = { secondFactorSince: at, failedFactors: 0, factorsLockedUntil: null };
        await tx.update(accounts).set(on).where(eq(accounts.uid, uid));
      }
      await announce(tx, isFirst ? 'second-factor-on' : 'recovery-codes-replaced');
      return isFirst ? 'on' : 'replaced';
    }),
  );
  if (confirmed === null || confirmed === 'gone') throw new ApiProblem('code-expired');
  wakeOutbox();
  // A failure in between leaves a second factor that the next sign-in asks for (records/sessions.ts) without the mark.
  if (confirmed === 'on')
    await retryWhileUnavailable(() => changeJudgedAccount(locked, account, { claims, revoke: 'second-factor-on' }));
  return confirmed;
}
