// Also loaded in browsers, with the app config.
import * as z from 'zod/mini';

/** A calendar day, `YYYY-MM-DD`. */
const day = z.iso.date();

/**
 * What an origin or an organization says about the second factor (docs/account-policy.md#rules). `accessLevels`: required for these alone, optional
 * for the others. `from`: announced until then, in UTC.
 */
export const secondFactorRule = z
  .strictObject({
    use: z.enum(['off', 'optional', 'required']),
    accessLevels: z.optional(z.array(z.string().check(z.regex(/^[\w.-]{1,64}$/))).check(z.minLength(1))),
    from: z.optional(day),
  })
  .check(
    z.refine(({ use, accessLevels, from }) => use === 'required' || (accessLevels === undefined && from === undefined)),
  );

export type SecondFactorRule = z.output<typeof secondFactorRule>;
