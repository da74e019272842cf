import { readFileSync, readdirSync } from 'node:fs';

/** Tick of the kernel's clock in `/proc`, which is 100 a second on every Linux that Node runs on. */
const TICK_MS = 10;

/**
 * Measures the CPU time of a process and its descendants, including descendants that ended and were waited for.
 * @param {number} pid
 * @returns {number} milliseconds since the process started, or 0 without `/proc`
 */
export function getTreeCpuMs(pid) {
  /** @type {Map<number, { parent: number, ticks: number }>} */
  const all = new Map();
  for (const name of listProcesses()) {
    const stat = readStat(name);
    if (stat) all.set(Number(name), stat);
  }
  let ticks = 0;
  for (const [id, { ticks: own }] of all) if (descendsFrom(id)) ticks += own;
  return ticks * TICK_MS;

  /** @param {number} id */
  function descendsFrom(id) {
    for (let at = id; at > 1; at = all.get(at)?.parent ?? 0) if (at === pid) return true;
    return false;
  }
}

/** Returns the CPU time of this process's ended child programs and their waited-for descendants, in milliseconds. */
export function getEndedCpuMs() {
  const fields = readFields('self');
  return fields ? (Number(fields[13]) + Number(fields[14])) * TICK_MS : 0;
}

function listProcesses() {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** @param {string} name */
function readStat(name) {
  const fields = readFields(name);
  if (!fields) return undefined;
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { parent: Number(fields[1]), ticks };
}

/**
 * Returns the fields of `/proc/{name}/stat` from the state on. The program's name before them may contain spaces.
 * @param {string} name
 */
function readFields(name) {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}
