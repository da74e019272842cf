import { z } from 'zod';
import { getPublicDsn } from '../observability/dsn';
import { isLocalHost } from './local-host';
import { isWithinDomain } from '@/lib/shared/callback/rules';
import { ROLLOUT_MODES, type PublicEnv } from '@/lib/shared/config/public-env';

/** The value in `.env.example`: accepted for local development, refused everywhere else. */
export const SAMPLE_ENCRYPTION_SECRET = 'c2FtcGxlLXNlY3JldC1jaGFuZ2UtbWUtMzItYnl0ZXM=';

const origin = z.url({ protocol: /^https?$/ }).transform((value) => new URL(value).origin);
const optional = <T extends z.ZodType>(schema: T) => z.preprocess((v) => (v === '' ? undefined : v), schema.optional());
const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);
const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

export const envSchema = z.object({
  NEXT_PUBLIC_APP_ORIGIN: origin.default('http://localhost:3000'),
  NEXT_PUBLIC_MAIN_DOMAIN: z
    .string()
    .regex(/^[a-z0-9.-]+$/, 'must be a bare lower-case domain')
    .default('localhost'),
  NEXT_PUBLIC_IDENTITY_ORIGIN: optional(origin),
  NEXT_PUBLIC_PLATFORM_ORIGIN: origin.default('http://localhost:3001'),
  PLATFORM_ORIGINS: list.pipe(z.array(origin)).default([]),
  NEXT_PUBLIC_MOBILE_SCHEME: z
    .string()
    .regex(/^[a-z][a-z0-9+.-]*$/, 'must be a URI scheme')
    .default('campus'),
  NEXT_PUBLIC_BRAND_NAME: z.string().min(1).default('Campus'),
  NEXT_PUBLIC_SUPPORT_MAILBOX: z.email().default('support@campus.test'),
  NEXT_PUBLIC_MAILBOX_DOMAINS: list.default(['campus.test']),
  NEXT_PUBLIC_FIREBASE_API_KEY: z.string().min(1).default('local-api-key'),
  NEXT_PUBLIC_FIREBASE_PROJECT_ID: z.string().min(1).default('demo-campus'),
  NEXT_PUBLIC_FIREBASE_AUTH_DOMAIN: optional(z.string()),
  AUTH_HELPER_URL: optional(origin),
  NEXT_PUBLIC_SOCIAL_SIGN_IN: z.enum(['popup', 'redirect']).default('popup'),
  FIREBASE_AUTH_EMULATOR_HOST: optional(z.string().regex(/^[\w.-]+:\d+$/, 'must be host:port')),
  FIREBASE_CLIENT_EMAIL: optional(z.email()),
  FIREBASE_PRIVATE_KEY: optional(
    z
      .string()
      .includes('PRIVATE KEY')
      .transform((key) => key.replaceAll('\\n', '\n')),
  ),
  SESSION_BACKEND: z.enum(['firebase', 'upstream']).default('firebase'),
  UPSTREAM_IDENTITY_URL: optional(origin),
  SMTP_URL: z.url({ protocol: /^smtps?$/ }).default('smtp://localhost:1025'),
  NO_REPLY_MAILBOX: z.email().default('no-reply@campus.test'),
  TOKEN_ENCRYPTION_SECRET: z
    .base64()
    .refine((text) => Buffer.from(text, 'base64').length === 32, 'must be 32 bytes in base64')
    .default(SAMPLE_ENCRYPTION_SECRET),
  ADMIN_TOKEN: optional(z.string().min(24, 'must have at least 24 characters')),
  REDIS_URL: optional(z.url({ protocol: /^rediss?$/ })),
  ORIGINS_FILE: z.string().default('config/origins.local.json'),
  DIRECTORY_FILE: z.string().default('config/directory.local.json'),
  NEXT_PUBLIC_SENTRY_DSN: optional(
    z.url().refine((text) => getPublicDsn(text) !== null, 'must be a DSN: https://key@host/project'),
  ),
  NEXT_PUBLIC_SENTRY_ENVIRONMENT: z.string().default('production'),
  NEXT_PUBLIC_RELEASE: z.string().default('development'),
  NEXT_PUBLIC_MIXPANEL_TOKEN: optional(z.string()),
  NEXT_PUBLIC_MIXPANEL_API_HOST: optional(z.url()),
  NEXT_PUBLIC_ANALYTICS_TEST_MAILBOX: z.email().default('test@campus.test'),
  NEXT_PUBLIC_ROLLOUT_MODE: z.enum(ROLLOUT_MODES).default('V3AndV2'),
  NEXT_PUBLIC_LEGACY_SIGN_IN_URL: optional(z.url()),
  NEXT_PUBLIC_PURCHASE_MARKERS: list.default(['source=b2b-purchase', 'source=b2c-purchase']),
  PLATFORM_API_URL: optional(origin),
  TRUSTED_PROXY_HOPS: z.coerce.number().int().min(0).max(10).default(0),
  REVEAL_EXISTING_ACCOUNTS: flag.default(false),
  LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
});

