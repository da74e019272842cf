import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { ApiProblem } from '@/lib/api/problem';

/** Longest body of any call, in bytes (product decisions, 3). */
const MAX_BODY = 16 * 1024;

/**
 * Reads a JSON body and checks it.
 * @throws ApiProblem `unsupported-media-type`, `body-too-large` or `bad-request`, which names fields but no values
 */
export async function readBody<T>(req: IncomingMessage, schema: z.core.$ZodType<T>): Promise<T> {
  if (!isJson(req.headers['content-type'])) throw new ApiProblem('unsupported-media-type');
  const result = z.safeParse(schema, parse(await readBytes(req)));
  if (result.success) return result.data;
  const fields = [...new Set(result.error.issues.map((issue) => issue.path.join('.') || 'body'))];
  throw new ApiProblem('bad-request', { detail: `Missing or wrong: ${fields.join(', ')}` });
}

/** Refuses a body that is announced as too long, before anything else is spent on the call. */
export function checkAnnouncedLength(req: IncomingMessage, atMost = MAX_BODY): void {
  if (Number(req.headers['content-length'] ?? 0) > atMost) throw tooLarge(req, atMost);
}

/** Counts what arrives, not what was announced. */
export async function readBytes(req: IncomingMessage, atMost = MAX_BODY): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= atMost) return;
      req.off('data', onData);
      reject(tooLarge(req, atMost));
    };
    req.on('data', onData);
    req.once('end', () => resolve(Buffer.concat(chunks)));
    req.once('error', () => reject(new ApiProblem('bad-request', { detail: 'The body broke off' })));
    req.once('aborted', () => reject(new ApiProblem('bad-request', { detail: 'The body broke off' })));
  });
}

/** The rest is read and thrown away, or the sender would see a broken connection instead of the answer. */
function tooLarge(req: IncomingMessage, atMost: number): ApiProblem {
  req.resume();
  return new ApiProblem('body-too-large', { detail: `At most ${String(atMost)} bytes` });
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new ApiProblem('bad-request', { detail: 'The body is not JSON' });
  }
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json';
}
