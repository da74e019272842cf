// Creates the empty database that the embedded database starts from (lib/server/storage/records/engines.ts), if it is
// missing. Creating a database takes 3 s and 800 MB of memory, so the build does it once.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { installed, root } from './lib/paths.mjs';

const file = path.join(root, 'records-template.tar.gz');
/** A template works with one version of the database only. */
const stamp = `${file}.version`;

const { version } = JSON.parse(readFileSync(installed('@electric-sql/pglite/package.json'), 'utf8'));
if (!existsSync(file) || !existsSync(stamp) || readFileSync(stamp, 'utf8') !== version) {
  const { PGlite } = await import('@electric-sql/pglite');
  const database = await PGlite.create();
  const dump = await database.dumpDataDir('gzip');
  await database.close();
  writeFileSync(`${file}.new`, new Uint8Array(await dump.arrayBuffer()));
  renameSync(`${file}.new`, file);
  writeFileSync(stamp, version);
}
