import { createHash } from 'node:crypto';
import type { UserImportRecord } from 'firebase-admin/auth';
import { z } from 'zod';
import { LEGACY_CLAIM } from '../account-policy/legacy';

/** Encodings of hashes and salts in the file. */
const ENCODINGS = ['base64', 'hex', 'utf8'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** @param given as on the command line. @throws Error listing the supported ones */
export function getEncoding(given = 'base64'): Encoding {
  const encoding = ENCODINGS.find((name) => name === given);
  if (!encoding) throw new Error(`Unknown encoding. Supported: ${ENCODINGS.join(', ')}`);
  return encoding;
}

const blankIsNone = <T extends z.ZodType>(schema: T) => z.preprocess((v) => (v === '' ? undefined : v), schema.optional()); // prettier-ignore
const flag = blankIsNone(z.union([z.boolean(), z.enum(['true', 'false', '1', '0']).transform((v) => v === 'true' || v === '1')])); // prettier-ignore
const moment = blankIsNone(z.union([z.iso.datetime({ offset: true }), z.iso.date()]));

/** A user record of the previous system. Columns that are not listed here are ignored. */
const rowSchema = z.object({
  uid: blankIsNone(z.string().min(1).max(128)),
  email: z.string().trim().toLowerCase().pipe(z.email().max(254)),
  displayName: blankIsNone(z.string().trim().max(256)),
  emailVerified: flag,
  disabled: flag,
  passwordHash: blankIsNone(z.string()),
  passwordSalt: blankIsNone(z.string()),
  createdAt: moment,
  lastSignInAt: moment,
});

export type ReadRow = { person: UserImportRecord } | { problem: string };

/**
 * Parses one row.
 * @param legacy whether the user is marked as coming from the previous system (docs/product.md#states)
 * @returns errors that name columns, never values
 */
export function readRow(row: unknown, { encoding, legacy }: { encoding: Encoding; legacy: boolean }): ReadRow {
  const { success, data, error } = rowSchema.safeParse(row);
  if (!success) return { problem: [...new Set(error.issues.map(({ path }) => path.join('.') || 'row'))].join(', ') };
  const { email, displayName, emailVerified = false, disabled = false, createdAt, lastSignInAt } = data;
  return {
    person: {
      uid: data.uid ?? uidFor(email),
      email,
      emailVerified,
      disabled,
      ...(displayName !== undefined && { displayName }),
      ...(data.passwordHash !== undefined && { passwordHash: Buffer.from(data.passwordHash, encoding) }),
      ...(data.passwordSalt !== undefined && { passwordSalt: Buffer.from(data.passwordSalt, encoding) }),
      ...(legacy && { customClaims: { [LEGACY_CLAIM]: true } }),
      ...((createdAt ?? lastSignInAt) && { metadata: { creationTime: asTime(createdAt), lastSignInTime: asTime(lastSignInAt) } }), // prettier-ignore
    },
  };
}

const asTime = (written: string | undefined) => (written === undefined ? undefined : new Date(written).toUTCString());

/** Derives a stable id from the email, so that a second import finds the users of the first. */
function uidFor(email: string): string {
  return `legacy-${createHash('sha256').update(email).digest('hex').slice(0, 24)}`;
}
