import { getOriginsFile, escapeControls, type FileProblem, type FileState } from '@/lib/server/runtime';
import { getDirectoryFile } from '.';

export type ConfigFile = { variable: 'ORIGINS_FILE' | 'DIRECTORY_FILE'; path: string } & FileState;

/** The variables that name files, of a configuration that may itself be invalid. */
type FileVariables = { [name in ConfigFile['variable'] | 'UPSTREAM_IDENTITY_URL']?: string | undefined };

/** The state of each configured file, reread if it has changed. With an identity host, origins are not read here. */
export async function readConfigFiles(variables: FileVariables): Promise<ConfigFile[]> {
  const { ORIGINS_FILE: origins = '', DIRECTORY_FILE: directory = '', UPSTREAM_IDENTITY_URL: identityHost } = variables;
  const files: ConfigFile[] = [];
  if (origins !== '' && !identityHost)
    files.push({ variable: 'ORIGINS_FILE', path: origins, ...(await getOriginsFile(origins).getState()) });
  if (directory !== '')
    files.push({ variable: 'DIRECTORY_FILE', path: directory, ...(await getDirectoryFile(directory).getState()) });
  return files;
}

/** `DIRECTORY_FILE: The directory has an invalid entry: provider (name: acme)`. */
export function formatFileProblem(variable: string, { message, context }: FileProblem): string {
  const facts = Object.entries(context).map(([name, value]) => `${name}: ${value}`);
  return escapeControls(`${variable}: ${message}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`);
}
