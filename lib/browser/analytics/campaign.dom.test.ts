import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { cookieTable } from '@/lib/shared/cookie-table';
import { campaignAttributes, readCampaign, recordCampaign } from './campaign';

const setCookie = (name: string, value: string, age = 1000) => {
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; max-age=${String(age)}`;
};
const readRawCampaign = () => /(?:^|; )kktc=([^;]*)/.exec(document.cookie)?.[1] ?? '';
const arriveWith = (search: string) => recordCampaign(search, 'localhost');

beforeEach(() => {
  window.location.href = 'https://localhost/';
  setCookie('kktc', '', 0);
  setCookie('marketing-consent', 'true');
});

describe('campaign tracking', () => {
  it('keeps the first and latest campaigns, and those between in order', () => {
    arriveWith('?utm_source=mail&utm_medium=newsletter');
    expect(readCampaign()).toEqual({
      first: { source: 'mail', medium: 'newsletter' },
      latest: { source: 'mail', medium: 'newsletter' },
      mid: [],
    });
    for (const source of ['search', 'search', 'friend', 'poster']) arriveWith(`?utm_source=${source}&x=1`);
    const campaign = readCampaign();
    expect(campaign && campaignAttributes(campaign)).toEqual({
      utm_source_first: 'mail',
      utm_medium_first: 'newsletter',
      utm_source_latest: 'poster',
      utm_source_mid_1: 'search',
      utm_source_mid_2: 'friend',
    });
  });

  it('records nothing for a browser with Global Privacy Control, and deletes what is there, whatever the cookie says', () => {
    arriveWith('?utm_source=mail');
    expect(readCampaign()).not.toBeNull();
    Object.defineProperty(navigator, 'globalPrivacyControl', { value: true, configurable: true });
    arriveWith('?utm_source=search');
    expect(readCampaign()).toBeNull();
    Object.defineProperty(navigator, 'globalPrivacyControl', { value: false, configurable: true });
    arriveWith('?utm_source=search');
    expect(readCampaign()?.first.source).toBe('search');
    Reflect.deleteProperty(navigator, 'globalPrivacyControl');
  });

  it('records nothing without consent, and deletes the record when consent is refused', () => {
    setCookie('marketing-consent', '', 0);
    arriveWith('?utm_source=mail');
    expect(readCampaign()).toBeNull();
    setCookie('marketing-consent', 'true');
    arriveWith('?utm_source=mail');
    expect(readCampaign()).not.toBeNull();
    setCookie('marketing-consent', 'false');
    arriveWith('');
    expect(document.cookie).not.toContain('kktc');
  });

  it('stores no email address and no overlong value', () => {
    arriveWith(`?utm_source=pat@campus.test&utm_term=${'x'.repeat(5000)}&utm_=x&utm___proto__=x`);
    expect(readCampaign()?.latest).toEqual({ source: '[redacted]', term: 'x'.repeat(100) });
  });

  it('stays within the size of the cookie table, without the oldest touches between', () => {
    for (let n = 0; n < 100; n += 1) arriveWith(`?utm_source=${'%C3%A9'.repeat(15)}${String(n)}`);
    expect(document.cookie).toContain('kktc=');
    expect(readRawCampaign().length).toBeLessThanOrEqual(cookieTable.campaign.maxBytes);
    expect(readCampaign()?.first.source).toMatch(/0$/);
    expect(readCampaign()?.latest.source).toMatch(/99$/);
    expect(readCampaign()?.mid.at(-1)?.source).toMatch(/98$/);
  });

  it('shortens touches that were stored with a larger limit', () => {
    const first = Object.fromEntries(['source', 'medium', 'term', 'content'].map((key) => [key, 'x'.repeat(100)]));
    setCookie('kktc', JSON.stringify({ first, latest: first, mid: [first, first] }));
    arriveWith('?utm_source=mail');
    expect(readRawCampaign().length).toBeLessThanOrEqual(cookieTable.campaign.maxBytes);
    expect(readCampaign()?.first.source).toBe(first.source);
    expect(readCampaign()?.latest).toEqual({ source: 'mail' });
  });

  it('stores the first and the latest touch, whatever their size', () => {
    const values = (char: string) =>
      ['source', 'medium', 'term'].map((key) => `utm_${key}=${char.repeat(100)}`).join('&');
    for (const char of ['a', '"', '%C3%A9', '%F0%9F%8E%93']) {
      setCookie('kktc', '', 0);
      arriveWith(`?${values(char)}&utm_id=1`);
      arriveWith(`?utm_id=2&${values(char)}`);
      expect(readCampaign()).not.toBeNull();
      expect(readRawCampaign().length).toBeLessThanOrEqual(cookieTable.campaign.maxBytes);
    }
    expect(readCampaign()?.latest).toEqual({ id: '2' });
  });

  it.each(['{', 'null', '[]', '{"first":1}', '{"first":{},"latest":{},"mid":[{"CAPS":"x"}]}', '%E0%A4%A'])(
    'survives a malformed cookie: %s',
    (value) => {
      document.cookie = `kktc=${value}; path=/`;
      expect(readCampaign()).toBeNull();
      arriveWith('?utm_source=mail');
      expect(readCampaign()?.latest).toEqual({ source: 'mail' });
    },
  );

  it('accepts any cookie and any query', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), fc.string(), (cookie, query) => {
        setCookie('kktc', cookie);
        arriveWith(`?utm_source=${query}`);
        const read = readCampaign();
        expect(read === null || Array.isArray(read.mid)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});
