import { config } from './config.mjs';
import { courses } from './courses.mjs';
import { escape, layout } from './html.mjs';

/** @typedef {import('./identity.mjs').Learner} Learner @typedef {(typeof courses)[string]} Course */

/** @param {Learner | null} learner null: signed out, or not known right now */
export function homePage(learner) {
  const items = Object.values(courses).map(
    (course) => `<li>${picture(course)}<div><h3>${escape(course.title)}</h3><p>${escape(course.about)}</p></div></li>`,
  );
  return layout({
    title: 'Learn something new',
    body: `<p class="lead">Short courses for curious people.</p>
    ${learner ? `<p>Signed in as ${escape(getName(learner))}.</p>` : ''}
    <p><a class="button" href="/user/dashboard">Go to my dashboard</a></p>
    <h2>Courses</h2><ul class="cards">${items.join('')}</ul>`,
    actions: learner ? accountActions() : '<a class="action" href="/user/dashboard">Sign in</a>',
  });
}

/** @param {Learner} learner */
export function dashboardPage(learner) {
  const items = Object.entries(courses).map(
    ([slug, course]) =>
      `<li>${picture(course)}<div><h3><a href="/user/courses/${slug}">${escape(course.title)}</a></h3>
      <p>${escape(course.next)}</p>${progress(course)}</div></li>`,
  );
  return layout({
    title: `Welcome back, ${getName(learner)}`,
    body: `<p>Signed in as ${escape(learner.email ?? learner.uid)}${learner.assurance === 2 ? ' with two factors' : ''}.</p>
    <h2>Continue learning</h2><ul class="cards">${items.join('')}</ul>
    <p><a href="/user/certificates">My certificates</a></p>`,
    actions: accountActions(),
  });
}

/** @param {Learner} learner @param {Course} course */
export function coursePage(learner, course) {
  return layout({
    title: course.title,
    body: `<p>Welcome back, ${escape(getName(learner))}. Your next lesson:</p>
    <div class="lesson">${picture(course)}<div><p class="next">${escape(course.next)}</p>${progress(course)}</div></div>
    <p><a href="/user/dashboard">Back to my dashboard</a></p>`,
    actions: accountActions(),
  });
}

/** Needs two factors: certificates are documents about a person. @param {Learner} learner */
export function certificatesPage(learner) {
  return layout({
    title: 'Certificates',
    body: `<p>Issued to ${escape(getName(learner))}, who signed in with two factors.</p>
    <ul class="courses"><li>The night sky<span>Completed</span></li></ul>
    <p><a href="/user/dashboard">Back to my dashboard</a></p>`,
    actions: accountActions(),
  });
}

/** @param {string} stepUpUrl */
export function oneFactorPage(stepUpUrl) {
  return layout({
    title: 'Two factors needed',
    body: `<p>You signed in with one factor. This page needs a second one.</p>
    <p><a class="button" href="${escape(stepUpUrl)}">Sign in with two factors</a></p>`,
    actions: accountActions(),
  });
}

/** @param {readonly import('./webhooks.mjs').Event[]} events what the sign-in app has told, newest first */
export function eventsPage(events) {
  // Anyone may open this page, so it must not reveal accounts.
  const items = events.map(({ type, timestamp }) => `<li>${escape(type)}<span>${escape(timestamp)}</span></li>`);
  const list = items.length > 0 ? `<ul class="courses">${items.join('')}</ul>` : '<p>None yet.</p>';
  return layout({ title: 'Events of the sign-in app', body: `<p>The log has the accounts.</p>${list}` });
}

/** @param {string} path the page that the learner requested */
export function unavailablePage(path) {
  return layout({
    title: "We can't check your sign-in right now",
    body: `<p>You're still signed in. Try again in a moment.</p>
    <p><a class="button" href="${escape(path)}">Try again</a></p>`,
  });
}

/** @param {string} title */
export function legalPage(title) {
  return layout({ title, body: '<p>Here is the text that your platform has agreed with its lawyers.</p>' });
}

export function notFoundPage() {
  return layout({ title: 'Page not found', body: '<p><a href="/">Go to the start page</a></p>' });
}

/** @param {Course} course */
function picture({ art }) {
  return `<svg class="art" viewBox="0 0 96 96" aria-hidden="true">${art}</svg>`;
}

/** @param {Course} course */
function progress({ title, lessons, done }) {
  return `<p class="progress"><progress value="${done}" max="${lessons}" aria-label="Progress in ${escape(title)}"></progress>
  <span>${done} of ${lessons} lessons</span></p>`;
}

/** @param {Learner} learner */
function getName(learner) {
  return learner.displayName ?? learner.email ?? 'learner';
}

/** Links to the sign-in app's page for name, password and data. */
function accountActions() {
  return `<a class="action" href="${escape(config.identityOrigin)}/security">Account and security</a>
  <button type="button" id="sign-out" data-identity-origin="${escape(config.identityOrigin)}">Sign out</button>
  <p id="sign-out-status" role="status"></p><script src="/sign-out.js" defer></script>`;
}
