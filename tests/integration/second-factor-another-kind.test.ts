// Threats: factor-guessed, factor-replayed
import { expect, test } from 'vitest';
import { ApiProblem } from '@/lib/shared/problem';
import { getOwnBrand } from '@/lib/server/notifications';
import { redeemFactorCode } from '@/lib/server/second-factor/sign-in';
import type { FactorKind } from '@/lib/server/second-factor/factor';
import { FACTOR_KINDS, removeFactors } from '@/lib/server/second-factor/factors';
import { getRecords } from '@/lib/server/storage/records';
import { serveSecondFactor } from '../support/second-factor-app';

// A new kind of second factor only implements Factor, and gets lockout, events and removal.

type Word = { word: string; isOn: boolean; isUsed: boolean };

/** Creates a third kind of factor: a word, which is kept in memory. */
function createWords() {
  const words = new Map<string, Word>();
  const factor = {
    name: 'totp',
    isGuessable: true,
    usedKind: null,
    read: (_, uid) => Promise.resolve(words.get(uid) ?? null),
    describe: () => ({}),
    countLeft: () => 0,
    isLeftWithout: (stored) => stored?.isOn ?? false,
    enroll: {
      begin({ uid }) {
        const word = `word of ${uid}`;
        words.set(uid, { word, isOn: false, isUsed: false });
        return Promise.resolve(word);
      },
      check({ uid }, typed) {
        if (words.get(uid)?.word !== typed) throw new ApiProblem('code-wrong');
        return Promise.resolve(uid);
      },
      turnOn(_, uid) {
        const found = words.get(uid);
        if (found) found.isOn = true;
        return Promise.resolve(found !== undefined);
      },
    },
    verify(stored, { code }) {
      if (!stored?.isOn || stored.word !== code) return Promise.resolve({ code: 'wrong' });
      if (stored.isUsed) return Promise.resolve({ code: 'used' });
      return Promise.resolve({ code: 'right', use: () => Promise.resolve((stored.isUsed = true)) });
    },
    remove: (_, uid) => Promise.resolve(words.delete(uid) ? ['factor-app-removed'] : []),
  } satisfies FactorKind<Word | null, string, string>;
  return { words, factor: factor as FactorKind<Word | null, string, string> };
}

const app = serveSecondFactor();

test('a further kind of second factor is accepted once, locked when it is guessed, and removed with the others', async () => {
  const { codeAt } = await app.enrol();
  const { words, factor } = createWords();
  const { uid, email } = app.user;
  const records = await getRecords();
  const client = () => ({ browser: null, system: null, network: null });
  const redeem = (typed: string) =>
    redeemFactorCode(
      { uid, email, digest: null, factor, typed },
      { client, emailContext: () => Promise.resolve(getOwnBrand()) },
    );

  const word = await factor.enroll.begin({ uid, email, issuer: 'Campus', client: client() });
  await expect(redeem(word)).rejects.toMatchObject({ code: 'code-wrong' });
  const checked = await factor.enroll.check({ uid, client, at: new Date() }, word);
  expect(await records.transact((tx) => factor.enroll.turnOn(tx, checked, null))).toBe(true);
  expect(await redeem(word)).toMatchObject({ factor: factor.name, codesLeft: 0 });
  await expect(redeem(word)).rejects.toMatchObject({ code: 'code-used' });

  for (let wrong = 0; wrong < 10; wrong += 1)
    await expect(redeem('another')).rejects.toMatchObject({ code: 'code-wrong' });
  await expect(redeem('another')).rejects.toMatchObject({ code: 'too-many-requests' });
  expect(await app.kinds()).toContain('factor-locked');
  const phone = app.newBrowser('phone');
  await app.begun(phone);
  app.expectCode(await app.show(phone, { code: codeAt() }), 429, 'too-many-requests');

  const removed = await records.transact((tx) => removeFactors(tx, uid, 'all', [...FACTOR_KINDS, factor]));
  expect(removed).toEqual(['factor-app-removed', 'factor-app-removed']);
  expect(words.size).toBe(0);
  expect((await app.read()).apps).toEqual([]);
});
