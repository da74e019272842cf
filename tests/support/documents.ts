import { readFileSync } from 'node:fs';

/** Returns the blocks of commands or settings in Markdown, without the indentation that a list adds. */
export function readCommands(text: string): string[] {
  return [...text.matchAll(/^( *)```(?:sh|env)\n([^]*?)^ *```/gm)].map(([, indentation = '', commands = '']) =>
    commands.replaceAll(new RegExp(`^${indentation}`, 'gm'), ''),
  );
}

/** @param file path in docs/ */
export const readDocument = (file: string): string => readFileSync(`docs/${file}`, 'utf8');
