import i18next from 'i18next';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatMessage, type Messages, type Namespace, type Values } from './messages';

const folder = path.resolve('locales/en');
const namespaces = readdirSync(folder).map((file) => path.basename(file, '.json'));
const texts: Messages = Object.fromEntries(
  namespaces.map((name) => [name, JSON.parse(readFileSync(path.join(folder, `${name}.json`), 'utf8')) as Messages]),
);
/** Forms that no message uses yet. */
const FORMS = {
  place_ordinal_one: '{{count}}st',
  place_ordinal_two: '{{count}}nd',
  place_ordinal_few: '{{count}}rd',
  place_ordinal_other: '{{count}}th',
  tries_one: '{{count}} try',
  tries_other: '{{count}} tries',
};
texts.forms = FORMS;
const config = { lng: 'en', defaultNS: 'common', ns: namespaces, interpolation: { escapeValue: false } };
const whole = i18next.createInstance({ ...config, resources: { en: texts } });
await whole.init();
const mine = (namespace: string) => (key: string, values?: Values) =>
  formatMessage(texts, namespace as Namespace, key, values);

const VALUES = { brand: 'A & B', email: '<mia@x.test>', name: '$1', count: 1 };

describe.each(namespaces)('%s', (namespace) => {
  const keys = getKeys(texts[namespace] ?? {}).map((key) => key.replace(/_(one|other)$/, ''));
  const [theirs, ours] = [whole.getFixedT('en', namespace), mine(namespace)];
  test.each([...new Set(keys)])('%s is rendered as by i18next', (key) => {
    for (const values of [{ count: undefined }, VALUES, { count: 0 }, { count: 2 }]) {
      const all = { ...Object.fromEntries([...NAMES].map((name) => [name, name])), ...values };
      expect(ours(key, all)).toBe(theirs(key, all));
      expect(ours(`${namespace}:${key}`, all)).toBe(theirs(`${namespace}:${key}`, all));
    }
  });
});

test.each(['nothing', 'common:nothing.here', 'errors', 'fields.email.more'])(
  'returns the key if there is no text: %s',
  (key) => {
    expect(mine('common')(key)).toBe(key.replace('common:', ''));
  },
);

test.each([0, 1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 101, 111])('plural and ordinal forms of %s', (count) => {
  const theirs = whole.getFixedT('en', 'forms');
  for (const [key, values] of [
    ['tries', { count }],
    ['place', { count, ordinal: true }],
  ] as const)
    expect(mine('forms')(key, values)).toBe(theirs(key, values));
});

const NAMES = new Set(JSON.stringify(texts).match(/(?<={{)\w+(?=}})/g));

function getKeys(room: object, before = ''): string[] {
  return Object.entries(room).flatMap(([key, text]) =>
    typeof text === 'object' && text !== null ? getKeys(text as object, `${before}${key}.`) : [before + key],
  );
}
