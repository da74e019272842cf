import { courses } from './courses.mjs';
import { getSession, getSignInUrl, getStepUpUrl } from './identity.mjs';
import {
  certificatesPage,
  coursePage,
  dashboardPage,
  eventsPage,
  homePage,
  legalPage,
  notFoundPage,
  oneFactorPage,
  unavailablePage,
} from './pages.mjs';
import { getEvents } from './webhooks.mjs';

/**
 * @typedef {{ pathname: string, search: string, cookie: string | undefined }} Request
 * @typedef {{ status: number, headers?: Record<string, string>, body?: string }} Answer
 */

/** @param {Request} request @returns {Promise<Answer>} */
export async function route(request) {
  if (request.pathname === '/') return html(200, homePage(await findLearner(request)));
  if (request.pathname === '/terms') return html(200, legalPage('Terms'));
  if (request.pathname === '/privacy') return html(200, legalPage('Privacy'));
  if (request.pathname === '/user/dashboard') return forLearner(request, dashboardPage);

  if (request.pathname === '/user/certificates') return forLearner(request, certificatesPage, 2);

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
 * @param {1 | 2} factors how many the page needs: a session with fewer goes back to sign-in for the second one, once
 * @returns {Promise<Answer>}
 */
async function forLearner({ pathname, search, cookie = '' }, page, factors = 1) {
  const session = await getSession(cookie);
  const path = `${pathname}${search}`;
  if (session.state === 'unknown')
    return { ...html(503, unavailablePage(path)), headers: { ...HTML, 'retry-after': '5' } };
  if (session.state === 'signed-in') {
    const { assurance = 1 } = session.learner;
    if (assurance >= factors) return html(200, page(session.learner));
    // The learner came back with a single factor, because the sign-in app has no second factor. Another redirect would
    // be a loop.
    if (cookie.includes(ASKED)) return html(403, oneFactorPage(getStepUpUrl(path)));
  }
  if (factors === 1) return redirect(getSignInUrl(path));
  return redirect(getStepUpUrl(path), { 'set-cookie': `${ASKED}; Max-Age=600; HttpOnly; SameSite=Lax` });
}

/** The visitor was sent to sign in with two factors. */
const ASKED = 'asked-for-two-factors=1';

/**
 * For a page that is the same for visitors.
 * @param {Request} request
 */
async function findLearner({ cookie }) {
  const session = await getSession(cookie);
  return session.state === 'signed-in' ? session.learner : null;
}

const HTML = { 'content-type': 'text/html; charset=utf-8' };

/** @param {string} location @param {Record<string, string>} [headers] @returns {Answer} */
function redirect(location, headers) {
  return { status: 302, headers: { location, ...headers } };
}

/** @param {number} status @param {string} body @returns {Answer} */
function html(status, body) {
  return { status, headers: HTML, body };
}
