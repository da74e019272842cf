// Signs in, or disavows a sign-in, as the app does, and is killed after one of its steps: a transaction, or a call to the
// identity provider. Argument: the number of the step. It begins when it gets what to do, as a line of JSON.
import { once } from 'node:events';
import { getOwnBrand } from '@/lib/server/notifications/email';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { getRecords } from '@/lib/server/storage/records';
import { getSessionBackend } from '@/lib/server/session/require-session';
import { disavowSignIn } from '@/lib/server/accounts/disavow';
import { killAfterStep } from './kill-after-step.mjs';

const [last = '0'] = process.argv.slice(2);
const CLIENT = { network: null, browser: 'Firefox', system: 'Windows' };
const step = killAfterStep(Number(last));

/** Replaces a method by itself and a step. */
function addStep(target: object, name: string): void {
  const methods = target as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const method = methods[name]?.bind(target);
  methods[name] = async (...args) => {
    const result = await method?.(...args);
    step(name);
    return result;
  };
}

async function work(): Promise<void> {
  const [line] = (await once(process.stdin, 'data')) as [Buffer];
  const { token, secret, code } = JSON.parse(line.toString()) as Partial<Record<'token' | 'secret' | 'code', string>>;
  for (const name of ['transact', 'query']) addStep(await getRecords(), name);
  addStep(globalThis, 'fetch');
  for (const name of ['verifyIdToken', 'getUser', 'createSessionCookie']) addStep(getIdentityAdmin(), name);
  if (token !== undefined) {
    await getSessionBackend().open(token, {
      enabledSocial: () => Promise.resolve(new Set()),
      secondFactorRule: () => Promise.resolve(null),
      requiredAssurance: 1,
      emailContext: () => Promise.resolve(getOwnBrand()),
      client: () => CLIENT,
      countKnownBrowser: () => Promise.resolve(false),
      sessionCookie: null,
      pendingSignIn: null,
      language: null,
      allowsRemembering: () => Promise.resolve(false),
      device: { secret: secret ?? null },
    });
  }
  if (code !== undefined) await disavowSignIn(code, CLIENT);
  console.log('done');
  process.exit(0);
}
void work();
