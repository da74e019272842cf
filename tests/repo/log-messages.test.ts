import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { redactText } from '@/lib/shared/redaction/redact';

const folders = ['lib', 'pages', 'components', 'cli'];
const files = execFileSync('git', ['ls-files', ...folders], { encoding: 'utf8' })
  .split('\n')
  .filter((name) => /(?<!\.test)\.tsx?$/.test(name));
/** Log messages and error messages of this app, as they are in the source. */
const messages = files.flatMap((name) =>
  [
    ...readFileSync(name, 'utf8').matchAll(
      /(?:during(?:: | = )|log\(\)\.\w+\([^'`;]*|reportOutage\([^'`;]*|Error\(\s*)(['`])(.*?)\1/gs,
    ),
  ].map(([, , text = '']) => text.replaceAll(/\$\{[^}]*\}/g, 'word')),
);

test('the log has each message as it was written: nothing in it looks like a secret', () => {
  expect(messages.length).toBeGreaterThan(150);
  expect(messages.filter((text) => redactText(text) !== text)).toEqual([]);
});

test('what the run-book searches the log for is there', () => {
  const pages = execFileSync('git', ['ls-files', 'docs/operate'], { encoding: 'utf8' }).trim().split('\n');
  const operations = pages.map((file) => readFileSync(file, 'utf8')).join('\n');
  const searched = [...operations.matchAll(/log \| grep '([^']+)'/g)].map(([, text = '']) => text);
  expect(searched.length).toBeGreaterThan(4);
  const texts = searched.flatMap(
    (text) => /^"(?:during|msg)":"(.*)"$/.exec(text)?.[1] ?? (text.startsWith('"') ? [] : text),
  );
  expect(texts).toContain('sending an email');
  expect(texts.filter((text) => !messages.some((message) => message.includes(text)))).toEqual([]);
});
