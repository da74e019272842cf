import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CallbackRefusal } from '@/lib/shared/callback/rules';
import type { ProblemCode } from '@/lib/shared/problem';
import { log } from './log';
import type { LimitName } from '../rate-limits/table';
import { processWide } from '../process-wide';

/** Histogram buckets of the response time, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Metrics of this process since it started. Labels are constants, never derived from client input. */
const metrics = () =>
  processWide('metrics', () => {
    const registry = new Registry();
    const registers = [registry];
    return {
      registry,
      requests: new Counter({
        name: 'http_requests_total',
        help: 'Requests to API routes, by problem code or ok; sign-ins are those of /api/create-user-session',
        labelNames: ['route', 'result'],
        registers,
      }),
      seconds: new Histogram({
        name: 'http_request_duration_seconds',
        help: 'Response time of API routes',
        labelNames: ['route'],
        buckets: BUCKETS,
        registers,
      }),
      pages: new Histogram({
        name: 'page_data_duration_seconds',
        help: 'Time to load the data of a page',
        labelNames: ['page'],
        buckets: BUCKETS,
        registers,
      }),
      callbacks: new Counter({
        name: 'callbacks_refused_total',
        help: 'Rejected callback URLs, by rule',
        labelNames: ['rule'],
        registers,
      }),
      limits: new Counter({
        name: 'limits_hit_total',
        help: 'Requests rejected by a rate limit',
        labelNames: ['limit'],
        registers,
      }),
      fileProblems: new Gauge({
        name: 'config_file_problems',
        help: 'Problems of the present version of a configuration file; the last valid one is in force',
        labelNames: ['file'],
        registers,
      }),
      violations: new Counter({
        name: 'csp_violations_total',
        help: 'Reported Content-Security-Policy violations',
        labelNames: ['directive'],
        registers,
      }),
      lostEvents: new Counter({
        name: 'security_events_lost_total',
        help: 'Security events of accounts that could not be recorded',
        registers,
      }),
    };
  });

/** Counts a response of an API route. @param route its name, @param seconds the response time */
export function countResponse(route: string, result: ProblemCode | 'ok', seconds: number): void {
  const { requests, seconds: times } = metrics();
  requests.inc({ route, result });
  times.observe({ route }, seconds);
}

/** Records how long a page waited for its data. @param page its own path, @param seconds the wait */
export function countPage(page: string, seconds: number): void {
  metrics().pages.observe({ page }, seconds);
}

/** Counts a refused callback by the rule that refused it. The URL itself is private and not recorded. */
export function countRefusedCallback(rule: CallbackRefusal): void {
  metrics().callbacks.inc({ rule });
  log().info({ reason: rule }, 'callback refused');
}

export function countLimitHit(limit: LimitName): void {
  metrics().limits.inc({ limit });
}

/** @param file the variable that names it */
export function recordFileProblems(file: string, count: number): void {
  metrics().fileProblems.set({ file }, count);
}

/** Counts a violation of a page's policy by its directive. */
export function countPolicyViolation(directive: string): void {
  metrics().violations.inc({ directive });
}

/** Counts a security event that could not be recorded (docs/adr/0024). */
export function countLostEvent(): void {
  metrics().lostEvents.inc();
}

/** Connections of this process to the database by state; `waiting`: queries that wait for one. */
export type PoolState = Record<'active' | 'idle' | 'waiting', number>;

/** Adds the connections to the database to the metrics. @param read the present numbers */
export function observePool(read: () => PoolState): void {
  const { registry } = metrics();
  const name = 'database_connections';
  registry.removeSingleMetric(name);
  new Gauge({
    name,
    help: 'Connections of this process to the database, by state; waiting: work that waits for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      for (const [state, count] of Object.entries(read())) this.set({ state }, count);
    },
  });
}

/** All metrics in the Prometheus text format. */
export async function readMetrics(): Promise<{ type: string; text: string }> {
  const { registry } = metrics();
  return { type: registry.contentType, text: await registry.metrics() };
}
