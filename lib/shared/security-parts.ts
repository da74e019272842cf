import { paths } from './paths';

// Not in paths.ts, which every page loads.

/** Query parameter: which part of /security is opened. */
export const PART_QUERY = 'part';

/** Parts of /security, in their order on the page: each has an address of its own. */
export const SECURITY_PARTS = ['sign-in', 'two-step-verification', 'devices', 'your-data'] as const;
export type SecurityPart = (typeof SECURITY_PARTS)[number];

export function pathToPart(part: SecurityPart): string {
  return `${paths.security}?${PART_QUERY}=${part}`;
}

/** Where an account is deleted: app stores require a link to it. */
export const deletionPage = pathToPart('your-data');
