import { parseArgs } from 'node:util';
import { hashAccountByEverySecret } from '@/lib/server/runtime';
import { UsageError, type Command } from './types';

export const accountHashCommand: Command = {
  summary: 'the hash under which an account is in the log',
  help: (program) => `${program} <account id>

Prints the "account" of the account's log lines and error reports: HMAC-SHA-256 of the id under a key that is derived from
TOKEN_ENCRYPTION_SECRET. With several secrets, one line for each, the present one first: lines of the time before have the
hash by the earlier one. The identity provider is not called, so any id has a hash.

Exit codes: 0 printed, 1 the configuration cannot be used, 2 wrong usage.`,
  run(args) {
    const [uid, ...more] = parseArgs({ args: [...args], allowPositionals: true }).positionals;
    if (!uid || more.length > 0) throw new UsageError('Name one account id.');
    if (uid.includes('@')) throw new UsageError('Name the id of the account, not its email.');
    for (const hash of hashAccountByEverySecret(uid)) console.log(hash);
    return Promise.resolve(0);
  },
};
