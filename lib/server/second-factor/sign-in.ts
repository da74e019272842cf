import { and, eq, sql } from 'drizzle-orm';
import type { NextApiRequest, NextApiResponse } from 'next';
import * as z from 'zod/mini';
import {
  appendCookies,
  applySharedComputerExpiry,
  buildClearCookie,
  ownRoute,
  readHostCookie,
  type RequestWithCookies,
} from '@/lib/server/http';
import { changeJudgedAccount, findById, idTokenByCustomToken } from '@/lib/server/identity';
import { cancelFactorReset, recordKnownBrowser, wakeOutbox, type EmailContext } from '@/lib/server/notifications';
import { readSignal } from '@/lib/server/passkeys';
import {
  decideAttempt,
  getCredentialEnd,
  isSecondFactorOffered,
  isStorable,
  type Account,
  type AttemptFacts,
  type ClaimsEdit,
  type Factor as ShownFactor,
  toProblem,
} from '@/lib/server/policy';
import { digest, hashAccount, setRequestAccount, type ClientDescription } from '@/lib/server/runtime';
import {
  authorizeSignIn,
  findPendingSignIn,
  getSessionBackend,
  mintCustomToken,
  mintTokenOfFirstFactor,
  passPendingSignIn,
  reopenPendingSignIn,
  requireOwnSession,
  verifyFreshProof,
  type CreatedSession,
  type LiveSession,
  type PendingSignIn,
  type SessionRequest,
} from '@/lib/server/session';
import {
  accounts,
  addEvent,
  initializeVerification,
  type LockedAccount,
  pendingSignIns,
  transactInTime,
  withAccountLock,
  withRecords,
  withRecordsInTime,
  writeAboutKnownAccount,
  type Tx,
} from '@/lib/server/storage';
import { reportError } from '@/lib/shared/error-reporting/report';
import { normalizeAppCode } from '@/lib/shared/account/typed-codes';
import { ApiProblem, isApiProblem } from '@/lib/shared/problem';
import type { FactorKind, Verdict } from './factor';
import { readSecondFactor } from './factors';
import { notifyOfSecondFactor } from './notify';
import { recoveryCodes } from './recovery-codes';
import { totp } from './totp';

/** A sign-in that waits for its second factor. */
export type WaitingSignIn = { pending: PendingSignIn; account: Account };

/**
 * Requires the waiting sign-in of a browser, whose first factor is still valid.
 * @param secret secret of the browser's cookie
 * @param locked the account, if the caller has locked it
 * @throws ApiProblem `sign-in-expired`, `records-unavailable`, 503
 */
export async function requireWaitingSignIn(
  secret: string | undefined,
  locked: LockedAccount | null = null,
): Promise<WaitingSignIn> {
  if (!secret) throw new ApiProblem('sign-in-expired');
  const key = digest(secret);
  const pending = await withRecordsInTime((records) => findPendingSignIn(records, key, new Date()));
  if (pending === null) throw new ApiProblem('sign-in-expired');
  setRequestAccount(pending.uid);
  const account = await findById(pending.uid, locked);
  const issuedAt = pending.authenticatedAt.getTime() / 1000;
  const { email } = pending;
  const waiting = { credential: 'waiting-sign-in', session: null, issuedAt, email } as const;
  const end = getCredentialEnd({ ...waiting, account: account?.facts ?? null });
  // The next step of the sign-in refuses a disabled account with a separate code.
  if (account === null || (end !== null && end !== 'disabled')) throw new ApiProblem('sign-in-expired');
  return { pending, account };
}

/**
 * Requires a waiting sign-in to an account without a second factor, by its claim and by the records. A person who only
 * knows the password must not add an app to an account that has a second factor.
 * @throws ApiProblem of `requireWaitingSignIn`; `user-disabled`
 */
