import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { startAnalyticsService } from '@/tests/support/analytics-service';
import { Analytics, type AnalyticsPlugin } from './analytics';
import { startMixpanel } from './mixpanel';
import { pageView } from './start';

let service: Awaited<ReturnType<typeof startAnalyticsService>>;
let plugin: AnalyticsPlugin;
let analytics: Analytics;
let allowed = true;

beforeAll(async () => {
  window.history.replaceState(null, '', '/sign-in?redirect_uri=%3Femail%3Dhidden@campus.test#fragment');
  service = await startAnalyticsService();
  plugin = startMixpanel({ token: 'project-token', apiHost: service.url, testMailbox: 'test@campus.test' }, 'Campus');
});
beforeEach(() => {
  allowed = true;
  analytics = new Analytics(Promise.resolve(plugin), () => allowed);
});
afterAll(() => service.stop());

const kept = () => JSON.stringify({ ...window.localStorage });
const eventsNamed = (name: string) => service.events.filter(({ event }) => event === name);
const arrival = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 60_000, interval: 50 });

it('sends events with the id of the learner, in batches', async () => {
  await analytics.identify({ email: 'pat@campus.test', uid: 'uid-1', extraAliases: ['old-1'] });
  await analytics.peopleSet({ name: 'Pat', user_id: 'uid-1' });
  // The title of an origin with its own brand.
  document.title = 'Your courses | Late School | North';
  await analytics.page((email) => pageView(window, email, { utm_source_first: 'mail' }));
  await analytics.track('lesson', { token: 'secret-1', link: 'https://a.test/?oobCode=secret-2#secret-3' });
  await arrival(() => eventsNamed('lesson').length > 0 && service.people.length > 0);
  // Alias requests are sent separately and arrive in any order.
  await arrival(() => eventsNamed('$create_alias').length > 1);

  expect(eventsNamed('Page View')[0]?.properties).toMatchObject({
    title: 'Your courses',
    url: 'http://localhost:3000/sign-in?redirect_uri=%3Femail%3D[redacted]',
    path: '/sign-in',
    search: '?redirect_uri=%3Femail%3D[redacted]',
    width: window.innerWidth,
    height: window.innerHeight,
    event: 'Page View',
    email: 'pat@campus.test',
    utm_source_first: 'mail',
    v3: true,
    distinct_id: 'pat@campus.test',
    app_name: 'Campus-v3',
    token: 'project-token',
  });
  expect(
    eventsNamed('$create_alias')
      .map(({ properties }) => [properties.alias, properties.distinct_id])
      .sort(),
  ).toEqual([
    ['old-1', 'pat@campus.test'],
    ['uid-1', 'pat@campus.test'],
  ]);
  expect(service.people[0]).toMatchObject({ $distinct_id: 'pat@campus.test', $set: { name: 'Pat', user_id: 'uid-1' } });
  expect(Math.max(...service.batches)).toBeGreaterThan(2);
  expect(service.arrived.join('\n')).not.toMatch(/secret-|hidden@|fragment/);
});

it('resets for another learner, and creates each alias once', async () => {
  await analytics.identify({ email: 'kim@campus.test', uid: 'uid-2' });
  await analytics.identify({ email: 'pat@campus.test', uid: 'uid-1', extraAliases: ['old-1', 'new-1'] });
  await analytics.track('second');
  await arrival(() => eventsNamed('second').length > 0);
  const aliases = eventsNamed('$create_alias').map(({ properties }) => properties.alias);
  expect(aliases.sort()).toEqual(['new-1', 'old-1', 'uid-1', 'uid-2']);
  expect(eventsNamed('second')[0]?.properties).toMatchObject({ distinct_id: 'pat@campus.test', app_name: 'Campus-v3' });
  // An earlier anonymous id must not be merged with a different learner's.
  const joined = eventsNamed('$identify').map(({ properties }) => properties.$anon_distinct_id);
  expect(joined).toEqual(joined.map(() => expect.stringMatching(/^\$device:/) as string));
  expect(new Set(joined).size).toBe(3);
});

it('sends at once the events that occur while the page is left', async () => {
  await analytics.identify({ email: 'pat@campus.test', uid: 'uid-1' });
  const before = service.batches.length;
  await analytics.track('signOut', {}, { leaving: true });
  await arrival(() => eventsNamed('signOut').length > 0);
  // The event is sent alone, not with the queued events.
  expect(service.batches.slice(before)).toEqual([1]);
});

it('records nothing for unknown, reset or excluded users', async () => {
  await analytics.track('anonymous');
  await analytics.identify({ email: 'pat@campus.test', uid: 'uid-1' });
  allowed = false;
  await analytics.track('refused');
  allowed = true;
  analytics.forget();
  await analytics.track('forgotten');
  await analytics.identify({ email: 'pat@campus.test', uid: 'uid-1' });
  await analytics.track('third');
  await arrival(() => eventsNamed('third').length > 0);
  for (const name of ['anonymous', 'refused', 'forgotten']) expect(eventsNamed(name)).toEqual([]);
});

// This must be the last test, because the library cannot be restarted.
it('deletes its data in this browser, and stores nothing after that', async () => {
  await analytics.identify({ email: 'pat@campus.test', uid: 'uid-1' });
  await analytics.track('lesson');
  expect(kept()).toContain('pat@campus.test');
  await analytics.withdraw();
  window.localStorage.removeItem('mp_aliases_pat_campus_test');
  plugin.identify('pat@campus.test');
  expect(kept()).not.toContain('pat');
});
