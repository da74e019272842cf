import { spawnSync } from 'node:child_process';
import { PRIVATE_KEY } from './private-key';

/** A complete configuration of a deployment. */
export const production = {
  NEXT_PUBLIC_APP_ORIGIN: 'https://id.campus.example',
  DATABASE_URL: 'postgres://identity@localhost:9/identity',
  NEXT_PUBLIC_MAIN_DOMAIN: 'campus.example',
  NEXT_PUBLIC_PLATFORM_ORIGIN: 'https://learn.campus.example',
  FIREBASE_CLIENT_EMAIL: 'app@campus.example',
  FIREBASE_PRIVATE_KEY: PRIVATE_KEY,
  TOKEN_ENCRYPTION_SECRET: Buffer.alloc(32, 7).toString('base64'),
};

/** Runs the server's start hook in a separate process. */
export function start(variables: Record<string, string>) {
  const script = `import { loadSource } from './scripts/lib/source-loader.mjs';
    await loadSource('/lib/server/launch/index.ts').startServer();
    console.log('started');
    process.exit(0);`;
  const env = { PATH: process.env.PATH, ...variables } as unknown as NodeJS.ProcessEnv;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}
