import { ApiProblem, type ProblemCode } from '@/lib/shared/problem';

/**
 * A refusal. `rule`: the name of the deciding rule (docs/account-policy.md), for the log and the counter of refusals.
 * `retryAfter`: in seconds. `triesLeft`: remaining tries of a code.
 */
export type Refused = { code: ProblemCode; rule: string; retryAfter?: number; triesLeft?: number };

/** Converts a refusal to the problem of the response. */
export function toProblem({ code, rule, retryAfter, triesLeft }: Refused): ApiProblem {
  return new ApiProblem(code, {
    rule,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(triesLeft !== undefined && { triesLeft }),
  });
}
