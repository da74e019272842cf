// ASVS: 6.4.3
// Threats: factor-reset-abused
import { describe, expect, it } from 'vitest';
import { RESET_HOURS } from '@/lib/shared/account/security';
import { decideReset, decideResetRequest, type ResetFacts, type ResetRequestFacts } from './scheduled';

const HOUR = 3_600_000;
const effective = Date.parse('2026-11-30T09:00:00Z');
const at = (hours: number) => new Date(effective + hours * HOUR);
const toMoment = (hours: number | null) => (hours === null ? null : at(hours));

describe('who may ask for a reset', () => {
  const times = [0, 1, 10, 23].map((hours) => at(-hours));
  const requests = (['open', 'gone'] as const).flatMap((signIn) =>
    [true, false].flatMap((hasSecondFactor) =>
      [true, false].flatMap((byMailbox) =>
        [true, false].flatMap((isRunning) =>
          [0, 1, 2, 3, 4].map((count) => ({
            signIn,
            hasSecondFactor,
            byMailbox,
            isRunning,
            begun: times.slice(0, count),
            now: at(0),
          })),
        ),
      ),
    ),
  );

  /** Written from the documents, not from the code. */
  function getExpected({ signIn, hasSecondFactor, byMailbox, isRunning, begun }: ResetRequestFacts): string {
    if (signIn === 'gone') return 'sign-in-expired';
    if (!hasSecondFactor) return 'not-found';
    if (byMailbox) return 'other-method-required';
    if (isRunning) return 'running';
    return begun.length >= 3 ? 'too-many-requests' : 'begin';
  }

  it.each(requests)('%o', (facts) => {
    const decision = decideResetRequest(facts);
    expect('code' in decision ? decision.code : decision.outcome).toBe(getExpected(facts));
  });

  it('is only those with two proofs', () => {
    const begun = requests.filter((facts) => decideResetRequest(facts).outcome === 'begin');
    expect(begun.every(({ signIn, byMailbox }) => signIn === 'open' && !byMailbox)).toBe(true);
    expect(begun).toHaveLength(3);
  });

  it.each([
    [[0, 1, 10], 14],
    [[23, 1, 10], 1],
    [[0, 1, 10, 23], 14],
  ])('after resets %o hours ago a further one waits %i hours', (hours, wait) => {
    const begun = hours.map((hour) => at(-hour));
    const facts = {
      signIn: 'open',
      hasSecondFactor: true,
      byMailbox: false,
      isRunning: false,
      begun,
      now: at(0),
    } as const;
    expect(decideResetRequest(facts)).toMatchObject({ retryAfter: wait * 3_600 });
  });
});

describe('what a reset needs next', () => {
  const combinations = [-72, -71, -48, -47, -1.01, -1, -0.5, 0, 0.5, 1, 200].flatMap((now) =>
    [null, -48, -2].flatMap((reminded) =>
      [null, -1, -0.5, 0].flatMap((warned) =>
        [null, -1, -0.75, 0].flatMap((sent) =>
          [null, 0].flatMap((started) =>
            (['same', 'other', 'disabled', 'gone'] as const).map((account) => ({
              now,
              reminded,
              warned,
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
  const toFacts = ({ now, reminded, warned, sent, started, account }: Combination): ResetFacts => ({
    now: at(now),
    effectiveAt: at(0),
    remindedAt: toMoment(reminded),
    warnedAt: toMoment(warned),
    sentAt: toMoment(sent),
    startedAt: toMoment(started),
    account,
  });

  /** Written from the documents, not from the code. */
  function getExpected({ now, reminded, warned, sent, started, account }: Combination): string {
    if (account === 'gone') return 'drop';
    if (account === 'disabled') return 'hold';
    if (started !== null) return 'turn-off';
    if (account === 'other') return 'cancel';
    if (now < -48) return 'wait';
    if (now < -1) return reminded === null ? 'remind' : 'wait';
    if (warned === null) return 'warn';
    return sent !== null && now >= 0 && now >= sent + 1 ? 'turn-off' : 'wait';
  }

  it('is decided in every combination as documented', () => {
    expect(combinations).toHaveLength(11 * 3 * 4 * 4 * 2 * 4);
    for (const combination of combinations) {
      const decision = decideReset(toFacts(combination));
      expect(decision.step, JSON.stringify(combination)).toBe(getExpected(combination));
      // A process that waits must not ask again at once.
      if ('dueAt' in decision) expect(decision.dueAt.getTime()).toBeGreaterThan(at(combination.now).getTime());
    }
  });

  it('is never to turn it off before its time, or within an hour of the last email, unless it has begun', () => {
    const early = combinations.filter(
      ({ now, sent, started }) => started === null && (now < 0 || sent === null || now < sent + 1),
    );
    expect(early.map((combination) => decideReset(toFacts(combination)).step)).not.toContain('turn-off');
  });

  it('says the time of its effect, however late the last email is', () => {
    const waiting = combinations.filter((combination) => getExpected(combination) === 'wait' && combination.now >= -1);
    expect(waiting).not.toEqual([]);
    for (const combination of waiting) {
      const effectiveAt = at(Math.max(0, (combination.sent ?? combination.now) + 1));
      expect(decideReset(toFacts(combination))).toMatchObject({ corrects: { effectiveAt } });
    }
  });

  it('is another email when the account is enabled again, unless it has begun', () => {
    const held = combinations.filter(({ account, started }) => account === 'disabled' && started === null);
    const next = held.map((combination) => {
      const facts = toFacts(combination);
      const decision = decideReset(facts);
      const corrected = { ...facts, ...('dueAt' in decision && { now: decision.dueAt, ...decision.corrects }) };
      return decideReset({ ...corrected, account: 'same' }).step;
    });
    expect(new Set(next)).toEqual(new Set(['wait', 'remind', 'warn']));
  });

  it('is, waited for, an email after a day, one an hour before, and the effect after 72 hours', () => {
    expect(RESET_HOURS).toBe(72);
    const steps: [string, number][] = [];
    const facts = toFacts({ now: -72, reminded: null, warned: null, sent: null, started: null, account: 'same' });
    for (let decision = decideReset(facts); steps.length < 3; decision = decideReset(facts)) {
      const { now } = facts;
      if ('dueAt' in decision) facts.now = decision.dueAt;
      else steps.push([decision.step, (now.getTime() - effective) / HOUR]);
      if (decision.step === 'remind') facts.remindedAt = now;
      if (decision.step === 'warn') [facts.warnedAt, facts.sentAt] = [now, now];
    }
    expect(steps).toEqual([
      ['remind', -48],
      ['warn', -1],
      ['turn-off', 0],
    ]);
  });
});
