import { ApiProblem } from '@/lib/shared/problem';
import { env, isLocalHost } from '@/lib/server/runtime';
import { apiRoute } from '@/lib/server/http';
import { sendAppConfig } from '@/lib/server/web';

export const config = { api: { bodyParser: false } };

/** Returns the config for local development. It is not served on a public domain. */
export default apiRoute({ method: 'GET', stateChanging: false, limit: 'app-config', audience: 'public' }, ({ res }) => {
  const appOrigin = env().NEXT_PUBLIC_APP_ORIGIN;
  if (!isLocalHost(new URL(appOrigin).hostname)) throw new ApiProblem('not-found');
  return sendAppConfig(appOrigin, res);
});
