import { ApiProblem } from '@/lib/shared/problem';
import { env, buildSecurityTxt } from '@/lib/server/runtime';
import { apiRoute } from '@/lib/server/http';

export const config = { api: { bodyParser: false } };

/** `/.well-known/security.txt` (middleware.ts). */
export default apiRoute({ method: 'GET', stateChanging: false, audience: 'public' }, ({ res }) => {
  const text = buildSecurityTxt(env());
  if (text === null) throw new ApiProblem('not-found');
  res.setHeader('content-type', 'text/plain; charset=utf-8');
  res.end(text);
});
