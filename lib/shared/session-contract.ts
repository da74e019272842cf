import { z } from 'zod';

/** A live session for this app's pages. */
export const sessionStatusSchema = z.object({
  uid: z.string(),
  email: z.string().nullable(),
  displayName: z.string().nullable(),
  photoURL: z.string().nullable(),
  /** Whether ownership of `email` was verified. Null if another deployment does not report it. */
  emailVerified: z.boolean().nullable().default(null),
  /** When the session expires, RFC 3339. */
  expiresAt: z.iso.datetime(),
  /** When the session is due for renewal, RFC 3339. */
  refreshAfter: z.iso.datetime(),
  /** How many factors the user has shown. 1 if another deployment does not report it. */
  assurance: z.literal([1, 2]).default(1),
});
/**
 * Response of `POST /api/check-auth-status` for a live session (docs/product.md#session). `sid`: the session's id in
 * webhooks, which can differ from the cookie's.
 */
export const sessionCheckSchema = sessionStatusSchema.extend({ sid: z.string() });
export type SessionStatus = z.output<typeof sessionStatusSchema>;

/** Session constants, in seconds (docs/product.md#constants). */
export const SESSION = {
  length: 432_000,
  /** A live session that is older than this is renewed with a fresh ID token. */
  updateAge: 86_400,
  /** An older ID token cannot open a session. */
  maxTokenAge: 1_200,
  /** Maximum time until a revocation takes effect everywhere. */
  revocationWindow: 30,
} as const;
