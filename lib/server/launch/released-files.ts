import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { dataOnly, everywhere, notTheHelper } from '@/lib/server/http/document/response-headers.json';
import { BUILD_FILES_PATH, getBuildFileType, listBuildFiles, processWide } from '@/lib/server/runtime';

type Find = (file: string) => Promise<Buffer | null>;

/** Set by the start of the app: this program does not contain the database. */
const finder = () => processWide('find-released-file', () => ({ find: (() => Promise.resolve(null)) as Find }));

export function setFinder(find: Find): void {
  finder().find = find;
}

/**
 * Answers requests for scripts and styles that this build does not have: those of the last builds, or a short 404. The framework would render
 * its page of an error.
 */
export function answerReleasedFiles(listener: RequestListener): RequestListener {
  const own = new Set(listBuildFiles());
  return (req, res) => {
    const [path = ''] = (req.url ?? '').split('?', 1);
    const file = path.startsWith(BUILD_FILES_PATH) ? path.slice(BUILD_FILES_PATH.length) : '';
    const type = /^[\w~.-]+(?:\/[\w~.-]+)*$/.test(file) ? getBuildFileType(file) : undefined;
    if (type === undefined || own.has(file)) listener(req, res);
    else void answer(req, res, file, type);
  };
}

async function answer(req: IncomingMessage, res: ServerResponse, file: string, type: string): Promise<void> {
  for (const [name, value] of Object.entries({ ...everywhere, ...notTheHelper, ...dataOnly }))
    res.setHeader(name, value);
  const body = await finder()
    .find(file)
    .catch(() => undefined);
  if (body) {
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
  // While the database is away, no cache may store that there is no such file.
  res.statusCode = body === null ? 404 : 503;
  res.setHeader('content-type', 'text/plain; charset=utf-8');
  res.setHeader('cache-control', 'no-store');
  res.end(req.method === 'HEAD' ? undefined : `${body === null ? 'Not found' : 'Unavailable'}\n`);
}
