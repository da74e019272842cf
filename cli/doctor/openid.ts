import { formatFileProblem } from '@/lib/server/policy';
import { isAccepted, WebhookError } from '@/lib/server/notifications';
import {
  isOidcOffered,
  isRuntimeSufficient,
  listClientIds,
  listLogoutClients,
  readOidcFiles,
  sendTestLogout,
} from '@/lib/server/oidc';
import { env } from '@/lib/server/runtime';
import { works, fails, notConfigured, unchecked, type Finding } from './types';

const what = 'OpenID Connect';

/** Statuses that a receiver returns after it has verified the token. */
const REFUSALS = [400, 401, 403, 422];

/**
 * @param sendLogout whether each client gets two logout tokens without a session: one signed by another key, then a
 * genuine token
 */
export async function checkOpenId(sendLogout: boolean): Promise<Finding[]> {
  const finding = await checkClients();
  const receivers = sendLogout && finding.state === 'works' ? await listLogoutClients() : [];
  return [finding, ...(await Promise.all(receivers.map(checkReceiver)))];
}

/**
 * Checks that a client refuses a wrong token. A client that accepts everything would count as notified, although no
 * session ends there.
 */
async function checkReceiver(id: string): Promise<Finding> {
  const own = `logout at ${id}`;
  const correct = 'Correct its backchannelLogoutUri, or remove it: docs/openid-connect.md, "Sign-out"';
  try {
    const refusal = await sendTestLogout(id, true);
    if (isAccepted(refusal))
      return fails(
        own,
        `accepted a logout token that another key signed (HTTP ${String(refusal)}): it does not verify them, or does not receive them`,
        correct,
      );
    if (!REFUSALS.includes(refusal)) return fails(own, `answered HTTP ${String(refusal)} to a logout token`, correct);
    const found = `refuses a logout token that another key signed (HTTP ${String(refusal)})`;
    const status = await sendTestLogout(id, false);
    // Canvas responds with 404 if it has no such session, so 404 counts as accepted.
    if (isAccepted(status) || status === 404) return works(own, `${found}, and accepts ours (HTTP ${String(status)})`);
    return unchecked(
      own,
      `${found}, and ours (HTTP ${String(status)}), which is about no session`,
      'Sign in there, then sign out here. If you stay signed in there, check that it reads our keys',
    );
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    return fails(own, `no response: ${error.code}`, `${correct}; and check that this machine may connect`);
  }
}

/** Checks the clients with their redirect URIs and secrets, and our signing keys. */
async function checkClients(): Promise<Finding> {
  if (env().OIDC_CLIENTS_FILE === undefined) {
    const action = 'Set OIDC_CLIENTS_FILE and OIDC_KEYS_FILE for platforms on other domains: docs/openid-connect.md';
    return notConfigured(what, 'only platforms on the main domain can sign in', action);
  }
  const files = await readOidcFiles();
  const problems = files.flatMap((file) => file.problems.map((problem) => formatFileProblem(file.variable, problem)));
  const notes = files.flatMap((file) => file.notes.map((note) => formatFileProblem(file.variable, note)));
  const action = 'Correct these entries: docs/openid-connect.md';
  if (problems.length > 0) return fails(what, problems.join('; '), action);
  if (isOidcOffered()) {
    const clients = (await listClientIds()).join(', ');
    const found = `no problems, and ${clients === '' ? 'no client yet' : `these clients: ${clients}`}`;
    return works(what, [found, ...notes].join('; '));
  }
  return isRuntimeSufficient()
    ? fails(what, 'another deployment has the sessions', 'Set SESSION_BACKEND to firebase')
    : fails(what, `Node.js ${process.version} is too old`, 'Use 20.20 or later');
}
