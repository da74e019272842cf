import { readFileSync } from 'node:fs';
import { dsnToString, getEnvelopeEndpointWithUrlEncodedAuth, makeDsn, type DsnComponents } from '@sentry/core';
import { z } from 'zod';
import { isWithinDomain } from '@/lib/shared/callback/rules';
import { ROLLOUT_MODES } from '@/lib/shared/config/public-env';
import { PSEUDO_LANGUAGE, SOURCE_LANGUAGE, languages } from '@/lib/shared/i18n/languages';
import { readPrivateKey } from './private-key';

/** Returns the public form of a DSN, without the secret key that old DSNs contain. @returns null if it is not a DSN */
export function getPublicDsn(text: string): string | null {
  const dsn = parseDsn(text);
  return dsn ? dsnToString(dsn) : null;
}

/** Returns the envelope endpoint of a DSN's project. @returns null if it is not a DSN */
export function envelopeUrl(text: string): string | null {
  const dsn = parseDsn(text);
  return dsn ? getEnvelopeEndpointWithUrlEncodedAuth(dsn) : null;
}

/** Removes the secret key first, because Sentry's parser refuses some keys and writes them to the console. */
function parseDsn(text: string): DsnComponents | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.search || url.hash) return undefined;
  url.password = '';
  return makeDsn(url.href);
}

/** The value in `.env.example`. It is accepted for local development, and refused everywhere else. */
export const SAMPLE_ENCRYPTION_SECRET = 'c2FtcGxlLXNlY3JldC1jaGFuZ2UtbWUtMzItYnl0ZXM=';

/** log2 of the cost N of scrypt (RFC 7914): 16 MiB with r = 8. */
export const FULL_RECOVERY_CODE_COST = 14;

// Every check has its own message, so an operator does not need to know the schema library.
const isBareOrigin = (value: string) => {
  if (!URL.canParse(value)) return false;
  const { origin, href } = new URL(value);
  return href === `${origin}/`;
};
const NOT_AN_ORIGIN = 'must be an origin such as https://id.campus.example, without a path';
const origin = z
  .url({ protocol: /^https?$/, error: NOT_AN_ORIGIN })
  .refine(isBareOrigin, NOT_AN_ORIGIN)
  .transform((value) => new URL(value).origin);
const webAddress = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });
const mailbox = z.email('must be an email address');
const text = z.string().min(1, 'must not be empty');
const optional = <T extends z.ZodType>(schema: T) => z.preprocess((v) => (v === '' ? undefined : v), schema.optional());
/** Treats an empty variable as unset, because it would be read as the number 0. */
const orDefault = (schema: z.ZodType<number>, value: number) =>
  z.preprocess((v) => (v === '' ? value : v), schema).default(value);
const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
);
const NOT_A_LENGTH = 'must be the least and the most characters, such as 3-28, of 1 to 100';
const DEFAULT_NAME_LENGTH = '3-28';
const nameLength = z
  .string()
  .regex(/^\d{1,3}-\d{1,3}$/, NOT_A_LENGTH)
  .transform((value) => {
    const [min = 0, max = 0] = value.split('-').map(Number);
    return { min, max };
  })
  .refine(({ min, max }) => min >= 1 && min <= max && max <= 100, NOT_A_LENGTH);
const choice = <const T extends readonly string[]>(values: T) => z.enum(values, `must be one of: ${values.join(', ')}`);
const flag = z.enum(['true', 'false'], 'must be true or false').transform((value) => value === 'true');
const wholeNumber = (
  least: number,
  most: number,
  error = `must be a whole number from ${String(least)} to ${String(most)}`,
) => z.coerce.number(error).int(error).min(least, error).max(most, error);

const NOT_REDIS =
  'must be a redis:// or rediss:// address, or those of several nodes of a Redis Cluster, comma-separated';
const NOT_ENCODED = 'must be percent-encoded: a % in its user name or password is written %25';
const canDecode = (value: string) => {
  const { username, password } = new URL(value);
  try {
    decodeURIComponent(username + password);
    return true;
  } catch {
    return false;
  }
};
const redisNode = z.url({ protocol: /^rediss?$/, error: NOT_REDIS, abort: true }).refine(canDecode, NOT_ENCODED);
/** Splits only before a scheme, because a password may contain a comma. */
const redisNodes = z
  .string()
  .transform((value) => value.split(/\s*,\s*(?=rediss?:)/))
  .pipe(z.tuple([redisNode], redisNode));

