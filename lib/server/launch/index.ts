import { DIRECTIVES, drainBehindResponses } from '@/lib/server/http';
import { ALL_EMAIL_KINDS, EMAIL_KINDS } from '@/lib/server/notifications';
import {
  isOidcOffered,
  isRuntimeSufficient,
  readOidcFiles,
  requiresReauthentication,
  scheduleOidcCleanup,
} from '@/lib/server/oidc';
import { findRpIdProblem } from '@/lib/server/passkeys';
import { formatFileProblem, readConfigFiles, registerConfigFiles } from '@/lib/server/policy';
import {
  beginStart,
  ConfigurationError,
  endStart,
  env,
  getFileVariables,
  getListenHost,
  getPublicEnv,
  getRequestFacts,
  log,
  processWide,
  readWebhooksFile,
  shutDownOnSignal,
  startMetrics,
  WEBHOOK_EVENTS,
  type CountedKinds,
  type FileState,
} from '@/lib/server/runtime';
import { findKeyProblem } from '@/lib/server/second-factor';
import { onReauthentication } from '@/lib/server/session';
import {
  findReleasedFile,
  getRedisConnection,
  hasRecords,
  scheduleRetention,
  startRecords,
} from '@/lib/server/storage';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { startBackgroundWork } from './background';
import { setFinder } from './released-files';

/** What a process can count, of what alerts count. `logout`: a client of the OpenID Provider that was not told of one. */
export const COUNTED_KINDS: CountedKinds = {
  notices: [...EMAIL_KINDS, ...WEBHOOK_EVENTS, 'logout'],
  emails: ALL_EMAIL_KINDS,
  directives: DIRECTIVES,
};

/**
 * An uncaught error is a bug in this app, whatever its source: log it at the highest level. Next keeps the process
 * alive.
 */
function reportUncaughtErrors(): void {
  process.on('unhandledRejection', (err) => log().fatal({ err }, 'unhandled rejection'));
  process.on('uncaughtExceptionMonitor', (err) => log().fatal({ err }, 'uncaught exception'));
}

function getEnvProblems(): readonly string[] {
  try {
    env();
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

/** Only a file without any value stops the start: an invalid entry is logged and ignored. */
function findUnusable(files: readonly ({ variable: string } & FileState)[]): string[] {
  return files
    .filter(({ isUsable }) => !isUsable)
    .flatMap(({ variable, problems }) => problems.map((problem) => formatFileProblem(variable, problem)));
}

/** Files of an environment that is valid: they depend on each other, or on secrets. */
async function readOtherFiles() {
  const webhooks = await readWebhooksFile();
  return [...(await readOidcFiles()), ...(webhooks ? [{ variable: 'WEBHOOKS_FILE', ...webhooks }] : [])];
}

/** Whether this deployment is an OpenID Provider. Says why not, where one is configured. */
function startOidc(): void {
  if (isOidcOffered()) {
    onReauthentication(requiresReauthentication);
    return scheduleOidcCleanup();
  }
  if (env().OIDC_CLIENTS_FILE === undefined) return;
  const reason = isRuntimeSufficient()
    ? 'it needs a database, and SESSION_BACKEND=firebase'
    : `it needs Node.js 20.20 or later, and this is ${process.version}`;
  log().warn({ reason }, 'OIDC_CLIENTS_FILE is set, but this app is no OpenID Provider');
}

/** `ADMIN_TOKEN: must …` reads like a secret with its value, which the log removes. */
function splitProblem(problem: string): { variable: string; problem: string } {
  const [variable = '', ...text] = problem.split(': ');
  return { variable, problem: text.join(': ') };
}

/** @returns drains the listener. Exits the process when the port cannot be listened on */
async function listenForChecks(port: number): Promise<() => Promise<void>> {
  // With the code of the calls, which a process without the second listener does not load.
  const { openCheckListener } = await import('./listener/check-listener');
  try {
    // Once: `next dev` may start again in the same process.
    const listener = await processWide('check-listener', () => openCheckListener(port, getListenHost()));
    return () => new Promise((resolve) => listener.close(() => resolve()));
  } catch (err) {
    log().fatal({ variable: 'CHECK_PORT', err }, 'the port for session checks cannot be listened on');
    process.exit(1);
  }
}

/** Exits the process where there are problems, with a line of the log for each. */
function exitWith(problems: readonly string[]): void {
  if (problems.length === 0) return;
  for (const problem of problems) log().fatal(splitProblem(problem), 'the configuration cannot be used');
  process.exit(1);
}

/**
 * Validates the configuration and its files, opens the database and initializes error reporting; exits the process when it
 * cannot run. Liveness is answered before anything that another service or a locked table can hold up.
 */
export async function startServer(): Promise<void> {
  const invalid = getEnvProblems();
  const files = [
    ...(await readConfigFiles(getFileVariables())),
    ...(invalid.length === 0 ? await readOtherFiles() : []),
  ];
  exitWith([...invalid, ...findUnusable(files)]);
  const { NEXT_PUBLIC_RELEASE: release, SESSION_BACKEND: sessions, SHUTDOWN_DELAY: delaySeconds, CHECK_PORT } = env();
  beginStart();
  startMetrics(COUNTED_KINDS);
  const closeListener = CHECK_PORT === undefined ? () => Promise.resolve() : await listenForChecks(CHECK_PORT);
  exitWith(await startRecords());
  exitWith([...(await findRpIdProblem()), ...(await findKeyProblem())]);
  shutDownOnSignal(delaySeconds, { closeListener, finish: drainBehindResponses });
  log().info({ release, node: process.version, sessions, checkPort: CHECK_PORT }, 'started');
  reportUncaughtErrors();
  const { sentry } = getPublicEnv();
  const report = sentry ? (await import('@/sentry.server.config')).startSentry(sentry) : () => undefined;
  connectErrorSink(({ error, context, isOutage }) => {
    if (isOutage) log().warn({ err: error, ...context }, 'a service does not answer');
    else log().error({ err: error, ...context }, 'unexpected error');
    report(error, { ...context, ...getRequestFacts() });
  });
  // Connects while no request waits for it.
  void getRedisConnection();
  registerConfigFiles(readOtherFiles);
  startOidc();
  if (hasRecords()) {
    scheduleRetention();
    startBackgroundWork();
    setFinder(findReleasedFile);
  }
  endStart();
}
