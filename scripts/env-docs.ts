import { z } from 'zod';
import { type Env, envSchema, SECRETS } from '@/lib/server/runtime/config/schema';

type Name = keyof Env;

/** The meaning of each variable, by groups of docs/configuration.md. */
export const MEANINGS = {
  'Addresses, brand, languages': {
    NEXT_PUBLIC_APP_ORIGIN: 'The origin of this app. It must be on the main domain.',
    NEXT_PUBLIC_MAIN_DOMAIN: 'The domain that this app, the platform and their cookies share.',
    NEXT_PUBLIC_IDENTITY_ORIGIN: 'The origin that serves the app config, if it is not this app.',
    NEXT_PUBLIC_PLATFORM_ORIGIN:
      'The origin of the learning platform. Its `/user/dashboard` is the default destination after sign-in.',
    PLATFORM_ORIGINS: 'More origins that may call the session API with credentials.',
    PLATFORM_API_URL:
      "The platform's API for courses (`GET /user/courses`). Without it, `localhost` shows a sample, and other hosts show no courses.",
    NEXT_PUBLIC_MOBILE_SCHEME: 'The scheme of the mobile app, without `://`.',
    NEXT_PUBLIC_PURCHASE_MARKERS: 'Texts that mark a `redirect_uri` as a purchase.',
    TRUSTED_PROXY_HOPS:
      'The number of your own proxies in front of the app. The app trusts this many entries of `X-Forwarded-For`, from the right. With 1 or more, it also trusts `X-Request-Id`.',
    CHECK_PORT:
      'The port of a second listener, only for `POST /api/check-auth-status`, health and metrics ([details](deploy/proxy.md#session-checks)). Without it, there is no second listener.',
    SHUTDOWN_DELAY:
      'Seconds after SIGTERM in which the process still accepts connections but reports that it is not ready. Load balancers notice it in this time.',
    REQUEST_TIMEOUT:
      'Seconds in which a request must arrive completely. After the drain begins, it is also the time limit for requests in progress. The app closes connections that take longer.',
    KEEP_ALIVE_TIMEOUT:
      'Milliseconds after which the app closes an idle connection. Use a higher value than the load balancer in front ([details](deploy/proxy.md)).',
    NEXT_PUBLIC_BRAND_NAME: 'The brand name for origins without their own branding.',
    NEXT_PUBLIC_SUPPORT_MAILBOX: 'The address where learners get help.',
    NEXT_PUBLIC_NAME_LENGTH:
      'The minimum and maximum length of the name of an account, such as `3-28`. The maximum can be up to 100.',
    NEXT_PUBLIC_MAILBOX_DOMAINS:
      'Email domains that are common among your learners. The app suggests them to correct typing errors, in addition to the well-known ones.',
    ORIGINS_FILE:
      'The file with the branding and feature flags of each origin. The app reads it again when it changes. Not read with `UPSTREAM_IDENTITY_URL`, because that deployment has its own.',
    DIRECTORY_FILE:
      'The file with the domains of organizations and with partners. The app reads it again when it changes.',
    LOCALES:
      'The languages of pages and emails, as folder names in `locales/`. The first one is the default. If there are several, learners can choose ([details](deploy/languages.md)).',
    LANGUAGE_HEADER:
      "The request header in which your proxy sends the visitor's language. With it, shared caches can store pages in several languages ([details](deploy/languages.md)). Without it, they store no such pages. Only your proxy may set this header.",
  },
  'Identity provider, users of the previous system': {
    NEXT_PUBLIC_FIREBASE_PROJECT_ID: 'The Firebase project.',
    NEXT_PUBLIC_FIREBASE_API_KEY: 'The API key of the web app in that project. It is not a secret.',
    NEXT_PUBLIC_FIREBASE_AUTH_DOMAIN:
      "The host of the sign-in helper. The default is this app's own host. Browsers that block third-party storage need that default.",
    AUTH_HELPER_URL:
      "The origin of the sign-in helper that the app proxies under `/__/auth`. The default is the project's own at `firebaseapp.com`.",
    NEXT_PUBLIC_SOCIAL_SIGN_IN:
      'How a social provider opens. With `popup`, the app redirects if the browser blocks the popup.',
    FIREBASE_CREDENTIALS:
      'How this app signs in to Firebase. `service-account`: with the key of a service account. `application-default`: with the application default credentials of Google Cloud. These are the attached service account, workload identity, or the file in `GOOGLE_APPLICATION_CREDENTIALS`.',
    FIREBASE_CLIENT_EMAIL:
      'The email of the service account. With `application-default`, set it only if the credentials do not contain it, such as workload identity outside Google Cloud.',
    FIREBASE_PRIVATE_KEY: 'The private key of the service account. You can write line breaks as `\\n`.',
    FIREBASE_AUTH_EMULATOR_HOST:
      'The emulator, only for local development. It accepts unsigned tokens, so the app refuses it unless it runs on `localhost`.',
    NEXT_PUBLIC_ROLLOUT_MODE: 'How accounts of the previous system [sign in](product.md#states).',
    NEXT_PUBLIC_LEGACY_SIGN_IN_URL: 'The sign-in page of the previous system.',
  },
  'Sessions, second factor, new passwords, passkeys': {
    SESSION_BACKEND:
      'Where accounts and sessions are. `firebase`: at this deployment. `upstream`: at another deployment. This one then forwards the session calls, and has no database.',
    UPSTREAM_IDENTITY_URL: 'The origin of that other deployment.',
    TOKEN_ENCRYPTION_SECRET:
      'Encrypts cookies with one-time codes, and keys the account hashes in the log. Create it with `openssl rand -base64 32`. Use the same value for all processes. To replace it, list the new secret first, then the old one. The first encrypts, and all decrypt.',
    REDIS_URL:
      'The Redis server for state that several processes share. Without it, the state is in the memory of a single process. Several addresses, separated by commas, are the nodes of one Redis Cluster.',
    ADMIN_TOKEN:
      'The bearer token of the admin calls, of letters, digits and `-._~+/=`. Without it, the admin calls refuse every request.',
    REVEAL_EXISTING_ACCOUNTS: 'With `true`, registration reveals that an address already has an account.',
    PROOF_OF_WORK:
      'The maximum number of key derivations that a browser makes for a call, from 50 to 20000. The app requires them when a network makes many calls of this kind ([ADR 40](adr/0040-proof-of-work-below-the-limits.md)). With 0, it never requires any, and slows no sign-in.',
    SECOND_FACTOR_SECRET:
      'Encrypts the keys of authenticator apps in the database. Create it with `openssl rand -base64 32`. Without it, accounts have no second factor. To replace it, list the new secret first, then the old one. **If you lose it, all authenticator apps stop working.** Back it up, but not in the same place as the database ([details](deploy/second-factor.md)).',
    RECOVERY_CODE_COST:
      'Only for tests: the cost of the hash of recovery codes, as a power of two (scrypt, RFC 7914). Without the emulator, the app refuses less than 14. Codes that were made with another cost do not work.',
    BREACHED_PASSWORDS_URL:
      'The range service of breached passwords ([details](deploy/breached-passwords.md)). The app sends the first five characters of the SHA-1 hash of a new password. The URL must be `https`, except on `localhost`. Without it, the app uses only its own list.',
    PASSKEY_RP_ID:
      'The RP ID of passkeys ([details](deploy/passkeys.md)). The default is the host of `NEXT_PUBLIC_APP_ORIGIN`. It can also be a parent domain. Every passkey is bound to it, so the app refuses to start with another value once there are passkeys. With `off`, there are no passkeys.',
    PASSKEY_ORIGINS:
      'More origins of this app with passkeys, as the address bar shows them. `/.well-known/webauthn` lists the origins outside the RP ID.',
    APPLE_APP_IDS:
      'Your iOS apps that may use the credentials of this site, as team ID and bundle ID (`ABCDE12345.example.campus.app`). The app serves them as `/.well-known/apple-app-site-association`.',
    ANDROID_APPS:
      'Your Android apps that may use them, as package name and SHA-256 fingerprint of the signing certificate (`example.campus.app/14:6D:…`). List an app once for each certificate. The app serves them as `/.well-known/assetlinks.json`.',
  },
  'Records, email, OpenID Provider, webhooks': {
    DATABASE_URL:
      'The database for records about accounts, PostgreSQL 15 or later: `postgres://role@host/database?sslmode=verify-full`. **Required**, except on `localhost` and with `SESSION_BACKEND=upstream`.',
    DATABASE_FOLDER:
      'The folder of the embedded database. On `localhost`, one process uses it if `DATABASE_URL` is not set. The default is `.records`.',
    SMTP_URL:
      'The mail server. Use `smtps://`, or STARTTLS with `smtp://…:587?requireTLS=true`. Without them, others may read the emails and the password.',
    NO_REPLY_MAILBOX: 'The sender of all emails.',
    OIDC_CLIENTS_FILE:
      'The file with the clients that sign in by [OpenID Connect](openid-connect.md). The app reads it again when it changes. Without this file and the keys, the app is not an OpenID Provider.',
    OIDC_KEYS_FILE:
      'The file with the private keys that sign ID tokens, a JWK Set (RFC 7517). The app reads it again when it changes.',
    OIDC_PAIRWISE_SECRET:
      'Derives the `sub` of clients that must not get the id of an account. Create it with `openssl rand -base64 32`. **Never change it.** With another value, these clients treat every user as a new one.',
    OPERATORS_FILE:
      'The file with the operators of the support desk, each with the hash of a token, allowed actions and an expiry ([support](support/index.md)). Without it, the support calls and the page `/support` respond 404.',
    WEBHOOK_URL:
      'The address that receives deletions of accounts ([webhooks](integration.md#webhooks)). It must be `https`, except on `localhost`.',
    WEBHOOK_SECRET:
      'Signs these webhooks, and is shared with the platform. Create it with `echo whsec_$(openssl rand -base64 32)`. To replace it, list both secrets. Each of them signs.',
    WEBHOOKS_FILE:
      'The file with more receivers, each with its address, secret and list of events ([receivers](integration.md#receivers)). You can use it with or without `WEBHOOK_URL`.',
  },
  'Error reporting, analytics, log, vulnerability reports': {
    NEXT_PUBLIC_SENTRY_DSN: 'The DSN for error reporting. Without it, error reporting is off.',
    NEXT_PUBLIC_SENTRY_ENVIRONMENT: 'The name of the environment in error reports.',
    NEXT_PUBLIC_RELEASE: 'The short hash of the deployed commit.',
    NEXT_PUBLIC_MIXPANEL_TOKEN: 'The token for product analytics. Without it, analytics is off.',
    NEXT_PUBLIC_MIXPANEL_API_HOST: 'The API host of analytics, if it is not the default.',
    NEXT_PUBLIC_ANALYTICS_TEST_MAILBOX: 'Plus-addressed forms of this email address are excluded from analytics.',
    LOG_LEVEL: 'How much the app logs. `info` includes a line for each API request.',
    SECURITY_CONTACT:
      'Where to report vulnerabilities, as `mailto:` or `https://` addresses in order of preference. The app serves them as `/.well-known/security.txt` (RFC 9116).',
    SECURITY_CONTACT_EXPIRES:
      'When this contact expires, such as `2027-06-30T00:00:00Z`. Choose a time within a year. The app does not start after that time.',
    SECURITY_CONTACT_LANGUAGES: 'The languages of reports (RFC 5646), in any order.',
  },
} as const satisfies Record<string, Partial<Record<Name, string>>>;

