import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { escapeControls } from '@/lib/server/runtime';
import { type MoveOrder, moveAccount, planMove } from '@/lib/server/support';
import { emailField } from '@/lib/shared/account/fields';
import { describeError } from './describe-error';
import { findUser } from './find-user';
import { UsageError } from './types';

/** An account, by its email or its id, and its new email. `line`: of a file. */
type Pair = { line: number | null; from: string; to: string };
type Options = Pick<MoveOrder, 'operator' | 'reason'> & { isDry: boolean };

/**
 * Gives accounts other emails, in the order of the pairs. A pair that fails does not stop the others.
 * @param pairs from `readPairs`
 * @returns the exit code
 */
export async function moveAccounts(pairs: readonly Pair[], { isDry, ...by }: Options): Promise<number> {
  let failed = 0;
  for (const pair of pairs) {
    const where = pair.line === null ? '' : `line ${String(pair.line)}: `;
    try {
      const order = { ...by, uid: await findId(pair.from), to: readEmail(pair.to) };
      if (isDry) await plan(order);
      else await moveAccount(order);
      const what = `account ${order.uid} ${isDry ? 'can get' : 'now has'} the email ${order.to}`;
      console.log(escapeControls(where + what));
    } catch (error) {
      failed += 1;
      console.error(escapeControls(`${where}${pair.from}: ${describeError(error)}`));
    }
  }
  if (isDry) console.log('Nothing was changed: add --yes.');
  return failed === 0 ? 0 : 1;
}

/**
 * Reads the pairs of a command.
 * @param names an account and its new email, or none with a file
 * @param file CSV (RFC 4180) in UTF-8, with a header row and the columns `from` and `to`
 * @throws UsageError
 */
export function readPairs(names: readonly string[], file: string | undefined): Pair[] {
  if (file !== undefined && names.length === 0) return readFile(file);
  const [from, to, ...more] = names;
  if (file !== undefined || from === undefined || to === undefined || more.length > 0)
    throw new UsageError('Name the account and its new email, or a file of both: --file pairs.csv');
  return [{ line: null, from, to }];
}

function readFile(file: string): Pair[] {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
    const options = { bom: true, columns: true, info: true, skip_empty_lines: true, trim: true } as const;
    const rows: { record: Record<string, string>; info: { lines: number } }[] = parse(text, options);
    const pairs = rows.map(({ record: { from = '', to = '' }, info }) => ({ line: info.lines, from, to }));
    if (pairs.length > 0 && pairs.every(({ from, to }) => from !== '' && to !== '')) return pairs;
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${describeError(error)}`);
  }
  throw new UsageError(`${file} needs a header row, the columns "from" and "to", and both values in each row.`);
}

function readEmail(text: string): string {
  const { success, data } = emailField.safeParse(text);
  if (!success) throw new Error(`${text} is no email address.`);
  return data;
}

async function findId(name: string): Promise<string> {
  const user = await findUser(name);
  if (user === null) throw new Error('There is no such account.');
  return user.uid;
}

async function plan(order: MoveOrder): Promise<void> {
  const refusal = await planMove(order);
  if (refusal) throw new Error(`Not possible: ${refusal.detail}.`);
}
