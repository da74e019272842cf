import { isWithinDomain } from '@/lib/shared/callback/rules';
import type { PublicEnv } from '@/lib/shared/config/public-env';
import { PSEUDO_LANGUAGE, describeLanguage, type Language } from '@/lib/shared/i18n/languages';
import { wellKnownPaths } from '@/lib/shared/paths';
import { findFileProblems } from './named-files';
import { findMisspelledNames } from './names';
import {
  FULL_RECOVERY_CODE_COST,
  SAMPLE_ENCRYPTION_SECRET,
  SECRET_FILES,
  VARIABLES,
  envSchema,
  findPortProblem,
  getPublicDsn,
  isLocalHost,
  readSecretFiles,
  type Env,
  type Variables,
} from './schema';

/** An invalid configuration, with one readable line per problem. */
export class ConfigurationError extends Error {
  override name = 'ConfigurationError';

  constructor(readonly problems: readonly string[]) {
    super(`The configuration cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

/** Where the framework's server listens without `PORT`. */
const DEFAULT_PORT = 3000;

/**
 * Reads and validates variables.
 * @throws ConfigurationError naming every variable that is missing, invalid or misspelled, never its value
 */
export function parseEnv(given: Variables): Env {
  const { variables, problems: unreadable } = readSecretFiles(given);
  const { values, problems: invalid } = readVariables(variables);
  const port = findPortProblem(variables.PORT);
  const isTaken = values.CHECK_PORT !== undefined && values.CHECK_PORT === Number(variables.PORT || DEFAULT_PORT);
  const problems = [
    ...unreadable,
    ...invalid,
    ...(port === undefined ? [] : [`PORT: ${port}`]),
    ...(isTaken ? ['CHECK_PORT: must be another port than PORT'] : []),
  ];
  // What a variable lacks that is itself invalid is no second problem.
  const isNew = (line: string) => !problems.some((problem) => problem.split(':', 1)[0] === line.split(':', 1)[0]);
  const conflicts = findConflicts(values).filter(isNew);
  const files = findFileProblems(values, variables);
  const all = [...problems, ...conflicts, ...files, ...findMisspelledNames(variables, [...VARIABLES, ...SECRET_FILES])];
  if (all.length > 0) throw new ConfigurationError(all);
  return values as Env;
}

/** Each variable on its own: one that is invalid must not hide what is wrong with the others. */
function readVariables(variables: Variables): { values: Partial<Env>; problems: string[] } {
  const read = VARIABLES.map((name) => ({ name, ...envSchema.shape[name].safeParse(variables[name]) }));
  return {
    values: Object.fromEntries(read.flatMap(({ name, success, data }) => (success ? [[name, data]] : []))),
    problems: read.flatMap(({ name, error }) => (error ? [`${name}: ${error.issues[0]?.message ?? ''}`] : [])),
  };
}

let cached: Env | undefined;

/** The process's configuration, validated at the first call (at startup by `instrumentation.ts`). */
export function env(): Env {
  cached ??= parseEnv(process.env);
  return cached;
}

/** Its log level, even when others are invalid: what is wrong with them is logged as well. */
export function getLogLevel(): Env['LOG_LEVEL'] {
  return envSchema.shape.LOG_LEVEL.catch('info').parse(process.env.LOG_LEVEL);
}

/**
 * What the server that listens needs, even when other variables are invalid: it listens before the start hook has
 * validated them.
 */
export function getServerSettings(
  source: Variables = process.env,
): Pick<Env, 'REQUEST_TIMEOUT' | 'KEEP_ALIVE_TIMEOUT' | 'TRUSTED_PROXY_HOPS'> {
  const { REQUEST_TIMEOUT, KEEP_ALIVE_TIMEOUT, TRUSTED_PROXY_HOPS } = envSchema.shape;
  return {
    REQUEST_TIMEOUT: REQUEST_TIMEOUT.catch(REQUEST_TIMEOUT.parse(undefined)).parse(source.REQUEST_TIMEOUT),
    KEEP_ALIVE_TIMEOUT: KEEP_ALIVE_TIMEOUT.catch(KEEP_ALIVE_TIMEOUT.parse(undefined)).parse(source.KEEP_ALIVE_TIMEOUT),
    TRUSTED_PROXY_HOPS: TRUSTED_PROXY_HOPS.catch(0).parse(source.TRUSTED_PROXY_HOPS),
  };
}

/** The address on which the process listens, all of IPv4 by default. It is no part of the configuration. */
export function getListenHost(): string {
  return process.env.HOSTNAME || '0.0.0.0';
}

/** Runs a program that reads HOSTNAME as it starts, with another value of it. */
export function runWithHostname(value: string, run: () => void): void {
  const own = getListenHost();
  process.env.HOSTNAME = value;
  run();
  process.env.HOSTNAME = own;
}

/** Key of the hashes of imported passwords, in base64: for one import, so no part of the configuration. */
export function readImportHashKey(): string | undefined {
  return process.env.IMPORT_HASH_KEY;
}

/** The variables of this process that name files, even when others are invalid. */
export function getFileVariables(): Variables {
  return process.env;
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
    nameLength: source.NEXT_PUBLIC_NAME_LENGTH,
    mailboxDomains: source.NEXT_PUBLIC_MAILBOX_DOMAINS,
    firebase: {
      apiKey: source.NEXT_PUBLIC_FIREBASE_API_KEY,
      projectId: source.NEXT_PUBLIC_FIREBASE_PROJECT_ID,
      authDomain: source.NEXT_PUBLIC_FIREBASE_AUTH_DOMAIN ?? new URL(source.NEXT_PUBLIC_APP_ORIGIN).host,
      emulatorUrl: emulator ? `http://${emulator}` : null,
    },
    socialSignIn: source.NEXT_PUBLIC_SOCIAL_SIGN_IN,
    // Depends on the origin of the page (lib/server/web/page.ts).
    passkeys: false,
    rolloutMode: source.NEXT_PUBLIC_ROLLOUT_MODE,
    legacySignInUrl: source.NEXT_PUBLIC_LEGACY_SIGN_IN_URL ?? null,
    purchaseMarkers: source.NEXT_PUBLIC_PURCHASE_MARKERS,
    ...(source.LOCALES.length > 1 && {
      locales: source.LOCALES.map((code): [Language, string] => [code, describeLanguage(code).name]),
    }),
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

/** The file security.txt (RFC 9116, section 2.3). @returns null when no contact is configured */
export function buildSecurityTxt({
  SECURITY_CONTACT: contacts,
  SECURITY_CONTACT_EXPIRES: expires,
  SECURITY_CONTACT_LANGUAGES: languages,
  NEXT_PUBLIC_APP_ORIGIN: origin,
}: Env): string | null {
  if (contacts.length === 0 || !expires) return null;
  const lines = [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires.toISOString()}`,
    `Canonical: ${origin}${wellKnownPaths.securityTxt}`,
    `Preferred-Languages: ${languages.join(', ')}`,
  ];
  return lines.map((line) => `${line}\n`).join('');
}

type Check = [name: keyof Env, isProblem: boolean | undefined, problem: string];

/** Origins that browsers open, whose `Secure` cookies need https. */
const BROWSER_ORIGINS = [
  'NEXT_PUBLIC_APP_ORIGIN',
  'NEXT_PUBLIC_IDENTITY_ORIGIN',
  'NEXT_PUBLIC_PLATFORM_ORIGIN',
  'PLATFORM_ORIGINS',
] as const;
/** Origins that share cookies: `SameSite=Lax` withholds them from calls of any other site. */
const SAME_SITE_ORIGINS = ['NEXT_PUBLIC_APP_ORIGIN', 'NEXT_PUBLIC_PLATFORM_ORIGIN', 'PLATFORM_ORIGINS'] as const;

const isPublicHttp = ({ protocol, hostname }: URL) => protocol === 'http:' && !isLocalHost(hostname);

/**
 * Finds variables that are valid by themselves and not together.
 * @param env without the variables that are invalid: what depends on them is not checked
 * @returns one line per problem
 */
export function findConflicts(env: Partial<Env>): string[] {
  const checks = [...checkProvider(env), ...checkDependencies(env), ...checkOrigins(env)];
  return checks.flatMap(([name, isProblem, problem]) => (isProblem ? [`${name}: ${problem}`] : []));
}

function checkProvider(env: Partial<Env>): Check[] {
  const { FIREBASE_AUTH_EMULATOR_HOST: emulator, FIREBASE_CREDENTIALS: credentials } = env;
  // Absent, not only undefined: of an emulator host that is invalid nothing is known.
  const isTrial = !('FIREBASE_AUTH_EMULATOR_HOST' in env) || emulator !== undefined;
  const needsAccount = !isTrial && env.SESSION_BACKEND === 'firebase' && credentials === 'service-account';
  // Not as `name=value`: the log would remove the value.
  const required =
    'is required unless FIREBASE_AUTH_EMULATOR_HOST is set, or FIREBASE_CREDENTIALS is application-default';
  return [
    ['FIREBASE_CLIENT_EMAIL', needsAccount && 'FIREBASE_CLIENT_EMAIL' in env && !env.FIREBASE_CLIENT_EMAIL, required],
    ['FIREBASE_PRIVATE_KEY', needsAccount && !env.FIREBASE_PRIVATE_KEY, required],
    [
      'FIREBASE_PRIVATE_KEY',
      credentials === 'application-default' && env.FIREBASE_PRIVATE_KEY !== undefined,
      'is not used with application-default credentials',
    ],
    [
      'TOKEN_ENCRYPTION_SECRET',
      !isTrial && env.TOKEN_ENCRYPTION_SECRET?.includes(SAMPLE_ENCRYPTION_SECRET),
      'is the sample value; make one with: openssl rand -base64 32',
    ],
    [
      'RECOVERY_CODE_COST',
      !isTrial && env.RECOVERY_CODE_COST !== undefined && env.RECOVERY_CODE_COST < FULL_RECOVERY_CODE_COST,
      'is for tests: a lower cost is accepted with FIREBASE_AUTH_EMULATOR_HOST alone',
    ],
    [
      'FIREBASE_AUTH_EMULATOR_HOST',
      emulator !== undefined && isPublic(env.NEXT_PUBLIC_APP_ORIGIN),
      'accepts unsigned tokens and must not be set outside of localhost',
    ],
  ];
}

/** By host, not by scheme: behind a proxy that terminates TLS an origin can be public and still be written as http. */
function isPublic(origin: string | undefined): boolean {
  return origin !== undefined && !isLocalHost(new URL(origin).hostname);
}

function checkDependencies(env: Partial<Env>): Check[] {
  const { NEXT_PUBLIC_APP_ORIGIN: app, PASSKEY_RP_ID: rpId, DATABASE_FOLDER: folder } = env;
  return [
    [
      'LOCALES',
      env.LOCALES?.includes(PSEUDO_LANGUAGE) && isPublic(app),
      `${PSEUDO_LANGUAGE} is for tests and development, on localhost`,
    ],
    [
      'UPSTREAM_IDENTITY_URL',
      env.SESSION_BACKEND === 'upstream' && !env.UPSTREAM_IDENTITY_URL,
      'is required when SESSION_BACKEND is upstream',
    ],
    [
      'PASSKEY_RP_ID',
      rpId !== undefined &&
        rpId !== 'off' &&
        app !== undefined &&
        !isWithinDomain(new URL(app).hostname, rpId) &&
        // Named there, it is meant: after a move of the host, by related origins (docs/adr/0031).
        env.PASSKEY_ORIGINS?.includes(app) === false,
      'must be the host of NEXT_PUBLIC_APP_ORIGIN or a domain above it, or browsers refuse every passkey; after a move, name that origin in PASSKEY_ORIGINS as well',
    ],
    [
      'PASSKEY_ORIGINS',
      env.PASSKEY_ORIGINS?.some((origin) => isPublicHttp(new URL(origin))),
      'must be https, except on localhost',
    ],
    [
      'WEBHOOK_SECRET',
      env.WEBHOOK_URL !== undefined && env.WEBHOOK_SECRET?.length === 0,
      'is required when WEBHOOK_URL is set',
    ],
    [
      'OIDC_KEYS_FILE',
      env.OIDC_CLIENTS_FILE !== undefined && 'OIDC_KEYS_FILE' in env && env.OIDC_KEYS_FILE === undefined,
      'is required when OIDC_CLIENTS_FILE is set',
    ],
    [
      'NEXT_PUBLIC_LEGACY_SIGN_IN_URL',
      env.NEXT_PUBLIC_ROLLOUT_MODE === 'V2FirstLogin' && !env.NEXT_PUBLIC_LEGACY_SIGN_IN_URL,
      'is required when NEXT_PUBLIC_ROLLOUT_MODE is V2FirstLogin',
    ],
    [
      'SECURITY_CONTACT_EXPIRES',
      (env.SECURITY_CONTACT?.length ?? 0) > 0 && !env.SECURITY_CONTACT_EXPIRES,
      'is required when SECURITY_CONTACT is set',
    ],
    [
      'DATABASE_FOLDER',
      env.DATABASE_URL === undefined &&
        folder !== undefined &&
        // No database is wanted.
        folder !== 'off' &&
        app?.startsWith('https:') &&
        env.ALLOW_EMBEDDED_DATABASE === false,
      'the embedded database is for a trial: set DATABASE_URL, or ALLOW_EMBEDDED_DATABASE=true',
    ],
  ];
}

function checkOrigins(env: Partial<Env>): Check[] {
  const { NEXT_PUBLIC_MAIN_DOMAIN: domain } = env;
  const read = (name: (typeof BROWSER_ORIGINS)[number]) => [env[name] ?? []].flat().map((value) => new URL(value));
  return [
    ...BROWSER_ORIGINS.map((name): Check => [
      name,
      read(name).some(isPublicHttp),
      'must be https, except on localhost',
    ]),
    ...SAME_SITE_ORIGINS.map((name): Check => [
      name,
      domain !== undefined && read(name).some(({ hostname }) => !isWithinDomain(hostname, domain)),
      'must lie inside NEXT_PUBLIC_MAIN_DOMAIN, or browsers send it no session cookie',
    ]),
  ];
}
