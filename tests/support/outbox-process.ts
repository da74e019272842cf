// A process that works on deletions and the outbox as the app does, and is killed after one of its steps: a transaction, or
// a call to another service. It does one thing at a time: between two steps nothing happens that a crash could interrupt.
import { sendDueNotices, sendDueWebhooks, sendNotice } from '@/lib/server/notifications/outbox/send-due';

// Arguments: the database, and the number of the step. It begins when it gets a line.
import { once } from 'node:events';
import { advanceDeletions, providerCalls } from '@/lib/server/accounts/deletion';
import { openRecords } from '@/lib/server/storage/records';
import { killAfterStep } from './kill-after-step.mjs';

const [choice = '{}', last = '0'] = process.argv.slice(2);
const step = killAfterStep(Number(last));
let hasFailed = false;

function withStep<A extends unknown[], R>(name: string, call: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  return async (...args) => {
    const result = await call(...args).catch((error: unknown) => {
      hasFailed = true;
      throw error;
    });
    step(name);
    return result;
  };
}

async function work(): Promise<void> {
  await once(process.stdin, 'data');
  const opened = await openRecords(JSON.parse(choice) as Parameters<typeof openRecords>[0]);
  const withTransaction = <C extends typeof opened.transact>(run: C): C =>
    (async (work: Parameters<C>[0]) => {
      const result = await run(work);
      step('a transaction');
      return result;
    }) as C;
  const records = {
    ...opened,
    transact: withTransaction((work) => opened.transact(work)),
    query: withTransaction((work) => opened.query(work)),
  };
  const calls = Object.fromEntries(
    Object.entries(providerCalls).map(([name, call]) => [
      name,
      withStep(name, call as (...args: unknown[]) => Promise<unknown>),
    ]),
  ) as unknown as typeof providerCalls;
  await advanceDeletions(records, calls);
  const sending = { send: withStep('handing over a notice', sendNotice), senders: 1 };
  await sendDueNotices(records, sending);
  await sendDueWebhooks(records, sending);
  await opened.close();
  console.log(hasFailed ? 'a call failed' : 'done');
  process.exit(0);
}
void work();
