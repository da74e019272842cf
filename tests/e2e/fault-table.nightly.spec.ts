// Threats: dependency-failure, deployment-interruption, split-state
// The table of docs/faults.md, measured: npx playwright test tests/e2e/fault-table.nightly.spec.ts --update-snapshots=changed writes it.
import { expect, test } from '@playwright/test';
import { readFileSync, writeFileSync } from 'node:fs';
import { hasNginx } from '../../scripts/lib/nginx.mjs';
import { findPostgres } from '../../scripts/lib/postgres.mjs';
import { hasRedis } from '../../scripts/lib/services.mjs';
import type { Endpoints } from '../../scripts/lib/stack.mjs';
import type { CookieJar } from '../support/client';
import { startDeployment, type Deployment } from '../support/deployment';
import {
  encryptDatabase,
  FAULTY,
  formatFault,
  formatTable,
  listFaults,
  prepare,
  readLog,
  rules,
  scrape,
  STEPS,
  tryStep,
  type Fault,
  type Step,
} from '../support/fault-table';
import { mailsBesidesAlerts, readMailbox } from '../support/mail';
import { getBuild } from '../support/other-build';
import { productionLimits } from '../support/time-limits';

const shared = JSON.parse(process.env.E2E_ENDPOINTS ?? '{}') as Endpoints;
test.describe.configure({ timeout: 3_600_000 });
test.skip(!findPostgres() || !hasNginx() || !hasRedis(), 'PostgreSQL, nginx or Redis is missing.');
// With production limits, it takes several timeouts to notice a frozen service.
const POLLING = { timeout: 240_000, intervals: [250, 500, 1_000] };

const DOCUMENT = 'docs/faults.md';
/** @returns a row of the table, once every cell was observed */
async function measure(deployment: Deployment, fault: Fault): Promise<string> {
  const browsers = await prepare(deployment);
  const logged = readLog(deployment).length;
  const during: CookieJar[] = [];
  const emails: string[] = [];
  const end = await fault.begin(deployment);
  const tryOne = async (step: Step) => {
    const { result, email, browser } = await tryStep(deployment, step, browsers);
    if (result === 'works' && email) emails.push(email);
    if (result === 'works' && browser) during.push(browser);
    return result;
  };
  try {
    // The last step ends a session.
    for (const step of STEPS)
      if (fault.sometimes === undefined)
        await expect.poll(() => tryOne(step), { message: step, ...POLLING }).toBe(fault.refused[step] ?? 'works');
      else expect(['works', fault.sometimes, '503'], step).toContain(await tryOne(step));
    if (fault.metric === 'up 0') await expect.poll(() => scrape(deployment), POLLING).toBeNull();
    else if (fault.metric !== null)
      await expect.poll(() => scrape(deployment), POLLING).toMatch(new RegExp(`^${fault.metric}`, 'm'));
    if (fault.alert === 'ClockIsWrong') {
      const [, seconds] = /^clock_timestamp_seconds (.*)$/m.exec((await scrape(deployment)) ?? '') ?? [];
      expect(Math.abs(Number(seconds) - Date.now() / 1000)).toBeGreaterThan(200);
    }
    if (fault.alert !== null) expect(rules.get(fault.alert)).toContain(fault.metric?.split(/[ {]/)[0]);
    if (fault.metric !== 'up 0') {
      const ask = async (): Promise<unknown> =>
        (await fetch(`${deployment.origins[FAULTY] ?? ''}/api/health/ready`)).json();
      await expect.poll(ask, POLLING).toMatchObject({ status: 'ready', ...fault.ready });
    }
    if (fault.log !== null) await expect.poll(() => readLog(deployment).slice(logged), POLLING).toContain(fault.log);
  } finally {
    await end();
  }
  const again = await prepareAgain(deployment);
  for (const step of STEPS)
    await expect
      .poll(async () => (await tryStep(deployment, step, again)).result, { message: `${step}, later`, ...POLLING })
      .toBe('works');
  for (const browser of [browsers[0], browsers[2], ...(fault.losesSessions ? [] : during)])
    expect(browser && (await deployment.call(browser, 'check-auth-status')).status).toBe(200);
  // The session was signed out during the fault, or in its last try.
  if (fault.refused['sign-out'] === undefined && fault.sometimes === undefined)
    expect(browsers[1] && (await deployment.call(browsers[1], 'check-auth-status')).status).toBe(401);
  for (const email of emails) {
    await mailsBesidesAlerts(shared, email);
    expect(await readMailbox(shared, email)).toHaveLength(1);
  }
  return formatFault(fault);
}

/** Opens new sessions as soon as that is possible. */
async function prepareAgain(deployment: Deployment): Promise<CookieJar[]> {
  await expect.poll(async () => (await tryStep(deployment, 'sign-in', [])).result, POLLING).toBe('works');
  return prepare(deployment);
}

test('every fault costs what docs/faults.md says', async ({}, { config }) => {
  const deployment = await startDeployment(shared, productionLimits);
  const tls = await encryptDatabase(deployment);
  expect((await deployment.runCli(getBuild(), 'migrate')).code).toBe(0);
  for (const at of [0, FAULTY]) await deployment.start(getBuild(), at);
  const only = process.env.FAULT;
  const faults = listFaults(tls).filter(({ name }) => only === undefined || name.includes(only));
  const failures: string[] = [];
  const lines: string[] = [];
  for (const fault of faults) {
    const line = await test
      .step(fault.name, () => measure(deployment, fault))
      .catch((error: unknown) => {
        failures.push(`${fault.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        console.log(failures.at(-1));
        return formatFault(fault);
      });
    lines.push(line);
    console.log(line);
  }
  await deployment.stop();
  expect(failures).toEqual([]);
  if (only !== undefined) return;

  const table = formatTable(lines);
  const before = readFileSync(DOCUMENT, 'utf8');
  const text = before.replace(/^\| Fault [^]*?\n(?!\|)/m, `${table}\n`);
  if (config.updateSnapshots !== 'none') writeFileSync(DOCUMENT, text);
  expect(before === text || config.updateSnapshots !== 'none', `${DOCUMENT} says otherwise:\n${table}`).toBe(true);
});
