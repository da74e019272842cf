import { expect, it, vi } from 'vitest';
import { expectLinear, HOSTILE_PARTS } from '@/tests/support/growth';
import { MAX_TEXT_LENGTH } from '@/lib/shared/redaction/redact';
import { Analytics, logFailure, type AnalyticsPlugin } from './analytics';
import { recordCampaign } from './campaign';
import { pageView } from './start';

const nothing = () => undefined;
vi.spyOn(console, 'warn').mockImplementation(nothing);

const view = (text: string) => {
  const location = { href: `https://x.test/${text}?${text}#${text}`, pathname: `/${text}`, search: `?${text}` };
  return pageView({ document: { title: text }, location, innerWidth: 1, innerHeight: 1 }, 'a@b.test', {});
};

const SINKS: Record<string, (text: string) => unknown> = {
  'a page view': view,
  'a campaign': (text) => recordCampaign(`?${new URLSearchParams({ utm_source: text }).toString()}`, 'localhost'),
  'a failure': (text) => logFailure(new Error(text), text),
};

it.each(Object.entries(SINKS))('%s takes linear time', { timeout: 120_000 }, (_name, work) => {
  document.cookie = 'marketing-consent=true; path=/';
  for (const part of HOSTILE_PARTS) expectLinear(work, part);
});

it('events are cut to the maximum length', async () => {
  const recorded: unknown[] = [];
  const plugin: AnalyticsPlugin = {
    distinctId: () => 'pat@campus.test',
    identify: nothing,
    reset: nothing,
    withdraw: nothing,
    alias: nothing,
    setPeople: (properties) => void recorded.push(properties),
    track: (_event, properties) => Promise.resolve(void recorded.push(properties)),
  };
  const analytics = new Analytics(Promise.resolve(plugin), () => true);
  await analytics.identify({ email: 'pat@campus.test', uid: 'uid-1' });
  await analytics.track('lesson', { text: 'a '.repeat(100_000) });
  await analytics.peopleSet({ text: 'a '.repeat(100_000) });
  const cut = { text: `${'a '.repeat(MAX_TEXT_LENGTH.analytics / 2)}[cut]` };
  expect(recorded).toEqual([cut, cut]);
});
