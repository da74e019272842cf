import { z } from 'zod';
import { type Env, envSchema, SECRETS } from '@/lib/server/runtime/config/schema';

type Name = keyof Env;

/** What each variable means, by groups of docs/configuration.md. */
export const MEANINGS = {
  'Addresses, brand, languages': {
    NEXT_PUBLIC_APP_ORIGIN: 'Origin of this app; must lie inside the main domain',
    NEXT_PUBLIC_MAIN_DOMAIN: 'Domain that this app, the platform and their cookies share',
    NEXT_PUBLIC_IDENTITY_ORIGIN: 'Origin that serves the app config, when it is not this app',
    NEXT_PUBLIC_PLATFORM_ORIGIN: 'Origin of the learning platform; `/user/dashboard` there is the default destination',
    PLATFORM_ORIGINS: 'More origins that may call the session API with credentials',
    PLATFORM_API_URL: "The platform's API for courses (`GET /user/courses`); without it a sample, on localhost only",
    NEXT_PUBLIC_MOBILE_SCHEME: 'Scheme of the mobile app, without `://`',
    NEXT_PUBLIC_PURCHASE_MARKERS: 'Texts in a `redirect_uri` that mark a purchase',
    TRUSTED_PROXY_HOPS:
      'Number of your own proxies in front: that many entries of `X-Forwarded-For` are trusted, from the right, and with 1 or more the `X-Request-Id` of a request',
    CHECK_PORT:
      'Port of a second listener for `POST /api/check-auth-status`, health and metrics alone ([deployment](deployment.md#session-checks)); none: there is no second one',
    SHUTDOWN_DELAY:
      'Seconds after SIGTERM in which the process reports not ready and still accepts connections, so that load balancers notice',
    REQUEST_TIMEOUT:
      'Seconds in which a request must have arrived whole, and in which those in progress must be done after the drain has begun; connections that take longer are closed',
    KEEP_ALIVE_TIMEOUT:
      'Milliseconds after which a connection without a request is closed: more than the balancer in front keeps it ([deployment](deployment.md#behind-a-proxy-or-a-cdn))',
    NEXT_PUBLIC_BRAND_NAME: 'Name where no origin has its own branding',
    NEXT_PUBLIC_SUPPORT_MAILBOX: 'Where learners find help',
    NEXT_PUBLIC_NAME_LENGTH: 'How many characters the name of an account has, as `least-most`, up to 100',
    NEXT_PUBLIC_MAILBOX_DOMAINS:
      'Mailbox domains common among your learners, beside the well-known ones: corrections are suggested for typos',
    ORIGINS_FILE:
      'File with branding and switches by origin; read again when it changes. A file that cannot be used stops the start. Not read with `UPSTREAM_IDENTITY_URL`, whose deployment has them',
    DIRECTORY_FILE:
      'File with enterprise domains and partners; read again when it changes. A file that cannot be used stops the start',
    LOCALES:
      'Languages of pages and emails that are on, by their folders in `locales/`; the first one is the default. With several, learners choose ([deployment](deployment.md#languages))',
    LANGUAGE_HEADER:
      'Request header in which your proxy alone names the language of a visitor, so that shared caches can store pages in several languages ([deployment](deployment.md#languages)); without it they store none',
  },
  'Identity provider, users of the previous system': {
    NEXT_PUBLIC_FIREBASE_PROJECT_ID: 'Firebase project',
    NEXT_PUBLIC_FIREBASE_API_KEY: 'API key of the web app in that project; not a secret',
    NEXT_PUBLIC_FIREBASE_AUTH_DOMAIN:
      "Host of the sign-in helper; this app's own by default, which browsers that block third-party storage need",
    AUTH_HELPER_URL:
      "Origin of the sign-in helper that is proxied under `/__/auth`; the project's own at `firebaseapp.com` by default",
    NEXT_PUBLIC_SOCIAL_SIGN_IN:
      'How a social provider opens: `popup` (a redirect where the browser blocks it), or `redirect`',
    FIREBASE_CREDENTIALS:
      'How this app signs in to Firebase: with the key of a service account, or with the application default credentials of Google Cloud (the attached service account, workload identity, or the file in `GOOGLE_APPLICATION_CREDENTIALS`)',
    FIREBASE_CLIENT_EMAIL:
      'Email of the service account; with `application-default` only where the credentials do not name it, such as workload identity outside of Google Cloud',
    FIREBASE_PRIVATE_KEY: 'Its private key; new lines may be written as `\\n`',
    FIREBASE_AUTH_EMULATOR_HOST:
      'The emulator, for local development only: it accepts unsigned tokens, and is refused unless the app is on localhost',
    NEXT_PUBLIC_ROLLOUT_MODE: 'How accounts of the previous system sign in',
    NEXT_PUBLIC_LEGACY_SIGN_IN_URL: 'Sign-in page of the previous system',
  },
  'Sessions, second factor, new passwords, passkeys': {
    SESSION_BACKEND:
      'Where sessions are created: `firebase`: here; `upstream`: the session calls are forwarded to another deployment',
    UPSTREAM_IDENTITY_URL: 'That deployment',
    TOKEN_ENCRYPTION_SECRET:
      'Encrypts cookies with one-time codes, and keys the account hashes of the log: `openssl rand -base64 32`. Same for all processes. A list while it is replaced: the first one encrypts, all decrypt',
    REDIS_URL:
      'State that several processes share; in memory without it, for one process. Several addresses, comma-separated, are nodes of one Redis Cluster',
    ADMIN_TOKEN:
      'Bearer token of the admin calls, of letters, digits and `-._~+/=`; without it they reject every request',
    REVEAL_EXISTING_ACCOUNTS: '`true`: registration says when an address is taken',
    PROOF_OF_WORK:
      'The most key derivations that a browser makes for a call when much of its kind comes from its network ([ADR 40](adr/0040-proof-of-work-below-the-limits.md)), 50 to 20000; 0: no call asks for any, and no sign-in is slowed',
    SECOND_FACTOR_SECRET:
      'Encrypts the keys of authenticator apps in the database: `openssl rand -base64 32`. Without it, and without records, accounts have no second factor. A list while it is replaced: the first one encrypts, all decrypt. **Losing it turns every authenticator app off**: keep it with the backups of the database, apart from them ([deployment](deployment.md#second-factor))',
    RECOVERY_CODE_COST:
      'For tests: cost of the hash of recovery codes, as a power of two (scrypt, RFC 7914). Less than 14 is refused without the emulator. Codes that were made with another one are not accepted',
    BREACHED_PASSWORDS_URL:
      'Range service of breached passwords, which new passwords are looked up at by the first five characters of their SHA-1 hash ([deployment](deployment.md#breached-passwords)); by https except on `localhost`. Without it the bundled list decides alone',
    PASSKEY_RP_ID:
      'RP ID of passkeys ([deployment](deployment.md#passkeys)): by default the host of `NEXT_PUBLIC_APP_ORIGIN`; else a domain above it. Every passkey is bound to it: once there are any, a start with another one is refused. `off`: no passkeys',
    PASSKEY_ORIGINS:
      'More origins of this app where passkeys are used, as written in the address bar; those outside of the RP ID are listed in `/.well-known/webauthn`',
    APPLE_APP_IDS:
      'Your apps that may use the credentials of this site, as team ID and bundle ID (`ABCDE12345.example.campus.app`): served as `/.well-known/apple-app-site-association`, which is not found without them',
    ANDROID_APPS:
      'The same for Android, as package name and SHA-256 fingerprint of the signing certificate (`example.campus.app/14:6D:…`), once for each certificate: served as `/.well-known/assetlinks.json`, which is not found without them',
  },
  'Records, email, OpenID Provider, webhooks': {
    DATABASE_URL:
      'PostgreSQL 15 or newer, for records about accounts: `postgres://role@host/database?sslmode=verify-full`. Without it and outside `localhost`, features that need records are not offered',
    DATABASE_FOLDER:
      'Folder of the embedded database that is used without `DATABASE_URL`, for a trial with one process; `.records` on `localhost`. `off`: none',
    ALLOW_EMBEDDED_DATABASE: '`true`: `DATABASE_FOLDER` is accepted for an `https` origin',
    SMTP_URL:
      'Mail server, by `smtps://`, or with STARTTLS by `smtp://…:587?requireTLS=true`: else what is sent, the password too, may be readable',
    NO_REPLY_MAILBOX: 'Sender of all emails',
    OIDC_CLIENTS_FILE:
      'File with the learning platforms that sign their users in by OpenID Connect ([OpenID Connect](openid-connect.md)); read again when it changes. Without it and the keys, this app is no OpenID Provider',
    OIDC_KEYS_FILE: 'File with the private keys that sign ID tokens, a JWK Set (RFC 7517); read again when it changes',
    OIDC_PAIRWISE_SECRET:
      'Makes the `sub` of clients that must not know the id of an account: `openssl rand -base64 32`. **It never changes**: with another one, these clients take every user for a new one',
    WEBHOOK_URL:
      'Where the platform is told of deleted accounts ([integration](integration.md#webhooks)), by https except on `localhost`; without it no event is sent',
    WEBHOOK_SECRET:
      'Signs webhooks: `echo whsec_$(openssl rand -base64 32)`. Shared with the platform. A list while it is replaced: all sign',
    WEBHOOKS_FILE:
      'Receivers of further events, each with its address, secret and list of events ([integration](integration.md#receivers)); beside `WEBHOOK_URL` or instead of it',
  },
  'Error reporting, analytics, log, vulnerability reports': {
    NEXT_PUBLIC_SENTRY_DSN: 'Error reporting; off without it',
    NEXT_PUBLIC_SENTRY_ENVIRONMENT: 'Environment name in error reports',
    NEXT_PUBLIC_RELEASE: 'Short hash of what is deployed',
    NEXT_PUBLIC_MIXPANEL_TOKEN: 'Product analytics; off without it',
    NEXT_PUBLIC_MIXPANEL_API_HOST: 'Its API host, when it is not the default',
    NEXT_PUBLIC_ANALYTICS_TEST_MAILBOX: 'Plus-addressed forms of this mailbox stay out of analytics',
    LOG_LEVEL: 'How much is logged; `info` includes one line per API request',
    SECURITY_CONTACT:
      'Where vulnerabilities are reported, as `mailto:` or `https://` addresses in order of preference: served as `/.well-known/security.txt` (RFC 9116), which is not found without it',
    SECURITY_CONTACT_EXPIRES:
      'Until when that contact is valid, at most a year from now (`2027-06-30T00:00:00Z`); a time in the past stops the start',
    SECURITY_CONTACT_LANGUAGES: 'Languages of reports (RFC 5646), in any order',
  },
} as const satisfies Record<string, Partial<Record<Name, string>>>;

