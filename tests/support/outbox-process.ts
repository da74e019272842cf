// A process that works on deletions and the outbox as the app does, and is killed after one of its steps: a transaction, or
// a call to another service. It does one thing at a time: between two steps nothing happens that a crash could interrupt.
// Arguments: the database, and the number of the step. It begins when it gets a line.
import { once } from 'node:events';
import { advanceDeletions, providerCalls } from '@/lib/server/accounts/deletion';
import { assertMailServerReachable } from '@/lib/server/notifications/email';
import { sendDueNotices, sendDueWebhooks } from '@/lib/server/notifications/outbox/send-due';
import { processWide } from '@/lib/server/runtime/process';
import { openRecords } from '@/lib/server/storage/records';
import { killAfterStep } from './kill-after-step.mjs';

const [choice = '{}', last = '0'] = process.argv.slice(2);
const step = killAfterStep(Number(last));
let hasFailed = false;

/** Replaces a method by itself and a step. */
function addStep(target: object, method: string, name = method): void {
  const methods = target as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const call = methods[method]?.bind(target);
  methods[method] = async (...args) => {
    const result = await call?.(...args).catch((error: unknown) => {
      hasFailed = true;
      throw error;
    });
    step(name);
    return result;
  };
}

async function work(): Promise<void> {
  await once(process.stdin, 'data');
  const records = await openRecords(JSON.parse(choice) as Parameters<typeof openRecords>[0]);
  for (const method of ['transact', 'query']) addStep(records, method, 'a transaction');
  for (const method of Object.keys(providerCalls)) addStep(providerCalls, method);
  await advanceDeletions(records);
  await assertMailServerReachable();
  const transport = processWide('email-transport', (): object => {
    throw new Error('the mail server is not connected');
  });
  addStep(transport, 'sendMail', 'handing over a notice');
  addStep(globalThis, 'fetch', 'handing over a notice');
  await sendDueNotices(records, 1);
  await sendDueWebhooks(records, 1);
  await records.close();
  console.log(hasFailed ? 'a call failed' : 'done');
  process.exit(0);
}
void work();
