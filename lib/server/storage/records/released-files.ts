import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { eq, notInArray, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import {
  deriveKeys,
  env,
  isEqualInConstantTime,
  listBuildFiles,
  readBuildFile,
  readBuildId,
  shareCheck,
} from '@/lib/server/runtime';
import { getRecords } from '.';
import type { Records } from './engines';
import { releasedFiles } from './schema';

/** A learner's open page can come from any of these builds. Each build has about a megabyte. */
const KEPT_BUILDS = 5;
/** Fits all files of the kept builds. */
const MAX_CACHED_BYTES = 8 * 2 ** 20;

/**
 * Stores the scripts and styles of this build before its first process starts, and deletes the files of old builds.
 * @returns the number of files
 */
export async function storeReleasedFiles(records: Records): Promise<number> {
  const names = listBuildFiles();
  if (names.length === 0) return 0;
  const [build, releasedAt] = [readBuildId(), new Date()];
  const rows = names.map((path) => {
    const body = gzipSync(readBuildFile(path)).toString('base64');
    return { path, build, body, seal: sealFile(path, body)[0] ?? '', releasedAt };
  });
  const set = { body: sql`excluded.body`, seal: sql`excluded.seal`, releasedAt: sql`excluded.released_at` };
  const target = [releasedFiles.path, releasedFiles.build];
  await records.transact(async (tx) => {
    await tx.insert(releasedFiles).values(rows).onConflictDoUpdate({ target, set });
    const kept = await tx
      .select({ build: releasedFiles.build })
      .from(releasedFiles)
      .groupBy(releasedFiles.build)
      .orderBy(sql`max(${releasedFiles.releasedAt}) desc`)
      .limit(KEPT_BUILDS);
    await tx.delete(releasedFiles).where(
      notInArray(
        releasedFiles.build,
        kept.map((row) => row.build),
      ),
    );
  });
  return names.length;
}

/** Returns the seals of a file by every secret. The first seal is stored. */
function sealFile(path: string, body: string): string[] {
  return deriveKeys(env().TOKEN_ENCRYPTION_SECRET, 'released-file').map((key) =>
    createHmac('sha256', key).update(`${path}\n${body}`).digest('base64url'),
  );
}

/** Only the start of the app looks them up, so that they are in memory once. */
const known = {
  names: new Set<string>(),
  bodies: new LRUCache<string, Buffer>({ maxSize: MAX_CACHED_BYTES, sizeCalculation: ({ length }) => length + 1 }),
};

/**
 * Finds a file of another build.
 * @returns the file, compressed by gzip, or null if none of the last builds has it
 * @throws RecordsError
 */
export async function findReleasedFile(path: string): Promise<Buffer | null> {
  const cached = known.bodies.get(path);
  if (cached) return cached;
  if (!known.names.has(path)) await readNames();
  if (!known.names.has(path)) return null;
  const records = await getRecords();
  const rows = await records.query((tx) =>
    tx
      .select({ body: releasedFiles.body, seal: releasedFiles.seal })
      .from(releasedFiles)
      .where(eq(releasedFiles.path, path))
      .limit(KEPT_BUILDS),
  );
  const row = rows.find(({ body, seal }) => sealFile(path, body).some((own) => isEqualInConstantTime(own, seal)));
  if (!row) return null;
  const body = Buffer.from(row.body, 'base64');
  known.bodies.set(path, body);
  return body;
}

/** Reads all names at once, and at most every few seconds, because any client can request unknown names. */
function readNames(): Promise<void> {
  return shareCheck('released-files', async () => {
    const records = await getRecords();
    // Bounded: the files of the kept builds
    const rows = await records.query((tx) => tx.selectDistinct({ path: releasedFiles.path }).from(releasedFiles));
    known.names = new Set(rows.map(({ path }) => path));
  });
}
