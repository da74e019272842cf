import { courses } from './courses.mjs';
import { getSession, getSignInUrl } from './identity.mjs';
import { coursePage, dashboardPage, eventsPage, homePage, notFoundPage, unavailablePage } from './pages.mjs';
import { getEvents } from './webhooks.mjs';

/**
 * @typedef {{ pathname: string, search: string, cookie: string | undefined }} Request
 * @typedef {{ status: number, headers?: Record<string, string>, body?: string }} Answer
 */

/** @param {Request} request @returns {Promise<Answer>} */
export async function route(request) {
  if (request.pathname === '/') return html(200, homePage());
  if (request.pathname === '/user/dashboard') return forLearner(request, dashboardPage);

  if (request.pathname === '/events') return html(200, eventsPage(getEvents()));

  const slug = /^\/user\/courses\/([\w-]+)$/.exec(request.pathname)?.[1] ?? '';
  const course = Object.hasOwn(courses, slug) ? courses[slug] : undefined;
  if (course) return forLearner(request, (learner) => coursePage(learner, course));
  return html(404, notFoundPage());
}

/**
 * Serves a page to signed-in learners, redirects others to sign-in, and responds with 503 while the state is unknown.
 * @param {Request} request
 * @param {(learner: import('./identity.mjs').Learner) => string} page
 * @returns {Promise<Answer>}
 */
async function forLearner({ pathname, search, cookie }, page) {
  const session = await getSession(cookie);
  const path = `${pathname}${search}`;
  if (session.state === 'signed-in') return html(200, page(session.learner));
  if (session.state === 'signed-out') return { status: 302, headers: { location: getSignInUrl(path) } };
  return { ...html(503, unavailablePage(path)), headers: { ...HTML, 'retry-after': '5' } };
}

const HTML = { 'content-type': 'text/html; charset=utf-8' };

/** @param {number} status @param {string} body @returns {Answer} */
function html(status, body) {
  return { status, headers: HTML, body };
}