/** When a variable is required that has no default. */
const REQUIRED: Partial<Record<Name, string>> = {
  FIREBASE_CLIENT_EMAIL: 'outside local development, with `SESSION_BACKEND=firebase` and `service-account`',
  FIREBASE_PRIVATE_KEY: 'outside local development, with `SESSION_BACKEND=firebase` and `service-account`',
  UPSTREAM_IDENTITY_URL: 'with `SESSION_BACKEND=upstream`',
  TOKEN_ENCRYPTION_SECRET: 'outside local development: the sample is refused',
  REDIS_URL: 'with more than one process',
  OIDC_KEYS_FILE: 'with `OIDC_CLIENTS_FILE`',
  OIDC_PAIRWISE_SECRET: 'with clients of subject type `pairwise`',
  WEBHOOK_SECRET: 'with `WEBHOOK_URL`',
  SECURITY_CONTACT_EXPIRES: 'with `SECURITY_CONTACT`',
  NEXT_PUBLIC_LEGACY_SIGN_IN_URL: 'with `V2FirstLogin`',
};

const HEAD = `# Configuration

Generated from \`lib/server/runtime/config/schema.ts\` by \`npm run docs\`; do not edit.

Read and validated once when the process starts. An invalid value, a missing one that is **required**, a misspelled name while the right one
is not set (beside it, it is ignored), or a file that cannot be used stops the start with one line per problem, which never shows the value;
only \`REDIS_URL\` cannot be checked. Every other variable that is not set gets its default, that of local development
([.env.example](../.env.example)): elsewhere set the origins, the main domain, the Firebase project and API key, the mail server and sender,
\`ORIGINS_FILE\` and \`DIRECTORY_FILE\` as well. Without these two (local samples: \`config\`) there is no branding and no organization.

None of these values is compiled in. Variables that begin with \`NEXT_PUBLIC_\` are exposed to browsers. Lists are comma-separated. A
**secret** can be in a file instead, which the variable with \`_FILE\` behind its name has (\`ADMIN_TOKEN_FILE\`), with a line break at its end.
`;

