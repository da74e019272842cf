// cspell:ignore Überlingen
import { expect, it } from 'vitest';
import { getLearningContext } from './learning-context';

it.each([
  ['https://learn.campus.example/user/courses/statistics-without-fear', 'Statistics without fear'],
  ['https://learn.campus.example/courses/algebra-2/lessons/7?from=mail', 'Algebra 2'],
  ['https://learn.campus.example/user/dashboard', null],
  ['https://learn.campus.example/courses/', null],
  ['https://learn.campus.example/courses/call-0800-5551234-now', null],
  ['https://learn.campus.example/courses/%3Cb%3Ebold', null],
  ['https://learn.campus.example/courses/a-b-c-d-e-f-g-h-i-j-k-l-m', null],
])('%s leads to the course %s', (address, course) => {
  expect(getLearningContext(address)).toEqual({ domain: 'learn.campus.example', course });
});

it('names no domain for local pages', () => {
  expect(getLearningContext('http://localhost:3001/')).toEqual({ domain: null, course: null });
});

it.each(['/security', 'campus://oauth-callback?code=1'])('%s is not named to the learner', (address) => {
  expect(getLearningContext(address)).toBeNull();
});

it('names a client of the OpenID Provider as the provider stored it in this tab, and never by the address', () => {
  const address = `${location.origin}/api/oidc/interaction/${'x'.repeat(43)}/courses/your-account-is-locked`;
  expect(getLearningContext(address)).toBeNull();
  const client = { domain: 'moodle.school.example', course: "St. Mary's Gymnasium Überlingen" };
  sessionStorage.setItem(address, JSON.stringify(client));
  expect(getLearningContext(address)).toEqual(client);
  expect(getLearningContext(`${address}-2`)).toBeNull();
});
