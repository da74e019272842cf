/** Errors that are not actionable and therefore not reported (docs/product.md#error-codes). */
type Thrown = { type: string | undefined; message: string };
type DropRule = {
  /** Error types; a thrown value without a type counts as `Error`. */
  types: readonly string[];
  /** Regular expression that matches the message, case-insensitively. */
  message: string;
};

/** Maximum length of a message that is matched, in characters: the patterns are not linear. */
const MAX_MESSAGE_LENGTH = 1_000;
const GENERIC = ['Error', 'UnhandledRejection'];

/** The three rules, also listed for operators. */
export const DROPPED: readonly DropRule[] = [
  { types: ['ReferenceError', ...GENERIC], message: "can't find variable: ?gmo" },
  { types: ['FirebaseError', ...GENERIC], message: 'auth/network-request-failed' },
  { types: ['TypeError'], message: 'null is not an object.*\\b(?:uid|user[._]?id)\\b' },
];

/** @returns whether the error is dropped instead of reported */
export function isDropped({ type = 'Error', message }: Thrown): boolean {
  const begin = message.slice(0, MAX_MESSAGE_LENGTH);
  return DROPPED.some((rule) => rule.types.includes(type) && new RegExp(rule.message, 'i').test(begin));
}
