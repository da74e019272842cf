import * as z from 'zod/mini';

const schema = z.object({ crossOrigin: z.optional(z.boolean()), topOrigin: z.optional(z.string()) });

/**
 * Whether a response was made in a frame of another site (WebAuthn Level 3, section 5.8.1). The library accepts `crossOrigin`
 * without `topOrigin`.
 * @param clientDataJson base64url; anything that cannot be read counts as cross-origin
 */
export function isCrossOrigin(clientDataJson: string): boolean {
  try {
    const { crossOrigin, topOrigin } = z.parse(schema, JSON.parse(Buffer.from(clientDataJson, 'base64url').toString()));
    return crossOrigin === true || topOrigin !== undefined;
  } catch {
    return true;
  }
}
