import type { GetServerSidePropsContext } from 'next';
import { toAssurance } from '@/lib/shared/acr-values';
import { queryNames } from '@/lib/shared/paths';
import { isSecondFactorOffered } from '@/lib/server/policy';
import { type LiveSession, getRequiredAssurance } from '@/lib/server/session';

/** How many factors the platform asks for, by the address, or with the callback that is stored. A new callback replaces both. */
export function getAskedAssurance({ query, req }: Pick<GetServerSidePropsContext, 'query' | 'req'>): 1 | 2 {
  if (!(queryNames.redirectUri in query)) return getRequiredAssurance(req);
  const [value, ...others] = [query[queryNames.acrValues] ?? []].flat();
  return others.length === 0 ? toAssurance(value) : 1;
}

/** Whether the platform asks for more than the session has. Where accounts have no second factor, it gets what there is. */
export function isStepUpNeeded({ status }: LiveSession, asked: 1 | 2): boolean {
  return status.assurance < asked && isSecondFactorOffered();
}

/** The path with the callback of the address, and what the platform asks for with it. */
export function pathWithCallback(path: string, { query }: Pick<GetServerSidePropsContext, 'query'>): string {
  const kept = [queryNames.redirectUri, queryNames.returnTo, queryNames.acrValues].flatMap((name) =>
    [query[name] ?? []].flat().map((value): [string, string] => [name, value]),
  );
  return kept.length === 0 ? path : `${path}?${new URLSearchParams(kept).toString()}`;
}
