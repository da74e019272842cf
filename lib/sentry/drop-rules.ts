/** Errors that nobody can do anything about are not reported (specification, section 8). */
type Thrown = { type: string | undefined; message: string };
type DropRule = {
  /** Types of error; what was thrown without one counts as generic. */
  types: readonly string[];
  /** Regular expression that the message matches, upper or lower case. */
  message: string;
};

const GENERIC = ['Error', 'UnhandledRejection'];

/** The three rules, as operators read them too. */
export const DROPPED: readonly DropRule[] = [
  { types: ['ReferenceError', ...GENERIC], message: "can't find variable: ?gmo" },
  { types: ['FirebaseError', ...GENERIC], message: 'auth/network-request-failed' },
  { types: ['TypeError'], message: 'null is not an object.*\\b(?:uid|user[._]?id)\\b' },
];

/** @returns whether the error is dropped before it is reported */
export function isDropped({ type = 'Error', message }: Thrown): boolean {
  return DROPPED.some((rule) => rule.types.includes(type) && new RegExp(rule.message, 'i').test(message));
}
