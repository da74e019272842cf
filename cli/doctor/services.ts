import { createTransport } from 'nodemailer';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { apiPaths } from '@/lib/shared/api-paths';
import { tryService } from '@/lib/server/accounts';
import { env } from '@/lib/server/runtime';
import { getTransportOptions } from '@/lib/server/notifications';
import { fetchProjectResource } from '@/lib/server/identity';
import { createRedisClient } from '@/lib/server/storage';
import { describeError } from '../describe-error';
import { works, fails, notConfigured, unchecked, type Finding } from './types';
import { abortAfter, timeLimit } from '@/lib/shared/time-limit';

/** Timeout of each service, in milliseconds. */
const TIMEOUT_MS = 5_000;
/** Writes a key by a script, like the app. A replica, a full server or a user without the permission refuses it. */
const REDIS_KEY = 'learner-identity:doctor';
const REDIS_SCRIPT = "return redis.call('SET', KEYS[1], '1', 'PX', 1000)";
/** This is far below the tolerances. A token is accepted up to 5 minutes ahead, and a code expires after 15 minutes. */
const MAX_OFFSET_SECONDS = 5;

export async function checkRedis(): Promise<Finding> {
  const what = 'Redis';
  const nodes = env().REDIS_URL;
  if (nodes === undefined) {
    const detail = 'state is in the memory of each process';
    return notConfigured(what, detail, 'Set REDIS_URL before you start a second process');
  }
  const redis = await createRedisClient(nodes, {
    connectTimeout: timeLimit(TIMEOUT_MS),
    commandTimeout: timeLimit(TIMEOUT_MS),
    retryStrategy: () => null,
  });
  // This event has the reason of a failed connection. The rejected promise only says that the connection is closed.
  let reason: unknown;
  redis.on('error', (error: unknown) => (reason = error));
  try {
    const begin = performance.now();
    await promiseTimeout(redis.connect(), TIMEOUT_MS);
    await redis.eval(REDIS_SCRIPT, 1, REDIS_KEY);
    const ms = Math.round(performance.now() - begin);
    return works(what, `${nodes.length > 1 ? 'a cluster: ' : ''}connected, and wrote in ${String(ms)} ms`);
  } catch (error) {
    const action =
      'Check REDIS_URL, and that this machine may connect and write. Sign-in works without Redis, but each process has its own limits';
    return fails(what, describeError(reason ?? error), action);
  } finally {
    redis.disconnect();
  }
}

/** @param sendTo recipient of a test email, or undefined for none */
export async function checkEmail(sendTo: string | undefined): Promise<Finding> {
  const what = 'email';
  const { NO_REPLY_MAILBOX: sender, NEXT_PUBLIC_BRAND_NAME: brand, NEXT_PUBLIC_APP_ORIGIN: app } = env();
  const isEncrypted = requiresEncryption(env().SMTP_URL);
  const more = isEncrypted
    ? ''
    : '. Encrypt the connection: use smtps:// in SMTP_URL, or add ?requireTLS=true if the server has STARTTLS';
  const transport = createTransport(getTransportOptions());
  try {
    await promiseTimeout(transport.verify(), 2 * TIMEOUT_MS);
    const { username } = new URL(env().SMTP_URL);
    const authentication = username === '' ? 'without authentication' : 'authenticated';
    const found = `connected, EHLO accepted, ${authentication}${isEncrypted ? '' : ', encryption not required'}, sender ${sender}`;
    if (sendTo === undefined) return works(what, found, `To test the delivery, add --send-to ADDRESS${more}`);
    const sent = transport.sendMail({
      to: { name: '', address: sendTo },
      from: { name: brand, address: sender },
      subject: `${brand}: test email`,
      text: `This is a test of ${app}. An operator requested it. You need to do nothing.\n`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    });
    await promiseTimeout(sent, 2 * TIMEOUT_MS);
    return works(what, `${found}; the test email was accepted`, `Check that mailbox and its spam folder${more}`);
  } catch (error) {
    const action = 'Check SMTP_URL, NO_REPLY_MAILBOX, and that this machine may connect';
    return fails(what, describeError(error), action);
  } finally {
    transport.close();
  }
}

/**
 * Whether the connection must be encrypted. Otherwise, STARTTLS is used only if offered, and an attacker on the network
 * can suppress the offer (RFC 8314, section 3). Connections within this machine do not need encryption.
 */
export function requiresEncryption(address: string): boolean {
  const { protocol, hostname, searchParams } = new URL(address);
  if (protocol === 'smtps:' || searchParams.get('requireTLS') === 'true') return true;
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** Looks up a password that is in every list of breached passwords. */
export async function checkBreachedPasswords(): Promise<Finding> {
  const what = 'breached passwords';
  const { BREACHED_PASSWORDS_URL: service } = env();
  if (service === undefined) {
    const action = 'Set BREACHED_PASSWORDS_URL to refuse passwords that leaked from other sites';
    return notConfigured(what, 'only the bundled list of common passwords is used', action);
  }
  const action =
    'Check BREACHED_PASSWORDS_URL, and that this machine may connect. Until then, only the bundled list is used';
  try {
    if (await tryService(service)) return works(what, 'answered within 500 ms');
    return fails(what, 'answered, but does not know the most common password', action);
  } catch (error) {
    return fails(what, error instanceof Error ? error.message : 'no response', action);
  }
}

/** Checks the other deployment, with `SESSION_BACKEND=upstream`. */
export async function checkUpstream(): Promise<Finding[]> {
  const { SESSION_BACKEND: backend, UPSTREAM_IDENTITY_URL: url } = env();
  if (backend !== 'upstream' || url === undefined) return [];
  const what = 'upstream identity API';
  const action = 'Check UPSTREAM_IDENTITY_URL, and that deployment';
  try {
    const response = await fetch(new URL(apiPaths.live, url), {
      redirect: 'manual',
      signal: abortAfter(TIMEOUT_MS),
    });
    await response.body?.cancel();
    if (response.ok) return [works(what, `${url} is live`)];
    return [fails(what, `${url} answered ${String(response.status)}`, action)];
  } catch (error) {
    return [fails(what, describeError(error), action)];
  }
}

/** Compares the clock with the `Date` header of a dependency (RFC 9110, section 6.6.1), which has whole seconds. */
export async function checkClock(): Promise<Finding> {
  const what = 'clock';
  const isUpstream = env().SESSION_BACKEND === 'upstream';
  const dependency = isUpstream ? 'the upstream identity API' : 'the identity provider';
  try {
    const begin = Date.now();
    const response = isUpstream
      ? await fetch(new URL(apiPaths.live, env().UPSTREAM_IDENTITY_URL), { signal: abortAfter(TIMEOUT_MS) })
      : await fetchProjectResource('config');
    await response.body?.cancel();
    const now = (begin + Date.now()) / 2;
    const theirs = Date.parse(response.headers.get('date') ?? '');
    if (Number.isNaN(theirs)) throw new Error(`${dependency} sends no Date`);
    return judgeClock((now - (theirs + 500)) / 1000, dependency);
  } catch (error) {
    return unchecked(what, describeError(error));
  }
}

/** @param offset of this machine's clock in seconds, positive if it is ahead */
export function judgeClock(offset: number, dependency: string): Finding {
  const what = 'clock';
  const words = `${Math.abs(offset).toFixed(1)} s ${offset < 0 ? 'behind' : 'ahead of'} ${dependency}`;
  if (Math.abs(offset) <= MAX_OFFSET_SECONDS) return works(what, words);
  const action = 'Synchronize the clock (NTP). With a wrong clock, tokens and codes are refused';
  return fails(what, words, action);
}
