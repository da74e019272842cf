import { readFileSync } from 'node:fs';
import type { Env } from './schema';

/** Variables with secrets: never shown, logged or put into an image. Each can be read from a file, `{name}_FILE`. */
export const SECRETS = [
  'FIREBASE_PRIVATE_KEY',
  'TOKEN_ENCRYPTION_SECRET',
  'SECOND_FACTOR_SECRET',
  'REDIS_URL',
  'DATABASE_URL',
  'ADMIN_TOKEN',
  'SMTP_URL',
  'WEBHOOK_SECRET',
  'OIDC_PAIRWISE_SECRET',
] as const satisfies readonly (keyof Env)[];
export const SECRET_FILES = SECRETS.map((name) => `${name}_FILE`);

type Variables = Record<string, string | undefined>;

/** Adds the secrets that are in files, as orchestrators mount them. */
export function readSecretFiles(variables: Variables): { variables: Variables; problems: string[] } {
  const problems: string[] = [];
  const secrets = SECRETS.flatMap((name): [string, string][] => {
    const path = variables[`${name}_FILE`];
    if (!path) return [];
    if (variables[name]) problems.push(`${name}: is given twice, by itself and by ${name}_FILE`);
    try {
      // Editors and `echo` end a file with a line break.
      const value = readFileSync(path, 'utf8').trimEnd();
      // Not the same as a variable that is empty, which means not set: a mount that failed must not turn Redis off.
      if (value === '') problems.push(`${name}_FILE: the file of ${name} is empty`);
      return [[name, value]];
    } catch (error) {
      problems.push(`${name}_FILE: ${path} cannot be read (${(error as { code?: string }).code ?? 'unknown'})`);
      return [];
    }
  });
  return { variables: { ...variables, ...Object.fromEntries(secrets) }, problems };
}
