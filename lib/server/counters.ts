import { Counter, Histogram, Registry } from 'prom-client';
import type { CallbackRefusal } from '@/lib/callback/rules';
import type { ProblemCode } from '@/lib/api/problem';
import { apiPaths, serverPaths } from '@/lib/paths';
import { log } from './log';
import type { LimitName } from './limits/table';
import { processWide } from './process-wide';

/** Upper bounds of the answer times, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** The most particular first: some begin with another one. */
const ROUTES: readonly string[] = [...Object.values(apiPaths), ...Object.values(serverPaths)].sort().reverse();

/** What this process has counted since it started. Labels are fixed words, never made of what a visitor sent. */
const metrics = () =>
  processWide('metrics', () => {
    const registry = new Registry();
    const registers = [registry];
    return {
      registry,
      answers: new Counter({
        name: 'api_answers_total',
        help: 'Answers of API routes, by problem code or ok; sign-ins are those of /api/create-user-session',
        labelNames: ['route', 'result'],
        registers,
      }),
      seconds: new Histogram({
        name: 'api_answer_seconds',
        help: 'Time until an API route has answered',
        labelNames: ['route'],
        buckets: BUCKETS,
        registers,
      }),
      pages: new Histogram({
        name: 'page_data_seconds',
        help: 'Time until a page had its data',
        labelNames: ['page'],
        buckets: BUCKETS,
        registers,
      }),
      callbacks: new Counter({
        name: 'callbacks_refused_total',
        help: 'Callback addresses refused, by rule',
        labelNames: ['rule'],
        registers,
      }),
      limits: new Counter({
        name: 'limits_hit_total',
        help: 'Calls refused by a limit',
        labelNames: ['limit'],
        registers,
      }),
      violations: new Counter({
        name: 'csp_violations_total',
        help: 'Reported violations of page policies',
        labelNames: ['directive'],
        registers,
      }),
    };
  });

/** Counts an answer of an API route. @param seconds how long it took */
export function countAnswer(path: string, result: ProblemCode | 'ok', seconds: number): void {
  const { answers, seconds: times } = metrics();
  const route = ROUTES.includes(path) ? path : routeOf(path);
  answers.inc({ route, result });
  times.observe({ route }, seconds);
}

function routeOf(path: string): string {
  // Two are asked for at addresses that others chose (middleware.ts).
  const asked = path.replace(/^\/monitoring$/, serverPaths.errorTunnel).replace(/^\/__(?=\/)/, serverPaths.authHelper);
  return ROUTES.find((known) => asked === known || asked.startsWith(`${known}/`)) ?? 'other';
}

/** Notes how long a page waited for its data. @param page its own path, @param seconds how long it took */
export function countPage(page: string, seconds: number): void {
  metrics().pages.observe({ page }, seconds);
}

/** Counts a refused callback by the rule that refused it. The address itself is nobody's business. */
export function countRefusedCallback(rule: CallbackRefusal): void {
  metrics().callbacks.inc({ rule });
  log().info({ reason: rule }, 'callback refused');
}

export function countLimitHit(limit: LimitName): void {
  metrics().limits.inc({ limit });
}

/** Counts a violation of a page's policy by its directive. */
export function countPolicyViolation(directive: string): void {
  metrics().violations.inc({ directive });
}

/** Everything counted, in the Prometheus text format. */
export async function readMetrics(): Promise<{ type: string; text: string }> {
  const { registry } = metrics();
  return { type: registry.contentType, text: await registry.metrics() };
}
