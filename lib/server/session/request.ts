import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  isSharedComputer,
  readCookie,
  chooseRequestLanguage,
  getRequestOrigin,
  readHostCookie,
  readSessionCookies,
  type RequestCookies,
} from '@/lib/server/http';
import { providerUnavailable, toOwnTime } from '@/lib/server/identity';
import { getEmailContext, getKnownBrowser } from '@/lib/server/notifications';
import {
  decideMethod,
  DEFAULT_IDENTITIES,
  isSecondFactorOffered,
  toProblem,
  type AccountFacts,
} from '@/lib/server/policy';
import { describeClient, env, getAppConfig } from '@/lib/server/runtime';
import { consumeLimit, readRememberedAt, withRecordsInTime } from '@/lib/server/storage';
import { REMEMBERED_DAYS } from '@/lib/shared/account/security';
import { toAssurance } from '@/lib/shared/paths';
import type { AppConfig } from '@/lib/shared/config/app-config';
import { reportError } from '@/lib/shared/error-reporting/report';
import type { Device, SessionRequest } from './types';
import { countByBrowser } from './watch-sign-in';

/**
 * Returns how many factors the platform requires. If accounts cannot have a second factor, it is 1, and the platform
 * checks the session.
 */
export function getRequiredAssurance(req: RequestCookies): 1 | 2 {
  return toAssurance(readCookie(req, 'acrValues')) === 2 && isSecondFactorOffered() ? 2 : 1;
}

/** Collects the request data that the account policy and the emails of a sign-in need. */
export function toSessionRequest(req: Pick<IncomingMessage, 'headers' | 'socket'> & RequestCookies): SessionRequest {
  const readConfig = async () => {
    const origin = getRequestOrigin(req);
    return origin === null ? null : getAppConfig(origin).catch(rethrowUnavailable);
  };
  return {
    enabledIdentities: async () => new Set((await withOwnConfig(readConfig))?.enabledIdentities ?? DEFAULT_IDENTITIES),
    // If the config is unavailable, the second factor is required.
    allowsRemembering: async () =>
      !isSharedComputer(req) && (await readConfig().catch(() => null))?.rememberBrowsers === true,
    secondFactorRule: async () => (await withOwnConfig(readConfig).catch(reportUnknownRule))?.secondFactor ?? null,
    requiredAssurance: getRequiredAssurance(req),
    emailContext: async () => ({ ...(await getEmailContext(req)), client: describeClient(req) }),
    language: readLanguage(req),
    client: () => describeClient(req),
    countKnownBrowser: async (email) => (await getKnownBrowser(req, email)) !== null && countByBrowser(req),
    device: readDevice(req),
    sessionCookie: readSessionCookies(req)[0] ?? null,
    pendingSignIn: readHostCookie(req, 'pendingSignIn') || null,
  };
}

function readLanguage(req: Pick<IncomingMessage, 'headers'>): SessionRequest['language'] {
  const { language, from } = chooseRequestLanguage(req);
  return env().LOCALES.length === 1 || from === null ? null : { language, isChosen: from === 'cookie' };
}

function rethrowUnavailable(error: unknown): never {
  throw providerUnavailable(error);
}

/**
 * Reads the origin's config. An unlisted origin has the rules of the app's own origin, because the visitor chooses the
 * `Host` header.
 */
async function withOwnConfig(readConfig: () => Promise<AppConfig | null>): Promise<AppConfig | null> {
  return (await readConfig()) ?? (await getAppConfig(env().NEXT_PUBLIC_APP_ORIGIN).catch(rethrowUnavailable));
}

/**
 * Refuses a method that the origin does not enable, before expensive work.
 * @param method a method of `isEnabledAtOrigin`
 * @throws ApiProblem `provider-not-allowed`, or 503
 */
export async function requireEnabled(
  method: string,
  { enabledIdentities }: Pick<SessionRequest, 'enabledIdentities'>,
): Promise<void> {
  const refusal = decideMethod(method, await enabledIdentities());
  if (refusal !== null) throw toProblem(refusal);
}

/**
 * Reports an unknown rule. A sign-in does not depend on the identity host, because rules of organizations hold without
 * it (docs/adr/0034).
 */
