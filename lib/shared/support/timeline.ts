import type { SupportAccount } from './desk';

/** A line of the timeline. `at`: RFC 3339. */
type Moment = { at: string; text: string };

/**
 * Tells what happened to an account, oldest first: sign-ins, refusals with their rules, changes, emails with their results,
 * and ends of sessions with their reasons.
 */
export function buildTimeline({ events, emails, sessions }: Pick<SupportAccount, 'events' | 'emails' | 'sessions'>) {
  const moments: Moment[] = [
    ...events.map(({ at, kind, rule, method, browser, system, network, operator }) => ({
      at,
      text: join([
        kind,
        rule && `rule ${rule}`,
        method,
        describeDevice(browser, system),
        network,
        operator && `by ${operator}`,
      ]),
    })),
    ...emails.map(({ at, kind, result, answer, messageId }) => ({
      at,
      text: join([`email ${kind} ${result}`, answer, `Message-ID ${messageId}`]),
    })),
    ...sessions.flatMap(({ endedAt, endedBy, browser, system }) =>
      endedAt === null
        ? []
        : [{ at: endedAt, text: join(['session ended', endedBy, describeDevice(browser, system)]) }],
    ),
  ];
  return moments.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

const join = (parts: readonly (string | null | undefined)[]) => parts.filter((part) => part).join(', ');

function describeDevice(browser: string | null, system: string | null): string | null {
  return browser !== null && system !== null ? `${browser} on ${system}` : (browser ?? system);
}
