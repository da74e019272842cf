import { z } from 'zod';

/** Answer of `POST /api/check-auth-status` for a live session (product decisions, 3). */
export const sessionStatusSchema = z.object({
  uid: z.string(),
  email: z.string().nullable(),
  displayName: z.string().nullable(),
  photoURL: z.string().nullable(),
  /** When the session ends, RFC 3339. */
  expiresAt: z.iso.datetime(),
  /** From when the session is due to be created anew, RFC 3339. */
  refreshAfter: z.iso.datetime(),
});
export type SessionStatus = z.output<typeof sessionStatusSchema>;

/** Session constants, in seconds (specification, section 9). */
export const SESSION = {
  length: 432_000,
  updateAge: 86_400,
  /** An ID token older than this cannot open a session. */
  maxTokenAge: 1_200,
  /** Longest time until a revocation holds everywhere. */
  revocationWindow: 30,
} as const;
