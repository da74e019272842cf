import { isLocalHost, type Env } from '@/lib/server/runtime';

/** Where records are kept: PostgreSQL, the embedded database of one process, or nowhere. */
export type RecordsChoice = { kind: 'postgres'; url: string } | { kind: 'embedded'; folder: string } | { kind: 'none' };

/** Value of `DATABASE_FOLDER` for no embedded database. */
const OFF = 'off';
const LOCAL_FOLDER = '.records';

/** Decides where records are kept. With sessions at another deployment, that one keeps them. */
export function chooseRecords(
  env: Pick<Env, 'DATABASE_URL' | 'DATABASE_FOLDER' | 'SESSION_BACKEND' | 'NEXT_PUBLIC_APP_ORIGIN'>,
): RecordsChoice {
  const { DATABASE_URL: url, DATABASE_FOLDER: given, NEXT_PUBLIC_APP_ORIGIN: origin } = env;
  if (env.SESSION_BACKEND === 'upstream') return { kind: 'none' };
  if (url !== undefined) return { kind: 'postgres', url };
  const folder = given ?? (isLocalHost(new URL(origin).hostname) ? LOCAL_FOLDER : OFF);
  return folder === OFF ? { kind: 'none' } : { kind: 'embedded', folder };
}