/** Origins that browsers open, whose `Secure` cookies need https. */
const BROWSER_ORIGINS = ['NEXT_PUBLIC_APP_ORIGIN', 'NEXT_PUBLIC_IDENTITY_ORIGIN', 'NEXT_PUBLIC_PLATFORM_ORIGIN', 'PLATFORM_ORIGINS'] as const; // prettier-ignore

function isPlainHttp(value: string): boolean {
  const { protocol, hostname } = new URL(value);
  return protocol === 'http:' && !isLocalHost(hostname);
}

/** Names of all variables, as documented in `.env.example` and docs/configuration.md. */
export const VARIABLES = Object.keys(envSchema.shape);

const checked = envSchema.superRefine((env, ctx) => {
  const complain = (name: keyof typeof env, message: string) => ctx.addIssue({ code: 'custom', path: [name], message });
  const isLocal = env.FIREBASE_AUTH_EMULATOR_HOST !== undefined;
  if (!isLocal && env.SESSION_BACKEND === 'firebase') {
    if (!env.FIREBASE_CLIENT_EMAIL)
      complain('FIREBASE_CLIENT_EMAIL', 'is required unless FIREBASE_AUTH_EMULATOR_HOST is set');
    if (!env.FIREBASE_PRIVATE_KEY)
      complain('FIREBASE_PRIVATE_KEY', 'is required unless FIREBASE_AUTH_EMULATOR_HOST is set');
  }
  if (!isLocal && env.TOKEN_ENCRYPTION_SECRET === SAMPLE_ENCRYPTION_SECRET)
    complain('TOKEN_ENCRYPTION_SECRET', 'is the sample value; make one with: openssl rand -base64 32');
  // By host, not by scheme: behind a proxy that terminates TLS an origin can be public and still be written as http.
  if (isLocal && !isLocalHost(new URL(env.NEXT_PUBLIC_APP_ORIGIN).hostname))
    complain('FIREBASE_AUTH_EMULATOR_HOST', 'accepts unsigned tokens and must not be set outside of localhost');
  for (const name of BROWSER_ORIGINS)
    for (const value of [env[name] ?? []].flat())
      if (isPlainHttp(value)) complain(name, 'must be https, except on localhost');
  if (env.SESSION_BACKEND === 'upstream' && !env.UPSTREAM_IDENTITY_URL)
    complain('UPSTREAM_IDENTITY_URL', 'is required when SESSION_BACKEND is upstream');
  if (env.NEXT_PUBLIC_ROLLOUT_MODE === 'V2FirstLogin' && !env.NEXT_PUBLIC_LEGACY_SIGN_IN_URL)
    complain('NEXT_PUBLIC_LEGACY_SIGN_IN_URL', 'is required when NEXT_PUBLIC_ROLLOUT_MODE is V2FirstLogin');
  if (!isWithinDomain(new URL(env.NEXT_PUBLIC_APP_ORIGIN).hostname, env.NEXT_PUBLIC_MAIN_DOMAIN))
    complain('NEXT_PUBLIC_APP_ORIGIN', 'must lie inside NEXT_PUBLIC_MAIN_DOMAIN, or its cookies are refused');
});

