import { storage } from '@/lib/browser/storage';

/** Storage key of the aliases created for an email address (docs/product.md#data). */
export function aliasesKey(email: string): string {
  return `mp_aliases_${email.replace(/[@.]/g, '_')}`;
}

/** The aliases not yet created for this email address on this device. */
export function newAliases(email: string, aliases: readonly string[]): string[] {
  const existing = remembered(email);
  return [...new Set(aliases)].filter((alias) => alias !== '' && alias !== email && !existing.includes(alias));
}

export function rememberAlias(email: string, alias: string): void {
  storage('localStorage').setItem(aliasesKey(email), JSON.stringify([...remembered(email), alias]));
}

function remembered(email: string): string[] {
  try {
    const stored: unknown = JSON.parse(storage('localStorage').getItem(aliasesKey(email)) ?? '[]');
    return Array.isArray(stored) ? stored.filter((alias) => typeof alias === 'string') : [];
  } catch {
    return [];
  }
}
