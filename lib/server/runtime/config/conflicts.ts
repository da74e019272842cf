import { isWithinDomain } from '@/lib/shared/callback/rules';
import { PSEUDO_LANGUAGE } from '@/lib/shared/i18n/languages';
import { isLocalHost, FULL_RECOVERY_CODE_COST, SAMPLE_ENCRYPTION_SECRET, type Env } from './schema';

type Name = keyof Env;
type Check = { name: Name; problem: string | false | undefined };

/** Origins that browsers open, whose `Secure` cookies need https. */
const BROWSER_ORIGINS = [
  'NEXT_PUBLIC_APP_ORIGIN',
  'NEXT_PUBLIC_IDENTITY_ORIGIN',
  'NEXT_PUBLIC_PLATFORM_ORIGIN',
  'PLATFORM_ORIGINS',
] as const;
/** Origins that share cookies: `SameSite=Lax` withholds them from calls of any other site. */
const SAME_SITE_ORIGINS = ['NEXT_PUBLIC_APP_ORIGIN', 'NEXT_PUBLIC_PLATFORM_ORIGIN', 'PLATFORM_ORIGINS'] as const;

/**
 * Finds variables that are valid by themselves and not together.
 * @param env without the variables that are invalid: what depends on them is not checked
 * @returns one line per problem
 */
export function findConflicts(env: Partial<Env>): string[] {
  return [...checkProvider(env), ...checkDependencies(env), ...checkRecords(env), ...checkOrigins(env)].flatMap(
    ({ name, problem }) => (problem ? [`${name}: ${problem}`] : []),
  );
}

function checkProvider(env: Partial<Env>): Check[] {
  const { FIREBASE_AUTH_EMULATOR_HOST: emulator, NEXT_PUBLIC_APP_ORIGIN: app } = env;
  // Absent, not only undefined: of an emulator host that is invalid nothing is known.
  const isTrial = !('FIREBASE_AUTH_EMULATOR_HOST' in env) || emulator !== undefined;
  const isHere = !isTrial && env.SESSION_BACKEND === 'firebase';
  const isDefault = env.FIREBASE_CREDENTIALS === 'application-default';
  const needsAccount = isHere && env.FIREBASE_CREDENTIALS === 'service-account';
  const required =
    needsAccount &&
    // Not as `name=value`: the log would remove the value.
    'is required unless FIREBASE_AUTH_EMULATOR_HOST is set, or FIREBASE_CREDENTIALS is application-default';
  return [
    {
      name: 'FIREBASE_CLIENT_EMAIL',
      problem: 'FIREBASE_CLIENT_EMAIL' in env && !env.FIREBASE_CLIENT_EMAIL && required,
    },
    {
      name: 'FIREBASE_PRIVATE_KEY',
      problem:
        (isDefault && env.FIREBASE_PRIVATE_KEY !== undefined && 'is not used with application-default credentials') ||
        (!env.FIREBASE_PRIVATE_KEY && required),
    },
    {
      name: 'TOKEN_ENCRYPTION_SECRET',
      problem:
        !isTrial &&
        env.TOKEN_ENCRYPTION_SECRET?.includes(SAMPLE_ENCRYPTION_SECRET) === true &&
        'is the sample value; make one with: openssl rand -base64 32',
    },
    {
      name: 'RECOVERY_CODE_COST',
      problem:
        !isTrial &&
        env.RECOVERY_CODE_COST !== undefined &&
        env.RECOVERY_CODE_COST < FULL_RECOVERY_CODE_COST &&
        'is for tests: a lower cost is accepted with FIREBASE_AUTH_EMULATOR_HOST alone',
    },
    {
      name: 'FIREBASE_AUTH_EMULATOR_HOST',
      // By host, not by scheme: behind a proxy that terminates TLS an origin can be public and still be written as http.
      problem:
        emulator !== undefined &&
        app !== undefined &&
        !isLocalHost(new URL(app).hostname) &&
        'accepts unsigned tokens and must not be set outside of localhost',
    },
  ];
}