/** When a variable without a default is required. */
const REQUIRED: Partial<Record<Name, string>> = {
  FIREBASE_CLIENT_EMAIL: 'with `SESSION_BACKEND=firebase` and `service-account`, except with the emulator',
  FIREBASE_PRIVATE_KEY: 'with `SESSION_BACKEND=firebase` and `service-account`, except with the emulator',
  UPSTREAM_IDENTITY_URL: 'with `SESSION_BACKEND=upstream`',
  TOKEN_ENCRYPTION_SECRET: 'except with the emulator, because the app refuses the sample without it',
  REDIS_URL: 'with more than one process',
  OIDC_KEYS_FILE: 'with `OIDC_CLIENTS_FILE`',
  OIDC_PAIRWISE_SECRET: 'with clients of subject type `pairwise`',
  WEBHOOK_SECRET: 'with `WEBHOOK_URL`',
  SECURITY_CONTACT_EXPIRES: 'with `SECURITY_CONTACT`',
  NEXT_PUBLIC_LEGACY_SIGN_IN_URL: 'with `V2FirstLogin`',
};

const HEAD = `# Configuration

This page lists every variable. \`npm run docs\` generates it from \`lib/server/runtime/config/schema.ts\`, so do not edit it.

The app reads its variables once, when the process starts. It does not start if:

- a value is invalid
- a **required** variable is missing
- a name is misspelled, and the correct name is not set
- a file cannot be used

It then prints a line for each problem, without the value. It cannot check whether \`REDIS_URL\` works.

To check the variables before you start the app:

\`\`\`sh
node cli doctor
\`\`\`

Each variable that you do not set has its default, which is for local development ([.env.example](../.env.example)).
Elsewhere, set at least these:

- the origins and the main domain
- the Firebase project and its API key
- the mail server and the sender
- \`ORIGINS_FILE\`, or there is no branding
- \`DIRECTORY_FILE\`, or there are no organizations

The folder \`config\` has samples of both files.

- Nothing is compiled in, so one build serves every environment.
- Browsers can read the variables that begin with \`NEXT_PUBLIC_\`.
- Separate the items of a list with commas.
- A **secret** can be in a file. Add \`_FILE\` to the name, and set it to the path, such as \`ADMIN_TOKEN_FILE=/run/secrets/admin-token\`.
  The file can end with a line break.
`;

