import { describe, expect, it } from 'vitest';
import { decideCallbackStart, type CallbackSources } from './start';

const policy = {
  mainDomain: 'campus.example',
  ownOrigins: ['https://id.campus.example'],
  mobileScheme: 'campus',
  dashboardUrl: 'https://learn.campus.example/user/dashboard',
};
const course = 'https://learn.campus.example/course/7';
const nothing: CallbackSources = {
  redirectUris: [],
  referrer: null,
  stored: undefined,
  purchaseMarkers: ['source=b2b'],
};
const start = (sources: Partial<CallbackSources>) => decideCallbackStart({ ...nothing, ...sources }, policy);

describe('decideCallbackStart', () => {
  it('stores the default dashboard if there is no stored callback', () => {
    expect(start({}).store).toBe(policy.dashboardUrl);
  });
  it('keeps an acceptable stored callback', () => {
    expect(start({ stored: course }).store).toBeNull();
  });
  it('replaces a stored callback that is no longer acceptable', () => {
    expect(start({ stored: 'https://evil.test/' }).store).toBe(policy.dashboardUrl);
  });
  it('prefers redirect_uri to the referrer and to the stored callback', () => {
    const sources = { redirectUris: [course], referrer: 'https://learn.campus.example/', stored: `${course}/old` };
    expect(start(sources).store).toBe(course);
  });
  it('prefers a valid referrer to the stored callback', () => {
    expect(start({ referrer: course, stored: `${course}/old` }).store).toBe(course);
  });
  it.each(['https://id.campus.example/registration', 'https://evil.test/', ''])(
    'ignores the referrer %s',
    (referrer) => {
      expect(start({ referrer, stored: course }).store).toBeNull();
    },
  );
  it('replaces an invalid redirect_uri by the dashboard, even if a callback is stored', () => {
    expect(start({ redirectUris: ['https://evil.test/'], stored: course, referrer: course }).store).toBe(
      policy.dashboardUrl,
    );
  });
  it('rejects several redirect_uri parameters', () => {
    expect(start({ redirectUris: [course, course] }).store).toBe(policy.dashboardUrl);
  });
  it('marks a purchase only when its redirect_uri is accepted', () => {
    expect(start({ redirectUris: [`${course}?source=b2b`] }).directPurchase).toBe(true);
    expect(start({ redirectUris: ['https://evil.test/?source=b2b'] }).directPurchase).toBe(false);
    expect(start({ redirectUris: [course] }).directPurchase).toBe(false);
  });
});
