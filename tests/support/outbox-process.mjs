// A process that works on deletions and the outbox as the app does, and is killed after one of its steps: a transaction, or
// a call to another service. It does one thing at a time: between two steps nothing happens that a crash could interrupt.
// Arguments: the database, and the number of the step. It begins when it gets a line.
import { once } from 'node:events';
import { loadSource } from '../../scripts/lib/source-loader.mjs';
import { killAfterStep } from './kill-after-step.mjs';

const [choice = '{}', last = '0'] = process.argv.slice(2);
const { openRecords } = loadSource('/lib/server/records/index.ts');
const { advanceDeletions, providerCalls } = loadSource('/lib/server/account-deletion/advance.ts');
const { sendDueNotices } = loadSource('/lib/server/notices/send-due.ts');
const { sendNotice } = loadSource('/lib/server/notices/send-notice.ts');

const step = killAfterStep(Number(last));

/**
 * @template {unknown[]} A, R
 * @param {string} name @param {(...args: A) => Promise<R>} call
 * @returns {(...args: A) => Promise<R>}
 */
function withStep(name, call) {
  return async (...args) => {
    const result = await call(...args);
    step(name);
    return result;
  };
}

await once(process.stdin, 'data');
const { close, transact } = await openRecords(JSON.parse(choice));
const records = { transact: withStep('a transaction', transact) };
const calls = Object.fromEntries(
  Object.entries(providerCalls).map(([name, call]) => [name, withStep(name, /** @type {any} */ (call))]),
);
await advanceDeletions(records, calls);
await sendDueNotices(records, { send: withStep('handing over a notice', sendNotice), senders: 1 });
await close();
console.log('done');
process.exit(0);
