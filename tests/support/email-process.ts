// Responds to a request for an email as the app does, and is killed after one of its later steps. A step is a
// transaction, a call to the identity provider, or the handover of the email. The argument is the step's number. The
// process begins when it receives its task as a line of JSON.
import { IncomingMessage, ServerResponse } from 'node:http';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { sendBehindResponse } from '@/lib/server/accounts/email-queue';
import type { RequestedEmail } from '@/lib/server/accounts/requested-email';
import { assertMailServerReachable, getOwnBrand } from '@/lib/server/notifications/email';
import { drainBehindResponses } from '@/lib/server/http/behind-response';
import { getIdentityAdmin } from '@/lib/server/identity/admin';
import { processWide } from '@/lib/server/runtime/process';
import { getRecords } from '@/lib/server/storage/records';
import { addSteps, killAfterStep } from './kill-after-step.mjs';

const [last = '0'] = process.argv.slice(2);
const step = killAfterStep(Number(last));

async function work(): Promise<void> {
  const [line] = (await once(process.stdin, 'data')) as [Buffer];
  await assertMailServerReachable();
  addSteps(await getRecords(), ['transact', 'query'], step);
  addSteps(getIdentityAdmin(), ['getUserByEmail', 'generatePasswordResetLink'], step);
  const transport = processWide('email-transport', (): object => {
    throw new Error('the mail server is not connected');
  });
  addSteps(transport, ['sendMail'], step);
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  const email = JSON.parse(line.toString()) as RequestedEmail;
  await sendBehindResponse(res, email, { ...getOwnBrand(), callback: undefined });
  res.emit('close');
  await drainBehindResponses();
  console.log('done');
  process.exit(0);
}
void work();
