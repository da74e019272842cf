import type { ProblemCode } from '@/lib/api/problem';
import type { answers } from '../answers';

/** What a route's own code does not say of it. */
export type Words = {
  id: string;
  summary: string;
  description?: string;
  /** Body of the answer with status 200. */
  answer: keyof typeof answers | 'text' | 'anything';
  /** Problems besides those that follow from the route's options and from `proof`. */
  problems?: readonly ProblemCode[];
  /** What a caller proves who they are with. */
  proof?: 'session' | 'admin';
  /** Cookies that the call reads or sets, for the reader. */
  cookies?: string;
  /** Media types of a body that the route reads by itself. */
  takes?: readonly string[];
};

/** What the identity provider's ID token may turn out to be. */
export const TOKEN_PROBLEMS = ['token-invalid', 'token-expired', 'token-revoked', 'user-deleted', 'user-disabled'] as const; // prettier-ignore
