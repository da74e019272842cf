import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import { isApiProblem, type ProblemCode } from '@/lib/shared/problem';
import { digest, getClientAddress } from '@/lib/server/runtime';
import { consumeLimit, getStore, readWatched, recordWatched, WATCHES } from '@/lib/server/storage';
import { guardCall, holdRefusal, isProofOn, readUnverified, type RequestCookies } from '@/lib/server/http';
import { getBrowserId, getKnownBrowser } from '@/lib/server/notifications';

type SignInRequest = Pick<IncomingMessage, 'headers' | 'socket' | 'url'> & RequestCookies;

/** Refusals of tokens and accounts that a learner cannot cause by waiting, going back or typing. */
const FAILURES = new Set<ProblemCode>([
  'token-invalid',
  'token-revoked',
  'user-deleted',
  'user-disabled',
  'email-missing',
  'provider-not-allowed',
  'invalid-enterprise-domain',
]);
/** Responses to an accepted token whose account must take a step first. */
const STEPS = new Set<ProblemCode>([
  'email-not-verified',
  'legacy-reset-required',
  'legacy-sign-in-required',
  'second-factor-required',
  'second-factor-setup-required',
]);

/**
 * Opens a session, and watches the client's network. If a network has many failures, or many accounts in new browsers,
 * its failures are delayed, and then a proof of work is required. Known browsers of an account are exempt
 * (docs/adr/0040). Guessed passwords go to the identity provider and are not visible here.
 * @throws ApiProblem `proof-required`; any error of `open`
 */
export async function watchSignIn<T>(req: SignInRequest, token: string, open: () => Promise<T>): Promise<T> {
  if (!isProofOn()) return open();
  const network = getClientAddress(req, 48);
  // The token is not verified yet. A token that names another account gets no session.
  const { sub = '', email } = readUnverified(token) ?? {};
  const isKnownBrowser = typeof email === 'string' && (await getKnownBrowser(req, email)) !== null;
  const { passed, retryAfter } = await readLevel(network);
  const guard = await guardCall(req, { passed, isKnownBrowser }, retryAfter);
  try {
    const opened = await open();
    if (!isKnownBrowser) await countAccount(network, sub);
    return opened;
  } catch (error) {
    const code = isApiProblem(error) ? error.code : null;
    if (code !== null && FAILURES.has(code)) {
      await countFailure(network);
      if (guard === 'slow') await holdRefusal();
    }
    if (code !== null && STEPS.has(code) && !isKnownBrowser) await countAccount(network, sub);
    throw error;
  }
}

/**
 * Counts a sign-in beyond the limit of its client network by its browser, and by all such browsers there.
 * @returns false for a browser in which no account has signed in
 * @throws ApiProblem `too-many-requests`
 */
export async function countByBrowser(req: Omit<SignInRequest, 'url'>): Promise<boolean> {
  const browser = await getBrowserId(req);
  if (browser === null) return false;
  await consumeLimit('create-session-of-browser', browser);
  await consumeLimit('create-session-of-browsers', getClientAddress(req));
  return true;
}

const ALL = 'all';

type Level = { passed: 'none' | 'slow' | 'soft'; retryAfter: number };

/** Networks that require proofs, cached for a few seconds, because refusing an attack's calls must be cheap. */
const asked = new LRUCache<string, Level>({ max: 10_000, ttl: 5_000 });

async function readLevel(network: string): Promise<Level> {
  const known = asked.get(network);
  if (known) return known;
  const level = await fetchLevel(network);
  if (level.passed === 'soft') asked.set(network, level);
  return level;
}

async function fetchLevel(network: string): Promise<Level> {
  const [failures, overall, accounts] = await Promise.all([
    readWatched('failed-sign-ins', network),
    readWatched('failed-sign-ins-overall', ALL),
    readWatched('accounts-of-network', network),
  ]);
  const seen = [failures, accounts, ...(failures.count > 0 ? [overall] : [])];
  const passed = (['soft', 'slow'] as const).find((level) => seen.some((each) => each.passed === level)) ?? 'none';
  const over = seen.filter((each) => each.passed === passed);
  return { passed, retryAfter: passed === 'none' ? 0 : Math.max(1, ...over.map((each) => each.retryAfter)) };
}

async function countFailure(network: string): Promise<void> {
  await Promise.all([recordWatched('failed-sign-ins', network), recordWatched('failed-sign-ins-overall', ALL)]);
}

/** Counts an account once in the period of the watch. */
async function countAccount(network: string, uid: string): Promise<void> {
  const isFirst = await getStore().setIfAbsent(
    `account-of:${digest(`${network} ${uid}`)}`,
    '1',
    WATCHES['accounts-of-network'].seconds,
  );
  if (isFirst) await recordWatched('accounts-of-network', network);
}
