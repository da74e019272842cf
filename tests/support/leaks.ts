import os from 'node:os';

/** Server internals that a response must not disclose, by name. */
const PATTERNS: Record<string, RegExp> = {
  'absolute path': /(?<![\w.\-/:])\/(?:tmp|work|home|root|usr|var|opt|etc|srv|proc|app|Users)\/[\w.@-]+/g,
  'Windows path': /\b[A-Z]:\\{1,2}\w+/g,
  'file address': /file:\/\/\/?\w[^\s"']*/g,
  'package path': /\b(?:node_modules|\.next[\w-]*)\/[\w.@/-]*/g,
  'stack trace': /\bat (?:async )?[\w.<>[\] ]*\(?(?:\/|node:|webpack|\[)[^\s"']*:\d+:\d+/g,
};

/**
 * Finds absolute paths, stack traces and internal names.
 * @param inside hosts and ports that only the operator knows
 * @returns each match with its kind
 */
export function findLeaks(text: string, inside: readonly string[]): string[] {
  // As escaped in JSON.
  const plain = text.replaceAll('\\/', '/').replaceAll('\\n', '\n');
  const endpoints = [process.cwd(), os.homedir(), os.hostname()].filter((name) => name.length > 3);
  return [
    ...Object.entries(PATTERNS).flatMap(([name, pattern]) =>
      [...plain.matchAll(pattern)].map(([found]) => `${name}: ${found}`),
    ),
    ...[...endpoints, ...inside].filter((name) => plain.includes(name)).map((name) => `inside: ${name}`),
  ];
}
