import { apiRoute } from '@/lib/server/http';
import { getCourses } from '@/lib/server/web';
import { bySession, requireSession } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** The courses of the signed-in learner (docs/product.md#screens). */
export default apiRoute({ method: 'GET', stateChanging: false, limit: bySession('courses') }, async ({ req }) => {
  await requireSession(req);
  return getCourses(req);
});
