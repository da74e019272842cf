// ASVS: 3.4.2, 3.5.1, 3.5.2, 3.5.3, 7.6.2, 10.6.2
// Threats: csrf, login-csrf
import { request } from 'node:http';
import type { NextApiRequest, NextApiResponse } from 'next';
import { describe, expect, test } from 'vitest';
import { apiRoute } from '@/lib/server/http';
import { consumeLimit } from '@/lib/server/storage/rate-limits';
import { LIMITS } from '@/lib/server/storage/rate-limits/table';
import { ApiProblem } from '@/lib/shared/problem';
import { post, read } from '../support/client';
import { listen } from '../support/listen';
import { servedRoutes } from '../support/served-routes';

const app = servedRoutes();

const PLATFORM = 'http://localhost:3001';
const calls = ['create-user-session', 'check-auth-status', 'initiate-logout'];
const changing = ['create-user-session', 'initiate-logout'];
const at = (call: string) => `${app.origin}/api/${call}`;

test.each([
  ['check-auth-status', 'same-site'],
  ['nowhere', 'same-site'],
  // Any origin may read these. Browsers fetch the passkey documents for pages of other sites, without CORS.
  ['config/local', 'cross-origin'],
  ['related-origins', 'cross-origin'],
  ['passkeys', 'cross-origin'],
])('%s can be loaded into pages of: %s', async (call, policy) => {
  expect((await fetch(at(call))).headers.get('cross-origin-resource-policy')).toBe(policy);
});

describe('problems', () => {
  test.each(calls)('%s responds to other methods with 405 and an Allow header', async (call) => {
    const answer = await read(await fetch(at(call), { headers: { origin: PLATFORM } }));
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe('POST, OPTIONS');
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.body).toMatchObject({
      status: 405,
      code: 'method-not-allowed',
      type: 'urn:problem:method-not-allowed',
    });
  });

  test.each([
    ['no JSON', '{"token":'],
    ['no token', '{}'],
    ['a token that is no text', '{"token":{"$ne":1}}'],
    ['an empty token', '{"token":""}'],
    ['a list', '[]'],
    ['nothing', ''],
  ])('a body with %s is 400', async (_name, body) => {
    const answer = await post(at('create-user-session'), { body });
    expect([answer.status, answer.body?.code]).toEqual([400, 'bad-request']);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', ''])(
    'the media type "%s" is 415',
    async (type) => {
      const answer = await post(at('create-user-session'), {
        body: '{"token":"x"}',
        headers: { 'content-type': type },
      });
      expect([answer.status, answer.body?.code]).toEqual([415, 'unsupported-media-type']);
    },
  );

  test('a media type with parameters is accepted', async () => {
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
    expect((await post(at('create-user-session'), { body: '{"token":"x"}', headers })).status).toBe(401);
  });

  test.each(['nowhere', 'nowhere/at/all', 'registration/nowhere', 'config/by-origin', 'health'])(
    '%s does not exist: 404 with an id, for any method',
    async (address) => {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
        const answer = await read(await fetch(at(address), { method, headers: { 'x-request-id': 'mine' } }));
        expect([method, answer.status, answer.body?.code]).toEqual([method, 404, 'not-found']);
        expect(answer.headers.get('content-type')).toBe('application/problem+json');
        expect(answer.headers.get('cache-control')).toBe('no-store');
        expect(answer.headers.get('x-request-id')).toMatch(/^[\da-f-]{36}$/);
      }
    },
  );
});

describe('size', () => {
  const body = (bytes: number) => JSON.stringify({ token: 'x'.repeat(bytes - '{"token":""}'.length) });

  test('16 KiB are accepted', async () => {
    expect((await post(at('create-user-session'), { body: body(16_384) })).status).toBe(401);
  });

  test.each([16_385, 1_000_000])('%i bytes are 413', async (bytes) => {
    const answer = await post(at('create-user-session'), { body: body(bytes) });
    expect([answer.status, answer.body?.code]).toEqual([413, 'body-too-large']);
  });

  test('a body without a Content-Length is measured while it is read', async () => {
    const headers = { origin: app.origin, 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const req = request(at('create-user-session'), { method: 'POST', headers }, (res) => {
        res.resume();
        resolve(res.statusCode);
      });
      req.on('error', reject);
      for (let i = 0; i < 20; i += 1) req.write('x'.repeat(1_000));
      req.end();
    });
    expect(status).toBe(413);
  });

  test('a call without a body refuses a long one too', async () => {
    expect((await post(at('check-auth-status'), { body: body(20_000) })).status).toBe(413);
  });
});

