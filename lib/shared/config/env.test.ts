// ASVS: 6.8.2
// Threats: unsigned-token
import { describe, expect, it } from 'vitest';
import { ConfigurationError, parseEnv, getPlatformOrigins, getPublicEnv } from '@/lib/server/runtime/config/env';
import { SAMPLE_ENCRYPTION_SECRET, VARIABLES } from '@/lib/server/runtime/config/schema';
import { production } from '@/tests/support/start-process';

const local = { FIREBASE_AUTH_EMULATOR_HOST: '127.0.0.1:9099' };

function getProblems(variables: Record<string, string | undefined>): string {
  try {
    parseEnv(variables);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return '';
}

describe('parseEnv', () => {
  it('runs locally with nothing but an emulator', () => {
    expect(getPublicEnv(parseEnv(local))).toMatchObject({
      appOrigin: 'http://localhost:3000',
      mainDomain: 'localhost',
      identityOrigin: 'http://localhost:3000',
      mobileScheme: 'campus',
      firebase: { emulatorUrl: 'http://127.0.0.1:9099' },
      sentry: null,
      mixpanel: null,
    });
  });

  it('accepts a complete production configuration', () => {
    const env = parseEnv({ ...production, PLATFORM_ORIGINS: 'https://a.campus.example, https://b.campus.example/' });
    expect(env.FIREBASE_PRIVATE_KEY).toBe(production.FIREBASE_PRIVATE_KEY);
    expect(getPlatformOrigins(env)).toEqual([
      'https://learn.campus.example',
      'https://a.campus.example',
      'https://b.campus.example',
    ]);
  });

  it('reports each problem on its own line, without values', () => {
    const message = getProblems({ NEXT_PUBLIC_APP_ORIGIN: 'ftp://wrong-value', TRUSTED_PROXY_HOPS: 'many', ...local });
    expect(message).toMatch(/^ {2}NEXT_PUBLIC_APP_ORIGIN: /m);
    expect(message).toMatch(/^ {2}TRUSTED_PROXY_HOPS: /m);
    expect(message).not.toContain('wrong-value');
  });

  it('reports in one pass, in words, what is invalid by itself and what does not fit together', () => {
    const message = getProblems({
      ...production,
      NEXT_PUBLIC_PLATFORM_ORIGIN: 'https://learn.other.example',
      PLATFORM_ORIGINS: 'https://school.campus.example,https://campus.example/courses',
      NEXT_PUBLIC_SUPPORT_MAILBOX: 'support',
      TRUSTED_PROXY_HOPS: 'many',
      LOG_LEVEL: 'loud',
      SESSION_BACKEND: 'upstream',
      REDIS_URI: 'redis://localhost',
      SENTRY_DSN: 'https://key@sentry.example/1',
      NEXT_PUBLIC_MIXPANEL_TOKENS: 'x',
      UNRELATED_NAME: 'x',
    });
    expect(message.split('\n').slice(1).toSorted()).toEqual([
      '  LOG_LEVEL: must be one of: debug, info, warn, error, silent',
      '  NEXT_PUBLIC_MIXPANEL_TOKENS: is not known; is it NEXT_PUBLIC_MIXPANEL_TOKEN?',
      '  NEXT_PUBLIC_PLATFORM_ORIGIN: must lie inside NEXT_PUBLIC_MAIN_DOMAIN, or browsers send it no session cookie',
      '  NEXT_PUBLIC_SUPPORT_MAILBOX: must be an email address',
      '  PLATFORM_ORIGINS: must be an origin such as https://id.campus.example, without a path',
      '  REDIS_URI: is not known; is it REDIS_URL?',
      '  SENTRY_DSN: is not known; is it NEXT_PUBLIC_SENTRY_DSN?',
      '  TRUSTED_PROXY_HOPS: must be a whole number from 0 to 10',
      '  UPSTREAM_IDENTITY_URL: is required when SESSION_BACKEND is upstream',
    ]);
  });

  it('has words of its own for every variable', () => {
    const invalid = VARIABLES.map((name) => {
      const lines = getProblems({ ...local, [name]: '\u0000' }).split('\n');
      return lines.find((line) => line.startsWith(`  ${name}: `)) ?? '';
    });
    expect(invalid.filter((line) => /invalid|expected|regular expression|undefined/i.test(line))).toEqual([]);
    expect(invalid.filter(Boolean).length).toBeGreaterThan(20);
  });

  it.each([
    [
      'the sample secret',
      { ...production, TOKEN_ENCRYPTION_SECRET: SAMPLE_ENCRYPTION_SECRET },
      'TOKEN_ENCRYPTION_SECRET',
    ],
    ['no secret', { ...production, TOKEN_ENCRYPTION_SECRET: undefined }, 'TOKEN_ENCRYPTION_SECRET'],
    ['a short secret', { ...production, TOKEN_ENCRYPTION_SECRET: 'c2hvcnQ=' }, 'TOKEN_ENCRYPTION_SECRET'],
    ['a low cost of recovery codes', { ...production, RECOVERY_CODE_COST: '13' }, 'RECOVERY_CODE_COST'],
    ['an emulator behind https', { ...production, ...local }, 'FIREBASE_AUTH_EMULATOR_HOST'],
    [
      'an emulator behind http on a public host',
      { ...local, NEXT_PUBLIC_APP_ORIGIN: 'http://id.campus.example', NEXT_PUBLIC_MAIN_DOMAIN: 'campus.example' },
      'FIREBASE_AUTH_EMULATOR_HOST',
    ],
    [
      'http on a public host',
      { ...production, NEXT_PUBLIC_APP_ORIGIN: 'http://id.campus.example' },
      'NEXT_PUBLIC_APP_ORIGIN',
    ],
    [
      'http on a platform',
      { ...production, NEXT_PUBLIC_PLATFORM_ORIGIN: 'http://learn.campus.example' },
      'NEXT_PUBLIC_PLATFORM_ORIGIN',
    ],
    [
      'an emulator on a look-alike of localhost',
      { ...local, NEXT_PUBLIC_APP_ORIGIN: 'https://localhost.example', NEXT_PUBLIC_MAIN_DOMAIN: 'localhost.example' },
      'FIREBASE_AUTH_EMULATOR_HOST',
    ],
    ['no credentials', { ...production, FIREBASE_PRIVATE_KEY: undefined }, 'FIREBASE_PRIVATE_KEY'],
    ['no upstream', { ...production, SESSION_BACKEND: 'upstream' }, 'UPSTREAM_IDENTITY_URL'],
    ['no legacy sign-in', { ...local, NEXT_PUBLIC_ROLLOUT_MODE: 'V2FirstLogin' }, 'NEXT_PUBLIC_LEGACY_SIGN_IN_URL'],
    [
      'an origin outside the domain',
      { ...production, NEXT_PUBLIC_MAIN_DOMAIN: 'other.example' },
      'NEXT_PUBLIC_APP_ORIGIN',
    ],
    ['a short admin token', { ...local, ADMIN_TOKEN: 'short' }, 'ADMIN_TOKEN'],
  ])('refuses %s', (_name, variables, culprit) => {
    expect(getProblems(variables)).toContain(`${culprit}:`);
  });

  it.each([
    ['http://localhost:3000', 'localhost'],
    ['http://acme.localhost:3000', 'localhost'],
    ['https://localhost:3000', 'localhost'],
    ['http://127.0.0.1:3000', '127.0.0.1'],
  ])('accepts the emulator with %s', (origin, domain) => {
    const platform = origin.replace('3000', '3001');
    const variables = { NEXT_PUBLIC_APP_ORIGIN: origin, NEXT_PUBLIC_MAIN_DOMAIN: domain };
    expect(getProblems({ ...local, ...variables, NEXT_PUBLIC_PLATFORM_ORIGIN: platform })).toBe('');
  });

  it.each(['redis://:50%off@redis:6379', 'redis://redis:6379,rediss://a%zz:b@redis:6379'])(
    'refuses a user name or password that is not percent-encoded: %s',
    (REDIS_URL) => {
      expect(getProblems({ ...local, REDIS_URL })).toMatch(/^ {2}REDIS_URL: must be percent-encoded: .* %25$/m);
      expect(getProblems({ ...local, REDIS_URL: REDIS_URL.replaceAll('%', '%25') })).toBe('');
    },
  );

  it('treats an empty number as missing', () => {
    const numbers = {
      ...{ RECOVERY_CODE_COST: 14, TRUSTED_PROXY_HOPS: 0, PROOF_OF_WORK: 2_000, SHUTDOWN_DELAY: 5 },
      ...{ REQUEST_TIMEOUT: 30, KEEP_ALIVE_TIMEOUT: 5_000 },
    };
    const empty = Object.fromEntries(Object.keys(numbers).map((name) => [name, '']));
    expect(parseEnv({ ...local, ...empty })).toMatchObject(numbers);
  });

  it('treats an empty optional value as missing', () => {
    const { REDIS_URL, ADMIN_TOKEN } = parseEnv({ ...local, REDIS_URL: '', ADMIN_TOKEN: '' });
    expect([REDIS_URL, ADMIN_TOKEN]).toEqual([undefined, undefined]);
  });
});