function reportUnknownRule(error: unknown): null {
  reportError(error, { during: 'reading the rule for the second factor' });
  return null;
}

/**
 * Counts a sign-in to an account in its client network. Known browsers of the account continue beyond that, within
 * their own limit and a limit for all of them. An attacker there who knows the password can lock the owner out only
 * with known browsers.
 * @throws ApiProblem `too-many-requests`
 */
export async function countInNetwork(
  limit: 'create-session-of-account' | 'pending-sign-in',
  { uid, email }: { uid: string; email?: string | null },
  { client, countKnownBrowser }: Pick<SessionRequest, 'client' | 'countKnownBrowser'>,
): Promise<void> {
  const key = `${uid} ${client().network ?? 'unknown'}`;
  try {
    await consumeLimit(limit, key);
  } catch (error) {
    if (!email || !(await countKnownBrowser(email))) throw error;
    await consumeLimit(limit, `${key} known`);
  }
}

const SECRET_BYTES = 32;
const SECRET_FORMAT = /^[\w-]{43}$/;

export function readDevice(req: RequestCookies): Device {
  const secret = readHostCookie(req, 'device') ?? '';
  return { secret: SECRET_FORMAT.test(secret) ? secret : null };
}

/** Returns the same browser, with a new secret if it has none. */
export function ensureDeviceSecret({ secret }: Device): { secret: string } {
  return { secret: secret ?? randomBytes(SECRET_BYTES).toString('base64url') };
}

/**
 * Returns the stored digest of the secret for an account. The secret is the key, so the table does not reveal that two
 * accounts' rows belong to the same browser. @returns null for a browser without a secret
 */
export function digestDevice({ secret }: Device, uid: string): string | null {
  if (secret === null) return null;
  // Do not use the id alone. Older rows did, for secrets that other hosts of the main domain could plant.
  return createHmac('sha256', Buffer.from(secret, 'base64url')).update(`__Host- ${uid}`).digest('base64url');
}

/**
 * Returns the id of a browser in tokens and links that are made for it. Any host of the main domain can plant the
 * cookies that the specification names. So their contents count only in the browser with this secret.
 */
export function digestFlowBrowser(device: Device): string | null {
  return digestDevice(device, 'flow of an email');
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** @param facts `validSince`: earlier sign-ins are revoked, in seconds since 1970 */
type RememberedFacts = { rememberedAt: Date | null; validSince: number; now: Date };

/**
 * Decides whether a browser is still remembered (docs/account-policy.md#remembered-browsers). Every revocation of the
 * account's sign-ins forgets it: a new password, "Sign out everywhere", a disavowed sign-in.
 * @returns when it ends, or null if the browser is not remembered
 */
export function getRememberedUntil({ rememberedAt, validSince, now }: RememberedFacts): Date | null {
  if (rememberedAt === null || rememberedAt > now) return null;
  // Revocations have whole seconds, so the order within a second is unknown.
  if (Math.floor(rememberedAt.getTime() / 1000) * 1000 <= toOwnTime(validSince * 1000)) return null;
  const until = new Date(rememberedAt.getTime() + REMEMBERED_DAYS * DAY_MS);
  return until > now ? until : null;
}

/**
 * Whether the second factor was shown in this browser before, and the browser is remembered for this account. Never on
 * a shared computer, if the origin does not allow it, or if the platform requires two factors now.
 * @throws ApiProblem 503
 */
export async function isRememberedBrowser(
  { uid, validSince, hasSecondFactor }: AccountFacts,
  request: Pick<SessionRequest, 'device' | 'allowsRemembering' | 'requiredAssurance'>,
): Promise<boolean> {
  const cookieDigest = digestDevice(request.device, uid);
  if (cookieDigest === null || !hasSecondFactor || request.requiredAssurance === 2) return false;
  if (!(await request.allowsRemembering())) return false;
  const rememberedAt = await withRecordsInTime((records) => readRememberedAt(records, uid, cookieDigest));
  return getRememberedUntil({ rememberedAt, validSince, now: new Date() }) !== null;
}
