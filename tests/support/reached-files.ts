import path from 'node:path';

/** Matches imports of values only, because type imports do not exist at run time. */
const IMPORT = /^(?:import|export)\s+(?!type\b)(?:[^;'"]*?\sfrom\s+)?'([^']+)'/gm;
const LATE_IMPORT = /\bimport\(\s*'([^']+)'\)/g;

/**
 * Lists all files that a page can load in the browser, including lazy-loaded files.
 * @param from the page's file, relative to the project's root
 * @param sources the product's files by such paths
 * @throws Error if an import of the product's own files cannot be resolved
 */
export function reachedFiles(from: string, sources: Map<string, string>): Set<string> {
  const reached = new Set<string>();
  const open = [from];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    // Server-only code renders nothing.
    if (reached.has(file) || file.startsWith('lib/server/')) continue;
    reached.add(file);
    open.push(...getImports(file, sources));
  }
  return reached;
}

function getImports(file: string, sources: Map<string, string>): string[] {
  const source = sources.get(file) ?? '';
  const names = [...source.matchAll(IMPORT), ...source.matchAll(LATE_IMPORT)].map(([, name = '']) => name);
  return names.flatMap((name) => {
    if (/\.(?:css|json)$/.test(name) || !/^(?:@\/|\.)/.test(name)) return [];
    const place = name.startsWith('@/') ? name.slice(2) : path.join(path.dirname(file), name);
    const found = ['.ts', '.tsx', '/index.ts', '/index.tsx'].map((end) => place + end).find((it) => sources.has(it));
    if (found === undefined) throw new Error(`${file} imports ${name}, which is nowhere`);
    return [found];
  });
}