/** Builds the configuration reference as Markdown, with every variable's meaning, kind and default. */
export function buildConfigurationReference(): string {
  const groups = Object.entries(MEANINGS).map(([title, meanings]) => {
    const rows = (Object.entries(meanings) as [Name, string][]).map(
      ([name, meaning]) => `| \`${name}\` | ${describe(name, meaning)} | ${getKind(name)} | ${getDefault(name)} |`,
    );
    return [`## ${title}`, '', '| variable | meaning | value | default |', '| --- | --- | --- | --- |', ...rows, ''];
  });
  return [HEAD, ...groups.flat()].join('\n');
}

const EXAMPLE_HEAD = [
  'Every variable that this app reads, with its local default. Copy this file to `.env` and change the values that differ.',
  '`npm run docs` generates it, so do not edit it. docs/configuration.md has the same texts with links.',
  'A secret can be in a file: ADMIN_TOKEN_FILE=/run/secrets/admin-token',
  '`npm run demo` and `npm test` need none of them. Browsers can read the variables that begin with NEXT_PUBLIC_.',
  'Separate the items of a list with commas.',
];

/** Maximum length of a comment's line. */
const EXAMPLE_WIDTH = 118;

/** Builds `.env.example`, with every variable's meaning and its value for local development. */
export function buildEnvExample(): string {
  const groups = Object.entries(MEANINGS).map(([title, meanings]) => {
    const rule = '─'.repeat(EXAMPLE_WIDTH - title.length - 4);
    const lines = (Object.entries(meanings) as [Name, string][]).flatMap(([name, meaning]) => [
      ...toComment([describe(name, meaning), listChoices(name)].filter(Boolean).join(' ')),
      `${name}=${getLocalValue(name)}`,
    ]);
    return [`# ── ${title} ${rule}`, ...lines, ''].join('\n');
  });
  return [...EXAMPLE_HEAD.flatMap(toComment), '', ...groups].join('\n');
}

