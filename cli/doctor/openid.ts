import { formatFileProblem } from '@/lib/server/policy';
import { isOidcOffered, isRuntimeSufficient, readOidcFiles } from '@/lib/server/oidc';
import { env } from '@/lib/server/runtime';
import type { Finding } from './types';

const what = 'OpenID Connect';

/** Clients with their redirect URIs and secrets, and the keys that sign for them. */
export async function checkOpenId(): Promise<Finding> {
  if (env().OIDC_CLIENTS_FILE === undefined) {
    const action = 'Set OIDC_CLIENTS_FILE and OIDC_KEYS_FILE for platforms on other domains: docs/openid-connect.md';
    return { what, state: 'not configured', detail: 'platforms on the main domain alone can sign in', action };
  }
  const problems = (await readOidcFiles()).flatMap((file) =>
    file.problems.map((problem) => formatFileProblem(file.variable, problem)),
  );
  const action = 'Correct these entries: docs/openid-connect.md';
  if (problems.length > 0) return { what, state: 'does not work', detail: problems.join('; '), action };
  if (isOidcOffered())
    return { what, state: 'works', detail: 'clients, secrets and keys have no problems', action: null };
  return isRuntimeSufficient()
    ? { what, state: 'does not work', detail: 'there is no database', action: 'Set DATABASE_URL' }
    : { what, state: 'does not work', detail: `Node.js ${process.version} is too old`, action: 'Use 20.20 or later' };
}
