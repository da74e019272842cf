import path from 'node:path';
import { root } from '../../../scripts/lib/paths.mjs';
import { startService, waitUntilReady } from '../../../scripts/lib/processes.mjs';
import type { Settings } from './issuer';

/**
 * Starts a program of this folder that trusts the local CA.
 * @param command the interpreter with its options
 */
export async function startProgram(
  command: string[],
  file: string,
  { authority, dir, origin, port, issuer, clientId, secret }: Settings,
) {
  const program = path.join(root, 'tests/support/relying-parties', file);
  const env = {
    ...{ PORT: String(port), ORIGIN: origin, ISSUER: issuer, CLIENT_ID: clientId, CLIENT_SECRET: secret },
    // Variables for Node and for Python's requests.
    ...{ NODE_EXTRA_CA_CERTS: authority, REQUESTS_CA_BUNDLE: authority },
  };
  const service = startService(clientId, [...command, program], { env, logDir: dir });
  await waitUntilReady(service, `http://127.0.0.1:${String(port)}/`);
  return service;
}

export const startNodeProgram = (file: string, settings: Settings) => startProgram([process.execPath], file, settings);
