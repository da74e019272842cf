import { apiRoute } from '@/lib/server/api';
import { coursesOf } from '@/lib/server/courses';
import { requireSession } from '@/lib/server/session';

export const config = { api: { bodyParser: false } };

/** The courses of the learner who is signed in (product decisions, 6). */
export default apiRoute({ method: 'GET', stateChanging: false, limit: 'courses' }, async ({ req }) => {
  await requireSession(req);
  return coursesOf(req);
});
