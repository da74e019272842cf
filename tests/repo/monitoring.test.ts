import { existsSync, readFileSync } from 'node:fs';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readDocument } from '../support/documents';

Object.assign(process.env, { FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9', LOG_LEVEL: 'silent' });
const { describeMetrics, readMetrics, startMetrics } = await import('@/lib/server/runtime/observability/metrics');
const { COUNTED_KINDS } = await import('@/lib/server/launch');
startMetrics(COUNTED_KINDS, () => Promise.resolve([]));

type Rule = { alert: string; expr: string; annotations: { summary: string; description: string; runbook_url: string } };
const rulesFile = parse(readFileSync('deploy/alerts.yaml', 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = rulesFile.groups.flatMap((group) => group.rules);
type Panel = { title: string; targets?: { expr: string; legendFormat: string }[] };
const dashboard = JSON.parse(readFileSync('deploy/dashboard.json', 'utf8')) as { panels: Panel[] };
const queries = dashboard.panels.flatMap(({ title, targets = [] }) => targets.map((target) => ({ title, ...target })));

/** The scraper adds these labels to every series. */
const SCRAPED_LABELS = ['job', 'instance'];
/** Every series with its labels, including the scraper's own series. */
const series = new Map<string, readonly string[]>([
  ['up', SCRAPED_LABELS],
  ['time', []],
]);
for (const { name, labelNames, isHistogram } of describeMetrics()) {
  const labels = [...labelNames, ...SCRAPED_LABELS];
  if (!isHistogram) series.set(name, labels);
  for (const part of isHistogram ? ['bucket', 'sum', 'count'] : [])
    series.set(`${name}_${part}`, part === 'bucket' ? [...labels, 'le'] : labels);
}

/** Returns the names of the metrics and labels of a PromQL expression. @throws Error if it cannot be parsed */
function readExpression(expression: string): { metrics: string[]; labels: string[] } {
  // Variables of the dashboard.
  const promql = expression.replaceAll('$__rate_interval', '5m');
  const metrics: string[] = [];
  const labels: string[] = [];
  parser.parse(promql).iterate({
    enter: ({ type, from, to }) => {
      const text = promql.slice(from, to);
      if (type.isError) throw new Error(`${promql}: at ${String(from)}`);
      if (type.name === 'Identifier') metrics.push(text);
      if (type.name === 'LabelName') labels.push(text);
    },
  });
  return { metrics, labels };
}

/** Lists names in an expression, or in the texts that show its result, that do not exist. */
function findUnknown(expression: string, ...texts: string[]): string[] {
  const { metrics, labels } = readExpression(expression);
  const shown = texts.flatMap((text) =>
    [...text.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(([, name = '']) => name),
  );
  const known = metrics.flatMap((name) => series.get(name) ?? []);
  return [
    ...metrics.filter((name) => !series.has(name)),
    ...[...labels, ...shown].filter((label) => !known.includes(label)),
  ];
}

it('an unknown metric, an unknown label and an invalid expression are found', () => {
  expect(findUnknown('sum by (route) (rate(http_requests_total{result="ok"}[5m]))')).toEqual([]);
  expect(findUnknown('sum by (page) (nothing_total{result="ok"})')).toEqual(['nothing_total', 'page', 'result']);
  expect(findUnknown('up{job="a"}', '{{instance}} {{ $labels.route }}')).toEqual(['route']);
  expect(() => findUnknown('sum(up')).toThrow();
});

describe('deploy/alerts.yaml', () => {
  it.each(rules.map((rule) => [rule.alert, rule] as const))('%s names existing metrics and labels', (_name, rule) => {
    expect(findUnknown(rule.expr, rule.annotations.summary, rule.annotations.description)).toEqual([]);
  });

  it('concerns this app alone: other apps have metrics of the same names', () => {
    const { length } = rules;
    expect(length).toBeGreaterThan(15);
    const selectors = rules.flatMap(({ expr }) => expr.match(/\w+(?=\{)\{[^}]*\}/g) ?? []);
    expect(selectors.length).toBeGreaterThanOrEqual(length);
    expect(selectors.filter((selector) => !selector.includes('job="learner-identity"'))).toEqual([]);
  });

  it.each(rules.map((rule) => [rule.alert, rule] as const))('%s says what to do', (name, { annotations }) => {
    expect(annotations.summary).toMatch(/^\S.*[^.]$/);
    expect(annotations.description).toMatch(/\.$/);
    expect(annotations.runbook_url).toMatch(/^docs\/operate\/[a-z-]+\.md$/);
    expect(existsSync(annotations.runbook_url)).toBe(true);
    const page = annotations.runbook_url.replace('docs/operate/', '');
    expect(readDocument('operate/README.md')).toMatch(
      new RegExp(String.raw`^\| \`${name}\` \| \[.*\]\(${page}\) \|$`, 'm'),
    );
  });

  it('counts from 0 on: of a series that begins with its first event, `increase` does not see that event', async () => {
    const started = (await readMetrics()).text.split('\n').filter((line) => line.endsWith(' 0'));
    const selectors = new Set(
      rules.flatMap(({ expr }) => [...expr.matchAll(/increase\(([^[]+)\[/g)].map(([, text = '']) => text)),
    );
    const late = [...selectors].filter((selector) => !started.some((line) => isSelected(line, selector)));
    // Rules about sign-ins compare their number with a week ago, so a small difference does not matter.
    expect(late.filter((selector) => !selector.startsWith('sign_ins_total{'))).toEqual([]);
    expect(selectors.size).toBeGreaterThan(5);
  });

  it('every alert is seen firing in a unit test', () => {
    const tests = ['deploy/alerts.test.yaml', 'deploy/alerts-weekly.test.yaml']
      .map((file) => readFileSync(file, 'utf8'))
      .join();
    expect(rules.filter(({ alert }) => !tests.includes(`alertname="${alert}"`)).map(({ alert }) => alert)).toEqual([]);
  });
});

/** Returns whether a line of the metrics belongs to a selector's series, without the scraper's labels. */
function isSelected(line: string, selector: string): boolean {
  if (!line.startsWith(selector.split('{', 1)[0] ?? '')) return false;
  const matchers = [...selector.matchAll(/(\w+)=(~?)"([^"]*)"/g)].filter(
    ([, label = '']) => !SCRAPED_LABELS.includes(label),
  );
  return matchers.every(([, label = '', pattern, text = '']) => {
    const value = new RegExp(`[{,]${label}="([^"]*)"`).exec(line)?.[1] ?? '';
    return pattern === '~' ? new RegExp(`^(?:${text})$`).test(value) : value === text;
  });
}

describe('deploy/dashboard.json', () => {
  it.each(queries)('$title names existing metrics and labels: $legendFormat', ({ expr, legendFormat }) => {
    expect(findUnknown(expr, legendFormat)).toEqual([]);
    expect(expr).toContain('job=~"$job"');
  });

  it('shows every metric of this product', () => {
    const shown = new Set(
      queries.flatMap(({ expr }) => readExpression(expr).metrics.map((name) => name.replace(/_(?:bucket|count)$/, ''))),
    );
    const own = describeMetrics().filter(({ name }) => !/^(?:process|nodejs)_/.test(name));
    expect(own.length).toBeGreaterThan(12);
    expect(own.filter(({ name }) => !shown.has(name)).map(({ name }) => name)).toEqual([]);
  });
});

it('docs/operate/monitoring.md describes every metric of this product', () => {
  const cells = [...readDocument('operate/monitoring.md').matchAll(/^\| (`\w+`(?:, `\w+`)*) \|/gm)].map(
    ([, cell = '']) => cell,
  );
  const described = cells.flatMap((cell) => cell.replaceAll('`', '').split(', '));
  const own = describeMetrics()
    .map(({ name }) => name)
    .filter((name) => !/^(?:process|nodejs)_/.test(name));
  expect(described.toSorted()).toEqual(own.toSorted());
});
