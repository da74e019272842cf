// cspell:ignore conninfo
import { createServer } from 'node:http';
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Redis } from 'ioredis';
import { queryDatabase } from '../../scripts/lib/postgres.mjs';
import { makeCertificate, makeExpiredCertificate } from '../../scripts/lib/tls.mjs';
import { freshEmail } from './account-journeys';
import type { CookieJar } from './client';
import type { Deployment } from './deployment';
import { getBuild } from './other-build';
import { startRefusingMailServer } from './refusing-mail-server';

/** Steps of a learner while a fault lasts. */
export const STEPS = ['page', 'sign-in', 'check', 'sign-out', 'email', 'activity', 'change'] as const;
export type Step = (typeof STEPS)[number];

export type Fault = {
  name: string;
  /** @returns a function that ends it */
  begin: (deployment: Deployment) => Promise<() => Promise<unknown>>;
  /** Steps that do not work, with the response's code. */
  refused: Partial<Record<Step, string>>;
  /** The response's code with which any step can fail, depending on the process that handles it. */
  sometimes?: string;
  /** A message that the log must contain. */
  log: string | null;
  /** A line of the second process's metrics. `up 0` means that it cannot be scraped. */
  metric: string | null;
  /** Fields of the second process's readiness response in addition to `ready`. */
  ready: Record<string, string> | null;
  alert: string | null;
  /** The person or mechanism that ends it. */
  recovery: string;
  loss: string;
  /** Whether sessions that were opened during the fault, or shortly before, may be lost. */
  losesSessions?: boolean;
};

/** Index of the second process, which has its own faults. */
export const FAULTY = 1;
const BY_ITSELF = 'by itself';
const NOTHING = 'nothing';
const EVENTS = 'security events of that time';

const asSuperuser = ({ postgres }: Deployment, statement: string) => queryDatabase(postgres.url, statement);
const disconnect = (deployment: Deployment) =>
  asSuperuser(
    deployment,
    "select pg_terminate_backend(pid) from pg_stat_activity where datname like 'test\\_%' and pid <> pg_backend_pid()",
  );

async function gate(name: keyof Deployment['gates'], mode: 'refused' | 'slow', { gates }: Deployment) {
  await gates[name].setMode(mode);
  return () => gates[name].setMode('healthy');
}

/** Serves the database by TLS, which its clients require from then on. */
export async function encryptDatabase(deployment: Deployment) {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'database-tls-'));
  const { authority, certificate, key } = makeCertificate(dir, 'localhost');
  const data = path.join(deployment.postgres.dir, 'data');
  const install = async (file: string, name: string) => {
    copyFileSync(file, path.join(data, name));
    if (process.getuid?.() === 0) execFileSync('chown', ['postgres', path.join(data, name)]);
    execFileSync('chmod', ['600', path.join(data, name)]);
    await asSuperuser(deployment, 'select pg_reload_conf()');
  };
  await install(key, 'server.key');
  await install(certificate, 'server.crt');
  await asSuperuser(deployment, 'alter system set ssl = on');
  await asSuperuser(deployment, 'select pg_reload_conf()');
  deployment.env.DATABASE_URL += `?sslmode=verify-full&sslrootcert=${authority}`;
  return {
    expire: () => install(makeExpiredCertificate(dir), 'server.crt'),
    renew: () => install(certificate, 'server.crt'),
  };
}

/** Restarts the second process with further variables. */
async function restart(deployment: Deployment, more: Record<string, string>, output?: string) {
  await deployment.end(FAULTY);
  await deployment.start(getBuild(), FAULTY, more, output);
  return async () => {
    await deployment.processes[FAULTY]?.stop();
    await deployment.start(getBuild(), FAULTY);
  };
}

async function occupyConnections(deployment: Deployment) {
  const held: pg.Client[] = [];
  const take = async (): Promise<boolean> => {
    const client = new pg.Client({ connectionString: deployment.postgres.url });
    client.on('error', () => undefined);
    return client.connect().then(
      () => held.push(client) > 0,
      () => false,
    );
  };
  while (await take());
  // The processes' connections become free and are taken before a process notices it.
  await held[0]?.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname like 'test\\_%' and pid <> pg_backend_pid()",
  );
  while (await take());
  return () => Promise.all(held.map((client) => client.end()));
}

