import { ApiProblem } from '@/lib/shared/problem';
import type { FactorCode } from '@/lib/shared/account/second-factor';
import { type EmailContext, wakeOutbox } from '@/lib/server/notifications';
import type { ClientDescription } from '@/lib/server/runtime';
import {
  attemptFactor,
  readAttemptState,
  type AttemptEffect,
  type AttemptState,
  type StoredApp,
  type StoredRecoveryCode,
} from './rows';
import { RECORDS_TIMEOUT_MS, withRecords } from '@/lib/server/storage';
import { notifyOfSecondFactor } from './notify';
import { decideAttempt, type AttemptFacts } from '@/lib/server/policy';
import { openKey } from './keys';
import { compareCode } from './compare-code';
import { readRecoveryCode } from './recovery-codes';
import { findStep } from './totp';

/** A code that is right, and how to use it up. */
type Match = { code: AttemptFacts['code']; use: Extract<AttemptEffect, { kind: 'use' }> | null };
const WRONG: Match = { code: 'wrong', use: null };

export type Attempt = {
  uid: string;
  /** The account's email, for emails. */
  email: string;
  /** Of the sign-in that waits; null: the signed-in user gives a proof. */
  digest: string | null;
  code: FactorCode;
};

/** `codesLeft`: after a recovery code; null after a code of an app. */
export type AcceptedFactor = { factor: 'totp' | 'recovery-code'; codesLeft: number | null };

/**
 * Accepts a code of an account's second factor, once.
 * @throws ApiProblem `code-wrong`, `code-used`, `code-locked`, `sign-in-expired`, `too-many-requests`, `records-unavailable`
 */
export async function redeemFactorCode(
  { uid, email, digest, code }: Attempt,
  { client, emailContext }: { client: () => ClientDescription; emailContext: () => Promise<EmailContext> },
): Promise<AcceptedFactor> {
  const at = new Date();
  const kind = 'code' in code ? 'app' : 'recovery';
  const decide = ({ pending, failures, lockedUntil }: AttemptState, match: Match['code']) => {
    const isOpen = pending !== null && pending.passedAt === null && pending.expiresAt > at;
    const signIn = digest === null ? 'proof' : isOpen ? 'open' : 'gone';
    return decideAttempt({ signIn, tries: pending?.tries ?? 0, failures, lockedUntil, kind, code: match, now: at });
  };
  /** Whether no code would be accepted: a recovery code costs as much as a password to compare. */
  const isOver = (state: AttemptState) => decide(state, 'right').outcome === 'refuse';
  let typed: TypedCode = null;
  if ('recoveryCode' in code) {
    // Before the transaction: it must not hold a connection to the database in the queue of derivations.
    const state = await withRecords((records) => readAttemptState(records, { uid, digest }), RECORDS_TIMEOUT_MS);
    if (!isOver(state)) typed = await hashTyped(state, code.recoveryCode, uid, client());
  }
  let refusal: ApiProblem | null = null;
  let left = 0;
  const judge = async (state: AttemptState): Promise<AttemptEffect> => {
    const match = isOver(state) ? WRONG : await findMatch(state, code, typed, uid, at);
    const decision = decide(state, match.code);
    left = state.codes.length - 1;
    if (decision.outcome === 'accept' && match.use !== null) return match.use;
    if (decision.outcome === 'accept') throw new ApiProblem('internal-error');
    const { triesLeft, retryAfter, counts } = decision;
    refusal = new ApiProblem(decision.code, {
      ...(triesLeft !== undefined && { triesLeft }),
      ...(retryAfter !== undefined && { retryAfter }),
    });
    return counts === null ? { kind: 'none' } : { kind: 'count', ...counts };
  };
  const brand = await emailContext();
  const announce: Parameters<typeof attemptFactor>[3] = (tx, kind) =>
    notifyOfSecondFactor(kind, { uid, to: email, at, brand })(tx);
  const result = await withRecords((records) =>
    attemptFactor(records, { uid, at, client: client(), digest }, judge, announce),
  );
  wakeOutbox();
  if (refusal !== null) throw refusal as ApiProblem;
  if (result === 'lost') throw new ApiProblem('code-used');
  if (result === null) throw new ApiProblem('sign-in-expired');
  if ('code' in code) return { factor: 'totp', codesLeft: null };
  return { factor: 'recovery-code', codesLeft: left };
}

/** A recovery code that was typed, hashed as those of its set are; null: it can be none. */
type TypedCode = Pick<StoredRecoveryCode, 'salt' | 'digest'> | null;

async function hashTyped(
  { codes, usedCodes }: AttemptState,
  typed: string,
  uid: string,
  client: ClientDescription,
): Promise<TypedCode> {
  const code = readRecoveryCode(typed);
  const salt = [...codes, ...usedCodes][0]?.salt;
  if (code === null || salt === undefined) return null;
  return { salt, digest: await compareCode({ uid, code, salt }, client) };
}

async function findMatch(
  { apps, codes, usedCodes }: AttemptState,
  code: FactorCode,
  typed: TypedCode,
  uid: string,
  at: Date,
): Promise<Match> {
  if ('code' in code) return matchApp(apps, code.code, uid, at);
  return matchRecoveryCode([...codes, ...usedCodes], typed);
}

/** An app whose code was used may be one of two: the other one can have the same code at the same time. */
async function matchApp(apps: readonly StoredApp[], code: string, uid: string, at: Date): Promise<Match> {
  let isUsed = false;
  for (const app of apps) {
    const { secret, resealed } = await openKey(app, uid);
    const step = findStep(secret, code, at.getTime());
    if (step === null) continue;
    if (app.lastStep === null || app.lastStep < step)
      return { code: 'right', use: { kind: 'use', app: { id: app.id, step, resealed } } };
    isUsed = true;
  }
  return isUsed ? { code: 'used', use: null } : WRONG;
}

function matchRecoveryCode(codes: readonly StoredRecoveryCode[], typed: TypedCode): Match {
  const found = codes.find(({ salt, digest }) => salt === typed?.salt && digest === typed.digest);
  if (!found) return WRONG;
  if (found.usedAt !== null) return { code: 'used', use: null };
  return { code: 'right', use: { kind: 'use', recoveryCode: found.id } };
}
