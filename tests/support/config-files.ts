import { utimesSync, writeFileSync } from 'node:fs';

let version = 0;

/** Writes a configuration file. A file system may count whole seconds: each version has a time of its own. */
export function writeConfig(file: string, content: object): void {
  writeFileSync(file, JSON.stringify(content));
  version += 1;
  utimesSync(file, new Date(), new Date(Date.now() - 1_000_000 + version * 1_000));
}

/**
 * Waits until this process has what was written: a read may share a check of the file that began before, and does not wait long for one on
 * a busy machine.
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
