// @vitest-environment happy-dom
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { campaignAttributes, readCampaign, recordCampaign } from '@/lib/browser/analytics/campaign';
import { RUNS, runs } from '../support/fuzz';

const TIME = { timeout: 20 * 60_000 };
/** The maximum size of a cookie that browsers store, in characters, without name and attributes. */
const LONGEST = 3_800;

beforeEach(() => {
  document.cookie = 'marketing-consent=true';
});

const put = (value: string) => {
  document.cookie = `kktc=${value}; path=/`;
};
const long = fc.string({ unit: 'grapheme', minLength: 60, maxLength: 160 });
const text = fc.oneof(fc.string({ unit: 'binary' }), long, fc.webUrl());

test('the campaign cookie is read with any content', TIME, () => {
  const touch = fc.dictionary(fc.oneof(fc.constantFrom('source', 'medium', '__proto__', 'constructor'), text), text);
  const campaign = fc.record({ first: touch, latest: touch, mid: fc.array(touch) }, { requiredKeys: [] });
  const cookie = fc.oneof(
    text,
    fc.oneof(campaign, fc.jsonValue()).map((value) => encodeURIComponent(JSON.stringify(value))),
  );
  fc.assert(
    fc.property(cookie, (value) => {
      put(value.replaceAll(';', ''));
      const read = readCampaign();
      if (!read) return;
      for (const [name, said] of Object.entries(campaignAttributes(read))) {
        expect(name).toMatch(/^utm_[a-z][a-z_]*_(first|latest|mid_\d+)$/);
        // Counted in code points, as the schema does.
        expect([...said].length).toBeLessThanOrEqual(100);
      }
    }),
    runs(),
  );
});

test('for any campaign the cookie stays valid and within the size limit', TIME, () => {
  const key = fc.oneof(
    fc.stringMatching(/^utm_[a-z_]{1,12}$/),
    fc.constantFrom('utm_source', 'utm_medium', 'utm_', 'utm___proto__'),
    text,
  );
  const query = fc.array(fc.tuple(key, text), { maxLength: 14 }).map((pairs) => new URLSearchParams(pairs).toString());
  fc.assert(
    fc.property(fc.array(query, { maxLength: 8 }), (visits) => {
      put('');
      for (const search of visits) {
        recordCampaign(`?${search}`, 'localhost');
        const [, kept = ''] = /(?:^|; )kktc=([^;]*)/.exec(document.cookie) ?? [];
        expect(kept.length).toBeLessThanOrEqual(LONGEST);
        if (kept !== '') expect(readCampaign()).not.toBeNull();
      }
    }),
    runs(Math.ceil(RUNS / 4)),
  );
});