/** Key derivations. `npm run bench -- proof` measures how long they take. */
const DEFAULT_DIFFICULTY = 2_000;
const NOT_A_DIFFICULTY = 'must be a whole number from 50 to 20000, or 0 for none';
const difficulty = wholeNumber(0, 20_000, NOT_A_DIFFICULTY).refine(
  (value) => value === 0 || value >= 50,
  NOT_A_DIFFICULTY,
);

const NOT_A_CONTACT = 'must be mailto:security@campus.example or an https:// address, or several, comma-separated';
/** A `Contact` of RFC 9116, section 2.5.3, without `tel:`. */
const contact = z.string().regex(/^(?:mailto:[^\s@,?]+@[^\s@,?]+|https:\/\/[^\s,]+)$/, NOT_A_CONTACT);
const futureTime = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2027-06-30T00:00:00Z' })
  .refine((value) => Date.parse(value) > Date.now(), 'has passed: confirm the contact and set a later time')
  .transform((value) => new Date(value));
/** RFC 5646, without private use. */
const languageTag = z.string().regex(/^[a-z]{2,3}(?:-[a-z\d]{2,8})*$/i, 'must be language tags such as en,de');

const locale = choice([...languages, PSEUDO_LANGUAGE]);
const NO_LOCALE = 'must not be empty';

const NOT_A_SECRET = 'must be 32 bytes in base64, or several such secrets, comma-separated';
const NOT_ONE_SECRET = 'must be 32 bytes in base64';
/**
 * Valid characters of `Authorization: Bearer` (`requireAdmin`). The check also detects a comment after the value, which
 * Docker's --env-file keeps.
 */
const BEARER_TOKEN = /^[\w.~+/=-]*$/;
const isSecret = (value: string) => Buffer.from(value, 'base64').length === 32;

const NOT_AN_RP_ID = 'must be a bare lower-case domain such as id.campus.example, or off';
const NOT_AN_APPLE_APP = 'must be app IDs such as ABCDE12345.example.campus.app: team ID, dot, bundle ID';
/** `application-identifier`: the team ID and the bundle ID. */
const appleApp = z.string().regex(/^[A-Z\d]{10}(?:\.[A-Za-z\d-]+)+$/, NOT_AN_APPLE_APP);
const NOT_AN_ANDROID_APP =
  'must be apps such as example.campus.app/14:6D:…: package name, slash, SHA-256 fingerprint of its certificate in 32 upper-case pairs with colons';
const androidApp = z
  .string()
  .regex(/^[A-Za-z]\w*(?:\.[A-Za-z]\w*)+\/[A-F\d]{2}(?::[A-F\d]{2}){31}$/, NOT_AN_ANDROID_APP)
  .transform((value) => {
    const [name = '', fingerprint = ''] = value.split('/');
    return { name, fingerprint };
  });

/** An address that receives part of a password's hash. */
const rangeService = z
  .url({ protocol: /^https?$/, error: 'must be an https address', abort: true })
  .refine((value) => {
    const { protocol, hostname, search, hash } = new URL(value);
    return (protocol === 'https:' || isLocalHost(hostname)) && search === '' && hash === '';
  }, 'must be an https address without a query; http only on localhost')
  .transform((value) => value.replace(/\/?$/, '/'));

/** Signed events name accounts, so only this machine may receive them unencrypted. */
export const webhookAddress = z
  .url({ protocol: /^https?$/, error: 'must be an https address', abort: true })
  .refine((value) => {
    const { protocol, hostname, username, password } = new URL(value);
    return username + password === '' && (protocol === 'https:' || isLocalHost(hostname));
  }, 'must be an https address without a user name; http only on localhost');
export const NOT_A_WEBHOOK_SECRET =
  'must be whsec_ and 24 to 64 bytes in base64, or several such secrets, comma-separated';
