import type { IncomingMessage } from 'node:http';
import { digest, isEqualInConstantTime } from '@/lib/server/runtime';
import { findClient, readSecret } from './clients';

/** What a header has, not decoded any further; null for anything but Basic credentials (RFC 7617). */
export function parseBasic(header: string | undefined): { id: string; secret: string } | null {
  const [, encoded] = /^basic ([\w+/]+=*)$/i.exec(header ?? '') ?? [];
  const [, id, secret] = /^([^:]+):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  return id === undefined || secret === undefined ? null : { id, secret };
}

/**
 * Encodes the credentials of clients that leave the form encoding of RFC 6749, section 2.3.1, out, as the library under Open edX does: the
 * library here decodes them always. Only the client's own secret is taken as it is, and the other reading is compared in either case, so that
 * neither the answer nor its time says which one failed. A client has then two spellings of one secret, which no guess comes closer to.
 */
export async function encodeRawBasic(req: IncomingMessage): Promise<void> {
  const given = parseBasic(req.headers.authorization);
  const client = given && (await findClient(given.id));
  const secret = client && (await readSecret(client));
  if (!given || typeof secret !== 'string' || !isEqualInConstantTime(digest(given.secret), digest(secret))) return;
  const encoded = `${given.id}:${encodeURIComponent(secret)}`;
  req.headers.authorization = `Basic ${Buffer.from(encoded).toString('base64')}`;
}
