import { randomBytes, randomInt, scrypt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { RECOVERY_CODE_COUNT } from '@/lib/shared/account/second-factor';
import { type ClientDescription, env, FairSemaphore, processWide } from '@/lib/server/runtime';

/** Crockford's base32, without letters that look like digits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'; // cspell:disable-line
/** 80 bits (NIST SP 800-63B-4, section 3.1.2.1: at least 64). */
const LENGTH = 16;
const GROUP = 4;
const SALT_BYTES = 16;
const DIGEST_BYTES = 32;
/** RFC 7914: by default 16 MiB and some 45 ms for each try. */
const getCost = () => ({ N: 2 ** env().RECOVERY_CODE_COST, r: 8, p: 1 });

const scryptAsync = promisify<string, Buffer, number, ReturnType<typeof getCost>, Buffer>(scrypt);

type Client = Pick<ClientDescription, 'network'>;

/** A set as it is stored. */
type NewRecoveryCodes = { salt: string; digests: readonly string[] };

/**
 * A new set: some 450 ms of one core.
 * @returns the codes as they are shown, once, and what is stored of them
 * @throws ApiProblem as `queueDerivation`
 */
export async function createRecoveryCodes(client: Client): Promise<{ shown: string[]; stored: NewRecoveryCodes }> {
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, createCode);
  const salt = randomBytes(SALT_BYTES).toString('base64url');
  const digests = await queueDerivation(client, async () => {
    const derived: string[] = [];
    // One after the other: the set has one place in the queue.
    for (const code of codes) derived.push(await derive(code, salt));
    return derived;
  });
  return { shown: codes.map(format), stored: { salt, digests } };
}

function createCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

function format(code: string): string {
  return (code.match(new RegExp(`.{${GROUP}}`, 'g')) ?? []).join('-');
}

/**
 * A recovery code as it was typed, in its stored spelling.
 * @returns null for what cannot be one
 */
export function readRecoveryCode(typed: string): string | null {
  const plain = typed
    .toUpperCase()
    .replaceAll(/[\s\-–—]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1');
  const isCode = plain.length === LENGTH && [...plain].every((character) => ALPHABET.includes(character));
  return isCode ? plain : null;
}

/**
 * @param salt of its set, base64url
 * @returns base64url
 * @throws ApiProblem as `queueDerivation`
 */
export function digestRecoveryCode(code: string, salt: string, client: Client): Promise<string> {
  return queueDerivation(client, () => derive(code, salt));
}

async function derive(code: string, salt: string): Promise<string> {
  return (await scryptAsync(code, Buffer.from(salt, 'base64url'), DIGEST_BYTES, getCost())).toString('base64url');
}

/** One core is left for everything else; the thread pool (4 threads) serves files and name lookups too. */
const MAX_RUNNING = Math.max(1, Math.min(2, availableParallelism() - 1));
/** A class that sets its apps up at the same time, from one network. */
const MAX_OF_NETWORK = 8;
/** Of set-ups, the last one waits for some 10 s. */
const MAX_WAITING = 32;
/** On a busy machine each takes longer: before the listener closes the connection, which gets no answer then, in milliseconds. */
const MAX_WAIT_MS = 20_000;

const queue = () =>
  processWide(
    'derivations',
    () =>
      new FairSemaphore({
        maxRunning: MAX_RUNNING,
        maxHeld: MAX_OF_NETWORK,
        maxWaiting: MAX_WAITING,
        maxWaitMs: MAX_WAIT_MS,
      }),
  );

/**
 * Runs a slow derivation: every one of the process waits in this queue. What entitles to it is consumed before, and no
 * connection to the database is held.
 * @throws ApiProblem `too-many-requests`: at once, when too many of the client's network, or of all, run or wait, or when its turn comes too late
 */
function queueDerivation<T>({ network }: Client, derivation: () => Promise<T>): Promise<T> {
  return queue().run(network ?? 'unknown', derivation);
}
