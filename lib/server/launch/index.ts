import { DIRECTIVES, drainBehindResponses } from '@/lib/server/http';
import { ALL_EMAIL_KINDS, EMAIL_KINDS } from '@/lib/server/notifications';
import { isOidcOffered, isRuntimeSufficient, readOidcFiles, scheduleOidcCleanup } from '@/lib/server/oidc';
import { findRpIdProblem } from '@/lib/server/passkeys';
import { formatFileProblem, readConfigFiles } from '@/lib/server/policy';
import {
  beginStart,
  ConfigurationError,
  createReloadingFile,
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
import { findReleasedFile, getRedisConnection, scheduleRetention, startRecords } from '@/lib/server/storage';
import { readOperatorsFile } from '@/lib/server/support';
import { connectErrorSink } from '@/lib/shared/error-reporting/report';
import { startBackgroundWork } from './background';
import { setFinder } from './released-files';

/** All kinds that a process can count for alerts. `logout`: a client of the OpenID Provider that was not notified. */
export const COUNTED_KINDS: CountedKinds = {
  notices: [...EMAIL_KINDS, ...WEBHOOK_EVENTS, 'logout'],
  emails: ALL_EMAIL_KINDS,
  directives: DIRECTIVES,
};

/**
 * Logs uncaught errors at the highest level, because each is a bug in this app, whatever its source. Next.js keeps the
 * process alive.
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

/** Finds files that stop the start because they have no usable value. An invalid entry is only logged and ignored. */
function findUnusable(files: readonly ({ variable: string } & FileState)[]): string[] {
  return files
    .filter(({ isUsable }) => !isUsable)
    .flatMap(({ variable, problems }) => problems.map((problem) => formatFileProblem(variable, problem)));
}

/** Reads files that need a valid environment, because they depend on each other or on secrets. */
async function readOtherFiles() {
  const webhooks = await readWebhooksFile();
  const operators = await readOperatorsFile();
  return [
    ...(await readOidcFiles()),
    ...(webhooks ? [{ variable: 'WEBHOOKS_FILE', ...webhooks }] : []),
    ...(operators ? [{ variable: 'OPERATORS_FILE', ...operators }] : []),
  ];
}

/**
 * Checks that these files exist and are JSON, even if the environment is invalid. So a failed start lists everything to
 * correct.
 */
function readOtherFilesAlone(variables: ReturnType<typeof getFileVariables>) {
  return Promise.all(
    ['WEBHOOKS_FILE', 'OPERATORS_FILE', 'OIDC_CLIENTS_FILE', 'OIDC_KEYS_FILE'].flatMap((variable) => {
      const path = variables[variable];
      if (!path) return [];
      const file = createReloadingFile<unknown>(variable, path, (value) => ({ value, problems: [] }));
      return [file.getState().then((state) => ({ variable, ...state }))];
    }),
  );
}

/**
 * Starts the OpenID Provider if this deployment offers it. If clients are configured but it cannot start, it logs the
 * reason.
 */
function startOidc(): void {
  if (isOidcOffered()) return scheduleOidcCleanup();
  if (env().OIDC_CLIENTS_FILE === undefined) return;
  const reason = isRuntimeSufficient()
    ? 'it needs SESSION_BACKEND=firebase'
    : `it needs Node.js 20.20 or later, and this is ${process.version}`;
  log().warn({ reason }, 'OIDC_CLIENTS_FILE is set, but this app is no OpenID Provider');
}

/** Splits a problem, because the log would redact `ADMIN_TOKEN: must …` as a secret with its value. */
function splitProblem(problem: string): { variable: string; problem: string } {
  const [variable = '', ...text] = problem.split(': ');
  return { variable, problem: text.join(': ') };
}

/** @returns a function that drains the listener; exits the process if the port is not available */
async function listenForChecks(port: number): Promise<() => Promise<void>> {
  // Imported with the routes' code, which a process without the second listener does not load.
  const { openCheckListener } = await import('./listener/check-listener');
  try {
    // Open it only once, because `next dev` may start again in the same process.
    const listener = await processWide('check-listener', () => openCheckListener(port, getListenHost()));
    return () => new Promise((resolve) => listener.close(() => resolve()));
  } catch (err) {
    log().fatal({ variable: 'CHECK_PORT', err }, 'the port for session checks cannot be listened on');
    process.exit(1);
  }
}

/** Logs a line for each problem and exits the process if there is any. */
function exitWith(problems: readonly string[]): void {
  if (problems.length === 0) return;
  for (const problem of problems) log().fatal(splitProblem(problem), 'the configuration cannot be used');
  process.exit(1);
}

/**
 * Validates the configuration and its files, opens the database and starts error reporting. It exits the process if it
 * cannot run. The liveness check works before anything that another service or a locked table can delay.
 */
export async function startServer(): Promise<void> {
  const invalid = getEnvProblems();
  const variables = getFileVariables();
  const files = [
    ...(await readConfigFiles(variables)),
    ...(await (invalid.length === 0 ? readOtherFiles() : readOtherFilesAlone(variables))),
  ];
  exitWith([...invalid, ...findUnusable(files)]);
  const { NEXT_PUBLIC_RELEASE: release, SESSION_BACKEND: sessions, SHUTDOWN_DELAY: delaySeconds, CHECK_PORT } = env();
  beginStart();
  startMetrics(COUNTED_KINDS, async () => [...(await readConfigFiles(env())), ...(await readOtherFiles())]);
  const closeListener = CHECK_PORT === undefined ? () => Promise.resolve() : await listenForChecks(CHECK_PORT);
  exitWith(await startRecords());
  if (sessions === 'firebase') exitWith([...(await findRpIdProblem()), ...(await findKeyProblem())]);
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
  // Connect now, while no request waits for it.
  void getRedisConnection();
  startOidc();
  if (sessions === 'firebase') {
    scheduleRetention();
    startBackgroundWork();
    setFinder(findReleasedFile);
  }
  endStart();
}
