import { readdirSync, writeFileSync, mkdtempSync } from 'node:fs';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import type { GetServerSidePropsContext } from 'next';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { validateCallback, MAX_CALLBACK_LENGTH } from '@/lib/shared/callback/rules';
import { getPublicEnv } from '@/lib/server/runtime/config/env';
import { getCallbackPolicy } from '@/lib/shared/config/public-env';
import { loadActionStep } from '@/lib/server/web/action-step';
import { redirectWhenSignedIn } from '@/lib/server/web/sign-in-pages';
import { openOriginsFile } from '@/lib/server/runtime/app-config';
import { openDirectoryFile } from '@/lib/server/policy/directory';
import { serveRoutes, type RunningRoutes } from './routes';

/** Tests with generated input, with `numRuns` inputs for each property. */
export function testFuzz(numRuns: number): void {
  const TIME = { timeout: 20 * 60_000 };

  let app: RunningRoutes;
  beforeAll(async () => {
    // Each request uses a different client IP. Otherwise the rate limits would respond instead of the routes.
    process.env.TRUSTED_PROXY_HOPS = '1';
    app = await serveRoutes();
  });
  afterAll(() => app.close());

  const root = path.resolve(import.meta.dirname, '../../pages/api');
  const routes = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.includes('[') && !file.startsWith('health'))
    .map((file) => `/api/${file.replace(/(\/index)?\.ts$/, '')}`);

  const words = fc.constantFrom(
    'token',
    'email',
    'password',
    'name',
    'code',
    'oobCode',
    'code_verifier',
    '__proto__',
    'constructor',
    'csp-report',
  );
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom(
      'a@b.test\r\nBcc: c@d.test',
      '../../etc/passwd',
      '{{7*7}}',
      "' OR 1=1--",
      '\u0000',
      'x'.repeat(17_000),
    ),
  );
  const json = fc.oneof(fc.dictionary(words, fc.oneof(hostile, fc.jsonValue())), fc.jsonValue());
  const body = fc.oneof(
    { weight: 4, arbitrary: json.map((value) => JSON.stringify(value)) },
    fc.string({ unit: 'binary', maxLength: 2_000 }),
  );
  const client = fc.ipV4();

  describe('any input gets a valid refusal', () => {
    test('every API route, with every kind of body', TIME, async () => {
      const types = fc.constantFrom(
        'application/json',
        'application/json; charset=x',
        'text/plain',
        'application/csp-report',
        '',
      );
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...routes), body, types, client, async (route, text, type, address) => {
          const answer = await fetch(app.origin + route, {
            method: 'POST',
            headers: { origin: 'http://localhost:3000', 'content-type': type, 'x-forwarded-for': address },
            body: text,
          });
          const content = await answer.text();
          // These succeed without a session: signing out, an empty report, and a request for a challenge, which has no
          // content.
          const isHarmless =
            answer.status === 200 && /initiate-logout|clear-device|csp-report|sign-in-options/.test(route);
          expect(
            isHarmless || (answer.status >= 400 && answer.status < 500),
            `${route}: ${answer.status} ${content}`,
          ).toBe(true);
          if (!isHarmless)
            expect(JSON.parse(content)).toMatchObject({ status: answer.status, code: expect.any(String) as string });
        }),
        { numRuns },
      );
    });

    test('every API route, with every kind of cookie', TIME, async () => {
      const names = fc.constantFrom(
        '_secure-user-session',
        'email-confirmation-token',
        'auth-password-reset',
        'auth-password-reset-flow-0001',
        'mobile-request',
        'known-browser',
        'callbackUrl',
        '__proto__',
      );
      const value = fc.oneof(
        fc.base64String(),
        fc.stringMatching(/^[\w.%~-]{0,200}$/),
        fc.constantFrom('a.b.c', 'a.b.c.d.e', '%', '%zz', '"'),
      );
      const pairs = fc.array(fc.tuple(names, value), { maxLength: 6 });
      const cookies = fc.oneof(
        pairs.map((some) => some.map(([name, text]) => `${name}=${text}`).join('; ')),
        fc.stringMatching(/^[\x21-\x7e][\x20-\x7e]{0,400}$/),
        fc.stringMatching(/^[=;, "%a-f_-]{1,100}[=;]$/),
      );
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...routes), cookies, client, async (route, cookie, address) => {
          const headers = { origin: 'http://localhost:3000', cookie, 'x-forwarded-for': address };
          const { status } = await fetch(app.origin + route, { method: 'POST', headers });
          expect(status < 500, `${route}: ${status}`).toBe(true);
        }),
        { numRuns },
      );
    });
  });

  describe('pages', () => {
    const queryValue = fc.oneof(hostile, fc.array(hostile, { maxLength: 3 }), fc.webUrl());
    const query = fc.dictionary(
      fc.constantFrom('mode', 'oobCode', 'continueUrl', 'redirect_uri', 'return_to', 'notification', 'theme'),
      queryValue,
    );
    const cookies = fc.dictionary(
      fc.constantFrom(
        'callbackUrl',
        'callback-bounces',
        'email-action',
        'email-confirmation-token',
        'sign-in-email-flow-0001',
        '_secure-user-session',
      ),
      hostile,
    );

    const buildContext = (asked: Record<string, string | string[]>, kept: Record<string, string>) => {
      const req = Object.assign(new IncomingMessage(new Socket()), { cookies: kept });
      return { req, res: new ServerResponse(req), query: asked, resolvedUrl: '/' } satisfies GetServerSidePropsContext;
    };

    test('of email links never fail, and never keep a code in the URL', TIME, async () => {
      await fc.assert(
        fc.asyncProperty(query, cookies, async (asked, kept) => {
          const result = await loadActionStep(buildContext(asked, kept));
          if ('redirect' in result) expect(result.redirect.destination).toBe('/actions');
          else expect(result).toHaveProperty('props.action');
        }),
        { numRuns },
      );
    });

    test('of sign-in never fail, and never redirect to a foreign host', TIME, async () => {
      await fc.assert(
        fc.asyncProperty(query, cookies, async (asked, kept) => {
          const result = await redirectWhenSignedIn(buildContext(asked, kept));
          expect(result === null || 'props' in result).toBe(true);
        }),
        { numRuns },
      );
    });
  });

  describe('rules and files', () => {
    const anything = fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.anything());

    test('an accepted callback is on our domain, in any spelling', TIME, () => {
      const policy = getCallbackPolicy(getPublicEnv());
      const parts = fc.array(fc.constantFrom('http', 'https', ':', '//', '/', '\\', '@', 'localhost', '.localhost', 'evil.test', ':3001', '%2f', '#', '?', 'campus://oauth-callback', '。', '\t', ' '), { maxLength: 8 }); // oxfmt-ignore
      fc.assert(
        fc.property(
          fc.oneof(
            anything,
            parts.map((some) => some.join('')),
          ),
          (input) => {
            const validation = validateCallback(input, policy);
            if (!validation.accepted) return;
            expect(validation.url.length).toBeLessThanOrEqual(MAX_CALLBACK_LENGTH * 3);
            const { protocol, hostname } = new URL(validation.url);
            expect(protocol === 'campus:' || hostname === 'localhost' || hostname.endsWith('.localhost')).toBe(true);
          },
        ),
        { numRuns: numRuns * 20 },
      );
    });

    test('an invalid file of origins or organizations causes no failure', TIME, async () => {
      const dir = mkdtempSync(path.join(os.tmpdir(), 'fuzz-'));
      let count = 0;
      const entry = fc.oneof(
        fc.jsonValue(),
        fc.record({ origins: fc.jsonValue(), enterprises: fc.jsonValue(), partners: fc.jsonValue() }),
      );
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(
            entry.map((value) => JSON.stringify(value)),
            fc.string(),
          ),
          async (text) => {
            const file = path.join(dir, String((count += 1)));
            writeFileSync(file, text);
            const config = await openOriginsFile(file).getConfig('http://localhost');
            expect(config === null || typeof config === 'object').toBe(true);
            const directory = await openDirectoryFile(file).read();
            expect(directory === null || directory.enterprises instanceof Map).toBe(true);
          },
        ),
        { numRuns: Math.min(numRuns, 2_000) },
      );
    });
  });
}
