import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { bundlePrograms } from '../../scripts/lib/bundle.mjs';

export type Finding = { what: string; state: string; detail: string; action: string | null };

/** Bundles the tool and adds what the image has beside it: migrations, and libraries with their own files. */
export async function prepareCli() {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'cli-database-'));
  await copyTool(dir);
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
    /** Returns the doctor's report about the database, or about another check. */
    examineDatabase: async (more: Record<string, string>, name = 'database') => {
      const { stdout } = await run(['doctor', '--json'], more);
      const { findings } = JSON.parse(stdout) as { findings: Finding[] };
      return findings.find(({ what }) => what === name);
    },
  };
}

async function copyTool(dir: string): Promise<void> {
  await bundlePrograms(dir);
  cpSync('migrations', path.join(dir, 'migrations'), { recursive: true });
  const packages = path.join(dir, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync('node_modules').filter((each) => each !== RENDERER))
    symlinkSync(path.resolve('node_modules', name), path.join(packages, name));
  // The image has none of its files for development (next.config.js).
  const isShipped = (file: string) => !file.includes('development');
  cpSync(path.join('node_modules', RENDERER), path.join(packages, RENDERER), { recursive: true, filter: isShipped });
}

/** The package that renders emails. */
const RENDERER = 'react-dom';

/** Secrets of the app under test: the current secret and the previous one. */
export const SECRETS = [1, 2].map((byte) => Buffer.alloc(32, byte).toString('base64'));

/**
 * Provides the tool as the image has it, in a separate folder and with the file's database, for the tests of one file.
 */
export function useCli() {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'cli-'));
  beforeAll(() => copyTool(dir));
  afterAll(() => rmSync(dir, { recursive: true }));
  const { DATABASE_URL, DATABASE_FOLDER = '' } = process.env;
  const env = () => ({
    FIREBASE_AUTH_EMULATOR_HOST: inject('emulatorHost'),
    SMTP_URL: inject('smtpUrl'),
    TOKEN_ENCRYPTION_SECRET: SECRETS.join(','),
    ...(DATABASE_URL === undefined ? { DATABASE_FOLDER } : { DATABASE_URL }),
  });
  const cli = (args: string[], more: Record<string, string> = {}) => {
    const variables = { PATH: process.env.PATH, ...env(), ...more } as unknown as NodeJS.ProcessEnv;
    return new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(process.execPath, ['cli', ...args], { cwd: dir, env: variables }, (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
      );
    });
  };
  const runDoctor = async (more: Record<string, string> = {}, args: string[] = []) => {
    const { code, stdout } = await cli(['doctor', '--json', ...args], more);
    const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
    expect(code).toBe(ok ? 0 : 1);
    const get = (what: string) => findings.find((finding) => finding.what === what);
    return { ok, findings, get };
  };
  return { dir, env, cli, runDoctor };
}
