// ASVS: 6.5.1, 6.3.1
// Threats: factor-replayed, factor-guessed, factor-lock-out
import { describe, expect, it } from 'vitest';
import { decideAttempt, MAX_TRIES, type AttemptFacts } from './second-factor-code';

const NOW = new Date('2026-11-23T12:00:00Z');
const later = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);

const cases = (['open', 'gone', 'proof'] as const).flatMap((signIn) =>
  [0, 1, 4, 5, 6].flatMap((tries) =>
    [0, 8, 9, 10].flatMap((failures) =>
      [null, later(-1), NOW, later(1)].flatMap((lockedUntil) =>
        [true, false].flatMap((isGuessable) =>
          (['right', 'used', 'wrong'] as const).map((code) => ({
            signIn,
            tries,
            failures,
            lockedUntil,
            isGuessable,
            code,
            now: NOW,
          })),
        ),
      ),
    ),
  ),
);

/** docs/account-policy.md#second-factor as a list, independent of the code under test. */
function expected({ signIn, tries, failures, lockedUntil, isGuessable, code }: AttemptFacts): string {
  if (signIn === 'gone') return 'sign-in-expired';
  if (signIn === 'open' && tries >= 5) return 'code-locked';
  if (isGuessable && lockedUntil !== null && lockedUntil.getTime() > NOW.getTime()) return 'too-many-requests';
  if (code === 'right') return 'accept';
  if (code === 'used') return 'code-used, counted';
  const rest = !isGuessable ? '' : ` for the account${failures >= 9 ? ', then a rest' : ''}`;
  if (signIn === 'proof') return `code-wrong, counted${rest}`;
  return tries === 4 ? `code-locked, counted${rest}` : `code-wrong ${String(4 - tries)}, counted${rest}`;
}

function describeDecision(facts: AttemptFacts): string {
  const decision = decideAttempt(facts);
  if (decision.outcome === 'accept') return 'accept';
  const { code, triesLeft, counts } = decision;
  const counted = counts === null ? '' : counts.ofAccount ? ', counted for the account' : ', counted';
  return `${code}${triesLeft === undefined ? '' : ` ${String(triesLeft)}`}${counted}${counts?.lockedUntil ? ', then a rest' : ''}`;
}

describe('decideAttempt', () => {
  it('decides every combination as the policy says', () => {
    expect(cases).toHaveLength(3 * 5 * 4 * 4 * 2 * 3);
    for (const facts of cases) expect(describeDecision(facts), JSON.stringify(facts)).toBe(expected(facts));
  });

  it('accepts nothing during a rest, and says how long it lasts', () => {
    const facts = {
      signIn: 'open',
      tries: 0,
      failures: 0,
      lockedUntil: later(15),
      isGuessable: true,
      code: 'right',
      now: NOW,
    } as const;
    expect(decideAttempt(facts)).toMatchObject({ code: 'too-many-requests', retryAfter: 900 });
  });

  it('rests for 15 minutes after the tenth wrong code', () => {
    const facts = {
      signIn: 'open',
      tries: 0,
      failures: 9,
      lockedUntil: null,
      isGuessable: true,
      code: 'wrong',
      now: NOW,
    } as const;
    expect(decideAttempt(facts)).toMatchObject({ counts: { lockedUntil: later(15) } });
  });

  it('takes five tries', () => {
    expect(MAX_TRIES).toBe(5);
  });
});
