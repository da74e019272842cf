import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import { LINK_CODE_MAX } from '@/lib/shared/account/email-action';
import { ApiProblem } from '@/lib/shared/problem';

/** Maximum body size of any call, in bytes (docs/product.md#session). */
const MAX_BODY_BYTES = 16 * 1024;

/** Field of an emailed link's code. */
export const linkCodeField = z.string().min(1).max(LINK_CODE_MAX);
export const linkCodeSchema = z.object({ code: linkCodeField });
/** Field of an ID token of the identity provider. */
export const tokenField = z.string().min(1);
export const tokenSchema = z.object({ token: tokenField });

/**
 * Reads and validates a JSON body. An absent body is accepted if the schema allows undefined.
 * @throws ApiProblem `unsupported-media-type`, `body-too-large` or `bad-request`, which names fields but no values
 */
export async function readBody<T>(req: IncomingMessage, schema: z.core.$ZodType<T>): Promise<T> {
  const absent = req.headers['content-type'] === undefined ? z.safeParse(schema, undefined) : null;
  if (absent?.success) return absent.data;
  if (getMediaType(req) !== 'application/json') throw new ApiProblem('unsupported-media-type');
  return validate(parse(await readBytes(req)), schema);
}

/** @throws ApiProblem `bad-request`, which names fields but no values */
export function validate<T>(value: unknown, schema: z.core.$ZodType<T>): T {
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  const fields = [...new Set(result.error.issues.map((issue) => issue.path.join('.') || 'body'))];
  throw new ApiProblem('bad-request', { detail: `Missing or wrong: ${fields.join(', ')}` });
}

/** Validates the parameters of a query. NUL would fail later in the database, as in a body. @throws ApiProblem `bad-request` */
export function validateQuery<T>(query: Partial<Record<string, unknown>>, schema: z.core.$ZodType<T>): T {
  // The framework's list of a parameter named `constructor` begins with a function.
  const hasNul = Object.values(query).some((value) =>
    [value].flat().some((text) => typeof text === 'string' && text.includes('\0')),
  );
  if (hasNul) throw new ApiProblem('bad-request', { detail: 'The query has a NUL' });
  return validate(query, schema);
}

/**
 * Rejects a too large declared length before any other work. @param atMost in bytes @throws ApiProblem `body-too-large`
 */
export function assertContentLength(req: IncomingMessage, atMost = MAX_BODY_BYTES): void {
  if (Number(req.headers['content-length'] ?? 0) > atMost) throw createTooLarge(req, atMost);
}

/** Reads a body. It counts the received bytes, not the declared length. @throws ApiProblem `body-too-large` */
export async function readBytes(req: IncomingMessage, atMost = MAX_BODY_BYTES): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    // No more events will come, so nothing else would settle this promise.
    if (req.destroyed && !req.readableEnded) return reject(createBrokenOff());
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= atMost) return;
      req.off('data', onData);
      reject(createTooLarge(req, atMost));
    };
    req.on('data', onData);
    req.once('end', () => resolve(Buffer.concat(chunks)));
    req.once('error', () => reject(createBrokenOff()));
    req.once('aborted', () => reject(createBrokenOff()));
  });
}

/**
 * Reads a body and puts it back for other code that reads it. It reads nothing if the body has no declared length.
 * @throws ApiProblem `bad-request` if the body is cut off
 */
export async function peekBytes(req: IncomingMessage): Promise<Buffer> {
  const length = Number(req.headers['content-length'] ?? 0);
  const chunks: Buffer[] = [];
  let received = 0;
  return new Promise((resolve, reject) => {
    if (req.destroyed) return reject(createBrokenOff());
    const settle = (work: () => void) => {
      req.off('readable', onReadable).off('close', onClose);
      work();
    };
    const onReadable = () => {
      while (received < length) {
        const chunk = req.read() as Buffer | null;
        if (chunk === null) return;
        chunks.push(chunk);
        received += chunk.length;
      }
      // Put it back before the `end` event, because it is impossible afterwards.
      const body = Buffer.concat(chunks);
      if (received > 0) req.unshift(body);
      settle(() => resolve(body));
    };
    const onClose = () => settle(() => reject(createBrokenOff()));
    req.on('readable', onReadable).on('close', onClose);
    onReadable();
  });
}

function createBrokenOff(): ApiProblem {
  return new ApiProblem('bad-request', { detail: 'The body broke off' });
}

/** Read and discard the rest. Otherwise the client would see a broken connection instead of the response. */
function createTooLarge(req: IncomingMessage, atMost: number): ApiProblem {
  req.resume();
  return new ApiProblem('body-too-large', { detail: `At most ${String(atMost)} bytes` });
}

/**
 * Text that is not Unicode, or contains NUL, would fail later in the database or at the identity provider (RFC 8259,
 * section 8.2).
 */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes), (_key, value: unknown) => {
      if (typeof value === 'string' && (/\p{Surrogate}/u.test(value) || value.includes('\0'))) throw new SyntaxError();
      return value;
    });
  } catch {
    throw new ApiProblem('bad-request', { detail: 'The body is not JSON, or has text that is not Unicode' });
  }
}

/** Returns the media type of the body without parameters. */
export function getMediaType(req: Pick<IncomingMessage, 'headers'>): string | undefined {
  return req.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
}
