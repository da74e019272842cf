import { expect, it } from 'vitest';
import { decideDeletion, type DeletionFacts } from './scheduled';

const HOUR = 3_600_000;
const effective = Date.parse('2026-11-30T09:00:00Z');
const at = (hours: number) => new Date(effective + hours * HOUR);

const combinations = [-150, -25, -24, -1, 0, 1, 24, 400].flatMap((now) =>
  [null, -160].flatMap((signedOut) =>
    [null, -24, -2, 0].flatMap((reminded) =>
      [null, -24, -1, 2].flatMap((sent) =>
        [null, 0].flatMap((started) =>
          (['active', 'disabled', 'gone'] as const).map((account) => ({
            now,
            signedOut,
            reminded,
            sent,
            started,
            account,
          })),
        ),
      ),
    ),
  ),
);
type Combination = (typeof combinations)[number];

const toMoment = (hours: number | null) => (hours === null ? null : at(hours));
const toFacts = ({ now, signedOut, reminded, sent, started, account }: Combination): DeletionFacts => ({
  now: at(now),
  effectiveAt: at(0),
  signedOutAt: toMoment(signedOut),
  remindedAt: toMoment(reminded),
  sentAt: toMoment(sent),
  startedAt: toMoment(started),
  account,
});

/** Written from the documents, not from the code. */
function getExpected({ now, signedOut, reminded, sent, started, account }: Combination): string {
  if (started !== null) return 'delete';
  if (account === 'gone') return now >= 0 ? 'delete' : 'wait';
  if (signedOut === null) return 'sign-out';
  if (now < -24) return 'wait';
  if (account === 'disabled') return 'hold';
  if (reminded === null) return 'remind';
  return sent !== null && now >= 0 && now >= sent + 24 ? 'delete' : 'wait';
}

/** Returns the steps after each wait, first for the reminder and then for the deletion. */
function followWaits(facts: DeletionFacts): string {
  let decision = decideDeletion(facts);
  for (let waits = 0; decision.step === 'wait' && waits < 2; waits += 1)
    decision = decideDeletion({ ...facts, now: decision.dueAt });
  return decision.step;
}

it.each(combinations)('%o', (combination) => {
  const decision = decideDeletion(toFacts(combination));
  expect(decision.step).toBe(getExpected(combination));
  // A process that waits must not ask again at once.
  if ('dueAt' in decision) expect(decision.dueAt.getTime()).toBeGreaterThan(at(combination.now).getTime());
  // The wait until a reminder is sent has no limit, so it is excluded.
  if (combination.reminded === null || combination.sent !== null)
    expect(followWaits(toFacts(combination))).not.toBe('wait');
});

it('never deletes an account before its time, or within a day of its reminder, unless it has begun or the account is gone', () => {
  const early = combinations.filter(
    ({ now, sent, started, account }) =>
      started === null && (now < 0 || (account !== 'gone' && (sent === null || now < sent + 24))),
  );
  expect(early.map((combination) => decideDeletion(toFacts(combination)).step)).not.toContain('delete');
});

it('says the day on which the account is deleted, however late the reminder is', () => {
  const waiting = combinations.filter(
    (combination) => getExpected(combination) === 'wait' && combination.now >= -24 && combination.account === 'active',
  );
  expect(waiting).not.toEqual([]);
  for (const combination of waiting) {
    const effectiveAt = at(Math.max(0, (combination.sent ?? combination.now) + 24));
    expect(decideDeletion(toFacts(combination))).toMatchObject({ corrects: { effectiveAt } });
  }
});

it('reminds the owner once more when the account is enabled again', () => {
  const held = combinations.filter((combination) => getExpected(combination) === 'hold');
  expect(held).not.toEqual([]);
  for (const combination of held) {
    const facts = toFacts(combination);
    const decision = decideDeletion(facts);
    const corrected = { ...facts, ...('dueAt' in decision && { now: decision.dueAt, ...decision.corrects }) };
    expect(decideDeletion({ ...corrected, account: 'active' }).step).toBe('remind');
  }
});
