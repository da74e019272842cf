import i18next from 'i18next';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { PageTexts } from './page-texts';

const folder = path.resolve('locales/en');
const namespaces = readdirSync(folder).map((file) => path.basename(file, '.json'));
const texts = Object.fromEntries(
  namespaces.map((name) => [name, JSON.parse(readFileSync(path.join(folder, `${name}.json`), 'utf8')) as object]),
);
const config = { lng: 'en', defaultNS: 'common', ns: namespaces, interpolation: { escapeValue: false } };
const whole = i18next.createInstance({ ...config, resources: { en: texts } });
await whole.init();
const mine = new PageTexts('en', texts as never);

const VALUES = { brand: 'A & B', email: '<mia@x.test>', name: '$1', count: 1 };

describe.each(namespaces)('%s', (namespace) => {
  const keys = keysOf(texts[namespace] ?? {}).map((key) => key.replace(/_(one|other)$/, ''));
  const [theirs, ours] = [whole.getFixedT('en', namespace), mine.getFixedT('en', namespace)];
  test.each([...new Set(keys)])('%s reads as i18next reads it', (key) => {
    for (const values of [{ count: undefined }, VALUES, { count: 0 }, { count: 2 }]) {
      const all = { ...Object.fromEntries([...NAMES].map((name) => [name, name])), ...values };
      expect(ours(key, all)).toBe(theirs(key, all));
      expect(ours(`${namespace}:${key}`, all)).toBe(theirs(`${namespace}:${key}`, all));
    }
  });
});

test.each(['nothing', 'common:nothing.here', 'errors', 'fields.email.more'])('a key without a text: %s', (key) => {
  expect(mine.getFixedT('en', 'common')(key)).toBe(key.replace('common:', ''));
});

const NAMES = new Set(JSON.stringify(texts).match(/(?<={{)\w+(?=}})/g));

function keysOf(room: object, before = ''): string[] {
  return Object.entries(room).flatMap(([key, text]) =>
    typeof text === 'object' && text !== null ? keysOf(text as object, `${before}${key}.`) : [before + key],
  );
}
