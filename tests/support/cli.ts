import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { inject } from 'vitest';
import { bundlePrograms } from '../../scripts/lib/bundle.mjs';

export type Finding = { what: string; state: string; detail: string; action: string | null };

/** The tool with what the image has beside it: migrations and libraries with files of their own. */
export async function prepareCli() {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'cli-database-'));
  await bundlePrograms(dir);
  cpSync('migrations', path.join(dir, 'migrations'), { recursive: true });
  symlinkSync(path.resolve('node_modules'), path.join(dir, 'node_modules'));
  const variables = {
    PATH: process.env.PATH,
    FIREBASE_AUTH_EMULATOR_HOST: inject('emulatorHost'),
    SMTP_URL: inject('smtpUrl'),
  };
  const run = (args: string[], more: Record<string, string>) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      const env = { ...variables, ...more } as unknown as NodeJS.ProcessEnv;
      execFile(process.execPath, ['cli', ...args], { cwd: dir, env }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });
  return {
    dir,
    run,
    /** What the doctor says about the database, or something else. */
    examineDatabase: async (more: Record<string, string>, name = 'database') => {
      const { stdout } = await run(['doctor', '--json'], more);
      const { findings } = JSON.parse(stdout) as { findings: Finding[] };
      return findings.find(({ what }) => what === name);
    },
  };
}