export type Env = z.output<typeof envSchema>;

/** An invalid configuration, with one readable line per problem. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';
}

/**
 * Reads and validates variables.
 * @throws ConfigurationError naming every variable that is missing or invalid, never its value
 */
export function parseEnv(variables: Record<string, string | undefined>): Env {
  const result = checked.safeParse(variables);
  if (result.success) return result.data;
  const lines = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new ConfigurationError(`The configuration cannot be used:\n${lines.join('\n')}`);
}

let cached: Env | undefined;

/** The process's configuration, validated at the first call (at startup by `instrumentation.ts`). */
export function env(): Env {
  cached ??= parseEnv(process.env);
  return cached;
}

/** The public part of the configuration, safe to send to a browser. */
export function getPublicEnv(source: Env = env()): PublicEnv {
  const emulator = source.FIREBASE_AUTH_EMULATOR_HOST;
  const dsn = source.NEXT_PUBLIC_SENTRY_DSN && getPublicDsn(source.NEXT_PUBLIC_SENTRY_DSN);
  const token = source.NEXT_PUBLIC_MIXPANEL_TOKEN;
  return {
    appOrigin: source.NEXT_PUBLIC_APP_ORIGIN,
    mainDomain: source.NEXT_PUBLIC_MAIN_DOMAIN,
    identityOrigin: source.NEXT_PUBLIC_IDENTITY_ORIGIN ?? source.NEXT_PUBLIC_APP_ORIGIN,
    platformOrigin: source.NEXT_PUBLIC_PLATFORM_ORIGIN,
    mobileScheme: source.NEXT_PUBLIC_MOBILE_SCHEME,
    brandName: source.NEXT_PUBLIC_BRAND_NAME,
    supportMailbox: source.NEXT_PUBLIC_SUPPORT_MAILBOX,
    mailboxDomains: source.NEXT_PUBLIC_MAILBOX_DOMAINS,
    firebase: {
      apiKey: source.NEXT_PUBLIC_FIREBASE_API_KEY,
      projectId: source.NEXT_PUBLIC_FIREBASE_PROJECT_ID,
      authDomain: source.NEXT_PUBLIC_FIREBASE_AUTH_DOMAIN ?? new URL(source.NEXT_PUBLIC_APP_ORIGIN).host,
      emulatorUrl: emulator ? `http://${emulator}` : null,
    },
    socialSignIn: source.NEXT_PUBLIC_SOCIAL_SIGN_IN,
    rolloutMode: source.NEXT_PUBLIC_ROLLOUT_MODE,
    legacySignInUrl: source.NEXT_PUBLIC_LEGACY_SIGN_IN_URL ?? null,
    purchaseMarkers: source.NEXT_PUBLIC_PURCHASE_MARKERS,
    sentry: dsn
      ? { dsn, environment: source.NEXT_PUBLIC_SENTRY_ENVIRONMENT, release: source.NEXT_PUBLIC_RELEASE }
      : null,
    mixpanel: token
      ? {
          token,
          apiHost: source.NEXT_PUBLIC_MIXPANEL_API_HOST ?? null,
          testMailbox: source.NEXT_PUBLIC_ANALYTICS_TEST_MAILBOX,
        }
      : null,
  };
}

/**
 * Upstream origin of the identity provider's sign-in helper (docs/adr/0010).
 * @returns null for the emulator, which has its own helper
 */
export function getAuthHelperOrigin(source: Env = env()): string | null {
  if (source.AUTH_HELPER_URL !== undefined) return source.AUTH_HELPER_URL;
  if (source.FIREBASE_AUTH_EMULATOR_HOST !== undefined) return null;
  return `https://${source.NEXT_PUBLIC_FIREBASE_PROJECT_ID}.firebaseapp.com`;
}

/** Origins whose pages may call the session API with credentials. */
export function getPlatformOrigins(source: Env = env()): string[] {
  return [source.NEXT_PUBLIC_PLATFORM_ORIGIN, ...source.PLATFORM_ORIGINS];
}
