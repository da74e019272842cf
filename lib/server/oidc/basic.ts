import type { IncomingMessage } from 'node:http';
import { digest, isEqualInConstantTime } from '@/lib/server/runtime';
import { findClient, readSecret } from './clients';

/** Parses Basic credentials (RFC 7617) without further decoding. @returns null for any other header */
export function parseBasic(header: string | undefined): { id: string; secret: string } | null {
  const [, encoded] = /^basic ([\w+/]+=*)$/i.exec(header ?? '') ?? [];
  const [, id, secret] = /^([^:]+):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  return id === undefined || secret === undefined ? null : { id, secret };
}

/**
 * Encodes the credentials of clients that omit the form encoding of RFC 6749, section 2.3.1, such as Open edX's
 * library. The library here always decodes them. Only the client's own secret is accepted unencoded. The encoded form
 * is always compared as well, so that neither the response nor its time reveals which comparison failed. A secret then
 * has two spellings, which does not help guesses.
 */
export async function encodeRawBasic(req: IncomingMessage): Promise<void> {
  const given = parseBasic(req.headers.authorization);
  const client = given && (await findClient(given.id));
  const secret = client && (await readSecret(client));
  if (!given || typeof secret !== 'string' || !isEqualInConstantTime(digest(given.secret), digest(secret))) return;
  const encoded = `${given.id}:${encodeURIComponent(secret)}`;
  req.headers.authorization = `Basic ${Buffer.from(encoded).toString('base64')}`;
}
