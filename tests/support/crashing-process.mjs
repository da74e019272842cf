// Signs in, or disavows a sign-in, as the app does, and is killed after one of its steps: a transaction, or a call to the
// identity provider. Argument: the number of the step. It begins when it gets what to do, as a line of JSON.
import { once } from 'node:events';
import { loadSource } from '../../scripts/lib/source-loader.mjs';
import { killAfterStep } from './kill-after-step.mjs';

const [last = '0'] = process.argv.slice(2);
const { getRecords } = loadSource('/lib/server/records/index.ts');
const { getIdentityAdmin } = loadSource('/lib/server/identity-provider/admin.ts');
const { getSessionBackend } = loadSource('/lib/server/session/index.ts');
const { getOwnBrand } = loadSource('/lib/server/email/index.ts');
const { disavowSignIn } = loadSource('/lib/server/sign-in-alerts/disavow.ts');

const CLIENT = { network: null, browser: 'Firefox', system: 'Windows' };
const step = killAfterStep(Number(last));

/**
 * Replaces a method by itself and a step.
 * @param {any} target @param {string} name
 */
function addStep(target, name) {
  const method = target[name].bind(target);
  target[name] = async (/** @type {unknown[]} */ ...args) => {
    const result = await method(...args);
    step(name);
    return result;
  };
}

const [line] = await once(process.stdin, 'data');
const { token, secret, code } = JSON.parse(line.toString());
addStep(await getRecords(), 'transact');
addStep(globalThis, 'fetch');
for (const name of ['verifyIdToken', 'getUser', 'createSessionCookie']) addStep(getIdentityAdmin(), name);
if (token) {
  const request = {
    enabledSocial: async () => new Set(),
    emailContext: async () => getOwnBrand(),
    client: () => CLIENT,
    sessionCookie: null,
    device: { secret, isShared: false },
  };
  await getSessionBackend().create(token, request);
}
if (code) await disavowSignIn(code, CLIENT);
console.log('done');
process.exit(0);
