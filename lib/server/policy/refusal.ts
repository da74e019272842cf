import { ApiProblem, type ProblemCode } from '@/lib/shared/problem';

/**
 * A decision that refuses. `rule`: the name of the rule that decided (docs/account-policy.md), for the log and the counter of refusals; `retryAfter` in
 * seconds; `triesLeft` of a code.
 */
export type Refused = { code: ProblemCode; rule: string; retryAfter?: number; triesLeft?: number };

/** The problem that a refused call gets. */
export function toProblem({ code, rule, retryAfter, triesLeft }: Refused): ApiProblem {
  return new ApiProblem(code, {
    rule,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(triesLeft !== undefined && { triesLeft }),
  });
}
