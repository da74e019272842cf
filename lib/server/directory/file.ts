import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { reportError } from '@/lib/sentry/report';

const domain = z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/);
const providerId = z.string().regex(/^(saml|oidc)\.[\w-]+$/);

const enterpriseSchema = z.object({ name: z.string().min(1).max(60), provider: providerId });
const partnerSchema = z.object({
  name: z.string().min(1).max(60),
  provider: z.string().regex(/^oidc\.[\w-]+$/),
  enabled: z.boolean().default(true),
  /** Mailbox domains whose owners the partner may vouch for; any when left out. */
  emailDomains: z.array(domain).optional(),
});

const fileSchema = z.object({
  publicMailboxDomains: z.array(z.string()).default([]),
  enterprises: z.record(z.string(), z.unknown()).default({}),
  partners: z.record(z.string(), z.unknown()).default({}),
});

export type Enterprise = z.output<typeof enterpriseSchema>;
export type Partner = z.output<typeof partnerSchema>;
export type Directory = {
  publicMailboxDomains: ReadonlySet<string>;
  /** By mailbox domain. */
  enterprises: ReadonlyMap<string, Enterprise>;
  /** By id. */
  partners: ReadonlyMap<string, Partner>;
};

const EMPTY: Directory = { publicMailboxDomains: new Set(), enterprises: new Map(), partners: new Map() };

/**
 * Reads the directory of enterprises and partners, again whenever the file has changed. A wrong entry is reported and
 * left out, a broken file leaves the last good one in force.
 */
export function directoryFile(path: string): () => Promise<Directory> {
  let last = { version: Number.NaN, directory: EMPTY };
  return async () => {
    const { mtimeMs: version } = await stat(path).catch(() => ({ mtimeMs: -1 }));
    if (version !== last.version) last = { version, directory: (await read(path)) ?? last.directory };
    return last.directory;
  };
}

async function read(path: string): Promise<Directory | null> {
  try {
    const file = fileSchema.parse(JSON.parse(await readFile(path, 'utf8')));
    return {
      publicMailboxDomains: new Set(file.publicMailboxDomains.map((name) => name.toLowerCase())),
      enterprises: entriesOf(file.enterprises, domain, enterpriseSchema),
      partners: entriesOf(file.partners, z.string().regex(/^[\w-]{1,64}$/), partnerSchema),
    };
  } catch (error) {
    reportError(error, { during: 'reading the directory' });
    return null;
  }
}

function entriesOf<T>(entries: Record<string, unknown>, key: z.ZodType<string>, schema: z.ZodType<T>): Map<string, T> {
  const good = Object.entries(entries).flatMap(([name, entry]): [string, T][] => {
    const read = schema.safeParse(entry);
    if (key.safeParse(name).success && read.success) return [[name, read.data]];
    reportError(new Error('The directory has a wrong entry'), { name });
    return [];
  });
  return new Map(good);
}
