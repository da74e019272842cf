import { ApiProblem } from '@/lib/shared/problem';
import type { FactorCode } from '@/lib/shared/account/second-factor';
import type { EmailContext } from '../email';
import type { ClientDescription } from '../http/client-description';
import { wakeOutbox } from '../notices/wake';
import { attemptFactor, type AttemptEffect, type AttemptState, type StoredApp, type StoredRecoveryCode } from '../records/second-factor'; // prettier-ignore
import { withRecords } from '../records/with-records';
import { announceSecondFactor } from './announce';
import { decideAttempt, type AttemptFacts } from './decide';
import { openKey } from './keys';
import { digestRecoveryCode, readRecoveryCode } from './recovery-codes';
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
export async function useFactor(
  { uid, email, digest, code }: Attempt,
  { client, emailContext }: { client: () => ClientDescription; emailContext: () => Promise<EmailContext> },
): Promise<AcceptedFactor> {
  const at = new Date();
  let refusal: ApiProblem | null = null;
  let left = 0;
  const judge = async (state: AttemptState): Promise<AttemptEffect> => {
    const { pending, failures, restUntil } = state;
    const isOpen = pending !== null && pending.passedAt === null && pending.expiresAt > at;
    const signIn = digest === null ? 'proof' : isOpen ? 'open' : 'gone';
    const kind = 'code' in code ? 'app' : 'recovery';
    const facts = { signIn, tries: pending?.tries ?? 0, failures, restUntil, kind, now: at } as const;
    // Whether any code would be accepted: to compare a recovery code costs as much as to check a password.
    const isOver = decideAttempt({ ...facts, code: 'right' }).outcome === 'refuse';
    const match = isOver ? WRONG : await findMatch(state, code, uid, at);
    const decision = decideAttempt({ ...facts, code: match.code });
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
    announceSecondFactor(kind, { uid, to: email, at, brand })(tx);
  const result = await withRecords((records) => attemptFactor(records, { uid, at, client: client(), digest }, judge, announce)); // prettier-ignore
  wakeOutbox();
  if (refusal !== null) throw refusal as ApiProblem;
  if (result === 'lost') throw new ApiProblem('code-used');
  if (result === null) throw new ApiProblem('sign-in-expired');
  if ('code' in code) return { factor: 'totp', codesLeft: null };
  return { factor: 'recovery-code', codesLeft: left };
}

function findMatch({ apps, codes, usedCodes }: AttemptState, code: FactorCode, uid: string, at: Date): Promise<Match> {
  if ('code' in code) return matchApp(apps, code.code, uid, at);
  return matchRecoveryCode([...codes, ...usedCodes], code.recoveryCode);
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

async function matchRecoveryCode(codes: readonly StoredRecoveryCode[], typed: string): Promise<Match> {
  const plain = readRecoveryCode(typed);
  const [first] = codes;
  if (plain === null || !first) return WRONG;
  const digest = await digestRecoveryCode(plain, first.salt);
  const found = codes.find((code) => code.digest === digest);
  if (!found) return WRONG;
  if (found.usedAt !== null) return { code: 'used', use: null };
  return { code: 'right', use: { kind: 'use', recoveryCode: found.id } };
}