export const isWebhookSecret = (value: string) => {
  const [, encoded] = /^whsec_([A-Za-z\d+/]+={0,2})$/.exec(value) ?? [];
  const { length } = Buffer.from(encoded ?? '', 'base64');
  return length >= 24 && length <= 64;
};

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
    .regex(/^[a-z][a-z0-9+.-]*$/, 'must be a URI scheme, without ://')
    .default('campus'),
  NEXT_PUBLIC_BRAND_NAME: text.default('Campus'),
  NEXT_PUBLIC_SUPPORT_MAILBOX: mailbox.default('support@campus.test'),
  NEXT_PUBLIC_NAME_LENGTH: z
    .preprocess((value) => (value === '' ? DEFAULT_NAME_LENGTH : value), nameLength)
    .prefault(DEFAULT_NAME_LENGTH),
  NEXT_PUBLIC_MAILBOX_DOMAINS: list.default(['campus.test']),
  NEXT_PUBLIC_FIREBASE_API_KEY: text.default('local-api-key'),
  NEXT_PUBLIC_FIREBASE_PROJECT_ID: text.default('demo-campus'),
  NEXT_PUBLIC_FIREBASE_AUTH_DOMAIN: optional(z.string().regex(/^[\w.-]+(:\d+)?$/, 'must be a host, without https://')),
  AUTH_HELPER_URL: optional(origin),
  NEXT_PUBLIC_SOCIAL_SIGN_IN: choice(['popup', 'redirect']).default('popup'),
  FIREBASE_AUTH_EMULATOR_HOST: optional(z.string().regex(/^[\w.-]+:\d+$/, 'must be host:port')),
  FIREBASE_CREDENTIALS: choice(['service-account', 'application-default']).default('service-account'),
  FIREBASE_CLIENT_EMAIL: optional(mailbox),
  FIREBASE_PRIVATE_KEY: optional(
    z
      .string()
      .transform(readPrivateKey)
      .pipe(
        z.string(
          'must be the private_key of a service account, whole: from its BEGIN to its END line, with \\n or line breaks between. systemd removes the backslashes outside of double quotes',
        ),
      ),
  ),
  SESSION_BACKEND: choice(['firebase', 'upstream']).default('firebase'),
  UPSTREAM_IDENTITY_URL: optional(origin),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// address' })
    .default('smtp://localhost:1025'),
  NO_REPLY_MAILBOX: mailbox.default('no-reply@campus.test'),
  TOKEN_ENCRYPTION_SECRET: list
    .pipe(z.array(z.base64(NOT_A_SECRET).refine(isSecret, NOT_A_SECRET)).min(1, NOT_A_SECRET))
    .default([SAMPLE_ENCRYPTION_SECRET]),
  SECOND_FACTOR_SECRET: list.pipe(z.array(z.base64(NOT_A_SECRET).refine(isSecret, NOT_A_SECRET))).default([]),
  RECOVERY_CODE_COST: orDefault(wholeNumber(1, FULL_RECOVERY_CODE_COST), FULL_RECOVERY_CODE_COST),
  PASSKEY_RP_ID: optional(z.string().regex(/^(?:off|localhost|[a-z\d-]+(?:\.[a-z\d-]+)+)$/, NOT_AN_RP_ID)),
  PASSKEY_ORIGINS: list.pipe(z.array(origin)).default([]),
  APPLE_APP_IDS: list.pipe(z.array(appleApp)).default([]),
  ANDROID_APPS: list.pipe(z.array(androidApp)).default([]),
  ADMIN_TOKEN: optional(
    z
      .string()
      .min(24, 'must have at least 24 characters')
      .regex(BEARER_TOKEN, 'must have only letters, digits and -._~+/=; a comment needs a line of its own'),
  ),
  REDIS_URL: optional(redisNodes),
  DATABASE_URL: optional(
    z
      .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address', abort: true })
      .refine(canDecode, NOT_ENCODED),
  ),
  DATABASE_FOLDER: optional(z.string()),
  BREACHED_PASSWORDS_URL: optional(rangeService),
  WEBHOOK_URL: optional(webhookAddress),
  WEBHOOK_SECRET: list.pipe(z.array(z.string().refine(isWebhookSecret, NOT_A_WEBHOOK_SECRET))).default([]),
  WEBHOOKS_FILE: optional(z.string()),
  OPERATORS_FILE: optional(z.string()),
  OIDC_CLIENTS_FILE: optional(z.string()),
  OIDC_KEYS_FILE: optional(z.string()),
  OIDC_PAIRWISE_SECRET: optional(z.base64(NOT_ONE_SECRET).refine(isSecret, NOT_ONE_SECRET)),
  ORIGINS_FILE: optional(z.string()),
  DIRECTORY_FILE: optional(z.string()),
  NEXT_PUBLIC_SENTRY_DSN: optional(
    z
      .url('must be a DSN: https://key@host/project')
      .refine((value) => getPublicDsn(value) !== null, 'must be a DSN: https://key@host/project'),
  ),
  NEXT_PUBLIC_SENTRY_ENVIRONMENT: z.string().default('production'),
  NEXT_PUBLIC_RELEASE: z.string().default('development'),
  NEXT_PUBLIC_MIXPANEL_TOKEN: optional(z.string()),
  NEXT_PUBLIC_MIXPANEL_API_HOST: optional(webAddress),
  NEXT_PUBLIC_ANALYTICS_TEST_MAILBOX: mailbox.default('test@campus.test'),
  NEXT_PUBLIC_ROLLOUT_MODE: choice(ROLLOUT_MODES).default('V3AndV2'),
  NEXT_PUBLIC_LEGACY_SIGN_IN_URL: optional(webAddress),
  NEXT_PUBLIC_PURCHASE_MARKERS: list.default(['source=b2b-purchase', 'source=b2c-purchase']),
  PLATFORM_API_URL: optional(origin),
  TRUSTED_PROXY_HOPS: orDefault(wholeNumber(0, 10), 0),
  REVEAL_EXISTING_ACCOUNTS: flag.default(false),
  PROOF_OF_WORK: orDefault(difficulty, DEFAULT_DIFFICULTY),
  CHECK_PORT: optional(wholeNumber(1, 65_535)),
  SHUTDOWN_DELAY: orDefault(wholeNumber(0, 60), 5),
  REQUEST_TIMEOUT: orDefault(wholeNumber(1, 300), 30),
  KEEP_ALIVE_TIMEOUT: orDefault(wholeNumber(1000, 3_600_000), 5000),
  SECURITY_CONTACT: list.pipe(z.array(contact)).default([]),
  SECURITY_CONTACT_EXPIRES: optional(futureTime),
  SECURITY_CONTACT_LANGUAGES: list.pipe(z.array(languageTag).min(1, 'must not be empty')).default(['en']),
  LANGUAGE_HEADER: optional(
    z.string().regex(/^[a-z][a-z\d-]*$/, 'must be the lower-case name of a header, such as x-language'),
  ),
  LOCALES: list.pipe(z.tuple([locale], locale, NO_LOCALE)).default([SOURCE_LANGUAGE]),
  LOG_LEVEL: choice(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
});

