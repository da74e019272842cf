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
import { isSecondFactorOffered, type AccountFacts } from '@/lib/server/policy';
import { describeClient, env, getAppConfig } from '@/lib/server/runtime';
import { consumeLimit, readRememberedAt, withRecordsInTime } from '@/lib/server/storage';
import { REMEMBERED_DAYS } from '@/lib/shared/account/security';
import { toAssurance } from '@/lib/shared/paths';
import type { AppConfig, SecondFactorRule } from '@/lib/shared/config/app-config';
import { reportError } from '@/lib/shared/error-reporting/report';
import { isSocialProvider } from '@/lib/shared/sign-in-methods';
import type { Device, SessionRequest } from './types';
import { countByBrowser } from './watch-sign-in';

/** Where accounts have no second factor, nothing can be asked for: the platform checks the session. */
export function getRequiredAssurance(req: RequestCookies): 1 | 2 {
  return toAssurance(readCookie(req, 'acrValues')) === 2 && isSecondFactorOffered() ? 2 : 1;
}

/** The request data that the account policy and the emails of a sign-in need. */
export function toSessionRequest(req: Pick<IncomingMessage, 'headers' | 'socket'> & RequestCookies): SessionRequest {
  const readConfig = async () => {
    const origin = getRequestOrigin(req);
    return origin === null
      ? null
      : getAppConfig(origin).catch((error: unknown) => {
          throw providerUnavailable(error);
        });
  };
  return {
    // Same default as the sign-in page: password only when the origin does not configure it.
    enabledSocial: async () => new Set(((await readConfig())?.enabledIdentities ?? []).filter(isSocialProvider)),
    // Without the config, the second factor is asked for.
    allowsRemembering: async () =>
      !isSharedComputer(req) && (await readConfig().catch(() => null))?.rememberBrowsers === true,
    secondFactorRule: async () => (await readRule(readConfig).catch(reportUnknownRule)) ?? null,
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

/** An origin that is not listed has the rule of the app's own: the `Host` header is the visitor's. */
async function readRule(readConfig: () => Promise<AppConfig | null>): Promise<SecondFactorRule | undefined> {
  const config = (await readConfig()) ?? (await getAppConfig(env().NEXT_PUBLIC_APP_ORIGIN));
  return config?.secondFactor;
}

/** A sign-in does not depend on the identity host: rules of organizations hold without it (docs/adr/0034). */
function reportUnknownRule(error: unknown): null {
  reportError(error, { during: 'reading the rule for the second factor' });
  return null;
}

/**
 * Counts a sign-in to an account in its client network. Known browsers of the account go on beyond that, within a limit of their own and one of
 * all of them: a stranger there who knows the password keeps the owner out only by browsers that are known, too.
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

/** The same browser, with a new secret if it has none. */
export function ensureDeviceSecret(device: Device): Device {
  return device.secret === null ? { secret: randomBytes(SECRET_BYTES).toString('base64url') } : device;
}

/**
 * What is stored of the secret, for one account. The secret is the key: without it the table does not tell that the rows of two accounts
 * are of one browser. @returns null for a browser without a secret
 */
export function digestDevice({ secret }: Device, uid: string): string | null {
  if (secret === null) return null;
  // Not the id alone: so did the rows of secrets that other hosts of the main domain could plant.
  return createHmac('sha256', Buffer.from(secret, 'base64url')).update(`__Host- ${uid}`).digest('base64url');
}

/**
 * What a token or link says of the browser that it was made for. Cookies of the main domain, which the specification names, can be planted by
 * any of its hosts: what they contain counts in the browser with this secret alone.
 */
export function digestFlowBrowser(device: Device): string | null {
  return digestDevice(device, 'flow of an email');
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** @param facts `validSince`: sign-ins before it are revoked, seconds since 1970 */
type RememberedFacts = { rememberedAt: Date | null; validSince: number; now: Date };

/**
 * Decides whether a browser is still remembered (docs/account-policy.md#remembered-browsers). Whatever revokes the sign-ins of the account
 * forgets it, too: a new password, "Sign out everywhere", a disavowed sign-in.
 * @returns until when; null if it is not
 */
export function getRememberedUntil({ rememberedAt, validSince, now }: RememberedFacts): Date | null {
  if (rememberedAt === null || rememberedAt > now) return null;
  // Revocations have whole seconds: within the same one, the order is unknown.
  if (Math.floor(rememberedAt.getTime() / 1000) * 1000 <= toOwnTime(validSince * 1000)) return null;
  const until = new Date(rememberedAt.getTime() + REMEMBERED_DAYS * DAY_MS);
  return until > now ? until : null;
}

/**
 * Whether the second factor was shown in this browser before, and it is remembered for this account. Never on a shared computer, nor where
 * the origin does not allow it, or the platform asks for two factors now.
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