/** Another server with slightly older data takes over. */
async function failOver(deployment: Deployment) {
  const [, name = ''] = /([^/]+)$/.exec(deployment.database) ?? [];
  const run = (statement: string) => asSuperuser(deployment, statement);
  const close = async () => {
    await run(`alter database ${name} allow_connections false`);
    await run(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  };
  await close();
  await run(`create database replica_${name} template ${name}`);
  await run(`alter database ${name} allow_connections true`);
  await deployment.query('select 1');
  return async () => {
    await close();
    await run(`alter database ${name} rename to lost_${name}`);
    await run(`alter database replica_${name} rename to ${name}`);
  };
}

/** The identity provider responds to every call with an error. */
async function failProvider({ gates, env }: Deployment) {
  await gates.provider.setMode('refused');
  const server = createServer((_, res) => res.writeHead(500).end('{"error":{"code":500,"message":"INTERNAL"}}'));
  const port = Number(env.FIREBASE_AUTH_EMULATOR_HOST?.split(':')[1]);
  await new Promise<void>((ready) => server.listen(port, ready));
  return async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    await gates.provider.setMode('healthy');
  };
}

async function deferMail({ gates, env }: Deployment) {
  await gates.mail.setMode('refused');
  const server = await startRefusingMailServer(Number(new URL(env.SMTP_URL ?? '').port));
  return async () => {
    await server.stop();
    await gates.mail.setMode('healthy');
  };
}

async function withRedis({ redis }: Deployment, work: (client: Redis) => Promise<unknown>) {
  const client = new Redis(redis.url);
  await work(client);
  client.disconnect();
}

/** Sends requests, each of which logs a line, until lines are lost. A pipe and the process's buffer hold many lines. */
async function fillLog(deployment: Deployment) {
  const address = `${deployment.origins[FAULTY] ?? ''}/api/config/local`;
  while (!/^log_lines_lost_total [1-9]/m.test((await scrape(deployment)) ?? ''))
    for (let i = 0; i < 500; i += 1) await fetch(address).then((answer) => answer.arrayBuffer());
}

const DATABASE = {
  refused: Object.fromEntries(
    (['sign-in', 'email', 'activity', 'change'] as const).map((step) => [step, 'records-unavailable']),
  ),
  log: 'the database is away',
  metric: 'dependency_up{dependency="database"} 0',
  ready: { database: 'down' },
  alert: 'DatabaseDown',
  recovery: BY_ITSELF,
  loss: EVENTS,
} as const;
const REDIS = {
  refused: {},
  log: 'a service does not answer',
  metric: 'dependency_up{dependency="redis"} 0',
  ready: { redis: 'down' },
  alert: 'RedisDown',
  recovery: BY_ITSELF,
  loss: NOTHING,
} as const;
const PROVIDER = {
  refused: Object.fromEntries(
    (['sign-in', 'check', 'email', 'activity', 'change'] as const).map((step) => [step, 'provider-unavailable']),
  ),
  log: 'identity provider failed',
  metric: 'dependency_up{dependency="identity_provider"} 0',
  ready: null,
  alert: 'IdentityProviderDown',
  recovery: BY_ITSELF,
  loss: NOTHING,
} as const;
const MAIL = {
  refused: { email: 'mail-unavailable' },
  log: 'sending an email',
  metric: 'dependency_up{dependency="mail"} 0',
  ready: null,
  alert: 'MailServerDown',
  recovery: BY_ITSELF,
  loss: NOTHING,
} as const;
const NONE = { refused: {}, log: null, metric: null, ready: null, alert: null, recovery: BY_ITSELF, loss: NOTHING };

