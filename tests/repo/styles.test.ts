import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Shorter rules may be equal by chance. */
const LONG = 5;

const sheets = execFileSync('git', ['ls-files', 'components/*.module.css'], { encoding: 'utf8' }).trim().split('\n');

/** Lists the rules of a style sheet with their place, and their declarations in sorted order. */
function getRules(sheet: string): { place: string; declarations: string[] }[] {
  const css = readFileSync(sheet, 'utf8').replace(/\/\*.*?\*\//gs, '');
  return [...css.matchAll(/([^{};]+)\{([^{}]*)\}/g)].map(([, selector = '', body = '']) => ({
    place: `${sheet} ${selector.trim().replace(/\s+/g, ' ')}`,
    declarations: body
      .split(';')
      .map((declaration) => declaration.trim().replace(/\s+/g, ' '))
      .filter(Boolean)
      .sort(),
  }));
}

test('a style stands once', () => {
  const rules = sheets.flatMap(getRules);
  expect(rules.length).toBeGreaterThan(200);
  const long = rules.filter(({ declarations }) => declarations.length >= LONG);
  const isTwice = ({ declarations }: (typeof long)[number]) =>
    long.filter((other) => other.declarations.join() === declarations.join()).length > 1;
  expect(long.filter(isTwice).map(({ place }) => place)).toEqual([]);
});
