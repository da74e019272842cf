// ASVS: 6.5.1
// Threats: code-guessing, login-csrf
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { parseSetCookie } from 'cookie';
import { issueCode, redeemCode, type FlowPurpose } from '@/lib/server/codes/one-time-codes';
import {
  buildFlowCookies,
  findOpenFlow,
  getFlowToken,
  getFlowTokens,
  invalidateResets,
  MAX_FLOWS,
} from './email-request';

// The local default of the configuration: it names the emulator.
process.env.FIREBASE_AUTH_EMULATOR_HOST = 'localhost:9099';
// Without a database: what is used up is marked in memory.
Object.assign(process.env, { SESSION_BACKEND: 'upstream', UPSTREAM_IDENTITY_URL: 'https://upstream.example' });

const PURPOSES: FlowPurpose[] = ['confirm-email', 'reset-password', 'sign-in'];
const NAMES = {
  'confirm-email': 'email-confirmation-token',
  'reset-password': 'auth-password-reset',
  'sign-in': 'sign-in-code',
};

let req: { cookies: Record<string, string> };
/** Time between two codes, in milliseconds. */
let pause = 1_000;
beforeEach(() => {
  req = { cookies: {} };
  pause = 1_000;
  vi.useFakeTimers({ toFake: ['Date'] });
});

const email = (flow: string) => `${flow}@campus.test`;

/** Sends a flow's code, some time after the previous code, and stores the cookies as a browser does. */
async function send(purpose: FlowPurpose, flow: string, isNew = true): Promise<{ code: string; token: string }> {
  vi.setSystemTime(Date.now() + pause);
  const issued = await issueCode(purpose, { email: email(flow) }, { flow });
  for (const header of await buildFlowCookies(req, { purpose, flow, token: issued.token, isNew })) {
    const { name, value = '', maxAge } = parseSetCookie(header) ?? { name: '' };
    if (maxAge === 0) delete req.cookies[name];
    else req.cookies[name] = value;
  }
  return issued;
}

/** Lists the flows whose cookies this browser has. */
const kept = () => Object.keys(req.cookies).flatMap((name) => /-(flow-\d+)$/.exec(name)?.[1] ?? []);

describe.each(PURPOSES)('a flow of %s', (purpose) => {
  /** A page of a sign-in always names its flow. */
  const ifNewest = (token: string) => (purpose === 'sign-in' ? undefined : token);

  it('has its own token; without an id it is the newest', async () => {
    const [first, second] = [await send(purpose, 'flow-001'), await send(purpose, 'flow-002')];
    expect(await getFlowToken(req, purpose, 'flow-001')).toBe(first.token);
    expect(await getFlowToken(req, purpose, 'flow-002')).toBe(second.token);
    expect(await getFlowToken(req, purpose, undefined)).toBe(ifNewest(second.token));
    expect(await getFlowToken(req, purpose, 'flow-003')).toBeUndefined();
    expect((await getFlowTokens(req, purpose)).sort()).toEqual([first.token, second.token].sort());
  });

  it('does not become the newest when its code is sent again', async () => {
    await send(purpose, 'flow-001');
    const second = await send(purpose, 'flow-002');
    const again = await send(purpose, 'flow-001', false);
    expect(await getFlowToken(req, purpose, undefined)).toBe(ifNewest(second.token));
    expect(await getFlowToken(req, purpose, 'flow-001')).toBe(again.token);
    const newest = await send(purpose, 'flow-002', false);
    expect(await getFlowToken(req, purpose, undefined)).toBe(ifNewest(newest.token));
  });

  it('is found under no other id, and in no other purpose', async () => {
    const { token } = await send(purpose, 'flow-001');
    req.cookies[`${NAMES[purpose]}-flow-002`] = token;
    expect(await getFlowToken(req, purpose, 'flow-002')).toBeUndefined();
    const other = PURPOSES.find((one) => one !== purpose) ?? purpose;
    expect(await getFlowToken(req, other, 'flow-001')).toBeUndefined();
  });

  it('is the open flow of its email until it is completed', async () => {
    const { code, token } = await send(purpose, 'flow-001');
    await send(purpose, 'flow-002');
    expect(await findOpenFlow(req, purpose, email('flow-001'))).toBe('flow-001');
    await redeemCode(purpose, token, code, () => Promise.resolve());
    expect(await findOpenFlow(req, purpose, email('flow-001'))).toBeNull();
    expect(await findOpenFlow(req, purpose, email('flow-002'))).toBe('flow-002');
  });
});

describe('of several flows', () => {
  it.each([...Array(3 ** 4).keys()])('the newest four are kept, whatever their purposes: %i', async (mix) => {
    const flows = [...Array(6).keys()].map((at) => `flow-00${at}`);
    for (const [at, flow] of flows.entries())
      await send(PURPOSES[Math.floor(mix / 3 ** (at % 4)) % 3] ?? 'sign-in', flow);
    expect(kept().sort()).toEqual(flows.slice(-MAX_FLOWS));
    expect(Object.values(req.cookies).join('').length).toBeLessThan(7_100);
  });

  it.each([...Array(3 ** 4).keys()])('so are those of the same second: %i', async (mix) => {
    pause = 0;
    const flows = [...Array(6).keys()].map((at) => `flow-00${at}`);
    for (const [at, flow] of flows.entries())
      await send(PURPOSES[Math.floor(mix / 3 ** (at % 4)) % 3] ?? 'sign-in', flow);
    expect(kept().sort()).toEqual(flows.slice(-MAX_FLOWS));
  });

  it('what was typed to register goes with its flow', async () => {
    await send('confirm-email', 'flow-001');
    req.cookies['new-account-flow-001'] = 'sealed';
    for (const flow of ['flow-002', 'flow-003', 'flow-004']) await send('reset-password', flow);
    expect(kept()).toContain('flow-001');
    await send('reset-password', 'flow-005');
    expect(kept()).not.toContain('flow-001');
  });

  it('completed ones give way first', async () => {
    await send('confirm-email', 'flow-001');
    const { code, token } = await send('reset-password', 'flow-002');
    await send('confirm-email', 'flow-003');
    await send('confirm-email', 'flow-004');
    await redeemCode('reset-password', token, code, () => Promise.resolve());
    await send('confirm-email', 'flow-005');
    expect(kept().sort()).toEqual(['flow-001', 'flow-003', 'flow-004', 'flow-005']);
  });

  it('cookies without a valid token are deleted', async () => {
    req.cookies['auth-password-reset-flow-009'] = 'x';
    await send('confirm-email', 'flow-001');
    expect(kept()).toEqual(['flow-001']);
  });
});

it('a password set by link completes the resets of its email in this browser, and no others', async () => {
  for (const flow of ['flow-001', 'flow-002']) await send('reset-password', flow);
  await send('confirm-email', 'flow-003');
  await invalidateResets(req, email('flow-001'));
  expect(await findOpenFlow(req, 'reset-password', email('flow-001'))).toBeNull();
  expect(await findOpenFlow(req, 'reset-password', email('flow-002'))).toBe('flow-002');
  expect(await findOpenFlow(req, 'confirm-email', email('flow-003'))).toBe('flow-003');
});
