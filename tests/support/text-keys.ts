import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const LOCALE = path.join(root, 'locales/en');

/** All namespaces that have a messages file. */
export const namespaces = readdirSync(LOCALE).map((file) => path.basename(file, '.json'));

/** Lists the keys of a namespace's messages, each plural form separately. */
export function getTexts(namespace: string): string[] {
  return flatten(JSON.parse(readFileSync(path.join(LOCALE, `${namespace}.json`), 'utf8')));
}

/** Returns the sources of the product without tests, by path from the project's root. */
export function productFiles(): Map<string, string> {
  const files = ['components', 'lib', 'pages'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file)),
  );
  const sources = files.filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));
  return new Map(sources.map((file) => [file, readFileSync(path.join(root, file), 'utf8')]));
}

/** Lists the namespaces that a file passes to `useMessages`, each once. */
export function getTranslations(source: string): string[] {
  return [...new Set([...source.matchAll(/useMessages\('([\w-]+)'\)/g)].map(([, name = '']) => name))];
}

/**
 * Splits a file into its components and other declarations, each with the namespace of its keys. That is its own
 * namespace, or the file's only one.
 */
export function getParts(source: string): { text: string; own: string }[] {
  const all = getTranslations(source);
  return source.split(/^(?=(?:export )?(?:default )?(?:async )?(?:function|const) )/m).map((text) => {
    const [own = all.length === 1 ? all[0] : undefined] = getTranslations(text);
    return { text, own: own ?? 'nowhere' };
  });
}

/** Finds literal keys in a file: keys passed to `t`, keys with a namespace, and a schema's keys of common messages. */
export function usedKeys(source: string): string[] {
  const given = getParts(source).flatMap(({ text, own }) =>
    [...text.matchAll(/\bt\(\s*'([^']+)'/g)].map(([, key = '']) => (key.includes(':') ? key : `${own}:${key}`)),
  );
  const named = [...source.matchAll(QUALIFIED)].map(([, key = '']) => key);
  const messages = [...source.matchAll(/(?<!\bt\(\s*)'(fields\.\w+)'/g)].map(([, key]) => `common:${key}`);
  return [...given, ...named, ...messages];
}

type KeyPattern = { template: string; namespace: string; pattern: RegExp };

/** Finds dynamic keys in a file, with the values that each can have and their namespace. */
export function keyPatterns(source: string): KeyPattern[] {
  const given = getParts(source).flatMap(({ text, own }) =>
    [...text.matchAll(/\bt\(\s*`([^`]+)`/g)].map(([, key = '']) => (key.includes(':') ? key : `${own}:${key}`)),
  );
  const named = [...source.matchAll(QUALIFIED_TEMPLATE)].map(([, key = '']) => key);
  return [...given, ...named].map((template) => ({
    template,
    namespace: template.slice(0, template.indexOf(':')),
    pattern: new RegExp(`^${textsBetweenValues(template).map(escape).join('.+')}$`),
  }));
}

/** Lists every namespace that must be loaded where a file is rendered. */
export function namespacesNeededBy(source: string): string[] {
  const keys = usedKeys(source).map((key) => key.slice(0, key.indexOf(':')));
  return [...new Set([...getTranslations(source), ...keys, ...keyPatterns(source).map(({ namespace }) => namespace)])];
}

const QUALIFIED = new RegExp(`'((?:${namespaces.join('|')}):[\\w./-]+)'`, 'g');
const QUALIFIED_TEMPLATE = new RegExp(`\`((?:${namespaces.join('|')}):[^\`\\n]*\\$\\{[^\`\\n]*)\``, 'g');

function textsBetweenValues(template: string): string[] {
  return template.split(/\$\{[^}]*\}/);
}

function escape(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}

function flatten(value: unknown, prefix = ''): string[] {
  if (typeof value !== 'object' || value === null) return [value === '' ? '' : prefix];
  return Object.entries(value).flatMap(([key, inner]) => flatten(inner, prefix ? `${prefix}.${key}` : key));
}
