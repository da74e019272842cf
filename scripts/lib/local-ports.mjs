import { holderOf, isPortFree } from './ports.mjs';

/**
 * The ports of `npm run demo` and `npm run dev`.
 * @param {Record<string, string | undefined>} env
 */
export function readLocalPorts(env) {
  return {
    APP_PORT: portOf(env, 'APP_PORT', 3000),
    PLATFORM_PORT: portOf(env, 'PLATFORM_PORT', 3001),
    EMULATOR_PORT: portOf(env, 'EMULATOR_PORT', 9099),
    SMTP_PORT: portOf(env, 'SMTP_PORT', 1025),
    MAILBOX_PORT: portOf(env, 'MAILBOX_PORT', 1080),
  };
}

/** @param {Record<string, string | undefined>} env @param {string} name @param {number} usual @returns {number} */
export function portOf(env, name, usual) {
  const port = Number(env[name] || usual);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new Error(`${name} must be a port number.`);
  return port;
}

/**
 * @param {Record<string, number>} ports by the name of the variable that overrides it
 * @throws Error that names the process using a port, and how to choose another
 */
export async function refuseTakenPorts(ports) {
  const entries = Object.entries(ports);
  const free = await Promise.all(entries.map(([, port]) => isPortFree(port)));
  const lines = entries.flatMap(([name, port], i) =>
    free[i] ? [] : [`Port ${port} is taken by ${holderOf(port)}. Free it, or choose another: ${name}=${port + 10_000}`],
  );
  if (lines.length > 0) throw new Error(lines.join('\n'));
  const [twice] = entries.filter(([, port], i) => entries.some(([, other], k) => k < i && other === port));
  if (twice) throw new Error(`Port ${twice[1]} is given twice; ${twice[0]} needs one of its own.`);
}