export async function requireSignInToSetUp(
  secret: string | undefined,
  locked: LockedAccount | null = null,
): Promise<WaitingSignIn> {
  const waiting = await requireWaitingSignIn(secret, locked);
  const { uid, hasSecondFactor, disabled } = waiting.account.facts;
  if (disabled) throw new ApiProblem('user-disabled');
  const { since, apps } = await withRecordsInTime((records) => readSecondFactor(records, uid));
  // The user must sign in again, which asks for that factor.
  if (hasSecondFactor || since !== null || apps.length > 0) throw new ApiProblem('sign-in-expired');
  return waiting;
}

/**
 * Marks an account with a second factor, and marks its email as proved. The provider's public API changes the email
 * with only the password, and from now on it is restored (identity/change-account.ts). An unverified email proves no
 * ownership.
 */
export function toFactorClaims({ user, facts }: Account, since: Date): ClaimsEdit {
  return { secondFactorSince: since, ...(facts.emailVerified && { proved: user.email }) };
}

/** A typed code, with its factor. */
type TypedCode = { factor: FactorKind; typed: string };

type Attempt = TypedCode & {
  uid: string;
  /** The account's email, for notices. */
  email: string;
  /** Digest of the waiting sign-in. Null: the signed-in user gives a proof. */
  digest: string | null;
};

/** `codesLeft`: set after a recovery code, null after a code of an app. `giveBack`: undoes the use (`Verdict`). */
type AcceptedFactor = {
  factor: ShownFactor;
  codesLeft: number | null;
  at: Date;
  giveBack: Extract<Verdict, { code: 'right' }>['giveBack'];
};
type AttemptContext = { client: () => ClientDescription; emailContext: () => Promise<EmailContext> };

/**
 * The facts for judging an attempt. `pending`: null if no sign-in waits, or none is needed. `stored`: state of the
 * factor.
 */
type AttemptState = {
  pending: PendingSignIn | null;
  since: Date | null;
  failures: number;
  lockedUntil: Date | null;
  stored: unknown;
};

/**
 * Accepts a code of an account's second factor, once. A single transaction decides and applies the result, and no other
 * code of the account is tried in it.
 * @throws ApiProblem `code-wrong`, `code-used`, `code-locked`, `sign-in-expired`, `not-found`, `too-many-requests`,
 *   `records-unavailable`
 */
export async function redeemFactorCode(
  { uid, email, digest, factor, typed }: Attempt,
  context: AttemptContext,
): Promise<AcceptedFactor> {
  const at = new Date();
  const { isGuessable } = factor;
  const decide = ({ pending, since, failures, lockedUntil }: AttemptState, code: AttemptFacts['code']) => {
    const isOpen = pending !== null && pending.passedAt === null && pending.expiresAt > at;
    const signIn = digest === null ? 'proof' : isOpen ? 'open' : 'gone';
    const known = { hasSecondFactor: since !== null, tries: pending?.tries ?? 0, failures, lockedUntil };
    return decideAttempt({ signIn, ...known, isGuessable, code, now: at });
  };
  /** Decides whether even a right code would be refused. */
  const isOver = (state: AttemptState) => decide(state, 'right').outcome === 'refuse';
  const attempt = { uid, digest, factor };
  let prepared: unknown = null;
  if (factor.prepare) {
    // Prepare before the transaction, which must not hold a database connection while it waits.
    const state = await transactInTime((tx) => readState(tx, attempt));
    if (!isOver(state)) prepared = await factor.prepare(state.stored, typed, { uid, client: context.client() });
  }
  const brand = await context.emailContext();
  const tell = async (tx: Tx, kind: 'recovery-code-used' | 'factor-locked') => {
    await addEvent(tx, { uid, at, client: context.client(), kind });
    await notifyOfSecondFactor(kind, { uid, to: email, at, brand })(tx);
  };
  const result = await withRecords((records) =>
    writeAboutKnownAccount(records, uid, async (tx) => {
      const state = await readState(tx, attempt);
      const verdict: Verdict = isOver(state)
        ? { code: 'wrong' }
        : await factor.verify(state.stored, { code: typed, prepared }, { uid, at });
      const decision = decide(state, verdict.code);
      if (decision.outcome === 'refuse') {
        const isLocked = await countRefused(tx, { uid, digest, failures: state.failures }, decision.counts);
        if (isLocked) await tell(tx, 'factor-locked');
        return toProblem(decision);
      }
      if (verdict.code !== 'right') throw new ApiProblem('internal-error');
      // Another request has used the code since, or completed the sign-in.
      if (digest !== null && !(await passPendingSignIn(tx, { uid, at }, digest))) return new ApiProblem('code-used');
      if (!(await verdict.use(tx, at))) return new ApiProblem('code-used');
      await tx.update(accounts).set({ failedFactors: 0 }).where(eq(accounts.uid, uid));
      const passkey = state.pending?.unverifiedPasskey;
      if (passkey) await initializeVerification(tx, { uid, id: passkey });
      // The user still has a factor, so no reset is needed.
      await cancelFactorReset(tx, { uid, at, client: context.client() });
      if (factor.usedKind !== null) await tell(tx, factor.usedKind);
      return { factor: factor.name, codesLeft: factor.countLeft(state.stored), at, giveBack: verdict.giveBack };
    }),
  );
  wakeOutbox();
  if (result === null) throw new ApiProblem('sign-in-expired');
  // Throw after the transaction, so that the count is kept.
  if (result instanceof ApiProblem) throw result;
  return result;
}

