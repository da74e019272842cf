import { parseArgs } from 'node:util';
import { hashAccountByEverySecret } from '@/lib/server/runtime';
import { UsageError, type Command } from './types';

export const accountHashCommand: Command = {
  summary: 'prints the hash of an account in the log',
  help: (program) => `${program} <account id>

Prints the hash that log lines and error reports contain as "account". It is an HMAC-SHA-256 of the id, with a key from
TOKEN_ENCRYPTION_SECRET. With several secrets, it prints a line for each. The first line is the present hash.
Older log lines have the hash of the earlier secret. The command does not call the identity provider, so any id has a hash.

Exit codes: 0 printed, 1 the configuration cannot be used, 2 wrong usage.`,
  run(args) {
    const [uid, ...more] = parseArgs({ args: [...args], allowPositionals: true }).positionals;
    if (!uid || more.length > 0) throw new UsageError('Name one account id.');
    if (uid.includes('@')) throw new UsageError('Name the id of the account, not its email.');
    for (const hash of hashAccountByEverySecret(uid)) console.log(hash);
    return Promise.resolve(0);
  },
};
