import { and, eq, isNull, sql } from 'drizzle-orm';
import { ApiProblem } from '@/lib/shared/problem';
import { cancelReset, type EmailContext, wakeOutbox } from '@/lib/server/notifications';
import { type AttemptFacts, decideAttempt, type Factor as ShownFactor } from '@/lib/server/policy';
import type { ClientDescription } from '@/lib/server/runtime';
import {
  accounts,
  addEvent,
  initializeVerification,
  type PendingSignIn,
  pendingSignIns,
  type Tx,
  transactInTime,
  withRecords,
  writeAboutKnownAccount,
} from '@/lib/server/storage';
import type { Factor, Verdict } from './factor';
import { notifyOfSecondFactor } from './notify';

/** A code as it was typed, and the factor that it is of. */
export type TypedCode = { factor: Factor; typed: string };

export type Attempt = TypedCode & {
  uid: string;
  /** The account's email, for emails. */
  email: string;
  /** Of the sign-in that waits; null: the signed-in user gives a proof. */
  digest: string | null;
};

/** `codesLeft`: after a recovery code; null after a code of an app. */
export type AcceptedFactor = { factor: ShownFactor; codesLeft: number | null };

/** What an attempt is judged by. `pending`: null when no sign-in waits, or none is needed; `stored`: of the factor. */
type AttemptState = {
  pending: PendingSignIn | null;
  failures: number;
  lockedUntil: Date | null;
  stored: unknown;
};

/**
 * Accepts a code of an account's second factor, once. It is judged, and the result applied, in one transaction in which no other code of
 * the account is tried.
 * @throws ApiProblem `code-wrong`, `code-used`, `code-locked`, `sign-in-expired`, `too-many-requests`, `records-unavailable`
 */
export async function redeemFactorCode(
  { uid, email, digest, factor, typed }: Attempt,
  context: { client: () => ClientDescription; emailContext: () => Promise<EmailContext> },
): Promise<AcceptedFactor> {
  const at = new Date();
  const { isGuessable } = factor;
  const decide = ({ pending, failures, lockedUntil }: AttemptState, code: AttemptFacts['code']) => {
    const isOpen = pending !== null && pending.passedAt === null && pending.expiresAt > at;
    const signIn = digest === null ? 'proof' : isOpen ? 'open' : 'gone';
    return decideAttempt({ signIn, tries: pending?.tries ?? 0, failures, lockedUntil, isGuessable, code, now: at });
  };
  /** Whether no code would be accepted. */
  const isOver = (state: AttemptState) => decide(state, 'right').outcome === 'refuse';
  const attempt = { uid, digest, factor };
  let prepared: unknown = null;
  if (factor.prepare) {
    // Before the transaction: it must not hold a connection to the database while it waits.
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
        const { code, triesLeft, retryAfter } = decision;
        return new ApiProblem(code, {
          ...(triesLeft !== undefined && { triesLeft }),
          ...(retryAfter !== undefined && { retryAfter }),
        });
      }
      if (verdict.code !== 'right') throw new ApiProblem('internal-error');
      // Another request has used the code since, or completed the sign-in.
      if (digest !== null && !(await passSignIn(tx, digest, at))) return new ApiProblem('code-used');
      if (!(await verdict.use(tx, at))) return new ApiProblem('code-used');
      await tx.update(accounts).set({ failedFactors: 0 }).where(eq(accounts.uid, uid));
      const passkey = state.pending?.unverifiedPasskey;
      if (passkey) await initializeVerification(tx, { uid, id: passkey });
      // Nothing is lost, after all.
      await cancelReset(tx, { uid, at, client: context.client() });
      if (factor.usedKind !== null) await tell(tx, factor.usedKind);
      return { factor: factor.name, codesLeft: factor.countLeft(state.stored) };
    }),
  );
  wakeOutbox();
  if (result === null) throw new ApiProblem('sign-in-expired');
  // Thrown here: what was counted is kept.
  if (result instanceof ApiProblem) throw result;
  return result;
}

async function readState(
  tx: Tx,
  { uid, digest, factor }: Pick<Attempt, 'uid' | 'digest' | 'factor'>,
): Promise<AttemptState> {
  const [account] = await tx
    .select({ failures: accounts.failedFactors, lockedUntil: accounts.factorsLockedUntil })
    .from(accounts)
    .where(eq(accounts.uid, uid));
  const [pending] =
    digest === null
      ? []
      : await tx
          .select()
          .from(pendingSignIns)
          .where(and(eq(pendingSignIns.digest, digest), eq(pendingSignIns.uid, uid)));
  const { failures, lockedUntil } = account ?? { failures: 0, lockedUntil: null };
  return { pending: pending ?? null, failures, lockedUntil, stored: await factor.read(tx, uid) };
}

type Counts = Extract<ReturnType<typeof decideAttempt>, { outcome: 'refuse' }>['counts'];

/**
 * Counts a refused code of the sign-in, and of the account.
 * @returns whether it locks the account's codes
 */
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

/** Uses a sign-in that waits up. @returns false when it is already */
export async function passSignIn(tx: Tx, digest: string, at: Date): Promise<boolean> {
  const isOpen = and(eq(pendingSignIns.digest, digest), isNull(pendingSignIns.passedAt));
  const passed = await tx.update(pendingSignIns).set({ passedAt: at }).where(isOpen).returning();
  return passed.length > 0;
}
