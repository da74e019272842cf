import { formatFileProblem } from '@/lib/server/policy';
import { isOidcOffered, isRuntimeSufficient, readOidcFiles } from '@/lib/server/oidc';
import { env } from '@/lib/server/runtime';
import { works, fails, notConfigured, type Finding } from './types';

const what = 'OpenID Connect';

/** Clients with their redirect URIs and secrets, and the keys that sign for them. */
export async function checkOpenId(): Promise<Finding> {
  if (env().OIDC_CLIENTS_FILE === undefined) {
    const action = 'Set OIDC_CLIENTS_FILE and OIDC_KEYS_FILE for platforms on other domains: docs/openid-connect.md';
    return notConfigured(what, 'platforms on the main domain alone can sign in', action);
  }
  const problems = (await readOidcFiles()).flatMap((file) =>
    file.problems.map((problem) => formatFileProblem(file.variable, problem)),
  );
  const action = 'Correct these entries: docs/openid-connect.md';
  if (problems.length > 0) return fails(what, problems.join('; '), action);
  if (isOidcOffered()) return works(what, 'clients, secrets and keys have no problems');
  return isRuntimeSufficient()
    ? fails(what, 'there is no database', 'Set DATABASE_URL')
    : fails(what, `Node.js ${process.version} is too old`, 'Use 20.20 or later');
}
