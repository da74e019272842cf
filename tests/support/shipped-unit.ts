// cspell:ignore reuid regid setpriv rprivate privs
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root, testDistDir } from '../../scripts/lib/paths.mjs';
import { startService } from '../../scripts/lib/processes.mjs';

/** A user and a group without a name, as systemd creates them for `DynamicUser=yes`. */
const DYNAMIC = '61184';

/** Reads the shipped unit. */
export function readUnit() {
  const text = readFileSync(path.join(root, 'deploy/learner-identity.service'), 'utf8');
  return Object.fromEntries([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
}

/** Reads the variables of an `EnvironmentFile` as systemd does. Outside of double quotes, it removes backslashes. */
function readEnvironmentFile(file: string): Record<string, string> {
  const lines = [...readFileSync(file, 'utf8').matchAll(/^(\w+)=(.*)$/gm)];
  return Object.fromEntries(
    lines.map(([, name = '', value = '']) => {
      const [, quoted] = /^"(.*)"$/.exec(value) ?? [];
      return [name, quoted?.replaceAll(/\\(["\\$`])/g, '$1') ?? value.replaceAll(/\\(.)/g, '$1')];
    }),
  );
}

/**
 * Runs the command of the shipped unit on other ports, with only the variables of an environment file. As root, it runs
 * as the unit requires: as a user without files and rights, in a read-only file system.
 * @param environment lines of the file
 */
export async function startUnit({
  dir,
  port,
  checkPort,
  environment,
}: {
  dir: string;
  port: number;
  checkPort: number;
  environment: string[];
}) {
  const unit = readUnit();
  const file = path.join(dir, 'environment');
  writeFileSync(file, `${environment.join('\n')}\n`);
  chmodSync(file, 0o600);
  const toCommand = (line = '') =>
    line
      .replace(/\bPORT=3000\b/, `PORT=${String(port)}`)
      .replace(/\bCHECK_PORT=3002\b/, `CHECK_PORT=${String(checkPort)}`)
      .replace('127.0.0.1:3000/', `127.0.0.1:${String(port)}/`)
      .split(' ')
      .map((word) => (word === '/usr/bin/node' && !existsSync(word) ? process.execPath : word));
  const command = toCommand(unit.ExecStart);
  // A service does not inherit this process's variables.
  const nothing = Object.fromEntries(Object.keys(process.env).map((name) => [name, undefined]));
  const run = (name: string, words: string[]) =>
    startService(name, [...getConfinement(unit), ...words], {
      cwd: path.join(root, testDistDir, 'standalone'),
      env: { ...nothing, PATH: '/usr/bin:/bin', ...readEnvironmentFile(file) },
      logDir: dir,
    });
  const runStep = async (name: 'ExecStartPre' | 'ExecStartPost') => {
    const step = run(name, toCommand(unit[name]));
    if ((await step.exited) !== 0) throw new Error(`${name} failed; see ${step.logFile}`);
  };
  await runStep('ExecStartPre');
  const service = run('unit', command);
  try {
    await runStep('ExecStartPost');
  } catch (error) {
    await service.stop();
    throw error;
  }
  const origin = `http://127.0.0.1:${String(port)}`;
  return { ...service, origin, checkOrigin: `http://127.0.0.1:${String(checkPort)}` };
}

/** Returns the util-linux programs that apply the unit's settings as systemd does. */
function getConfinement(unit: Record<string, string>): string[] {
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/setpriv')) return [];
  const { DynamicUser, NoNewPrivileges, CapabilityBoundingSet, ProtectSystem, PrivateTmp } = unit;
  const mounts = [
    'mount --make-rprivate /',
    ...(PrivateTmp === 'yes' ? ['mount -t tmpfs tmpfs /tmp'] : []),
    ...(ProtectSystem === 'strict' ? ['mount -o remount,bind,ro /'] : []),
    'exec "$@"',
  ].join(' && ');
  return [
    ...['unshare', '--mount', 'sh', '-c', mounts, 'unit', 'setpriv'],
    ...(DynamicUser === 'yes' ? [`--reuid=${DYNAMIC}`, `--regid=${DYNAMIC}`, '--clear-groups'] : []),
    ...(NoNewPrivileges === 'yes' ? ['--no-new-privs'] : []),
    ...(CapabilityBoundingSet === '' ? ['--bounding-set=-all', '--inh-caps=-all'] : []),
  ];
}
