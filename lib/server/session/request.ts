import { createHmac, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import {
  isSharedComputer,
  readCookie,
  chooseRequestLanguage,
  getRequestOrigin,
  readHostCookie,
  readPlainCookie,
  type RequestCookies,
} from '@/lib/server/http';
import { providerUnavailable } from '@/lib/server/identity';
import { getEmailContext } from '@/lib/server/notifications';
import { decideDevice, isSecondFactorOffered, type AccountFacts, type DeviceFacts } from '@/lib/server/policy';
import { describeClient, env, getAppConfig } from '@/lib/server/runtime';
import { readPlainRememberedAt, readRememberedAt, withRecordsInTime, type PlainDevice } from '@/lib/server/storage';
import { REMEMBERED_DAYS } from '@/lib/shared/account/security';
import { toAssurance } from '@/lib/shared/paths';
import type { AppConfig, SecondFactorRule } from '@/lib/shared/config/app-config';
import { reportError } from '@/lib/shared/error-reporting/report';
import { isSocialProvider } from '@/lib/shared/sign-in-methods';
import { getSessionId } from './handoff';
import type { Device, SessionRequest } from './types';

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
    device: readDevice(req),
    sessionCookie: readCookie(req, 'session') || null,
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

const SECRET_BYTES = 32;
const SECRET_FORMAT = /^[\w-]{43}$/;

export function readDevice(req: RequestCookies): Device {
  const parse = (secret = '') => (SECRET_FORMAT.test(secret) ? secret : null);
  // On a shared computer it ends with the browser, and none from before the prefix is taken over.
  const plainSecret = isSharedComputer(req) ? null : parse(readPlainCookie(req, 'device'));
  return { secret: parse(readHostCookie(req, 'device')), plainSecret };
}

/** The same browser, with a new secret if it has none. */
export function ensureDeviceSecret(device: Device): Device {
  if (device.secret !== null) return device;
  return { ...device, secret: randomBytes(SECRET_BYTES).toString('base64url') };
}

/**
 * What is stored of the secret, for one account. The secret is the key: without it the table does not tell that the rows of two accounts
 * are of one browser. @returns null for a browser without a secret
 */
export function digestDevice({ secret }: Pick<Device, 'secret'>, uid: string): string | null {
  // What is signed differs from that of a plain secret, so that the value of a cookie with the prefix, planted as a plain one, is not known.
  return secret === null ? null : hash(secret, `__Host- ${uid}`);
}

/** What was stored before cookies had the prefix. @returns null for a browser without a plain secret */
export function digestPlainDevice({ plainSecret }: Pick<Device, 'plainSecret'>, uid: string): string | null {
  return plainSecret === null ? null : hash(plainSecret, uid);
}

function hash(secret: string, text: string): string {
  return createHmac('sha256', Buffer.from(secret, 'base64url')).update(text).digest('base64url');
}

/** The device that a browser can go on as by a cookie from before the prefix, for one account; null when it cannot. */
export function toPlainDevice(
  { device, sessionCookie }: Pick<SessionRequest, 'device' | 'sessionCookie'>,
  uid: string,
): PlainDevice | null {
  const digest = digestPlainDevice(device, uid);
  if (digest === null) return null;
  const cookies = device.secret === null ? 'plain' : 'both';
  const isAdopted = (session: DeviceFacts['session']) => decideDevice({ cookies, session }) === 'adopt';
  // Beside a secret of its own, it goes on as no other device.
  if (!isAdopted('own')) return null;
  return { digest, sid: sessionCookie === null ? null : getSessionId(sessionCookie), isAdopted };
}

/** All that is stored of a browser, for one account. */
export function listDeviceDigests(request: Pick<SessionRequest, 'device' | 'sessionCookie'>, uid: string): string[] {
  const plain = toPlainDevice(request, uid)?.digest ?? null;
  return [digestDevice(request.device, uid), plain].filter((each) => each !== null);
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
  if (Math.floor(rememberedAt.getTime() / 1000) <= validSince) return null;
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
  request: Pick<SessionRequest, 'device' | 'sessionCookie' | 'allowsRemembering' | 'requiredAssurance'>,
): Promise<boolean> {
  const now = new Date();
  const cookieDigest = digestDevice(request.device, uid);
  const plain = toPlainDevice(request, uid);
  if (cookieDigest === null && plain === null) return false;
  if (!hasSecondFactor || request.requiredAssurance === 2 || !(await request.allowsRemembering())) return false;
  const rememberedAt = await withRecordsInTime(async (records) => {
    if (cookieDigest !== null) return readRememberedAt(records, uid, cookieDigest);
    return plain && readPlainRememberedAt(records, { uid, at: now }, plain);
  });
  return getRememberedUntil({ rememberedAt, validSince, now }) !== null;
}
