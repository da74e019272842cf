// Threats: forged-disavowal, planted-factor
import { describe, expect, it } from 'vitest';
import { decideDisavowal, suspectAdditions, type DisavowalFacts } from './disavowal';

const both = [false, true];
const ALL: DisavowalFacts[] = (['emailed', 'emailed-again', 'answer'] as const).flatMap((by) =>
  (['unknown', 'announced', 'disavowed'] as const).flatMap((signIn) =>
    both.flatMap((hasAnswerSession) =>
      both.flatMap((isChangedSince) =>
        both.map((isBegun) => ({ by, signIn, hasAnswerSession, isChangedSince, isBegun })),
      ),
    ),
  ),
);

describe('decideDisavowal', () => {
  it.each(ALL)('decides on %j', (facts) => {
    const { outcome } = decideDisavowal(facts);
    const isAnswerOfOther = facts.by === 'answer' && !facts.hasAnswerSession;
    if (isAnswerOfOther || facts.signIn === 'unknown') return expect(outcome).toBe('refuse');
    if (facts.signIn === 'disavowed') return expect(outcome).toBe('done');
    const isOld = facts.by === 'emailed' && facts.isChangedSince && !facts.isBegun;
    expect(outcome).toBe(isOld ? 'ask-mailbox' : 'undo');
  });

  it('never undoes anything by an answer without its session', () => {
    const kept = ALL.filter(({ by, hasAnswerSession }) => by === 'answer' && !hasAnswerSession);
    for (const facts of kept)
      expect(decideDisavowal(facts)).toMatchObject({ outcome: 'refuse', code: 'action-code-invalid' });
  });
});

describe('suspectAdditions', () => {
  const since = new Date('2026-11-20T10:00:00Z');
  const isSuspect = suspectAdditions({ browsers: ['theirs', 'derived'], since });
  const [before, after] = [new Date(since.getTime() - 1), since];
  it.each([
    ['theirs', before, true],
    ['theirs', after, true],
    ['derived', after, true],
    ['another', before, false],
    ['another', after, false],
    [null, before, false],
    [null, after, true],
  ])('of browser %s at %s: %s', (addedIn, at, expected) => {
    expect(isSuspect({ addedIn, at })).toBe(expected);
  });
});
