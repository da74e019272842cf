import { ConfigurationError, env, getAppConfig, getFileVariables } from '@/lib/server/runtime';
import { formatFileProblem, readConfigFiles } from '@/lib/server/policy';
import { ORIGINS_NOT_READ } from '../explanation/words';
import { works, fails, notConfigured, type Finding } from './types';

/** Checks all variables in a single pass. */
export function checkVariables(): Finding {
  const what = 'configuration';
  try {
    env();
    return works(what, 'every variable is valid');
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const action = 'Correct these variables: docs/configuration.md';
    return fails(what, error.problems.join('; '), action);
  }
}

/**
 * Checks the configuration files, even if variables are invalid. The app ignores an invalid entry, but this check
 * fails.
 */
export async function checkFiles(): Promise<Finding[]> {
  const variables = getFileVariables();
  const files = await readConfigFiles(variables);
  const unset = (['ORIGINS_FILE', 'DIRECTORY_FILE'] as const).filter(
    (name) => !files.some(({ variable }) => variable === name),
  );
  const found = files.map(({ variable, path, problems, notes, isUsable }): Finding => {
    if (problems.length === 0) {
      const noted = notes.map((note) => `; ${formatFileProblem(variable, note)}`).join('');
      return works(variable, `${path} has no problems${noted}`);
    }
    const detail = problems.map((problem) => formatFileProblem(variable, problem)).join('; ');
    const action = isUsable
      ? 'Correct the file: these entries are ignored'
      : 'Correct the file: the app does not start with it';
    return fails(variable, detail, action);
  });
  return [
    ...found,
    ...unset.map((what): Finding => {
      if (what === 'DIRECTORY_FILE') return notConfigured(what, 'no organization and no partner');
      return notConfigured(
        what,
        variables.UPSTREAM_IDENTITY_URL ? ORIGINS_NOT_READ : 'no branding, and no social provider',
      );
    }),
  ];
}

/** Checks that `ORIGINS_FILE` has an entry for this app. A sample file has none, and is valid. */
export async function checkOwnEntry(): Promise<Finding[]> {
  const { ORIGINS_FILE: file, UPSTREAM_IDENTITY_URL: identityHost, NEXT_PUBLIC_APP_ORIGIN: origin } = env();
  if (file === undefined || identityHost !== undefined) return [];
  const what = 'branding';
  const config = await getAppConfig(origin);
  if (config) return [works(what, `ORIGINS_FILE has an entry for ${origin}`)];
  const action = 'Add it to ORIGINS_FILE: docs/deploy/configure.md#configuration-files';
  return [notConfigured(what, `no entry for ${origin}, so it has the default brand, and only passwords`, action)];
}
