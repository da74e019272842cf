import type { DecodedIdToken } from 'firebase-admin/auth';
import { isApiProblem, nullOnProblem } from '@/lib/shared/problem';
import {
  hasRecords,
  findSession,
  isProofEnded,
  RECORDS_TIMEOUT_MS,
  withRecords,
  isAnyEnded,
} from '@/lib/server/storage';
import type { OpeningFacts } from '@/lib/server/policy';
import { digestDevice, toPlainDevice } from './device';
import { getAuthenticationTime, getRenewalTime, getSessionEnd, getSessionIds } from './handoff';
import { verifyCookie } from './verify-cookie';
import type { Device } from './types';

/** What is known of the session that a browser has. `id`, of a live session, in the records; `cookie`: of a session not ended. */
export type BrowserSession = Pick<OpeningFacts, 'records' | 'session' | 'device' | 'isProofEnded'> & {
  authenticatedAt: number | null;
  id: string | null;
  cookie: { sid: string; expiresAt: Date } | null;
};

type Genuine = { sids: string[]; authenticatedAt: number; expiresAt: Date; isEnded: boolean };

/**
 * Collects what `decideOpening` has to know about the session of a browser.
 * @param cookie the browser's session cookie, genuine or not
 * @param account its id, the time of the proof, and when all sessions were revoked, seconds since 1970
 */
export async function readBrowserSession(
  cookie: string | null,
  device: Device,
  account: { uid: string; authenticatedAt: number; validSince: number },
): Promise<BrowserSession> {
  const genuine = cookie === null ? null : await readGenuine(cookie, account);
  const authenticatedAt = genuine?.authenticatedAt ?? null;
  const withoutRecords = {
    authenticatedAt,
    id: null,
    isProofEnded: false,
    device: 'other',
    ...describe(genuine),
  } as const;
  if (!hasRecords()) return { ...withoutRecords, records: 'none' };
  try {
    return await withRecords(async (records) => {
      const [proofEnded, found] = await Promise.all([
        records.transact((tx) => isProofEnded(tx, account.uid, new Date(account.authenticatedAt * 1000))),
        genuine && findSession(records, genuine.sids, new Date()),
      ]);
      const common = { records: 'here', authenticatedAt, isProofEnded: proofEnded } as const;
      if (!found?.own && !found?.isEnded) return { ...withoutRecords, ...common };
      const { own } = found;
      if (genuine?.isEnded || !own?.isLive)
        return { ...common, session: 'ended', device: 'other', id: null, cookie: null };
      const digest = digestDevice(device, account.uid);
      const plain = toPlainDevice({ device, sessionCookie: cookie }, account.uid);
      const isSame = own.deviceDigest === digest || own.deviceDigest === plain?.digest;
      const match = own.deviceDigest === null ? 'keeps-none' : isSame ? 'same' : 'other';
      return { ...common, session: 'live', device: match, id: own.id, cookie: describe(genuine).cookie };
    }, RECORDS_TIMEOUT_MS);
  } catch (error) {
    if (!isApiProblem(error) || error.code !== 'records-unavailable') throw error;
    return { ...withoutRecords, records: 'away' };
  }
}

function describe(genuine: Genuine | null): Pick<BrowserSession, 'session' | 'cookie'> {
  if (genuine === null) return { session: 'none', cookie: null };
  if (genuine.isEnded) return { session: 'ended', cookie: null };
  return { session: 'unrecorded', cookie: { sid: genuine.sids[0] ?? '', expiresAt: genuine.expiresAt } };
}

/** @returns null for a cookie that is not genuine, or of another account */
async function readGenuine(
  cookie: string,
  { uid, validSince }: { uid: string; validSince: number },
): Promise<Genuine | null> {
  const decoded = await nullOnProblem(verifyCookie(cookie));
  if (decoded?.uid !== uid) return null;
  const sids = getSessionIds(cookie, decoded);
  const isOver = isRevoked(decoded, validSince) || getSessionEnd(decoded) * 1000 <= Date.now();
  return {
    sids,
    authenticatedAt: getAuthenticationTime(decoded),
    expiresAt: new Date(decoded.exp * 1000),
    isEnded: isOver || (await isAnyEnded(sids)),
  };
}

function isRevoked(decoded: DecodedIdToken, validSince: number): boolean {
  return (getRenewalTime(decoded) ?? getAuthenticationTime(decoded)) < validSince;
}