/** @param tls TLS of the database (`encryptDatabase`) */
export const listFaults = (tls: Awaited<ReturnType<typeof encryptDatabase>>): Fault[] => [
  { ...DATABASE, name: 'The database is stopped', begin: (it) => gate('database', 'refused', it) },
  {
    ...DATABASE,
    name: 'The database is frozen',
    begin: ({ postgres }) => {
      postgres.freeze();
      return Promise.resolve(() => Promise.resolve(postgres.resume()));
    },
  },
  {
    ...DATABASE,
    // Steps that only read still work.
    refused: Object.fromEntries((['sign-in', 'email', 'change'] as const).map((step) => [step, 'records-unavailable'])),
    name: 'The database is read-only',
    begin: async (it) => {
      const set = async (value: string) => {
        await asSuperuser(it, `alter system set default_transaction_read_only = ${value}`);
        await asSuperuser(it, 'select pg_reload_conf()');
        await disconnect(it);
      };
      await set('on');
      return () => set('off');
    },
  },
  { ...DATABASE, name: 'The database has no free connection', begin: occupyConnections },
  {
    ...DATABASE,
    log: 'CERT_HAS_EXPIRED',
    name: "The database's certificate has expired",
    begin: async (it) => {
      await tls.expire();
      await disconnect(it);
      return tls.renew;
    },
  },
  {
    ...NONE,
    name: 'The database fails over, and loses the last seconds',
    begin: failOver,
    loss: 'records of that time',
    losesSessions: true,
  },
  {
    ...REDIS,
    name: 'Redis is stopped',
    begin: async ({ redis }) => {
      await redis.stop();
      return redis.start;
    },
  },
  {
    ...REDIS,
    name: 'Redis is frozen',
    begin: ({ redis }) => {
      process.kill(redis.pid(), 'SIGSTOP');
      return Promise.resolve(() => Promise.resolve(process.kill(redis.pid(), 'SIGCONT')));
    },
  },
  {
    ...REDIS,
    name: 'Redis refuses writes',
    begin: async (it) => {
      await withRedis(it, (client) => client.config('SET', 'min-replicas-to-write', '1'));
      return () => withRedis(it, (client) => client.config('SET', 'min-replicas-to-write', '0'));
    },
  },
  {
    ...NONE,
    name: 'Redis loses its data',
    begin: async (it) => {
      await withRedis(it, (client) => client.flushdb());
      return () => Promise.resolve();
    },
    loss: 'counts of rate limits, codes of the mobile app',
  },
  { ...PROVIDER, name: 'The identity provider is stopped', begin: (it) => gate('provider', 'refused', it) },
  { ...PROVIDER, name: 'The identity provider is slow', begin: (it) => gate('provider', 'slow', it) },
  { ...PROVIDER, name: 'The identity provider answers 500', begin: failProvider },
  { ...MAIL, name: 'The mail server is stopped', begin: (it) => gate('mail', 'refused', it) },
  { ...MAIL, name: 'The mail server is slow', begin: (it) => gate('mail', 'slow', it) },
  { ...MAIL, name: 'The mail server defers every email', refused: {}, begin: deferMail },
  {
    ...NONE,
    name: 'The disk under the log of a process is full',
    begin: (it) => restart(it, {}, '>/dev/full'),
    metric: 'log_lines_lost_total [1-9]',
    alert: 'LogLinesLost',
    loss: 'log lines',
  },
  {
    ...NONE,
    name: 'The reader of the log of a process is stuck',
    begin: async (it) => {
      const end = await restart(it, {}, '> >(exec sleep 100000)');
      await fillLog(it);
      return end;
    },
    metric: 'log_lines_lost_total [1-9]',
    alert: 'LogLinesLost',
    loss: 'log lines',
  },
  {
    ...NONE,
    name: 'The clock of a process is 5 minutes ahead',
    begin: async (it) => {
      const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'clock-')), 'offset');
      writeFileSync(file, '300000');
      return restart(it, { CLOCK_FILE: file, NODE_OPTIONS: `--require "${path.resolve('tests/support/clock.cjs')}"` });
    },
    metric: 'clock_timestamp_seconds',
    alert: 'ClockIsWrong',
    recovery: 'an operator sets the clock',
  },
  {
    ...NONE,
    name: 'A process is killed',
    begin: async (it) => {
      const service = it.processes[FAULTY];
      process.kill(service?.pid ?? 0, 'SIGKILL');
      await service?.exited;
      return () => it.start(getBuild(), FAULTY);
    },
    metric: 'up 0',
    alert: 'ProcessDown',
    recovery: 'the orchestrator starts another one',
  },
  {
    ...NONE,
    name: 'A process is stuck',
    sometimes: 'unavailable',
    begin: async (it) => {
      const service = it.processes[FAULTY];
      process.kill(service?.pid ?? 0, 'SIGSTOP');
      await sleep(0);
      return async () => {
        process.kill(service?.pid ?? 0, 'SIGKILL');
        await service?.exited;
        await it.start(getBuild(), FAULTY);
      };
    },
    metric: 'up 0',
    alert: 'ProcessDown',
    recovery: 'the liveness probe replaces it',
    loss: 'requests that it has taken: 503 after 35 s',
  },
  {
    ...NONE,
    name: 'nginx is restarted',
    begin: async ({ nginx }) => {
      await nginx.stop();
      return async () => {
        await nginx.start();
      };
    },
    refused: Object.fromEntries(STEPS.map((step) => [step, 'no answer'])),
    recovery: 'the service manager starts it',
    loss: 'requests of that second',
  },
];

/** Prepares a browser for each step. It signs in before the fault if the step requires that. */
export async function prepare(deployment: Deployment) {
  const browsers: CookieJar[] = [];
  for (let i = 0; i < 3; i += 1) browsers.push((await openSession(deployment)).browser);
  return browsers;
}

