import { utimesSync, writeFileSync } from 'node:fs';

let version = 0;

/** Writes a configuration file. Each version gets a different time, because a file system may count whole seconds. */
export function writeConfig(file: string, content: object): void {
  writeFileSync(file, JSON.stringify(content));
  version += 1;
  utimesSync(file, new Date(), new Date(Date.now() - 1_000_000 + version * 1_000));
}

/**
 * Waits until this process has read the written file. A read may share an earlier check of the file, and on a busy
 * machine it does not wait long for it.
 */
export async function configInForce(): Promise<void> {
  const [{ readConfigFiles }, { readOidcFiles }, { env, readWebhooksFile }] = await Promise.all([
    import('@/lib/server/policy'),
    import('@/lib/server/oidc'),
    import('@/lib/server/runtime'),
  ]);
  const readAll = () => Promise.all([readConfigFiles(env()), readOidcFiles(), readWebhooksFile()]);
  await readAll();
  await readAll();
}