/**
 * Accepts a code for work that needs it. If the work fails, the recovery code is given back, and the sign-in waits
 * again. An outage must not cost the user one of ten codes. No session was created, because its cookie is only in the
 * response of the work. The event, the email and a canceled reset stay, because the code was right. If the process
 * dies, or the database cannot undo the use, the code and the sign-in are used up.
 * @throws ApiProblem of `redeemFactorCode`, and any error of the work
 */
async function redeemFor<T extends object>(
  attempt: Attempt,
  context: AttemptContext,
  work: (factor: ShownFactor) => Promise<T>,
): Promise<T & Pick<AcceptedFactor, 'codesLeft'>> {
  const { factor, codesLeft, at, giveBack } = await redeemFactorCode(attempt, context);
  try {
    return { ...(await work(factor)), codesLeft };
  } catch (error) {
    const { uid, digest } = attempt;
    const undo = async (tx: Tx) => {
      await giveBack?.(tx, at);
      if (digest !== null) await reopenPendingSignIn(tx, { uid, at }, digest);
    };
    await withRecords((records) => writeAboutKnownAccount(records, uid, undo)).catch((cause: unknown) =>
      reportError(cause, { during: 'giving back the code of a second factor' }),
    );
    throw error;
  }
}

async function readState(
  tx: Tx,
  { uid, digest, factor }: Pick<Attempt, 'uid' | 'digest' | 'factor'>,
): Promise<AttemptState> {
  const [account] = await tx
    .select({
      since: accounts.secondFactorSince,
      failures: accounts.failedFactors,
      lockedUntil: accounts.factorsLockedUntil,
    })
    .from(accounts)
    .where(eq(accounts.uid, uid));
  const [pending] =
    digest === null
      ? []
      : await tx
          .select()
          .from(pendingSignIns)
          .where(and(eq(pendingSignIns.digest, digest), eq(pendingSignIns.uid, uid)));
  const { since, failures, lockedUntil } = account ?? { since: null, failures: 0, lockedUntil: null };
  return { pending: pending ?? null, since, failures, lockedUntil, stored: await factor.read(tx, uid) };
}

type Counts = Extract<ReturnType<typeof decideAttempt>, { outcome: 'refuse' }>['counts'];

