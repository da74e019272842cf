/**
 * Makes text of unknown origin safe to print on a terminal: characters that control it, or the direction of text, are written as
 * `\u001b`.
 */
export function escapeControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}

/** The same for lines: line feeds between them stay. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeControls).join('\n');
}
