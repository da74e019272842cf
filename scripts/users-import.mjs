// Imports users from a previous system: `npm run users:import -- people.csv --hash BCRYPT --dry-run`
import { parseArgs } from 'node:util';
import { loadSettings } from './lib/settings.mjs';
import { runImport } from './lib/users-import.mjs';

const HELP = `npm run users:import -- <people.csv|people.json> [options]

Columns: email, and if known uid, displayName, emailVerified, disabled, passwordHash, passwordSalt, createdAt, lastSignInAt.
Any other column stops the import, unless --ignore names it. The file is in UTF-8.
Users who already have an account are skipped. Run it again to resume an aborted import, or after correcting the file:
rows that have not changed are done, wherever they are now.

  --dry-run               validates all rows without importing
  --report FILE           where to record the result of each line (people.csv.report.jsonl)
  --ignore A,B            columns to leave out
  --not-legacy            do not set the legacy claim
  --hash ALGORITHM        how passwords were hashed: BCRYPT, SCRYPT, STANDARD_SCRYPT, PBKDF2_SHA256, PBKDF_SHA1,
                          HMAC_SHA512, HMAC_SHA256, HMAC_SHA1, HMAC_MD5, SHA512, SHA256, SHA1 or MD5
  --encoding ENCODING     how hashes and salts are written: base64 (default), hex or utf8 (BCRYPT)
  --rounds, --memory-cost, --block-size, --parallelization, --derived-key-length, --salt-separator (base64)
                          parameters of the algorithm; its key, in base64, is read from the variable IMPORT_HASH_KEY`;

const text = { type: /** @type {const} */ ('string') };
const flag = { type: /** @type {const} */ ('boolean'), default: false };
try {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...{ help: flag, 'dry-run': flag, 'not-legacy': flag, report: text, ignore: text, hash: text, encoding: text },
      ...{ rounds: text, 'memory-cost': text, 'block-size': text, parallelization: text },
      ...{ 'derived-key-length': text, 'salt-separator': text },
    },
  });
  const [file] = positionals;
  if (values.help || !file) console.log(HELP);
  else {
    loadSettings();
    process.exitCode = (await runImport(file, values)) ? 0 : 1;
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
