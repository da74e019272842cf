/**
 * Reads another service's response as text, up to a size limit: a faulty service must not exhaust this process's
 * memory.
 * @param atMost in bytes
 * @throws Error for a longer one; the rest is not fetched
 */
export async function readText(response: Response, atMost: number): Promise<string> {
  const reader = response.body?.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
    chunks.push(part.value);
    length += part.value.length;
    if (length <= atMost) continue;
    await reader?.cancel();
    throw new Error(`A response is longer than ${String(atMost)} bytes`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The same as JSON. @throws SyntaxError for anything else */
export async function readJson(response: Response, atMost: number): Promise<unknown> {
  return JSON.parse(await readText(response, atMost)) as unknown;
}
