/** Far more than the sign-in app sends. */
const MAX_BYTES = 64 * 1024;

/**
 * @param {import('node:http').IncomingMessage} req
 * @returns {Promise<string | null>} null: too long, and not read to its end; answer with 413 and close the connection
 */
export async function readBody(req) {
  /** @type {Buffer[]} */
  const chunks = [];
  let size = 0;
  // By default, the loop would destroy the connection and the response if it ends early.
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    size += chunk.length;
    if (size > MAX_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
