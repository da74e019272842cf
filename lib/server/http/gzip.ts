import { createGunzip } from 'node:zlib';
import { ApiProblem } from '@/lib/shared/problem';

/** Bytes unpacked at a time: memory does not grow with the unpacked size. */
const CHUNK_BYTES = 16 * 1024;

/**
 * Unpacks chunk by chunk, no further than the caller reads.
 * @throws ApiProblem `bad-request` for invalid gzip
 */
export async function* unpackGzip(packed: Buffer): AsyncGenerator<Buffer, void> {
  const stream = createGunzip({ chunkSize: CHUNK_BYTES });
  stream.end(packed);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) yield chunk;
  } catch (cause) {
    throw new ApiProblem('bad-request', { detail: 'The body cannot be unpacked', cause });
  } finally {
    stream.destroy();
  }
}
