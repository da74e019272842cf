import type { ProblemCode } from '@/lib/shared/problem';
import type { responseSchemas } from '../response-schemas';

/** Documentation that cannot be derived from a route's code. */
export type OperationDocs = {
  id: string;
  summary: string;
  description?: string;
  /** Body of the response with status 200. */
  response: keyof typeof responseSchemas | 'text' | 'anything';
  /** Problems besides those that follow from the route's options and from `proof`. */
  problems?: readonly ProblemCode[];
  /** How a caller authenticates. */
  proof?: 'session' | 'admin';
  /** Cookies that the call reads or sets, for the documentation. */
  cookies?: string;
  /** Media types of a body that the route parses itself. */
  takes?: readonly string[];
};

/** Errors of an ID token of the identity provider. */
export const TOKEN_PROBLEMS = [
  'token-invalid',
  'token-expired',
  'token-revoked',
  'user-deleted',
  'user-disabled',
] as const;
