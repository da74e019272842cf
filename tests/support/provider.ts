import { deleteApp, getApps } from 'firebase-admin/app';

/** The Admin SDK keeps the address of its first call: what an earlier file left running may have made that already. */
export const endProviderClients = () => Promise.all(getApps().map((app) => deleteApp(app)));

/** From now on this process asks the identity provider at another address. @param host with its port */
export async function setProviderHost(host: string): Promise<void> {
  process.env.FIREBASE_AUTH_EMULATOR_HOST = host;
  await endProviderClients();
}
