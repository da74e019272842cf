import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry, type GaugeConfiguration } from 'prom-client';
import packageFile from '@/package.json';
import type { CallbackRefusal } from '@/lib/shared/callback/rules';
import type { ProblemCode } from '@/lib/shared/problem';
import { apiPaths, sessionApiPaths } from '@/lib/shared/api-paths';
import { recoveryEmailPaths } from '@/lib/shared/account/recovery-email';
import { passkeyPaths, secondFactorPaths, securityApiPaths } from '@/lib/shared/security-paths';
import { OIDC_PATH, serverPaths, wellKnownRoutes } from '@/lib/shared/paths';
import { supportPaths } from '@/lib/shared/support/desk';
import { env } from '../config/env';
import type { FileState } from '../reload-file';
import { processWide } from '../process';
import { log } from './log';
import { getLogOutput } from './log-output';

/**
 * Histogram buckets of durations, in seconds. Calls to the identity provider time out after 5 seconds. Emails time out
 * after 30 seconds and are slow after 15.
 */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Metrics of this process since it started. Labels are constants and never come from client input. The counting module
 * has a type for them.
 */
const metrics = () =>
  processWide('metrics', () => {
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const registers = [registry];
    const counter = <T extends string>(name: string, help: string, labelNames: T[] = []) =>
      new Counter({ name, help, labelNames, registers });
    const gauge = <T extends string>(
      name: string,
      help: string,
      labelNames: T[] = [],
      more: Pick<GaugeConfiguration<T>, 'collect'> = {},
    ) => new Gauge({ name, help, labelNames, registers, ...more });
    const histogram = <T extends string>(name: string, help: string, labelNames: T[] = []) =>
      new Histogram({ name, help, labelNames, buckets: BUCKETS, registers });
    const { NEXT_PUBLIC_RELEASE: commit, SECURITY_CONTACT_EXPIRES: expires } = env();
    const build = 'Always 1; the version of the product, and NEXT_PUBLIC_RELEASE as the commit';
    gauge('build_info', build, ['version', 'commit']).set({ version: packageFile.version, commit }, 1);
    gauge(
      'security_contact_expiry_timestamp_seconds',
      'When the contact in security.txt expires: from then on no process starts; 0 without a contact',
    ).set((expires?.getTime() ?? 0) / 1000);
    gauge(
      'dependency_up',
      'Whether a dependency answered the last call to it (1) or not (0); none before the first call',
      ['dependency'],
      {
        collect() {
          for (const [dependency, isUp] of states()) this.set({ dependency }, isUp ? 1 : 0);
        },
      },
    );
    gauge('clock_timestamp_seconds', 'The time of this process, to be compared with that of the scraper', [], {
      collect() {
        this.set(Date.now() / 1000);
      },
    });
    const lostLines = { name: 'log_lines_lost_total', help: 'Lines of the log that could not be written', registers };
    new Counter({
      ...lostLines,
      collect() {
        this.reset();
        this.inc(getLogOutput().lost);
      },
    });
    return {
      registry,
      requests: counter('http_requests_total', 'Requests to API routes, by problem code or ok', ['route', 'result']),
      seconds: histogram('http_request_duration_seconds', 'Response time of API routes', ['route']),
      pages: histogram('page_data_duration_seconds', 'Time to load the data of a page', ['page']),
      callbacks: counter('callbacks_refused_total', 'Rejected callback URLs, by rule', ['rule']),
      refusals: counter('refusals_total', 'Calls that a rule of the account policy refused, by its name', ['rule']),
      limits: counter('limits_hit_total', 'Requests rejected by a rate limit', ['limit']),
      signIns: counter(
        'sign_ins_total',
        'Sign-ins verified by this server, by method, and by problem code or ok. A wrong password never gets here',
        ['method', 'result'],
      ),
      providerCalls: histogram(
        'identity_provider_request_duration_seconds',
        'Duration of calls to the identity provider; result: ok, refused (an error of the caller) or unavailable',
        ['operation', 'result'],
      ),
      emails: counter(
        'emails_total',
        'Emails that the mail server accepted (sent), whose mailbox it refused or deferred (refused), or that could not be handed over (failed)',
        ['kind', 'result'],
      ),
      emailSeconds: histogram(
        'email_send_duration_seconds',
        'Time until the mail server accepted or refused an email, including the wait for a connection',
      ),
      emailsInProgress: gauge('emails_in_progress', 'Emails that wait for the mail server'),
      violations: counter('csp_violations_total', 'Reported Content-Security-Policy violations', ['directive']),
      breachChecks: counter(
        'breached_password_checks_total',
        'New passwords that were looked up at the service of breached passwords; failed: they were accepted',
        ['result'],
      ),
      proofs: counter(
        'proofs_of_work_total',
        'Calls that were asked for a proof of work, brought one that was accepted, or one that was not (refused)',
        ['result'],
      ),
      lostEvents: counter('security_events_lost_total', 'Security events of accounts that could not be recorded'),
      notices: counter(
        'notices_total',
        'Emails and webhooks of the outbox: sent, failed for now (retried), or given up (failed)',
        ['kind', 'result'],
      ),
      noticesDue: gauge(
        'notices_due',
        'Emails, webhooks and logout tokens that wait to be sent, in all processes; of those to retry later, only what receivers refuse for long',
      ),
      requestedEmailsDue: gauge(
        'requested_emails_due',
        'Emails that requests have asked for and no process has sent, in all processes, with those that are retried',
      ),
      overdueDeletions: gauge(
        'account_deletions_overdue',
        'Accounts that should have been deleted more than an hour ago, in all processes',
      ),
      overdueResets: gauge(
        'factor_resets_overdue',
        'Second factors that should have been turned off more than an hour ago, in all processes',
      ),
    };
  });

