/** Before the second attempt, the third, and so on; the last one repeats. */
const RETRY_DELAYS_SECONDS = [10, 60, 300, 900, 3_600] as const;
/** Since the notice was written. Mail servers are repaired on a Monday. */
const GIVE_UP_AFTER_SECONDS = 3 * 86_400;

export type Attempt = {
  /** Attempts so far, the failed one included. */
  attempts: number;
  /** Since the notice was written. */
  ageSeconds: number;
  /** The receiver refused it for good, such as a mailbox that does not exist. */
  isPermanent: boolean;
};

/**
 * When a failed notice is sent again, in seconds from now; null when it is given up.
 * @param giveUpAfter since it was written, in seconds
 */
export function decideRetry(
  { attempts, ageSeconds, isPermanent }: Attempt,
  giveUpAfter = GIVE_UP_AFTER_SECONDS,
): number | null {
  const delay = RETRY_DELAYS_SECONDS[attempts - 1] ?? RETRY_DELAYS_SECONDS.at(-1) ?? 0;
  return isPermanent || ageSeconds + delay > giveUpAfter ? null : delay;
}