function checkDependencies(env: Partial<Env>): Check[] {
  return [
    {
      name: 'LOCALES',
      problem:
        env.LOCALES?.includes(PSEUDO_LANGUAGE) === true &&
        env.NEXT_PUBLIC_APP_ORIGIN !== undefined &&
        !isLocalHost(new URL(env.NEXT_PUBLIC_APP_ORIGIN).hostname) &&
        `${PSEUDO_LANGUAGE} is for tests and development, on localhost`,
    },
    {
      name: 'UPSTREAM_IDENTITY_URL',
      problem:
        env.SESSION_BACKEND === 'upstream' &&
        !env.UPSTREAM_IDENTITY_URL &&
        'is required when SESSION_BACKEND is upstream',
    },
    {
      name: 'PASSKEY_RP_ID',
      problem:
        env.PASSKEY_RP_ID !== undefined &&
        env.PASSKEY_RP_ID !== 'off' &&
        env.NEXT_PUBLIC_APP_ORIGIN !== undefined &&
        !isWithinDomain(new URL(env.NEXT_PUBLIC_APP_ORIGIN).hostname, env.PASSKEY_RP_ID) &&
        // Named there, it is meant: after a move of the host, by related origins (docs/adr/0031).
        env.PASSKEY_ORIGINS?.includes(env.NEXT_PUBLIC_APP_ORIGIN) === false &&
        'must be the host of NEXT_PUBLIC_APP_ORIGIN or a domain above it, or browsers refuse every passkey; after a move, name that origin in PASSKEY_ORIGINS as well',
    },
    {
      name: 'PASSKEY_ORIGINS',
      problem:
        env.PASSKEY_ORIGINS?.some((value) => {
          const { protocol, hostname } = new URL(value);
          return protocol === 'http:' && !isLocalHost(hostname);
        }) && 'must be https, except on localhost',
    },
    {
      name: 'WEBHOOK_SECRET',
      problem:
        env.WEBHOOK_URL !== undefined && env.WEBHOOK_SECRET?.length === 0 && 'is required when WEBHOOK_URL is set',
    },
    {
      name: 'OIDC_KEYS_FILE',
      problem:
        env.OIDC_CLIENTS_FILE !== undefined &&
        'OIDC_KEYS_FILE' in env &&
        env.OIDC_KEYS_FILE === undefined &&
        'is required when OIDC_CLIENTS_FILE is set',
    },
    {
      name: 'NEXT_PUBLIC_LEGACY_SIGN_IN_URL',
      problem:
        env.NEXT_PUBLIC_ROLLOUT_MODE === 'V2FirstLogin' &&
        !env.NEXT_PUBLIC_LEGACY_SIGN_IN_URL &&
        'is required when NEXT_PUBLIC_ROLLOUT_MODE is V2FirstLogin',
    },
    {
      name: 'SECURITY_CONTACT_EXPIRES',
      problem:
        (env.SECURITY_CONTACT?.length ?? 0) > 0 &&
        !env.SECURITY_CONTACT_EXPIRES &&
        'is required when SECURITY_CONTACT is set',
    },
  ];
}

/** `off`: no database is wanted. */
function checkRecords(env: Partial<Env>): Check[] {
  const { NEXT_PUBLIC_APP_ORIGIN: app, DATABASE_FOLDER: folder } = env;
  const isEmbedded = env.DATABASE_URL === undefined && folder !== undefined && folder !== 'off';
  return [
    {
      name: 'DATABASE_FOLDER',
      problem:
        isEmbedded &&
        app?.startsWith('https:') === true &&
        env.ALLOW_EMBEDDED_DATABASE === false &&
        'the embedded database is for a trial: set DATABASE_URL, or ALLOW_EMBEDDED_DATABASE=true',
    },
  ];
}

function checkOrigins(env: Partial<Env>): Check[] {
  const { NEXT_PUBLIC_MAIN_DOMAIN: domain } = env;
  const read = (name: (typeof BROWSER_ORIGINS)[number]) => [env[name] ?? []].flat().map((value) => new URL(value));
  return [
    ...BROWSER_ORIGINS.map((name) => ({
      name,
      problem:
        read(name).some(({ protocol, hostname }) => protocol === 'http:' && !isLocalHost(hostname)) &&
        'must be https, except on localhost',
    })),
    ...SAME_SITE_ORIGINS.map((name) => ({
      name,
      problem:
        domain !== undefined &&
        read(name).some(({ hostname }) => !isWithinDomain(hostname, domain)) &&
        'must lie inside NEXT_PUBLIC_MAIN_DOMAIN, or browsers send it no session cookie',
    })),
  ];
}
