import { createHash } from 'node:crypto';
import { reportError } from '@/lib/shared/error-reporting/report';
import { env, readText, countBreachCheck } from '@/lib/server/runtime';
import { abortAfter } from '@/lib/shared/time-limit';

/** Every service of breached passwords contains this password. */
const SAMPLE = 'password';

/** In milliseconds for connection, headers and body. It is short because a learner waits. */
const TIMEOUT_MS = 500;
/**
 * The service receives this many of the 40 hexadecimal digits of the hash. About a thousand known passwords share them.
 */
const PREFIX_LENGTH = 5;
/** A range has about 40 KB, and about 60 KB with padding. */
const MAX_BYTES = 1_000_000;

/**
 * Looks up a new password in the configured service of breached passwords (NIST SP 800-63B-4, section 3.1.1.2). The
 * service receives five hexadecimal digits of its SHA-1 hash. Padding hides the size of the response from the network.
 * @returns false without a service, and if it fails; then only the bundled list decides
 */
export async function isBreached(password: string): Promise<boolean> {
  const { BREACHED_PASSWORDS_URL: service } = env();
  if (service === undefined) return false;
  try {
    const found = await lookUp(service, password);
    countBreachCheck(found ? 'found' : 'not_found');
    return found;
  } catch (error) {
    countBreachCheck('failed');
    // Do not report the error itself, which could contain the address and with it a part of the hash.
    reportError(new Error('The service of breached passwords did not answer'), { reason: describeFailure(error) });
    return false;
  }
}

/** Tests whether an outgoing request looks up a password. */
export function isLookup(address: string): boolean {
  const { BREACHED_PASSWORDS_URL: service } = env();
  return service !== undefined && address.startsWith(service);
}

/**
 * Tests whether the service finds a password that every such service contains.
 * @throws Error with a message for operators
 */
export async function tryService(service: string): Promise<boolean> {
  return lookUp(service, SAMPLE).catch((error: unknown) => {
    throw new Error(describeFailure(error));
  });
}

async function lookUp(service: string, password: string): Promise<boolean> {
  const hash = createHash('sha1').update(password, 'utf8').digest('hex').toUpperCase();
  const range = await fetchRange(service + hash.slice(0, PREFIX_LENGTH));
  return hasSuffix(range, hash.slice(PREFIX_LENGTH));
}

async function fetchRange(address: string): Promise<string> {
  const headers = { 'user-agent': 'learner-identity', 'add-padding': 'true', accept: 'text/plain' };
  const response = await fetch(address, { headers, redirect: 'error', signal: abortAfter(TIMEOUT_MS) });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new RangeError(`HTTP ${String(response.status)}`);
  }
  return readText(response, MAX_BYTES);
}

/** @param range lines with the rest of a hash, a colon and how often it was found; padding lines have 0 */
export function hasSuffix(range: string, suffix: string): boolean {
  return range.split(/\r?\n/).some((line) => {
    const [rest = '', count = ''] = line.trim().split(':');
    return rest.toUpperCase() === suffix && Number(count) > 0;
  });
}

function describeFailure(error: unknown): string {
  if (error instanceof RangeError) return error.message;
  return error instanceof Error ? error.name : 'unknown';
}
