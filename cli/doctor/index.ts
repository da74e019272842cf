import { parseArgs } from 'node:util';
import { describeError } from '../describe-error';
import { flag, text, type Command } from '../types';
import { checkFiles, checkOwnEntry, checkVariables } from './configuration';
import { examineDatabase } from './database';
import { checkFirebase } from './firebase';
import { checkBreachedPasswords, checkClock, checkEmail, checkRedis, checkUpstream } from './services';
import { listOrganizationRules, getDirectory, isSecondFactorOffered } from '@/lib/server/policy';
import { env, listOriginRules } from '@/lib/server/runtime';
import { getKeyIds } from '@/lib/server/second-factor';
import { judgePasskeys } from './passkeys';
import { judgeSecondFactor } from './second-factor';
import { checkOpenId } from './openid';
import { fails, formatFindings, unchecked, works, type Finding } from './types';
import { NEIGHBORS, VERSION } from '../version';
import { checkOperators } from './operators';
import { checkWebhooks } from './webhook';

export const doctorCommand: Command = {
  summary: 'checks the configuration and every service',
  help: (program) => `${program} [options]

Checks the configuration and its files, the Firebase project, Redis, the database, passkeys, the second factor, the clients
of OpenID Connect, the mail server, the service of breached passwords, the receivers of webhooks and the clock.
Prints what it found and what to do. The states are works, does not work, not configured, and could not be checked.
It changes nothing, except for a key in Redis that lasts a second.
To read the settings of the project, it needs the permission firebaseauth.configs.get.

  --send-to ADDRESS   sends a test email
  --send-webhook      sends a signed test event to each receiver; without it, only an event with a wrong signature
  --send-logout       sends each client of OpenID Connect two logout tokens: one by another key, and one without a session
  --json              prints { "ok": …, "findings": [{ "what", "state", "detail", "action" }] }

Exit codes: 0 nothing fails, 1 something does not work, 2 wrong usage.`,
  async run(args) {
    const { values } = parseArgs({
      args: [...args],
      options: { 'send-to': text, 'send-webhook': flag, 'send-logout': flag, json: flag },
    });
    const findings = await examine({
      sendTo: values['send-to'],
      sendWebhook: values['send-webhook'] ?? false,
      sendLogout: values['send-logout'] ?? false,
    });
    const ok = findings.every(({ state }) => state !== 'does not work');
    console.log(values.json ? JSON.stringify({ ok, findings }, null, 2) : formatFindings(findings));
    return ok ? 0 : 1;
  },
};

type Check = () => Promise<Finding | Finding[]>;

type Sent = { sendTo: string | undefined; sendWebhook: boolean; sendLogout: boolean };

async function examine({ sendTo, sendWebhook, sendLogout }: Sent): Promise<Finding[]> {
  const variables = checkVariables();
  const files = await checkFiles();
  let examined: ReturnType<typeof examineDatabase> | undefined;
  const database = () => (examined ??= examineDatabase());
  /** Checks that need the variables, with the names of their findings. */
  const checks: [check: Check, what: string][] = [
    [checkOwnEntry, 'branding'],
    [checkFirebase, 'Firebase'],
    [checkUpstream, 'upstream identity API'],
    [checkRedis, 'Redis'],
    [async () => (await database()).finding, 'database'],
    [async () => judgePasskeys(env(), (await database()).stored.passkeyRpIds), 'passkeys'],
    [() => checkEmail(sendTo), 'email'],
    [checkBreachedPasswords, 'breached passwords'],
    [() => checkWebhooks(sendWebhook), 'webhook'],
    [checkOperators, 'operators'],
    [checkClock, 'clock'],
    [async () => checkSecondFactor((await database()).stored.appKeyIds), 'second factor'],
    [() => checkOpenId(sendLogout), 'OpenID Connect'],
  ];
  const version = works('version', `${VERSION}; it ${NEIGHBORS}`);
  if (variables.state !== 'works')
    return [
      ...[version, variables, ...files],
      ...checks.map(([, what]) => unchecked(what, 'the configuration is invalid')),
    ];
  // Runs in parallel, because a service that hangs must not delay the others.
  const findings = await Promise.all(checks.map(([check, what]) => attempt(what, check)));
  return [version, variables, ...files, ...findings.flat()];
}

/** Turns an error of a check into a finding, because it must not hide the findings of others. */
async function attempt(what: string, check: Check): ReturnType<Check> {
  try {
    return await check();
  } catch (error) {
    return fails(what, describeError(error), 'Check its variables: docs/configuration.md');
  }
}

/** If there is an identity host, it has the rules of origins. */
async function checkSecondFactor(appKeyIds: readonly string[] | null): Promise<Finding> {
  const rules = [...(await listOriginRules()), ...listOrganizationRules(await getDirectory())];
  const known = getKeyIds();
  const unopened = appKeyIds?.filter((id) => !known.includes(id)) ?? null;
  return judgeSecondFactor(isSecondFactorOffered(), rules, unopened);
}
