import { parseArgs } from 'node:util';
import { readImportHashKey } from '@/lib/server/runtime';
import { HASH_ALGORITHMS, hashOptions, importFile, getEncoding } from '@/lib/server/accounts';
import { announceAccounts } from './announce';
import { flag, text, UsageError, type Command } from './types';

const OPTIONS = {
  ...{ 'dry-run': flag, 'not-legacy': flag, report: text, ignore: text, hash: text, encoding: text },
  ...{ rounds: text, 'memory-cost': text, 'block-size': text, parallelization: text },
  ...{ 'derived-key-length': text, 'salt-separator': text },
};

export const importCommand: Command = {
  summary: 'imports users from a previous system',
  help: (program) => `${program} <people.csv|people.json> [options]

Columns: email, and if known uid, displayName, emailVerified, disabled, passwordHash, passwordSalt, createdAt, lastSignInAt.
Any other column stops the import, unless --ignore names it. The file is in UTF-8. Use CSV for a very large file.
The import skips users who already have an account. After an aborted import or a correction of the file, run it again.
It then skips unchanged rows. With another encoding, algorithm, parameter or claim, it skips none.
Accounts that were imported with the wrong one are skipped, so delete them first.
The first line on standard error shows the project.

  --dry-run               validates all rows without importing
  --report FILE           where to record the result of each line (people.csv.report.jsonl)
  --ignore A,B            columns to leave out
  --not-legacy            do not set the legacy claim
  --hash ALGORITHM        how passwords were hashed: ${HASH_ALGORITHMS.slice(0, 5).join(', ')},
                          ${HASH_ALGORITHMS.slice(5, -1).join(', ')} or ${HASH_ALGORITHMS.at(-1) ?? ''}
  --encoding ENCODING     how hashes and salts are written: base64 (default), hex or utf8 (BCRYPT)
  --rounds, --memory-cost, --block-size, --parallelization, --derived-key-length, --salt-separator (base64)
                          parameters of the algorithm; its key, in base64, is read from the variable IMPORT_HASH_KEY

In a container, mount the folder of the file. Write the report there too, because the file system is read-only.

Exit codes: 0 every user of the file has an account, 1 some have none or the import stopped, 2 wrong usage.`,
  async run(args) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });
    const [file, ...more] = positionals;
    if (!file || more.length > 0) throw new UsageError('Name the file: one file of users.');
    const { 'dry-run': dryRun, 'not-legacy': notLegacy, report, ignore = '' } = values;
    const passwords = asUsageError(() => ({
      encoding: getEncoding(values.encoding),
      hash: values.hash === undefined ? undefined : hashOptions(values.hash, getParameters(values)),
    }));
    announceAccounts();
    const options = { ...passwords, dryRun, report, legacy: !notLegacy, ignored: ignore.split(',') };
    return (await importFile(file, options)) ? 0 : 1;
  },
};

type Values = Partial<Record<keyof typeof OPTIONS, string | boolean>>;

function getParameters(values: Values): Record<string, unknown> {
  return {
    key: readImportHashKey(),
    saltSeparator: values['salt-separator'],
    rounds: values.rounds,
    memoryCost: values['memory-cost'],
    blockSize: values['block-size'],
    parallelization: values.parallelization,
    derivedKeyLength: values['derived-key-length'],
  };
}

function asUsageError<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
