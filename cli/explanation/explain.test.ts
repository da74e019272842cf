import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { explain } from '.';
import { readConfigFiles } from '@/lib/server/policy/directory';
import { env } from '@/lib/server/runtime';
import { formatConfigFiles, formatExplanation } from './words';
import { PRIVATE_KEY } from '@/tests/support/private-key';

const { privateKey: signingKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });

beforeAll(() => {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'explain-')), 'origins.json');
  const secondFactor = { use: 'required', accessLevels: ['staff'], from: '2027-03-01' };
  const colors = { light: { accent: '#ffee00' }, dark: { accent: '#ffb4a9' } };
  writeFileSync(
    file,
    JSON.stringify({
      origins: {
        'https://id.campus.example': { enabledIdentities: ['password', 'google.com'] },
        'https://acme.campus.example': { brandName: 'Acme', colors, secondFactor },
      },
    }),
  );
  const clients = path.join(path.dirname(file), 'clients.json');
  const school = {
    ...{ name: 'School', redirectUris: ['https://school.example/callback'], authentication: 'none' },
    postLogoutRedirectUris: ['https://school.example/bye'],
  };
  const secretFile = path.join(path.dirname(file), 'secret');
  writeFileSync(secretFile, 'x'.repeat(40));
  const unsigned = {
    ...school,
    postLogoutRedirectUris: [],
    authentication: 'client_secret_post',
    secretFile,
    algorithm: 'ES256',
    pkce: false,
  };
  writeFileSync(clients, JSON.stringify({ clients: { school, unsigned } }));
  const keys = path.join(path.dirname(file), 'keys.json');
  writeFileSync(keys, JSON.stringify({ keys: [{ ...signingKey.export({ format: 'jwk' }), kid: 'first' }] }));
  Object.assign(process.env, {
    NEXT_PUBLIC_APP_ORIGIN: 'https://id.campus.example',
    DATABASE_URL: 'postgres://identity@localhost:9/identity',
    NEXT_PUBLIC_MAIN_DOMAIN: 'campus.example',
    NEXT_PUBLIC_PLATFORM_ORIGIN: 'https://learn.campus.example',
    FIREBASE_CLIENT_EMAIL: 'app@campus.example',
    FIREBASE_PRIVATE_KEY: PRIVATE_KEY,
    TOKEN_ENCRYPTION_SECRET: Buffer.alloc(32, 7).toString('base64'),
    ORIGINS_FILE: file,
    OIDC_CLIENTS_FILE: clients,
    OIDC_KEYS_FILE: keys,
  });
});

const asked = (more: Record<string, string>) => {
  const standard = { client_id: 'school', redirect_uri: 'https://school.example/callback', response_type: 'code' };
  const pkce = { scope: 'openid', code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };
  const query = new URLSearchParams({ ...standard, ...pkce, ...more });
  return `https://id.campus.example/api/oidc/authorize?${query.toString()}`;
};

const wordsFor = async (input: string) => formatExplanation(await explain(input)).join('\n');

