import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { findBearerToken, readBearerToken } from '@/lib/server/http';
import {
  openConfigFile,
  describeUnknownKeys,
  env,
  isEqualInConstantTime,
  type FileProblem,
  type FileState,
  type ParsedFile,
} from '@/lib/server/runtime';
import { ApiProblem } from '@/lib/shared/problem';
import { type Operator, SUPPORT_ACTIONS, type SupportAction } from './decide';

const NAME = /^[\w.-]{1,64}$/;

const operatorSchema = z.object({
  /** `printf %s "$TOKEN" | sha256sum` */
  tokenSha256: z.string().regex(/^[\da-f]{64}$/, 'must be a SHA-256 in lower-case hexadecimal'),
  actions: z.array(z.enum(SUPPORT_ACTIONS)).min(1),
  /** The last day of the token, in UTC. */
  expires: z.iso.date(),
});
type Entry = z.output<typeof operatorSchema>;
type Entries = ReadonlyMap<string, Entry>;

const fileSchema = z.object({ operators: z.record(z.string(), z.unknown()) });

/** An unusable file gives no access, because its last valid version may name an operator who was removed. */
const getFile = (path: string) => openConfigFile<Entries>('OPERATORS_FILE', path, parseOperators, 'drop');

/** Parses the file. An invalid entry is reported and gives no access, because its last valid version may allow too much. */
export function parseOperators(content: unknown): ParsedFile<Entries> {
  const { success, data: file } = fileSchema.safeParse(content);
  if (!success) throw new Error('must be an object with operators');
  const problems = describeUnknownKeys(content, Object.keys(fileSchema.shape)).map((line): FileProblem => {
    return { message: line, context: {} };
  });
  const taken = new Set<string>();
  const operators = Object.entries(file.operators).flatMap(([name, entry]): [string, Entry][] => {
    const read = operatorSchema.safeParse(entry);
    const isTaken = read.success && taken.has(read.data.tokenSha256);
    if (read.success) taken.add(read.data.tokenSha256);
    const faults = [
      ...(NAME.test(name) ? [] : ['its name']),
      ...describeUnknownKeys(entry, Object.keys(operatorSchema.shape)),
      ...(read.error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`),
      ...(isTaken ? ['tokenSha256 is that of another operator'] : []),
    ];
    if (read.success && faults.length === 0) return [[name, read.data]];
    problems.push({ message: `An operator is invalid: ${faults.join('; ')}`, context: { operator: name } });
    return [];
  });
  const now = new Date();
  const notes = operators
    .filter(([, { expires }]) => isExpired(expires, now))
    .map(([name]): FileProblem => ({ message: 'The token of an operator has expired', context: { operator: name } }));
  return { value: new Map(operators), problems, notes };
}

/** The state of the file, reread if it has changed. Null if none is configured. */
export async function readOperatorsFile(): Promise<({ path: string } & FileState) | null> {
  const { OPERATORS_FILE: path } = env();
  return path === undefined ? null : { path, ...(await getFile(path).getState()) };
}

/** Finds the operator of a token. It compares with every entry, so its duration does not depend on the token. */
export function findOperator(token: string, operators: Entries, now: Date): Operator | null {
  const given = createHash('sha256').update(token).digest('hex');
  let found: Operator | null = null;
  for (const [name, { tokenSha256, actions, expires }] of operators) {
    if (isEqualInConstantTime(given, tokenSha256) && !isExpired(expires, now)) found = { name, actions };
  }
  return found;
}

const DAY_MS = 86_400_000;
const isExpired = (lastDay: string, now: Date) => now.getTime() >= Date.parse(lastDay) + DAY_MS;

/**
 * Authenticates an operator by `Authorization: Bearer` (RFC 6750). The file is read at each call, so a removed operator
 * loses access at once. A wrong, an expired and a foreign token get the same response.
 * @throws ApiProblem `not-found` without `OPERATORS_FILE`, 401 `admin-token-required` without a token, 403
 *   `admin-token-wrong` with a wrong one
 */
export async function requireOperator(req: Pick<IncomingMessage, 'headers'>, res: ServerResponse): Promise<Operator> {
  const { OPERATORS_FILE: path } = env();
  if (path === undefined) throw new ApiProblem('not-found');
  const token = readBearerToken(req, res);
  const operator = await readOperator(path, token);
  if (operator === null) throw new ApiProblem('admin-token-wrong', { rule: 'unknown-operator' });
  return operator;
}

/**
 * Whether a call has the token of an operator. Such a call is not refused for its network, where others can use up the
 * limit. The limits of the operator count it. No token can be guessed, because it is random.
 */
export async function hasOperatorToken(req: Pick<IncomingMessage, 'headers'>): Promise<boolean> {
  const { OPERATORS_FILE: path } = env();
  const token = findBearerToken(req);
  return path !== undefined && token !== null && (await readOperator(path, token)) !== null;
}

async function readOperator(path: string, token: string): Promise<Operator | null> {
  return findOperator(token, (await getFile(path).read()) ?? new Map(), new Date());
}

/** @throws ApiProblem 403 `admin-token-wrong` if the token does not allow the action */
export function assertAllowed({ actions }: Operator, action: SupportAction): void {
  if (actions.includes(action)) return;
  const detail = `This token does not allow the action ${action}`;
  throw new ApiProblem('admin-token-wrong', { rule: 'action-of-operator', detail });
}