function listChoices(name: Name): string {
  const choices = getChoices(name);
  return choices ? `One of: ${choices.join(', ')}.` : '';
}

/** Turns Markdown into lines of a comment. Links and bold text become plain text. */
function toComment(markdown: string): string[] {
  const text = markdown
    .replaceAll(/ \(\[[^\]]+\]\([^)]+\)\)/g, '')
    .replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll('**', '');
  const lines: string[] = [];
  let line = '#';
  for (const word of text.split(' ')) {
    if (line.length + word.length >= EXAMPLE_WIDTH) {
      lines.push(line);
      line = '#';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}

/** The default. The emulator is the exception, because it is used only where it is set. */
function getLocalValue(name: Name): string {
  return name === 'FIREBASE_AUTH_EMULATOR_HOST' ? 'localhost:9099' : (readDefault(name) ?? '');
}

function describe(name: Name, meaning: string): string {
  const isSecret = SECRETS.some((each) => each === name);
  return [meaning, REQUIRED[name] && `**Required** ${REQUIRED[name]}.`, isSecret && '**Secret.**']
    .filter(Boolean)
    .join(' ');
}

/** Describes the allowed values, derived from the schema itself. */
function getKind(name: Name): string {
  const choices = getChoices(name);
  if (choices) return choices.map((value) => `\`${value}\``).join(', ');
  const schema = toInputJsonSchema(name);
  if (schema.type === 'integer') return `${String(schema.minimum)} to ${String(schema.maximum)}`;
  const kinds: Record<string, string> = { uri: 'URL', email: 'email address', base64: 'base64' };
  if (schema.format) return kinds[schema.format] ?? 'text';
  if (schema.minLength && schema.minLength > 1) return `at least ${String(schema.minLength)} characters`;
  return 'text';
}

/** @returns the allowed values, or undefined if the variable is no choice */
const getChoices = (name: Name): string[] | undefined => toInputJsonSchema(name).enum?.map(String);

const toInputJsonSchema = (name: Name) =>
  z.toJSONSchema(getInputSchema(envSchema.shape[name]), { io: 'input', unrepresentable: 'any' });

/** Returns the schema of the raw environment value, without defaults and before transforms. */
function getInputSchema(schema: z.core.$ZodType): z.core.$ZodType {
  if (hasDefault(schema) || schema instanceof z.core.$ZodOptional) return getInputSchema(schema._zod.def.innerType);
  if (!(schema instanceof z.core.$ZodPipe)) return schema;
  const { in: before, out } = schema._zod.def;
  return getInputSchema(before instanceof z.core.$ZodTransform ? out : before);
}

function getDefault(name: Name): string {
  const value = readDefault(name);
  if (value === null) return 'none';
  return name === 'TOKEN_ENCRYPTION_SECRET' ? 'a sample' : value === '' ? 'empty' : `\`${value}\``;
}

/** @returns the default as it is written in the environment, or null if there is none */
function readDefault(name: Name): string | null {
  const schema = envSchema.shape[name];
  if (!hasDefault(schema)) return null;
  return [schema._zod.def.defaultValue].flat().map(String).join(',');
}

const hasDefault = (schema: z.core.$ZodType): schema is z.core.$ZodDefault | z.core.$ZodPrefault =>
  schema instanceof z.core.$ZodDefault || schema instanceof z.core.$ZodPrefault;