/** Kinds that alerts count: notices in the outbox, all emails, and directives of the pages' policies. */
export type CountedKinds = Record<'notices' | 'emails' | 'directives', readonly string[]>;

/** Results of session checks. Their shares show whether sessions end. */
const CHECK_RESULTS = [
  'ok',
  'session-required',
  'token-invalid',
  'token-expired',
  'token-revoked',
  'token-too-old',
  'user-deleted',
  'user-disabled',
] as const satisfies readonly (ProblemCode | 'ok')[];

type ConfigFile = { variable: string } & FileState;

/**
 * Starts the collection of process metrics such as the event loop lag, and creates counters for alerts with the value
 * 0. `increase` does not count the first event of a series that begins with it.
 * @param readFiles rereads the configuration files that changed
 */
export function startMetrics(kinds: CountedKinds, readFiles: () => Promise<ConfigFile[]>): void {
  const problems = 'Problems of the present version of a configuration file; the last valid one is in force';
  addFileGauge('config_file_problems', problems, readFiles, (file) => file.problems.length);
  const loaded = 'config_file_last_reload_success_timestamp_seconds';
  addFileGauge(loaded, 'When the version of a configuration file that is in force was read', readFiles, toLoadedAt);
  const { notices, emails, violations, requests, limits } = metrics();
  for (const kind of kinds.notices) notices.inc({ kind, result: 'failed' }, 0);
  for (const kind of kinds.emails) for (const result of ['failed', 'refused'] as const) emails.inc({ kind, result }, 0);
  for (const directive of kinds.directives) violations.inc({ directive }, 0);
  for (const route of [...ROUTES, UNKNOWN_ROUTE]) requests.inc({ route, result: 'internal-error' }, 0);
  for (const route of Object.values(supportPaths)) requests.inc({ route, result: 'admin-token-wrong' }, 0);
  for (const limit of ['support-look-up', 'support-action']) limits.inc({ limit }, 0);
  for (const result of CHECK_RESULTS) requests.inc({ route: sessionApiPaths.checkAuthStatus, result }, 0);
}

const toLoadedAt = ({ loadedAt }: ConfigFile) => (loadedAt === null ? null : loadedAt / 1000);

function addFileGauge(
  name: string,
  help: string,
  readFiles: () => Promise<ConfigFile[]>,
  getValue: (file: ConfigFile) => number | null,
): void {
  const { registry } = metrics();
  // `next dev` can start again in the same process.
  registry.removeSingleMetric(name);
  new Gauge({
    name,
    help,
    labelNames: ['file'],
    registers: [registry],
    async collect() {
      for (const file of await readFiles()) {
        const value = getValue(file);
        if (value !== null) this.set({ file: file.variable }, value);
      }
    },
  });
}

/**
 * Counts a response of an API route.
 * @param route its name
 * @param seconds the response time
 */
export function countResponse(route: string, result: ProblemCode | 'ok', seconds: number): void {
  const { requests, seconds: times } = metrics();
  requests.inc({ route, result });
  times.observe({ route }, seconds);
}

/** Counts a page. @param page its own path, @param seconds the time to load its data */
export const countPage = (page: string, seconds: number): void => metrics().pages.observe({ page }, seconds);

/** Counts and logs a refused callback URL, by its rule. The URL is private and not recorded. */
export function countRefusedCallback(rule: CallbackRefusal): void {
  metrics().callbacks.inc({ rule });
  log().info({ reason: rule }, 'callback refused');
}

/** @param rule the name of a rule (docs/account-policy.md) */
export const countRefusal = (rule: string): void => metrics().refusals.inc({ rule });

export const countLimitHit = (limit: string): void => metrics().limits.inc({ limit });

