// Signs in or disavows a sign-in as the app does, and is killed after one of its steps. A step is a transaction or a
// call to the identity provider. The argument is the step's number. The process begins when it receives its task as a
// line of JSON.
import { once } from 'node:events';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { getRecords } from '@/lib/server/storage/records';
import { disavowSignIn } from '@/lib/server/accounts/disavow';
import { addSteps, killAfterStep } from './kill-after-step.mjs';
import { toRequest, signIn, type Task } from './sign-in-attempt';

const [last = '0'] = process.argv.slice(2);
const step = killAfterStep(Number(last));

async function work(): Promise<void> {
  const [line] = (await once(process.stdin, 'data')) as [Buffer];
  const task = JSON.parse(line.toString()) as Task;
  addSteps(await getRecords(), ['transact', 'query'], step);
  addSteps(globalThis, ['fetch'], step);
  addSteps(getIdentityAdmin(), ['verifyIdToken', 'getUser', 'createSessionCookie'], step);
  await ('token' in task ? signIn(task) : disavowSignIn(task.code, toRequest(null)));
  console.log('done');
  process.exit(0);
}
void work();
