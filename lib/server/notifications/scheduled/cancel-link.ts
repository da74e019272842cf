import { toLinkState } from '@/lib/server/codes';
import { type ClientDescription, setRequestAccount } from '@/lib/server/runtime';
import { type Records, withRecords } from '@/lib/server/storage';
import type { ScheduledChange } from '@/lib/shared/account/email-action';
import { ApiProblem } from '@/lib/shared/problem';
import { wakeOutbox } from '../outbox/outbox';

type Change<Link> = {
  readLink: (code: string) => Promise<Link>;
  read: (records: Records, link: Link) => Promise<{ startedAt: Date | null; effectiveAt: Date } | null>;
  /** Returns whether there was a change to cancel. */
  cancel: (records: Records, link: Link, client: ClientDescription) => Promise<boolean>;
};

/** Defines what the link in an email about a scheduled change does without a session. */
export function defineCancelLink<Link extends { uid: string; effectiveAt: string }>({
  readLink,
  read,
  cancel,
}: Change<Link>) {
  return {
    /**
     * Cancels the change.
     * @throws ApiProblem `action-code-expired` if the change was made; `action-code-invalid` if it was canceled before
     * @throws ApiProblem `records-unavailable`; `not-found` if another deployment has the accounts
     */
    keep: (code: string, client: ClientDescription): Promise<void> =>
      withRecords(async (records) => {
        const link = await readLink(code);
        setRequestAccount(link.uid);
        if (!(await cancel(records, link, client))) throw getLinkProblem(link);
        wakeOutbox();
      }),
    /** Returns the state of the link. Opening it changes no data. */
    inspect: async (code: string): Promise<ScheduledChange> => {
      try {
        return await withRecords(async (records) => {
          const link = await readLink(code);
          const found = await read(records, link);
          if (found === null && !isOver(link)) return { state: 'canceled', effectiveAt: null };
          if (found === null || found.startedAt !== null) throw getLinkProblem(link);
          return { state: 'scheduled', effectiveAt: found.effectiveAt.toISOString() };
        });
      } catch (error) {
        return { state: toLinkState(error), effectiveAt: null };
      }
    },
  };
}

const isOver = ({ effectiveAt }: { effectiveAt: string }) => Date.parse(effectiveAt) <= Date.now();

/** Explains why a genuine link has no change to cancel. */
function getLinkProblem(link: { effectiveAt: string }): ApiProblem {
  return new ApiProblem(isOver(link) ? 'action-code-expired' : 'action-code-invalid');
}
