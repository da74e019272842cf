import { createHash } from 'node:crypto';
import { reportError } from '@/lib/shared/error-reporting/report';
import { env, readText, countBreachCheck } from '@/lib/server/runtime';
import { abortAfter } from '@/lib/shared/time-limit';

/** Every such service has it. */
const SAMPLE = 'password';

/** A learner waits for it; in milliseconds, for connecting, headers and body. */
const TIMEOUT_MS = 500;
/** Of the 40 hexadecimal digits of the hash, those that the service is told: some thousand known passwords begin with them. */
const PREFIX_LENGTH = 5;
/** A range has some 40 KB, with padding 60. */
const MAX_BYTES = 1_000_000;

/**
 * Whether a new password is in the configured service of breached passwords (NIST SP 800-63B-4, section 3.1.1.2), which learns five
 * hexadecimal digits of its SHA-1 hash. Padding hides the size of the response from the network.
 * @returns false without a service, and when it fails: then the bundled list decides alone
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
    // Not the error itself: it could name the address, and with it a part of the hash.
    reportError(new Error('The service of breached passwords did not answer'), { reason: describeFailure(error) });
    return false;
  }
}

/** Whether an outgoing request looks a password up. */
export function isLookup(address: string): boolean {
  const { BREACHED_PASSWORDS_URL: service } = env();
  return service !== undefined && address.startsWith(service);
}

/** Whether the service has a password that every such service has. @throws Error with a message for operators */
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

/** @param range lines of the rest of a hash, a colon and how often it was found: 0 in lines of padding */
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
