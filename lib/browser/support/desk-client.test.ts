import { afterEach, expect, it, test, vi } from 'vitest';
import { getProblemType } from '@/lib/shared/problem';
import { act, lookUp } from './desk-client';

afterEach(() => vi.unstubAllGlobals());

function stubFetch(status: number, body: object | string, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const fetched = vi.fn<typeof fetch>(() => Promise.resolve(new Response(text, { status, headers })));
  vi.stubGlobal('fetch', fetched);
  return fetched;
}

const problem = (code: string, more: object = {}) => ({ type: getProblemType(code), code, title: '', ...more });
const query = { by: 'email', value: 'mia+1@campus.test', reason: 'Ticket 4711' } as const;

it('sends the token in a header only, and no cookie', async () => {
  const fetched = stubFetch(200, { accounts: [], emails: [] });
  expect(await lookUp('token-of-ada', query)).toEqual({ ok: true, data: { accounts: [], emails: [] } });
  const [address, init] = fetched.mock.calls[0] ?? [];
  expect(address).toBe('/api/admin/accounts?email=mia%2B1%40campus.test&reason=Ticket+4711');
  expect(init).toMatchObject({
    headers: { authorization: 'Bearer token-of-ada' },
    credentials: 'omit',
    cache: 'no-store',
  });
});

it.each(['naïve', 'two words', 'a\nb', ''])('the token %j gives no access, and is not sent', async (token) => {
  const fetched = stubFetch(200, {});
  expect(await lookUp(token, query)).toEqual({ ok: false, failure: { code: 'token' } });
  expect(fetched).not.toHaveBeenCalled();
});

test.each([
  ['a wrong token', 403, problem('admin-token-wrong'), {}, { code: 'token' }],
  ['no token', 401, problem('admin-token-required'), {}, { code: 'token' }],
  [
    'a token without this action',
    403,
    problem('admin-token-wrong', { detail: 'This token does not allow the action delete' }),
    {},
    { code: 'refused', detail: 'This token does not allow the action delete' },
  ],
  [
    'a state that does not allow it',
    409,
    problem('action-refused', { detail: 'The account is disabled already' }),
    {},
    { code: 'refused', detail: 'The account is disabled already' },
  ],
  ['no account', 404, problem('not-found'), {}, { code: 'refused', detail: 'There is no such account' }],
  ['a limit', 429, problem('too-many-requests'), { 'retry-after': '600' }, { code: 'limit', retryAfter: 600 }],
  ['a limit without a time', 429, problem('too-many-requests'), {}, { code: 'limit', retryAfter: null }],
  ['no database', 503, problem('records-unavailable', { detail: 'internal' }), {}, { code: 'unavailable' }],
  ['a page of a proxy', 502, '<html>', {}, { code: 'unavailable' }],
] as const)('%s', async (_name, status, body, headers, failure) => {
  stubFetch(status, body, headers);
  const order = { action: 'delete', uid: 'uid-1', reason: 'Ticket 4711' } as const;
  expect(await act('token-of-ada', order)).toEqual({ ok: false, failure });
});

test('no answer', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('offline')));
  expect(await lookUp('token-of-ada', query)).toEqual({ ok: false, failure: { code: 'network' } });
});