export const countProof = (result: 'asked' | 'accepted' | 'refused'): void => metrics().proofs.inc({ result });

export const countPolicyViolation = (directive: string): void => metrics().violations.inc({ directive });

export const countBreachCheck = (result: 'found' | 'not_found' | 'failed'): void =>
  metrics().breachChecks.inc({ result });

/** Counts a security event that could not be recorded (docs/adr/0024). */
export const countLostEvent = (): void => metrics().lostEvents.inc();

/** Counts an attempt to send a notice (docs/adr/0028). */
export const countNotice = (kind: string, result: 'sent' | 'retried' | 'failed'): void =>
  metrics().notices.inc({ kind, result });

export const countSignIn = (method: string, result: ProblemCode | 'ok'): void =>
  metrics().signIns.inc({ method, result });

/** @param seconds until the provider responded, or the timeout */
export const recordProviderCall = (
  operation: string,
  result: 'ok' | 'refused' | 'unavailable',
  seconds: number,
): void => metrics().providerCalls.observe({ operation, result }, seconds);

/** Counts an email as in progress. @returns a function that ends the progress and records the result */
export function startEmailTimer(kind: string): (result: 'sent' | 'refused' | 'failed') => void {
  const { emails, emailSeconds, emailsInProgress } = metrics();
  const end = emailSeconds.startTimer();
  emailsInProgress.inc();
  return (result) => {
    emailsInProgress.dec();
    emails.inc({ kind, result });
    end();
  };
}

/**
 * Counts an attempt that failed before the email reached the mail server.
 * @param kind of the request, which can differ from the email's kind
 */
export const recordUnsentEmail = (kind: string): void => metrics().emails.inc({ kind, result: 'failed' });

/** Records the waiting work in the database, as this process has last read it. */
export function recordBacklog(
  waiting: Record<'notices' | 'requestedEmails' | 'deletions' | 'factorResets', number>,
): void {
  metrics().noticesDue.set(waiting.notices);
  metrics().requestedEmailsDue.set(waiting.requestedEmails);
  metrics().overdueDeletions.set(waiting.deletions);
  metrics().overdueResets.set(waiting.factorResets);
}

/**
 * Adds the database connections to the metrics. @param read returns the current numbers; `waiting`: queries that wait
 * for a connection
 */
export function observePool(read: () => Record<'active' | 'idle' | 'waiting', number>): void {
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

/** Returns all metrics in the Prometheus text format. */
export async function readMetrics(): Promise<{ type: string; text: string }> {
  const { registry } = metrics();
  return { type: registry.contentType, text: await registry.metrics() };
}

/** Returns the name and labels of every metric. Tests compare alerts, dashboard and documents with them. */
export function describeMetrics(): { name: string; labelNames: readonly string[]; isHistogram: boolean }[] {
  return metrics()
    .registry.getMetricsAsArray()
    .map((metric) => {
      const { name, labelNames = [] } = metric as unknown as { name: string; labelNames?: string[] };
      return { name, labelNames, isHistogram: metric instanceof Histogram };
    });
}

type Dependency = 'redis' | 'database' | 'identity_provider' | 'mail';

const states = () => processWide('dependency-states', () => new Map<Dependency, boolean>());

/**
 * Records whether a dependency responded to the last call, even with an error of the caller. It does not set a gauge,
 * because every request calls Redis several times.
 */
export function recordDependency(dependency: Dependency, isUp: boolean): void {
  states().set(dependency, isUp);
}

/** Sorted with the most specific first, because some routes are prefixes of others. */
const ROUTES: readonly string[] = [
  ...Object.values(apiPaths),
  ...Object.values(sessionApiPaths),
  ...Object.values(securityApiPaths),
  ...Object.values(passkeyPaths),
  ...Object.values(recoveryEmailPaths),
  ...Object.values(secondFactorPaths),
  ...Object.values(serverPaths),
  ...Object.values(supportPaths),
  OIDC_PATH,
]
  .sort()
  .reverse();
/** Name of every unknown route. */
export const UNKNOWN_ROUTE = 'other';

/**
 * Returns the route's fixed name for logs, reports and counters. The raw path is never recorded, because clients
 * control its length and content.
 */
export function getRouteName(url: string): string {
  const path = url.split('?', 1).join('');
  if (ROUTES.includes(path)) return path;
  // Some routes are requested at other URLs (middleware.ts).
  const wellKnown = wellKnownRoutes.get(path);
  if (wellKnown !== undefined) return wellKnown;
  const apiPath = path
    .replace(/^\/monitoring$/, serverPaths.errorTunnel)
    .replace(/^\/__(?=\/)/, serverPaths.authHelper);
  return ROUTES.find((route) => apiPath === route || apiPath.startsWith(`${route}/`)) ?? UNKNOWN_ROUTE;
}
