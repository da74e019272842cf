import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { dataOnly, everywhere, notTheHelper } from '@/lib/server/http/document/response-headers.json';
import { BUILD_FILES_PATH, getBuildFileType, listStaticFiles, processWide } from '@/lib/server/runtime';

type Find = (file: string) => Promise<Buffer | null>;

/** The start of the app sets it, because this program does not contain the database. */
const finder = () => processWide('find-released-file', () => ({ find: (() => Promise.resolve(null)) as Find }));

export function setFinder(find: Find): void {
  finder().find = find;
}

/**
 * Handles requests for files that this build does not have. It sends scripts and styles of the last builds, or a short
 * 404 for any other name. The framework would render its error page.
 */
export function answerReleasedFiles(listener: RequestListener): RequestListener {
  const own = new Set(listStaticFiles());
  return (req, res) => {
    const [path = ''] = (req.url ?? '').split('?', 1);
    const file = path.startsWith(BUILD_FILES_PATH) ? path.slice(BUILD_FILES_PATH.length) : null;
    if (file === null || own.has(file)) listener(req, res);
    else void answer(req, res, file);
  };
}

/** Finds a file of an earlier build, without a lookup if no build can have the name. @returns null if there is none */
async function findReleased(file: string): Promise<{ type: string; body: Buffer } | null> {
  const type = /^[\w~.-]+(?:\/[\w~.-]+)*$/.test(file) ? getBuildFileType(file) : undefined;
  if (type === undefined) return null;
  const body = await finder().find(file);
  return body && { type, body };
}

async function answer(req: IncomingMessage, res: ServerResponse, file: string): Promise<void> {
  for (const [name, value] of Object.entries({ ...everywhere, ...notTheHelper, ...dataOnly }))
    res.setHeader(name, value);
  const found = await findReleased(file).catch(() => undefined);
  if (found) {
    const { type, body } = found;
    const isZipped = /\bgzip\b/i.test(String(req.headers['accept-encoding']));
    res.setHeader('content-type', type);
    res.setHeader('cache-control', 'public, max-age=31536000, immutable');
    res.setHeader('vary', 'Accept-Encoding');
    if (isZipped) res.setHeader('content-encoding', 'gzip');
    const content = isZipped ? body : gunzipSync(body);
    res.setHeader('content-length', content.length);
    res.end(req.method === 'HEAD' ? undefined : content);
    return;
  }
  // Caches must not store that the file is missing while the database is unavailable.
  res.statusCode = found === null ? 404 : 503;
  res.setHeader('content-type', 'text/plain; charset=utf-8');
  res.setHeader('cache-control', 'no-store');
  res.end(req.method === 'HEAD' ? undefined : `${found === null ? 'Not found' : 'Unavailable'}\n`);
}