/** Counts a refused code for the sign-in and for the account. @returns whether it locks the account's codes */
async function countRefused(
  tx: Tx,
  { uid, digest, failures }: { uid: string; digest: string | null; failures: number },
  counts: Counts,
): Promise<boolean> {
  if (counts === null) return false;
  if (digest !== null) {
    const tries = sql`${pendingSignIns.tries} + 1`;
    await tx.update(pendingSignIns).set({ tries }).where(eq(pendingSignIns.digest, digest));
  }
  if (!counts.ofAccount) return false;
  const { lockedUntil } = counts;
  const isLocked = lockedUntil !== null;
  await tx
    .update(accounts)
    .set({ failedFactors: isLocked ? 0 : failures + 1, ...(isLocked && { factorsLockedUntil: lockedUntil }) })
    .where(eq(accounts.uid, uid));
  return isLocked;
}

type CompletedSignIn = CreatedSession & Pick<AcceptedFactor, 'codesLeft'>;

/**
 * Completes a sign-in that waits for its second factor. The custom token is exchanged here, so no token of the identity
 * provider reaches the browser (docs/adr/0032).
 * @param secret secret of the browser's cookie
 * @param remembersBrowser whether the user wants this browser to be remembered
 * @throws ApiProblem of `redeemFactorCode` and `SessionBackend.openWithSecondFactor`
 */
export async function completeWaitingSignIn(
  secret: string | undefined,
  code: TypedCode,
  request: SessionRequest,
  remembersBrowser: boolean,
): Promise<CompletedSignIn> {
  const { pending, account } = await requireWaitingSignIn(secret);
  const { uid } = pending;
  const attempt = { ...code, uid, email: account.facts.email ?? '', digest: pending.digest };
  return redeemFor(attempt, request, async (factor) => {
    if (!account.facts.hasSecondFactor) await restoreClaim(pending);
    const token = await idTokenByCustomToken(await mintTokenOfFirstFactor(pending, factor));
    return getSessionBackend().openWithSecondFactor(token, request, { remembersBrowser, locked: null });
  });
}

/**
 * Restores the claim if only the records contain the second factor. The claim was not written, or an operator has
 * replaced all claims since.
 */
async function restoreClaim({ uid, email }: PendingSignIn): Promise<void> {
  await withAccountLock(uid, async (locked) => {
    const account = await findById(uid, locked);
    // The sign-in was judged by this email. With another email, the account gets neither the claim nor a session.
    if (account === null || account.facts.disabled || account.facts.email !== email)
      throw new ApiProblem('sign-in-expired');
    if (account.facts.hasSecondFactor) return;
    const { since } = await withRecordsInTime((records) => readSecondFactor(records, uid));
    // The second factor was turned off during the wait for the lock. The claim alone would ask for codes that do not
    // exist.
    if (since === null) throw new ApiProblem('sign-in-expired');
    const claims = toFactorClaims(account, new Date());
    if (isStorable(account.user.customClaims, claims)) await changeJudgedAccount(locked, account, { claims });
    // The records still require the second factor.
    else {
      const full = new Error('The claims of an account leave no room for the one of its second factor');
      reportError(full, { account: hashAccount(uid) });
    }
  });
}

type Call = { req: NextApiRequest; res: NextApiResponse };

/**
 * Completes a sign-in that has waited for its second factor. It sets the cookies of the session. It deletes the cookie
 * of the sign-in, also if the user has to sign in again.
 * @returns the body of the response
 */
export async function respondToSignIn({ req, res }: Call, completed: Promise<CreatedSession>) {
  const clear = buildClearCookie('pendingSignIn');
  const { cookies, email, user, deletionAt } = await completed.catch((error: unknown) => {
    if (isApiProblem(error) && ['code-locked', 'sign-in-expired'].includes(error.code)) appendCookies(res, [clear]);
    throw error;
  });
  appendCookies(res, [...applySharedComputerExpiry(req, cookies), clear]);
  if (email !== null) appendCookies(res, await recordKnownBrowser(req, email));
  const signal = await readSignal(req, user);
  const { uid = '', displayName = null } = user ?? {};
  return { uid, email, displayName, ...(signal && { signal }), ...(deletionAt !== null && { deletionAt }) };
}

/**
 * Adds the second factor to a session that was opened without it (RFC 9470). The session keeps the time of its proof.
 * @throws ApiProblem of `redeemFactorCode` and `SessionBackend.renew`
 */