export async function openSession(deployment: Deployment) {
  const [user, browser] = [await deployment.accounts.create(), deployment.newBrowser()];
  const answer = await deployment.call(browser, 'create-user-session', {
    token: await deployment.accounts.idToken(user),
  });
  return { user, browser, answer };
}

/**
 * Performs one step of a learner.
 * @returns `works`, the response's code, or `no answer`; and the address that was promised an email
 */
export async function tryStep(
  deployment: Deployment,
  step: Step,
  [staying, leaving, reading]: readonly CookieJar[],
): Promise<{ result: string; email?: string; browser?: CookieJar }> {
  const { call, newBrowser, origin, accounts } = deployment;
  const read = ({ status, body }: { status: number; body: Record<string, unknown> | null }) =>
    status === 200 ? 'works' : String(body?.code);
  try {
    if (step === 'page') {
      const { status } = await fetch(`${origin}/sign-in?at=${freshEmail()}`);
      return { result: status === 200 ? 'works' : String(status) };
    }
    if (step === 'sign-in') {
      const { answer, browser } = await openSession(deployment);
      return { result: read(answer), browser };
    }
    if (step === 'change') {
      // Uses a new account each time, because an account can change its name only a few times an hour.
      const { answer, browser } = await openSession(deployment);
      return { result: read(answer.status === 200 ? await call(browser, 'account/name', { name: 'Mia' }) : answer) };
    }
    if (step === 'email') {
      const { email } = await accounts.create();
      return { result: read(await call(newBrowser(), 'password-reset', { email })), email };
    }
    const browser = { check: staying, 'sign-out': leaving, activity: reading }[step] ?? newBrowser();
    const to = { check: 'check-auth-status', 'sign-out': 'initiate-logout', activity: 'account/activity' }[step];
    return { result: read(await call(browser, to, step === 'activity' ? { before: null } : {})) };
  } catch {
    return { result: 'no answer' };
  }
}

/** Returns the metrics of the second process. Null if it cannot be scraped. */
export async function scrape({ checkOrigins, env }: Deployment): Promise<string | null> {
  const headers = { authorization: `Bearer ${env.ADMIN_TOKEN ?? ''}` };
  const signal = AbortSignal.timeout(5_000);
  return fetch(`${checkOrigins[FAULTY] ?? ''}/api/metrics`, { headers, signal }).then(
    (answer) => answer.text(),
    () => null,
  );
}

export const readLog = ({ processes }: Deployment): string =>
  processes.map((each) => (each ? readFileSync(each.logFile, 'utf8') : '')).join('');

const NAMES: Record<Step, string> = {
  page: 'pages',
  'sign-in': 'sign-in',
  check: 'session checks',
  'sign-out': 'sign-out',
  email: 'emailed codes',
  activity: 'account activity',
  change: 'changes of an account',
};

/** The rules of deploy/alerts.yaml by name, as text. */
export const rules = new Map(
  readFileSync('deploy/alerts.yaml', 'utf8')
    .split(/^ {6}- alert: /m)
    .slice(1)
    .map((text) => [text.split('\n', 1)[0] ?? '', text]),
);

/** @returns the table row of a fault */
export function formatFault(fault: Fault): string {
  const refused = Object.entries(fault.refused) as [Step, string][];
  const learners =
    fault.sometimes !== undefined
      ? `some calls: \`${fault.sometimes}\`; all else works`
      : refused.length === 0
        ? 'everything works'
        : `${refused.map(([step, code]) => `${NAMES[step]}: \`${code}\``).join('; ')}${refused.length === STEPS.length ? '' : '; all else works'}`;
  const severity = /severity: (\w+)/.exec(rules.get(fault.alert ?? '') ?? '')?.[1];
  const ready = fault.ready ? Object.entries(fault.ready).map(([name, value]) => `\`${name}: ${value}\``) : ['ready'];
  const cells = [
    fault.name,
    learners,
    fault.log === null ? '' : `\`${fault.log}\``,
    fault.metric === null ? '' : `\`${fault.metric}\``,
    fault.metric === 'up 0' ? 'no answer' : ready.join(', '),
    fault.alert === null ? '' : `${fault.alert} (${severity ?? ''})`,
    fault.recovery,
    fault.loss,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** @param lines rows of `formatFault` */
export function formatTable(lines: readonly string[]): string {
  const head = '| Fault | Learners | Log | Metric | Readiness | Alert | Ended by | Lost |';
  return [head, head.replaceAll(/[^|]+/g, ' --- '), ...lines].join('\n');
}