/** The configuration reference as Markdown: every variable with its meaning, kind and default. */
export function buildConfigurationReference(): string {
  const groups = Object.entries(MEANINGS).map(([title, meanings]) => {
    const rows = (Object.entries(meanings) as [Name, string][]).map(
      ([name, meaning]) => `| \`${name}\` | ${describe(name, meaning)} | ${getKind(name)} | ${getDefault(name)} |`,
    );
    return [`## ${title}`, '', '| variable | meaning | value | default |', '| --- | --- | --- | --- |', ...rows, ''];
  });
  return [HEAD, ...groups.flat()].join('\n');
}

function describe(name: Name, meaning: string): string {
  const isSecret = SECRETS.some((each) => each === name);
  return [meaning, REQUIRED[name] && `**required** ${REQUIRED[name]}`, isSecret && '**secret**']
    .filter(Boolean)
    .join('; ');
}

/** Describes the allowed values, derived from the schema itself. */
function getKind(name: Name): string {
  const schema = z.toJSONSchema(getInputSchema(envSchema.shape[name]), { io: 'input', unrepresentable: 'any' });
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.type === 'integer') return `${String(schema.minimum)} to ${String(schema.maximum)}`;
  const kinds: Record<string, string> = { uri: 'address', email: 'mailbox', base64: 'base64' };
  if (schema.format) return kinds[schema.format] ?? 'text';
  if (schema.minLength && schema.minLength > 1) return `at least ${String(schema.minLength)} characters`;
  return 'text';
}

/** The schema of the raw environment value: without defaults, and before transforms. */
function getInputSchema(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.core.$ZodDefault || schema instanceof z.core.$ZodOptional)
    return getInputSchema(schema._zod.def.innerType);
  if (!(schema instanceof z.core.$ZodPipe)) return schema;
  const { in: before, out } = schema._zod.def;
  return getInputSchema(before instanceof z.core.$ZodTransform ? out : before);
}

function getDefault(name: Name): string {
  const schema = envSchema.shape[name];
  if (!(schema instanceof z.core.$ZodDefault)) return 'none';
  const value = [schema._zod.def.defaultValue].flat().map(String).join(',');
  return name === 'TOKEN_ENCRYPTION_SECRET' ? 'a sample' : value === '' ? 'empty' : `\`${value}\``;
}
