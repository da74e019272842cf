import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePorts } from '../../../scripts/lib/ports.mjs';
import { writeOidcFiles } from '../../../scripts/lib/oidc-files.mjs';
import { startOtherApp, type Endpoints } from '../../../scripts/lib/stack.mjs';
import { makeCertificate } from '../../../scripts/lib/tls.mjs';
import { startTlsFront } from './tls-front';

/** Settings of a relying party, and a folder that it may write to. */
export type Settings = {
  /** An https origin whose name only browsers resolve. */
  origin: string;
  /** The port at which it serves HTTP behind nginx. */
  port: number;
  issuer: string;
  clientId: string;
  secret: string;
  /** File with the certificate of the authority that it must trust. */
  authority: string;
  dir: string;
};

export type RelyingParty = {
  /** Its client id, which is also the first label of its host. */
  name: string;
  /**
   * Its entry in the file of clients, without its name and secret. `local`: its origin by a name that servers resolve
   */
  describeClient: (origin: string, local: string) => { authentication?: string } & Record<string, unknown>;
  start: (settings: Settings) => Promise<{ stop: () => Promise<void> }>;
};

/** The origins of a relying party and its provider. */
export type Site = { origin: string; appOrigin: string };

export const CLIENT_NAME = "St. Mary's Gymnasium Überlingen";

/** Starts the deployed app as a provider at https, with relying parties on other domains, as in production. */
export async function startIssuer(shared: Endpoints, parties: RelyingParty[]) {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'relying-parties-'));
  // Apache's workers do not run as root.
  chmodSync(dir, 0o755);
  const tls = makeCertificate(dir, 'localhost', '*.school.localhost');
  const [issuerPort = 0] = await freePorts(1);
  const appOrigin = `https://localhost:${String(issuerPort)}`;
  const { env, secret } = writeOidcFiles(dir, 0);
  const secretFile = path.join(dir, 'oidc/school-secret');
  const placed = await Promise.all(parties.map((party) => place(party, secretFile)));
  const clients = Object.fromEntries(placed.map(({ party, client }) => [party.name, client]));
  writeFileSync(env.OIDC_CLIENTS_FILE ?? '', JSON.stringify({ clients }));
  const app = await startOtherApp(shared, {
    ...env,
    NEXT_PUBLIC_APP_ORIGIN: appOrigin,
    NODE_EXTRA_CA_CERTS: tls.authority,
    TRUSTED_PROXY_HOPS: '1',
  });
  const appPort = Number(new URL(app.endpoints.appOrigin).port);
  const running: { stop: () => Promise<void> }[] = [
    app,
    await startTlsFront(dir, tls, { port: issuerPort, to: appPort }),
  ];
  for (const { party, origin, publicPort, port } of placed) {
    running.push(await startTlsFront(dir, tls, { port: publicPort, to: port }));
    const issuer = `${appOrigin}/api/oidc`;
    running.push(
      await party.start({ origin, port, issuer, clientId: party.name, secret, authority: tls.authority, dir }),
    );
  }
  return {
    sites: placed.map(({ origin }): Site => ({ origin, appOrigin })),
    async stop() {
      await Promise.all(running.map((each) => each.stop()));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Chooses the ports of a relying party, which its entry contains. */
async function place(party: RelyingParty, secretFile: string) {
  const [publicPort = 0, port = 0] = await freePorts(2);
  const origin = `https://${party.name}.school.localhost:${String(publicPort)}`;
  const described = party.describeClient(origin, `https://localhost:${String(publicPort)}`);
  const hasSecret = described.authentication !== 'none';
  const client = { name: CLIENT_NAME, ...(hasSecret && { secretFile }), ...described };
  return { party, origin, publicPort, port, client };
}
