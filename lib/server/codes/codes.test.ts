// ASVS: 6.4.1, 6.5.1, 6.5.2, 6.5.3, 6.5.4, 6.5.5, 6.6.2, 9.1.1, 9.1.2, 9.1.3, 9.2.1, 9.2.2
// Threats: code-guessing
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { CODE_ALPHABET } from '@/lib/shared/account/typed-codes';
import { isApiProblem } from '@/lib/shared/problem';
import { env } from '@/lib/server/runtime/config/env';
import { CODE_TTL_SECONDS, MAX_CODE_TRIES, issueCode, readToken, redeemCode } from './one-time-codes';

// The local default of the configuration names the emulator.
process.env.FIREBASE_AUTH_EMULATOR_HOST = 'localhost:9099';
// Without a database, used codes are marked in memory.
Object.assign(process.env, { SESSION_BACKEND: 'upstream', UPSTREAM_IDENTITY_URL: 'https://upstream.example' });

const now = Date.parse('2026-05-01T12:00:00Z');
const secret = Buffer.alloc(32, 7).toString('base64');
const payload = { email: 'mia@campus.test', name: 'Mia' };
const setSecrets = (...secrets: string[]) => Object.assign(env(), { TOKEN_ENCRYPTION_SECRET: secrets });

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now });
  setSecrets(secret);
});

const issue = (options = {}) => issueCode('confirm-email', payload, options);
const redeem = (token: string | undefined, code: string) =>
  redeemCode('confirm-email', token, code, (opened) => Promise.resolve(opened));
const problem = (code: string) => expect.objectContaining({ name: 'ApiProblem', code }) as Error;
/** Changes the first character, so the code is never right. */
const wrong = (code: string) => (code.startsWith('0') ? '1' : '0') + code.slice(1);
/** Expects that no earlier attempt has counted as a try. */
async function expectFirstTry(token: string, code: string): Promise<void> {
  const options = expect.objectContaining({ triesLeft: MAX_CODE_TRIES - 1 }) as unknown;
  await expect(redeem(token, wrong(code))).rejects.toMatchObject({ code: 'code-wrong', options });
}

describe('one-time codes', () => {
  it('unlock what they were issued for', async () => {
    const { code, token } = await issue();
    expect(code).toMatch(new RegExp(`^[${CODE_ALPHABET}]{6}$`));
    expect(await redeem(token, code)).toEqual(payload);
  });

  it('are accepted in any spelling', async () => {
    const { code, token } = await issue();
    expect(await redeem(token, ` ${code.slice(0, 3).toLowerCase()}-${code.slice(3)} `)).toEqual(payload);
  });

  it('work once, even if sent twice at the same time', async () => {
    const { code, token } = await issue();
    const results = await Promise.allSettled([redeem(token, code), redeem(token, code)]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expect(redeem(token, code)).rejects.toThrow(problem('code-used'));
  });

  it('are not consumed if the work fails', async () => {
    const { code, token } = await issue();
    for (let outage = 0; outage <= MAX_CODE_TRIES; outage += 1) {
      const failing = redeemCode('confirm-email', token, code, () => Promise.reject(new Error('out of reach')));
      await expect(failing).rejects.toThrow('out of reach');
    }
    expect(await redeem(token, code)).toEqual(payload);
  });

  it('return the attempts left, and are invalid after the fifth', async () => {
    const { code, token } = await issue();
    for (let left = MAX_CODE_TRIES - 1; left >= 0; left -= 1) {
      const refusal = await redeem(token, wrong(code)).catch((error: unknown) => error);
      expect(JSON.parse(JSON.stringify(refusal))).toMatchObject({ code: 'code-wrong', status: 400, triesLeft: left });
    }
    await expect(redeem(token, code)).rejects.toThrow(problem('code-locked'));
  });

  it('count concurrent attempts', async () => {
    const { code, token } = await issue();
    const tries = Array.from({ length: 20 }, () => redeem(token, wrong(code)).catch((error: unknown) => error));
    const answers = await Promise.all(tries);
    const wrongs = answers.filter((answer) => isApiProblem(answer) && answer.code === 'code-wrong');
    expect(wrongs).toHaveLength(MAX_CODE_TRIES);
  });

  it('are valid until their last second', async () => {
    const { code, token } = await issue();
    vi.setSystemTime(now + CODE_TTL_SECONDS * 1000);
    await expect(redeem(token, code)).rejects.toThrow(problem('code-expired'));
    vi.setSystemTime(now + (CODE_TTL_SECONDS - 1) * 1000);
    expect(await redeem(token, code)).toEqual(payload);
  });

  it('match their own token only', async () => {
    const first = await issue();
    let second = await issue();
    while (second.code === first.code) second = await issue();
    await expect(redeem(second.token, first.code)).rejects.toThrow(problem('code-wrong'));
  });
});

describe('a token', () => {
  it('does not reveal its content', async () => {
    const { code, token } = await issue();
    const readable = token
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('latin1'))
      .join();
    for (const hidden of [payload.email, payload.name, code]) expect(readable).not.toContain(hidden);
  });

  it('can be read without using an attempt', async () => {
    const { code, token } = await issue();
    expect(await readToken('confirm-email', token)).toEqual({
      payload,
      issuedAt: now,
      flow: expect.any(String) as string,
      browser: null,
      isUsed: false,
    });
    await expectFirstTry(token, code);
  });

  it('contains the id of its flow, at the same length', async () => {
    const [first, other] = [await issue(), await issue()];
    const { flow } = await readToken('confirm-email', first.token);
    const again = await issue({ flow });
    expect((await readToken('confirm-email', again.token)).flow).toBe(flow);
    expect((await readToken('confirm-email', other.token)).flow).not.toBe(flow);
    expect(again.token).toHaveLength(first.token.length);
  });

  it('is redeemed while the secret is replaced, by processes of each step', async () => {
    const other = Buffer.alloc(32, 8).toString('base64');
    const steps = [[secret], [secret, other], [other, secret], [other]];
    for (const [i, issuing] of steps.entries())
      for (const redeeming of steps.slice(Math.max(0, i - 1), i + 2)) {
        setSecrets(...issuing);
        const { code, token } = await issue();
        setSecrets(...redeeming);
        expect(await redeem(token, code)).toEqual(payload);
      }
  });

  it('of another purpose or secret is rejected without using an attempt', async () => {
    const { code, token } = await issue();
    const asReset = redeemCode('reset-password', token, code, () => Promise.resolve());
    await expect(asReset).rejects.toThrow(problem('code-missing'));
    setSecrets(Buffer.alloc(32, 8).toString('base64'));
    await expect(redeem(token, code)).rejects.toThrow(problem('code-missing'));
    setSecrets(secret);
    await expectFirstTry(token, code);
  });

  it('is rejected if any part was modified', async () => {
    const { code, token } = await issue();
    const parts = token.split('.');
    for (const place of [0, 2, 3, 4]) {
      const changed = parts.map((part, at) =>
        at === place ? (part.startsWith('A') ? 'B' : 'A') + part.slice(1) : part,
      );
      await expect(redeem(changed.join('.'), code)).rejects.toThrow(problem('code-missing'));
    }
  });

  it.each([undefined, '', 'x', 'a.b.c.d.e', 'eyJhbGciOiJub25lIn0.e30.'])('is missing: %s', async (token) => {
    await expect(redeem(token, 'ABCDEF')).rejects.toThrow(problem('code-missing'));
  });
});