export async function stepUp(
  { status: { uid, email } }: LiveSession,
  code: TypedCode,
  request: SessionRequest,
): Promise<CreatedSession & Pick<AcceptedFactor, 'codesLeft'>> {
  return redeemFor({ ...code, uid, email: email ?? '', digest: null }, request, (factor) =>
    getSessionBackend().renew(request.sessionCookie ?? '', request, factor),
  );
}

/**
 * Proves the signed-in user by both factors.
 * @param proof `token`: ID token of the first factor, of a sign-in at most 5 minutes ago
 * @returns a custom token, whose ID token proves changes of the account for the rest of these 5 minutes
 * @throws ApiProblem of `authorizeSignIn` and `redeemFactorCode`; `recent-login-required`
 */
export async function proveSecondFactor(
  { sid, status: { uid } }: LiveSession,
  { token: jwt, code }: { token: string; code: TypedCode },
  request: SessionRequest,
): Promise<string> {
  const first = await verifyFreshProof(uid, jwt);
  const { account, decision } = await authorizeSignIn(first, { enabledIdentities: request.enabledIdentities });
  if (decision.outcome === 'step' && decision.code !== 'second-factor-required') throw toProblem(decision);
  const { authenticatedAt, method } = first.signIn;
  const attempt = { ...code, uid, email: account.facts.email ?? '', digest: null };
  const { token: proved } = await redeemFor(attempt, request, async (factor) => ({
    // The proof ends with the session.
    token: await mintCustomToken({ uid, sid, authenticatedAt, method, factor }),
  }));
  return proved;
}

/** Longer than any code with its spaces. */
const CODE_MAX = 64;

const text = z.string().check(z.minLength(1), z.maxLength(CODE_MAX));

export const factorFields = { code: z.optional(text), recoveryCode: z.optional(text) };
export const factorCodeField = text;
/** `waiting`: the account of the waiting sign-in sets it up, not the signed-in user. */
export const signInField = z.optional(z.literal('waiting'));

/** Builds the route of a call about the second factor. It responds with `not-found` where accounts have none. */
export const factorRoute: typeof ownRoute = (options, handler) =>
  ownRoute(options, (call) => {
    if (!isSecondFactorOffered()) throw new ApiProblem('not-found');
    return handler(call);
  });

/** @throws ApiProblem `bad-request` unless exactly one of them is given */
export function toTypedCode(typed: { code?: string | undefined; recoveryCode?: string | undefined }): TypedCode {
  const { code, recoveryCode } = typed;
  if (code !== undefined && recoveryCode === undefined) return { factor: totp, typed: normalizeAppCode(code) };
  if (recoveryCode !== undefined && code === undefined) return { factor: recoveryCodes, typed: recoveryCode };
  throw new ApiProblem('bad-request', { detail: 'Either `code` or `recoveryCode`' });
}

/** The account that sets up a second factor. `limitKey`: key of its rate limit. */
type SetUpSubject = { uid: string; limitKey: string } & (
  | { by: 'session'; session: LiveSession }
  | { by: 'sign-in'; secret: string; waiting: WaitingSignIn }
);

/**
 * Requires the account that sets up a second factor: the signed-in user's, or the waiting sign-in's. The page states
 * which account it shows, because a browser can have both, for different accounts.
 * @throws ApiProblem of `requireOwnSession` and `requireSignInToSetUp`
 */
export async function requireSetUpSubject(
  req: RequestWithCookies,
  signIn: 'waiting' | undefined,
): Promise<SetUpSubject> {
  if (signIn === undefined) {
    const session = await requireOwnSession(req);
    const { uid } = session.status;
    return { by: 'session', uid, limitKey: uid, session };
  }
  const secret = readHostCookie(req, 'pendingSignIn') ?? '';
  const waiting = await requireSignInToSetUp(secret);
  const { uid, digest } = waiting.pending;
  return { by: 'sign-in', uid, limitKey: digest, secret, waiting };
}
