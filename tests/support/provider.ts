import { deleteApp, getApps } from 'firebase-admin/app';

/**
 * The Admin SDK keeps the address of its first call. Code of an earlier file that is still running may already have
 * made that call.
 */
export const endProviderClients = () => Promise.all(getApps().map((app) => deleteApp(app)));

/** Changes the address at which this process calls the identity provider. @param host the host with its port */
export async function setProviderHost(host: string): Promise<void> {
  process.env.FIREBASE_AUTH_EMULATOR_HOST = host;
  await endProviderClients();
}
