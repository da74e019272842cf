import { decodeJwt } from 'jose';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { decideOnCreate, decideOnSignIn } from '../../deploy/blocking-functions/decide.mjs';
import { parseDirectory } from '../../deploy/blocking-functions/directory.mjs';
import { createAccountsClient } from './accounts-client';
import { listen } from './listen';
import type { Endpoints } from '../../scripts/lib/stack.mjs';

/** The payload that the identity provider signs for a blocking function. */
type Call = {
  event_type: 'beforeCreate' | 'beforeSignIn';
  sign_in_method?: string;
  user_record: { uid: string; email?: string };
};

/**
 * Runs the shipped rules as the blocking functions of an emulator. firebase-functions is not installed here, so this
 * reimplements its handling of a request, a change and a rejection.
 * @param directory text of the directory file that is deployed with the functions
 * @returns a function that removes them
 */
export async function installBlockingFunctions(endpoints: Endpoints, directory: string): Promise<() => Promise<void>> {
  const { emulatorHost, projectId } = endpoints;
  const entered = parseDirectory(directory);
  const decide = ({ event_type: event, sign_in_method: method, user_record: { uid, email } }: Call) => {
    const signIn = { providerId: method === 'emailLink' ? 'password' : method, email };
    return event === 'beforeCreate'
      ? decideOnCreate(signIn, entered)
      : decideOnSignIn(signIn, entered, () => createAccountsClient(endpoints).read(uid));
  };
  const server = await listen((req, res) => {
    const answer = async () => {
      const { isAllowed, changes } = await decide(await readCall(req));
      const refusal = { error: { status: 'PERMISSION_DENIED', message: 'Refused by the blocking function' } };
      const update = changes && { userRecord: { ...changes, updateMask: Object.keys(changes).join(',') } };
      res.writeHead(isAllowed ? 200 : 403, { 'content-type': 'application/json' });
      res.end(JSON.stringify(isAllowed ? (update ?? {}) : refusal));
    };
    answer().catch((error: unknown) => res.writeHead(500).end(String(error)));
  });
  const functionUri = `http://127.0.0.1:${server.port}/`;

  const configure = async (blockingFunctions: object) => {
    const base = `http://${emulatorHost}/identitytoolkit.googleapis.com/v2/projects/${projectId}/config`;
    const response = await fetch(`${base}?updateMask=blockingFunctions`, {
      method: 'PATCH',
      headers: { authorization: 'Bearer owner', 'content-type': 'application/json' },
      body: JSON.stringify({ blockingFunctions }),
    });
    if (!response.ok) throw new Error(`No blocking function: ${await response.text()}`);
  };
  await configure({ triggers: { beforeCreate: { functionUri }, beforeSignIn: { functionUri } } });
  return async () => {
    await configure({});
    await server.stop();
  };
}

async function readCall(req: IncomingMessage): Promise<Call> {
  const { data } = (await json(req)) as { data: { jwt: string } };
  return decodeJwt<Call>(data.jwt);
}