describe('callers', () => {
  test.each(changing)('%s refuses foreign pages', async (call) => {
    const foreign: Record<string, string | null>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://localhost.evil.example' },
      { origin: 'http://evil-localhost' },
      { origin: 'http://localhost:3000/' },
      { origin: null, 'sec-fetch-site': 'same-site' },
      { origin: null, 'sec-fetch-site': 'cross-site' },
      { origin: null, 'sec-fetch-site': 'none' },
      { origin: null },
      { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    ];
    for (const headers of foreign) {
      const answer = await post(at(call), { body: { token: 'x' }, headers });
      expect([headers, answer.status, answer.body?.code]).toEqual([headers, 403, 'foreign-origin']);
      expect(answer.cookies).toEqual({});
    }
  });

  test.each(changing)('%s accepts pages of the main domain', async (call) => {
    const own: Record<string, string | null>[] = [
      { origin: 'http://localhost:3000' },
      { origin: 'http://acme.localhost:3000' },
      { origin: 'https://localhost' },
      { origin: null, 'sec-fetch-site': 'same-origin' },
    ];
    for (const headers of own) {
      expect([headers, (await post(at(call), { body: { token: 'x' }, headers })).status]).not.toContain(403);
    }
  });

  test('a server may check a session without an Origin header', async () => {
    expect((await post(at('check-auth-status'), { headers: { origin: null } })).status).toBe(401);
  });
});

describe('CORS', () => {
  const preflight = (call: string, origin: string) =>
    fetch(at(call), { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } }).then(read);

  test.each(calls)('%s allows the platform, with credentials', async (call) => {
    const asked = await preflight(call, PLATFORM);
    expect(asked.status).toBe(204);
    expect(Object.fromEntries(asked.headers)).toMatchObject({
      'access-control-allow-origin': PLATFORM,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type, x-proof-of-work',
      vary: 'Origin',
    });
    const answer = await post(at(call), { headers: { origin: PLATFORM } });
    expect(answer.headers.get('access-control-allow-origin')).toBe(PLATFORM);
    expect(answer.headers.get('vary')).toBe('Origin');
  });

  const asking = (call: string, origin: string, names: string) =>
    fetch(at(call), {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': names },
    }).then(read);

  test.each([
    'traceparent,tracestate',
    'baggage, sentry-trace, traceparent',
    'content-type,x-datadog-trace-id,x-datadog-parent-id,b3',
  ])('a platform whose pages trace their calls may send %s', async (names) => {
    for (const call of calls)
      expect((await asking(call, PLATFORM, names)).headers.get('access-control-allow-headers')).toBe(names);
    expect((await asking('check-auth-status', 'https://evil.example', names)).status).toBe(403);
  });

  test.each(['*, a b', 'a,,b', 'a\tb', 'x'.repeat(65), 'a,'.repeat(40) + 'a', 'ä'])(
    'a list that is none is not sent back: %j',
    async (names) => {
      const { headers } = await asking('check-auth-status', PLATFORM, Buffer.from(names).toString('latin1'));
      expect(headers.get('access-control-allow-headers')).toBe('content-type, x-proof-of-work');
    },
  );

  test.each(['http://localhost:3002', 'http://acme.localhost:3000', 'https://localhost'])(
    'initiate-logout lets %s read that it has signed out: its pages may call it',
    async (origin) => {
      const asked = await preflight('initiate-logout', origin);
      const answer = await post(at('initiate-logout'), { headers: { origin } });
      expect([asked.status, answer.status]).toEqual([204, 200]);
      for (const { headers } of [asked, answer]) {
        expect(headers.get('access-control-allow-origin')).toBe(origin);
        expect(headers.get('access-control-allow-credentials')).toBe('true');
      }
    },
  );

  test.each([
    'https://evil.example',
    'null',
    'http://localhost:3002',
    'http://localhost:30011',
    'http://acme.localhost:3000',
  ])('refuses %s', async (origin) => {
    const isOfMainDomain = /^http:\/\/(?:acme\.)?localhost:/.test(origin);
    for (const call of isOfMainDomain ? calls.filter((each) => each !== 'initiate-logout') : calls) {
      const asked = await preflight(call, origin);
      const answer = await post(at(call), { headers: { origin } });
      expect(asked.status).toBe(403);
      for (const { headers } of [asked, answer]) {
        expect(headers.get('access-control-allow-origin')).toBeNull();
        expect(headers.get('access-control-allow-credentials')).toBeNull();
        expect(headers.get('vary')).toBe('Origin');
      }
    }
  });
});

describe('limits', () => {
  test('too many calls from one address get 429 with Retry-After', async () => {
    for (let i = 0; i < LIMITS['end-session'].points; i += 1) {
      await consumeLimit('end-session', '127.0.0.1').catch(() => undefined);
    }
    const refused = await post(at('initiate-logout'));
    expect(refused.status).toBe(429);
    expect(refused.body?.code).toBe('too-many-requests');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  test('an outage whose end is not known has a Retry-After, too', async () => {
    const route = apiRoute({ method: 'GET', stateChanging: false }, () => {
      throw new ApiProblem('records-unavailable');
    });
    const site = await listen((req, res) => void route(req as NextApiRequest, res as NextApiResponse));
    const { status, headers } = await fetch(`http://127.0.0.1:${String(site.port)}`);
    await site.stop();
    expect([status, Number(headers.get('retry-after'))]).toEqual([503, 5]);
  });
});
