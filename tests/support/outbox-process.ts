// Works on deletions and the outbox as the app does, and is killed after one of its steps. A step is a transaction or a
// call to another service. The process does one thing at a time, so that a crash between two steps interrupts nothing.
// The arguments are the database and the step's number. The process begins when it receives a line.
import { once } from 'node:events';
import { advanceDeletions, providerCalls } from '@/lib/server/accounts/deletion/deletion';
import { assertMailServerReachable } from '@/lib/server/notifications/email';
import { emailJobs, webhookJobs } from '@/lib/server/notifications/outbox/send-due';
import { processWide } from '@/lib/server/runtime/process';
import { openRecords } from '@/lib/server/storage/records';
import { runJobs } from '@/lib/server/storage/records/jobs';
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
  await runJobs(records, emailJobs, 1);
  await runJobs(records, webhookJobs, 1);
  await records.close();
  console.log(hasFailed ? 'a call failed' : 'done');
  process.exit(0);
}
void work();
