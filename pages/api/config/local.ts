import { ApiProblem } from '@/lib/api/problem';
import { env } from '@/lib/config/env';
import { apiRoute } from '@/lib/server/api';
import { answerAppConfig } from '@/lib/server/app-config/answer';
import { isLocalHost } from '@/lib/server/http/origins';

export const config = { api: { bodyParser: false } };

/** The config of local development; there is none on a public domain. */
export default apiRoute({ method: 'GET', stateChanging: false, limit: 'app-config', audience: 'public' }, ({ res }) => {
  const appOrigin = env().NEXT_PUBLIC_APP_ORIGIN;
  if (!isLocalHost(new URL(appOrigin).hostname)) throw new ApiProblem('not-found');
  return answerAppConfig(appOrigin, res);
});