describe('explain, of an OpenID Connect request', () => {
  it.each([
    [{ client_id: 'school2' }, 'client_id school2 is not in OIDC_CLIENTS_FILE; did you mean school?'],
    [{ redirect_uri: 'https://School.example/callback/' }, 'exactly: https://school.example/callback'],
    [{ redirect_uri: 'https://other.example/' }, 'registered: https://school.example/callback'],
    [{ response_type: 'token' }, 'response_type must be code'],
    [{ code_challenge_method: 'plain' }, 'code_challenge_method must be S256'],
    [{ scope: 'email' }, 'scope must contain openid'],
    [{ acr_values: 'aal2' }, 'accounts have none: set SECOND_FACTOR_SECRET'],
    [{ prompt: 'login sometimes' }, 'prompt may have none, login'],
    [{ prompt: 'none login' }, 'prompt=none must be alone'],
    [{ max_age: '-1' }, 'max_age must be a number of seconds'],
    [{ response_mode: 'web_message' }, 'response_mode must be one of'],
    [{ code_challenge: 'short' }, 'code_challenge must have 43 to 128'],
    [{ code_challenge: '' }, 'code_challenge is missing'],
    [{ state: 'x'.repeat(2_049) }, 'state has more than 2048 characters'],
    [{ client_id: 'unsigned' }, 'no key of OIDC_KEYS_FILE signs with ES256'],
    [{ client_id: 'unsigned', code_challenge: '' }, 'code_challenge_method is there without code_challenge'],
  ])('says why %j is refused', async (more, reason) => {
    const text = await wordsFor(asked(more));
    expect(text).toContain(reason);
    expect(text).not.toContain('answered');
  });

  it('says which parameter is repeated', async () => {
    expect(await wordsFor(`${asked({})}&state=a&state=b`)).toContain('refused    state is there more than once');
  });

  describe('that signs out', () => {
    const token = async (more: { kid?: string; issuer?: string; audience?: string } = {}, key = signingKey) =>
      new SignJWT({ sub: 'learner' })
        .setProtectedHeader({ alg: 'RS256', kid: more.kid ?? 'first' })
        .setIssuer(more.issuer ?? 'https://id.campus.example/api/oidc')
        .setAudience(more.audience ?? 'school')
        .sign(key);
    const leaving = (query: Record<string, string>) =>
      `https://id.campus.example/api/oidc/logout?${new URLSearchParams(query).toString()}`;
    const uri = { post_logout_redirect_uri: 'https://school.example/bye' };

    it.each([
      [{ client_id: 'school2' }, 'client_id school2 is not in OIDC_CLIENTS_FILE; did you mean school?'],
      [
        { client_id: 'school', post_logout_redirect_uri: 'https://school.example/bye/' },
        'exactly: https://school.example/bye',
      ],
      [{ client_id: 'unsigned', ...uri }, 'is not registered; registered: none'],
      [{ id_token_hint: 'x' }, 'id_token_hint is not an ID token'],
      [{ client_id: 'school', state: 'x'.repeat(2_049) }, 'state has more than 2048 characters'],
    ])('says why %j is refused', async (query, reason) => {
      const text = await wordsFor(leaving(query));
      expect(text).toContain(reason);
      expect(text).not.toMatch(/answered|callback {3}/);
    });

    it('reads the client from the hint, and checks whose it is', async () => {
      const words = async (query: Record<string, string>) => wordsFor(leaving({ ...uri, ...query }));
      expect(await words({ id_token_hint: await token({ audience: 'gone' }) })).toContain(
        'id_token_hint, gone is not in',
      );
      expect(await words({ id_token_hint: await token({ issuer: 'https://x.example' }) })).toContain(
        'by https://x.example',
      );
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
      expect(await words({ id_token_hint: await token({}, privateKey) })).toContain(
        'signature of id_token_hint is wrong',
      );
      expect(await words({ id_token_hint: await token(), client_id: 'unsigned' })).toContain(
        'is not that of id_token_hint',
      );
      for (const kid of ['first', 'replaced']) {
        const text = await words({ id_token_hint: await token({ kid }) });
        expect(text).toContain('client     School');
        expect(text).not.toMatch(/refused .*(id_token_hint|post_logout_redirect_uri)/);
      }
    });
  });

  it('says that an endpoint for clients is no address to explain', async () => {
    expect(await wordsFor('https://id.campus.example/api/oidc/token')).toContain('/token is not opened by a link');
  });

  it('says that this deployment is none', async () => {
    Object.assign(env(), { SESSION_BACKEND: 'upstream' });
    expect(await wordsFor(asked({}))).toContain('this deployment is no OpenID Provider');
    Object.assign(env(), { SESSION_BACKEND: 'firebase' });
  });
});

describe('explain', () => {
  it('names the rule that accepts, and what the origin is allowed to do', async () => {
    const text = await wordsFor('https://learn.campus.example/user/courses');
    expect(text).toContain('accepted by the rule "main-domain"');
    expect(text).toMatch(/changing calls: yes; read sessions with credentials: yes/);
    expect(text).toContain('branding   none');
    // Not listed, so it has the methods of this app's origin.
    expect(text).toContain('methods    password, google.com');
    expect(text).toContain('a second factor is optional here');
  });

  it.each([
    ['https://campus.example.evil.example/', 'foreign-host'],
    ['http://learn.campus.example/', 'insecure-scheme'],
    ['https://id.campus.example/sign-in', 'own-origin'],
    ['//learn.campus.example', 'not-absolute'],
    ['https://a:b@learn.campus.example', 'malformed'],
  ])('says why %s is refused', async (input, reason) => {
    expect(await wordsFor(input)).toContain(`refused as "${reason}"`);
  });

  it('lists what foreign pages are not allowed to do', async () => {
    expect(await wordsFor('https://evil.example')).toMatch(/changing calls: no; read sessions with credentials: no/);
  });

  it('shows the branding of an origin, and which colors fail', async () => {
    const text = await wordsFor('https://acme.campus.example');
    expect(text).toContain('branding   Acme');
    expect(text).toContain('methods    password\n');
    expect(text).toMatch(/light: #ffee00 fails on the light background and is replaced by #[0-9a-f]{6}/);
    expect(text).toContain('dark: #ffb4a9 passes');
  });

  it('says who needs a second factor, and that none can be had', async () => {
    const text = await wordsFor('https://acme.campus.example');
    expect(text).toContain('required for the access levels staff from 2027-03-01 (UTC) here');
    expect(text).toMatch(/required but unavailable, .* set SECOND_FACTOR_SECRET/);
  });

  it('says what is wrong with the configuration files', async () => {
    const files = await readConfigFiles({ ...process.env, DIRECTORY_FILE: '/nowhere/directory.json' });
    expect(formatConfigFiles(files, false)).toEqual([
      expect.stringMatching(/^ORIGINS_FILE: .*origins\.json has no problems$/),
      expect.stringMatching(
        /^DIRECTORY_FILE: \/nowhere\/directory\.json does not exist; the app does not start with it$/,
      ),
    ]);
  });

  it('says that the origins are not read here where an identity host has them', () => {
    expect(formatConfigFiles([], true)).toEqual(['ORIGINS_FILE: not read: UPSTREAM_IDENTITY_URL has the app configs']);
  });

  it('explains the mobile app, which has no origin', async () => {
    expect(await wordsFor('campus://oauth-callback?code=1')).toMatch(/"mobile-app"[^]*origin {5}none/);
  });
});
