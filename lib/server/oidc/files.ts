import { env, type FileState } from '@/lib/server/runtime';
import { getClientsFile } from './clients';
import { canSign, getKeysFile } from './keys';

export type OidcFile = { variable: 'OIDC_CLIENTS_FILE' | 'OIDC_KEYS_FILE'; path: string } & FileState;

/** The state of the provider's files, reread if they have changed; of a valid configuration. */
export async function readOidcFiles(): Promise<OidcFile[]> {
  const { OIDC_CLIENTS_FILE: clientsPath, OIDC_KEYS_FILE: keysPath } = env();
  const files: OidcFile[] = [];
  const keys = keysPath === undefined ? null : getKeysFile(keysPath);
  if (keys && keysPath !== undefined)
    files.push({ variable: 'OIDC_KEYS_FILE', path: keysPath, ...(await keys.getState()) });
  if (clientsPath === undefined) return files;
  const clients = getClientsFile(clientsPath);
  const state = await clients.getState();
  const present = await keys?.read();
  const unsigned = [...((await clients.read()) ?? [])].filter(
    ([, { algorithm }]) => present && !canSign(present, algorithm),
  );
  const problems = unsigned.map(([client, { algorithm }]) => {
    return { message: 'No key of OIDC_KEYS_FILE signs with the algorithm', context: { client, algorithm } };
  });
  files.push({
    variable: 'OIDC_CLIENTS_FILE',
    path: clientsPath,
    ...state,
    problems: [...state.problems, ...problems],
  });
  return files;
}
