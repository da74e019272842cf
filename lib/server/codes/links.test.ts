import { describe, expect, test, vi } from 'vitest';
import { isSealedLink, readConfirmationLink, redeemOnce, sealConfirmationLink } from './links';

const subject = { uid: 'u-1', email: 'mia@campus.test', registration: 'r-1', creates: '1' };
const now = Date.parse('2026-05-01T12:00:00Z');
const problem = (code: string) => expect.objectContaining({ name: 'ApiProblem', code }) as Error;

// The local default of the configuration names the emulator.
process.env.FIREBASE_AUTH_EMULATOR_HOST = 'localhost:9099';
// Without a database, used links are marked in memory.
Object.assign(process.env, { SESSION_BACKEND: 'upstream', UPSTREAM_IDENTITY_URL: 'https://upstream.example' });

describe('confirmation links', () => {
  test('contain what they confirm, and are valid for a day', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now });
    const code = await sealConfirmationLink(subject);
    expect(isSealedLink(code)).toBe(true);
    vi.setSystemTime(now + 86_399_000);
    expect(await readConfirmationLink(code)).toMatchObject(subject);
    vi.setSystemTime(now + 86_401_000);
    await expect(readConfirmationLink(code)).rejects.toThrow(problem('action-code-expired'));
  });

  test('are rejected if the app did not issue them', async () => {
    const code = await sealConfirmationLink(subject);
    // Alter the middle of the ciphertext, because some bits of a part's last character are ignored.
    const altered = code.replace(/.(?=.{60}$)/, (letter) => (letter === 'A' ? 'B' : 'A'));
    for (const forged of ['a.b.c.d.e', `${code}x`, altered, ''])
      await expect(readConfirmationLink(forged)).rejects.toThrow(problem('action-code-invalid'));
    expect(isSealedLink('an-oob-code-of-the-provider')).toBe(false);
  });

  test('fit into a URL', async () => {
    const longest = {
      uid: 'u'.repeat(128),
      email: `${'e'.repeat(242)}@campus.test`,
      registration: crypto.randomUUID(),
      creates: '1',
    };
    expect((await sealConfirmationLink(longest)).length).toBeLessThan(1_024);
  });

  test('work once, and are not consumed if the work fails', async () => {
    const { jti } = await readConfirmationLink(await sealConfirmationLink(subject));
    await expect(redeemOnce(jti, () => Promise.reject(new Error('out of reach')))).rejects.toThrow('out of');
    const both = await Promise.allSettled([
      redeemOnce(jti, () => Promise.resolve('done')),
      redeemOnce(jti, () => Promise.resolve('done')),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(redeemOnce(jti, () => Promise.resolve())).rejects.toThrow(problem('action-code-invalid'));
  });
});
