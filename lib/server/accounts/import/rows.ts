import { createHash } from 'node:crypto';
import type { UserImportOptions, UserImportRecord } from 'firebase-admin/auth';
import { z } from 'zod';
import { LEGACY_CLAIM } from '@/lib/server/policy';
import { decodeBytes, isPasswordHash, type Encoding } from './password-hash';

const blankIsNone = <T extends z.ZodType>(schema: T) =>
  z.preprocess((v) => (v === '' ? undefined : v), schema.optional());
const flag = blankIsNone(
  z.union([z.boolean(), z.enum(['true', 'false', '1', '0']).transform((v) => v === 'true' || v === '1')]),
);
const moment = blankIsNone(z.union([z.iso.datetime({ offset: true }), z.iso.date()]));

/** One line of text that was decoded correctly: U+FFFD stands for bytes that an earlier program could not read. */
const text = z
  .string()
  .trim()
  .max(256)
  .regex(/^[^\p{Cc}\u2028\u2029\ufffd]*$/u);

/** A user record of the previous system. */
const rowSchema = z.object({
  uid: blankIsNone(z.string().min(1).max(128)),
  email: z.string().trim().toLowerCase().pipe(z.email().max(254)),
  displayName: blankIsNone(text),
  emailVerified: flag,
  disabled: flag,
  passwordHash: blankIsNone(z.string()),
  passwordSalt: blankIsNone(z.string()),
  createdAt: moment,
  lastSignInAt: moment,
});

/** The columns of a file. */
export const COLUMNS = Object.keys(rowSchema.shape) as readonly (keyof typeof rowSchema.shape)[];

const FLAG = 'must be true, false, 1 or 0';
const MOMENT = 'must be a date (2019-05-04), or a time with its zone (2019-05-04T12:30:00Z)';
/** Why a value is wrong, in words. */
const REASONS: Record<(typeof COLUMNS)[number], string> = {
  uid: 'must have 1 to 128 characters',
  email: 'is no email address',
  displayName: 'must be one line in UTF-8, of at most 256 characters',
  emailVerified: FLAG,
  disabled: FLAG,
  passwordHash: 'must be text',
  passwordSalt: 'must be text',
  createdAt: MOMENT,
  lastSignInAt: MOMENT,
};

export type RowOptions = { encoding: Encoding; legacy: boolean; hash: UserImportOptions | undefined };
export type ReadRow = { user: UserImportRecord } | { problem: string };

/**
 * Parses one row.
 * @param legacy whether the user is marked as coming from the previous system (docs/product.md#states)
 * @returns problems that name columns and say why, never values
 */
export function readRow(row: unknown, { encoding, legacy, hash }: RowOptions): ReadRow {
  const { success, data, error } = rowSchema.safeParse(row);
  if (!success) return { problem: describeIssues(error) };
  const passwordHash = data.passwordHash === undefined ? undefined : decodeBytes(data.passwordHash, encoding);
  const passwordSalt = data.passwordSalt === undefined ? undefined : decodeBytes(data.passwordSalt, encoding);
  if (passwordHash !== undefined && !hash) return { problem: 'it has a passwordHash, but no hash algorithm was given' };
  if (passwordHash === null || (passwordHash && hash && !isPasswordHash(passwordHash, hash.hash)))
    return { problem: `passwordHash is no ${hash?.hash.algorithm ?? ''} hash in ${encoding}` };
  if (passwordSalt === null) return { problem: `passwordSalt is not ${encoding}` };
  const { email, displayName, emailVerified = false, disabled = false, createdAt, lastSignInAt } = data;
  return {
    user: {
      uid: data.uid ?? uidFor(email),
      email,
      emailVerified,
      disabled,
      ...(displayName !== undefined && { displayName }),
      ...(passwordHash !== undefined && { passwordHash }),
      ...(passwordSalt !== undefined && { passwordSalt }),
      ...(legacy && { customClaims: { [LEGACY_CLAIM]: true } }),
      ...((createdAt ?? lastSignInAt) && {
        metadata: { creationTime: asTime(createdAt), lastSignInTime: asTime(lastSignInAt) },
      }),
    },
  };
}

function describeIssues({ issues }: z.ZodError): string {
  const wrong = COLUMNS.filter((name) => issues.some(({ path }) => path[0] === name));
  return wrong.map((name) => `${name}: ${REASONS[name]}`).join('; ') || 'it is not an object';
}

const asTime = (written: string | undefined) => (written === undefined ? undefined : new Date(written).toUTCString());

/** Derives a stable id from the email, so that a second import finds the users of the first. */
function uidFor(email: string): string {
  return `legacy-${createHash('sha256').update(email).digest('hex').slice(0, 24)}`;
}
