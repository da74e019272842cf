// A process that works on deletions and the outbox as the app does, and is killed after one of its steps: a transaction, or
// a call to another service. It does one thing at a time: between two steps nothing happens that a crash could interrupt.
// Arguments: the database, and the number of the step. It begins when it gets a line.
import { once } from 'node:events';
import { advanceDeletions, providerCalls } from '@/lib/server/accounts/deletion';
import { assertMailServerReachable } from '@/lib/server/notifications/email';
import { sendDueNotices, sendDueWebhooks } from '@/lib/server/notifications/outbox/send-due';
import { processWide } from '@/lib/server/runtime/process';
import { openRecords } from '@/lib/server/storage/records';
import { addSteps, killAfterStep } from './kill-after-step.mjs';

const [choice = '{}', last = '0'] = process.argv.slice(2);
const step = killAfterStep(Number(last));
const handOver = () => step('handing over a notice');
let hasFailed = false;
const onFailure = () => (hasFailed = true);

async function work(): Promise<void> {
  await once(process.stdin, 'data');
  const records = await openRecords(JSON.parse(choice) as Parameters<typeof openRecords>[0]);
  addSteps(records, ['transact', 'query'], () => step('a transaction'));
  addSteps(providerCalls, Object.keys(providerCalls), step, onFailure);
  await advanceDeletions(records);
  await assertMailServerReachable();
  const transport = processWide('email-transport', (): object => {
    throw new Error('the mail server is not connected');
  });
  addSteps(transport, ['sendMail'], handOver, onFailure);
  addSteps(globalThis, ['fetch'], handOver, onFailure);
  await sendDueNotices(records, 1);
  await sendDueWebhooks(records, 1);
  await records.close();
  console.log(hasFailed ? 'a call failed' : 'done');
  process.exit(0);
}
void work();
