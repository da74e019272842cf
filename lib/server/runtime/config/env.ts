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

/** The framework's server listens here if `PORT` is not set. */
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
  // Report one problem per variable.
  const isNew = (line: string) => !problems.some((problem) => problem.split(':', 1)[0] === line.split(':', 1)[0]);
  const conflicts = findConflicts(values).filter(isNew);
  const files = findFileProblems(values, variables);
  const all = [...problems, ...conflicts, ...files, ...findMisspelledNames(variables, [...VARIABLES, ...SECRET_FILES])];
  if (all.length > 0) throw new ConfigurationError(all);
  return values as Env;
}

/** Parses each variable separately, so that an invalid variable does not hide problems of the others. */
function readVariables(variables: Variables): { values: Partial<Env>; problems: string[] } {
  const read = VARIABLES.map((name) => ({ name, ...envSchema.shape[name].safeParse(variables[name]) }));
  return {
    values: Object.fromEntries(read.flatMap(({ name, success, data }) => (success ? [[name, data]] : []))),
    problems: read.flatMap(({ name, error }) => (error ? [`${name}: ${error.issues[0]?.message ?? ''}`] : [])),
  };
}

let cached: Env | undefined;

/** Returns the process's configuration, validated at the first call. `instrumentation.ts` makes that call at startup. */
export function env(): Env {
  cached ??= parseEnv(process.env);
  return cached;
}

/** Returns the log level even if other variables are invalid, because the log reports their problems. */
export function getLogLevel(): Env['LOG_LEVEL'] {
  return envSchema.shape.LOG_LEVEL.catch('info').parse(process.env.LOG_LEVEL);
}

/**
 * Returns the server's settings even if other variables are invalid. The server needs them before the start hook has
 * validated the configuration.
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

/** Returns the address on which the process listens, by default all of IPv4. It is not part of the configuration. */
export function getListenHost(): string {
  return process.env.HOSTNAME || '0.0.0.0';
}

/** Starts a program with another value of HOSTNAME. The program reads the variable when it starts. */
export function runWithHostname(value: string, run: () => void): void {
  const own = getListenHost();
  process.env.HOSTNAME = value;
  run();
  process.env.HOSTNAME = own;
}

/** Reads the key of the imported password hashes, in base64. An import needs it once, so it is not configuration. */
export function readImportHashKey(): string | undefined {
  return process.env.IMPORT_HASH_KEY;
}

/** Returns this process's variables that name files, even if other variables are invalid. */
export function getFileVariables(): Variables {
  return process.env;
}

/** Builds the public part of the configuration, which is safe to send to a browser. */
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
    customTokens: source.SESSION_BACKEND === 'firebase',
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
 * Returns the upstream origin of the identity provider's sign-in helper (docs/adr/0010).
 * @returns null for the emulator, which has its own helper
 */
export function getAuthHelperOrigin(source: Env = env()): string | null {
  if (source.AUTH_HELPER_URL !== undefined) return source.AUTH_HELPER_URL;
  if (source.FIREBASE_AUTH_EMULATOR_HOST !== undefined) return null;
  return `https://${source.NEXT_PUBLIC_FIREBASE_PROJECT_ID}.firebaseapp.com`;
}

/** Returns the origins whose pages may call the session API with credentials. */
export function getPlatformOrigins(source: Env = env()): string[] {
  return [source.NEXT_PUBLIC_PLATFORM_ORIGIN, ...source.PLATFORM_ORIGINS];
}

/** Builds the file security.txt (RFC 9116, section 2.3). @returns null if no contact is configured */
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

/** Browsers open these origins, and their `Secure` cookies need https. */
const BROWSER_ORIGINS = [
  'NEXT_PUBLIC_APP_ORIGIN',
  'NEXT_PUBLIC_IDENTITY_ORIGIN',
  'NEXT_PUBLIC_PLATFORM_ORIGIN',
  'PLATFORM_ORIGINS',
] as const;
/** These origins share cookies. `SameSite=Lax` withholds the cookies from calls of any other site. */
const SAME_SITE_ORIGINS = ['NEXT_PUBLIC_APP_ORIGIN', 'NEXT_PUBLIC_PLATFORM_ORIGIN', 'PLATFORM_ORIGINS'] as const;

const isPublicHttp = ({ protocol, hostname }: URL) => protocol === 'http:' && !isLocalHost(hostname);

/**
 * Finds variables that are valid alone but conflict with each other.
 * @param env without invalid variables; checks that depend on them are skipped
 * @returns one line per problem
 */
export function findConflicts(env: Partial<Env>): string[] {
  const checks = [...checkProvider(env), ...checkDependencies(env), ...checkOrigins(env)];
  return checks.flatMap(([name, isProblem, problem]) => (isProblem ? [`${name}: ${problem}`] : []));
}

function checkProvider(env: Partial<Env>): Check[] {
  const { FIREBASE_AUTH_EMULATOR_HOST: emulator, FIREBASE_CREDENTIALS: credentials } = env;
  // An invalid emulator host is absent from `env`, so treat it as set.
  const isTrial = !('FIREBASE_AUTH_EMULATOR_HOST' in env) || emulator !== undefined;
  const needsAccount = !isTrial && env.SESSION_BACKEND === 'firebase' && credentials === 'service-account';
  // Do not write `name=value`, because the log would redact the value.
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

/** Compares the host, not the scheme. Behind a proxy that terminates TLS, a public origin can be written as http. */
function isPublic(origin: string | undefined): boolean {
  return origin !== undefined && !isLocalHost(new URL(origin).hostname);
}

function checkDependencies(env: Partial<Env>): Check[] {
  const { NEXT_PUBLIC_APP_ORIGIN: app, PASSKEY_RP_ID: rpId } = env;
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
        // After a move of the host, the operator lists the origin there on purpose (docs/adr/0031).
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
      'DATABASE_URL',
      'DATABASE_URL' in env && env.DATABASE_URL === undefined && env.SESSION_BACKEND === 'firebase' && isPublic(app),
      'is required: name a database of PostgreSQL 15 or newer; the embedded database serves localhost alone',
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