/** The framework's server reads `PORT`, and replaces an invalid value by 3000. */
const NOT_A_PORT = 'must be a whole number from 0 to 65535';
const portSchema = optional(
  // Accept only decimal digits, because the framework's parser reads `1e3` as 1.
  z
    .string()
    .regex(/^\d{1,5}$/, NOT_A_PORT)
    .refine((port) => Number(port) <= 65_535, NOT_A_PORT),
);

/** @returns the problem of `PORT`, which is not part of the configuration */
export function findPortProblem(port: string | undefined): string | undefined {
  return portSchema.safeParse(port).error?.issues[0]?.message;
}

export type Env = z.output<typeof envSchema>;

/** Names of all variables, as documented in `.env.example` and docs/configuration.md. */
export const VARIABLES = Object.keys(envSchema.shape) as (keyof Env)[];

/**
 * Whether a host name always resolves to this machine: localhost and its subdomains (RFC 6761, section 6.3), or
 * loopback.
 */
export function isLocalHost(hostname: string): boolean {
  return isWithinDomain(hostname, 'localhost') || /^127(?:\.\d{1,3}){3}$/.test(hostname) || hostname === '[::1]';
}

/**
 * Variables with secrets, which are never shown, logged or put into an image. Each can be read from a file,
 * `{name}_FILE`.
 */
export const SECRETS = [
  'FIREBASE_PRIVATE_KEY',
  'TOKEN_ENCRYPTION_SECRET',
  'SECOND_FACTOR_SECRET',
  'REDIS_URL',
  'DATABASE_URL',
  'ADMIN_TOKEN',
  'SMTP_URL',
  'WEBHOOK_SECRET',
  'OIDC_PAIRWISE_SECRET',
] as const satisfies readonly (keyof Env)[];
export const SECRET_FILES = SECRETS.map((name) => `${name}_FILE`);

export type Variables = Record<string, string | undefined>;

/** Adds the secrets from files, which orchestrators mount. */
export function readSecretFiles(variables: Variables): { variables: Variables; problems: string[] } {
  const problems: string[] = [];
  const secrets = SECRETS.flatMap((name): [string, string][] => {
    const path = variables[`${name}_FILE`];
    if (!path) return [];
    if (variables[name]) problems.push(`${name}: is given twice, by itself and by ${name}_FILE`);
    try {
      // Editors and `echo` end a file with a line break.
      const value = readFileSync(path, 'utf8').trimEnd();
      // An empty variable is unset, but an empty file is an error. A failed mount must not turn Redis off.
      if (value === '') problems.push(`${name}_FILE: the file of ${name} is empty`);
      return [[name, value]];
    } catch (error) {
      problems.push(`${name}_FILE: ${path} cannot be read (${(error as { code?: string }).code ?? 'unknown'})`);
      return [];
    }
  });
  return { variables: { ...variables, ...Object.fromEntries(secrets) }, problems };
}
