import { env } from '@/lib/server/runtime';
import { getIdentityAdmin } from './admin';

/** Timeout of a request, in milliseconds. */
const REQUEST_TIMEOUT_MS = 5_000;

/**
 * Reads from the project with the service account (Identity Toolkit API, version 2).
 * @param resource below the project, as `config`
 * @throws Error when there is no credential, or no response in time
 */
export async function fetchProjectResource(resource: string): Promise<Response> {
  const { NEXT_PUBLIC_FIREBASE_PROJECT_ID: projectId, FIREBASE_AUTH_EMULATOR_HOST: emulator } = env();
  const host = 'identitytoolkit.googleapis.com';
  const base = emulator ? `http://${emulator}/${host}` : `https://${host}`;
  return fetch(`${base}/v2/projects/${projectId}/${resource}`, {
    headers: { authorization: `Bearer ${await getAdminToken()}` },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
}

/** An access token of the service account. @throws Error of the credential */
export async function getAdminToken(): Promise<string> {
  if (env().FIREBASE_AUTH_EMULATOR_HOST !== undefined) return 'owner';
  const token = await getIdentityAdmin().app.options.credential?.getAccessToken();
  return token?.access_token ?? '';
}
