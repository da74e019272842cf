/**
 * The scheduled deletion of the signed-in user's account, RFC 3339; `effectiveAt` is null without one. `unavailable`: the
 * database cannot be asked. Null: this deployment keeps no records, and offers neither download nor deletion.
 */
export type DeletionState = { effectiveAt: string | null } | 'unavailable' | null;

/** Of the account that was just signed in to; absent when nothing is scheduled. */
export type ScheduledDeletion = { deletionAt?: string };
