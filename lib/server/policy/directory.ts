import { z } from 'zod';
import {
  getOriginsFile,
  escapeControls,
  type FileProblem,
  type FileState,
  describeUnknownKeys,
  createReloadingFile,
  type ParsedFile,
  type ReloadingFile,
  env,
  processWide,
} from '@/lib/server/runtime';
import { secondFactorRule } from '@/lib/shared/config/app-config';
import { reportError } from '@/lib/shared/error-reporting/report';
import { PUBLIC_MAILBOXES } from '@/lib/shared/account/email-suggestion';
import { ApiProblem } from '@/lib/shared/problem';

export type ConfigFile = { variable: 'ORIGINS_FILE' | 'DIRECTORY_FILE'; path: string } & FileState;

/** The variables that name files. The configuration may be invalid. */
type FileVariables = { [name in ConfigFile['variable'] | 'UPSTREAM_IDENTITY_URL']?: string | undefined };

/**
 * Returns the state of each configured file, and rereads a changed file. With an identity host, this process does not
 * read origins.
 */
export async function readConfigFiles(variables: FileVariables): Promise<ConfigFile[]> {
  const { ORIGINS_FILE: origins = '', DIRECTORY_FILE: directory = '', UPSTREAM_IDENTITY_URL: identityHost } = variables;
  const files: ConfigFile[] = [];
  if (origins !== '' && !identityHost)
    files.push({ variable: 'ORIGINS_FILE', path: origins, ...(await getOriginsFile(origins).getState()) });
  if (directory !== '')
    files.push({ variable: 'DIRECTORY_FILE', path: directory, ...(await getDirectoryFile(directory).getState()) });
  return files;
}

/** Formats a problem, for example `DIRECTORY_FILE: The directory has an invalid entry: provider (name: acme)`. */
export function formatFileProblem(variable: string, { message, context }: FileProblem): string {
  const facts = Object.entries(context).map(([name, value]) => `${name}: ${value}`);
  return escapeControls(`${variable}: ${message}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`);
}

const domain = z.string().regex(/^[a-z0-9-]+(\.[a-z0-9-]+)+$/);
const providerId = z.string().regex(/^(saml|oidc)\.[\w-]+$/);

const partnerId = z.string().regex(/^[\w-]{1,64}$/);

/** Whether the organization's users may also sign in with passkeys (docs/account-policy.md#passkeys). */
const allowPasskeys = z.boolean().optional();
/** Whether a sign-in by the organization skips our second factor (docs/account-policy.md#second-factor). */
const countsAsTwoFactors = z.boolean().optional();
/** Whether the organization's users must, may or cannot have our second factor (docs/account-policy.md#rules). */
const secondFactor = z.optional(secondFactorRule);

const enterpriseSchema = z.object({
  name: z.string().min(1).max(60),
  provider: providerId,
  allowPasskeys,
  countsAsTwoFactors,
  secondFactor,
});
const partnerSchema = z.object({
  name: z.string().min(1).max(60),
  provider: z.string().regex(/^oidc\.[\w-]+$/),
  enabled: z.boolean().default(true),
  /** Email domains that the partner is authorized for. Without it, the partner is authorized for every domain. */
  emailDomains: z.array(domain).optional(),
  allowPasskeys,
  countsAsTwoFactors,
  secondFactor,
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
  /** Enterprises by email domain. */
  enterprises: ReadonlyMap<string, Enterprise>;
  /** Partners by id. */
  partners: ReadonlyMap<string, Partner>;
};

/**
 * Reads the directory of enterprises and partners, and rereads it when the file changes. An invalid entry is reported
 * and keeps its last valid version. An unreadable file keeps the last valid directory.
 */
export function openDirectoryFile(path: string): ReloadingFile<Directory> {
  return createReloadingFile('DIRECTORY_FILE', path, parseDirectory);
}

function parseDirectory(content: unknown, before: Directory | null): ParsedFile<Directory> {
  const { success, data: file } = fileSchema.safeParse(content);
  if (!success) throw new Error('must be an object with publicMailboxDomains, enterprises and partners');
  const unknown = describeUnknownKeys(content, Object.keys(fileSchema.shape));
  const problems = unknown.map((line): FileProblem => ({ message: `The directory: ${line}`, context: {} }));
  const value = {
    publicMailboxDomains: new Set(file.publicMailboxDomains.map((name) => name.toLowerCase())),
    enterprises: readEntries(file.enterprises, domain, enterpriseSchema, problems, before?.enterprises),
    partners: readEntries(file.partners, partnerId, partnerSchema, problems, before?.partners),
  };
  return { value, problems, notes: reportAnyDomainPartners(value.partners, before?.partners) };
}

const isForAnyDomain = (partner: Partner | undefined) => partner?.enabled === true && !partner.emailDomains;

/**
 * Reports each partner without `emailDomains` once, not at every change of the file. docs/adr/0011 documents the rights
 * of such a partner.
 * @returns all such partners
 */
function reportAnyDomainPartners(partners: Directory['partners'], before?: Directory['partners']): FileProblem[] {
  const message = 'A partner is listed without emailDomains';
  const found = [...partners].filter(([, partner]) => isForAnyDomain(partner)).map(([name]) => name);
  for (const name of found)
    if (!isForAnyDomain(before?.get(name))) reportError(new Error(message), { variable: 'DIRECTORY_FILE', name });
  return found.map((name) => ({ message, context: { name } }));
}

function readEntries<T>(
  entries: Record<string, unknown>,
  key: z.ZodType<string>,
  schema: z.ZodType<T> & { shape: object },
  problems: FileProblem[],
  before: ReadonlyMap<string, T> = new Map(),
): Map<string, T> {
  const good = Object.entries(entries).flatMap(([name, entry]): [string, T][] => {
    const read = schema.safeParse(entry);
    const unknown = describeUnknownKeys(entry, Object.keys(schema.shape));
    if (key.safeParse(name).success && read.success && unknown.length === 0) return [[name, read.data]];
    const invalid = read.error?.issues.map(({ path }) => path.join('.')) ?? [];
    const fields = [...unknown, ...invalid, ...(key.safeParse(name).success ? [] : ['its name'])];
    problems.push({ message: `The directory has an invalid entry: ${fields.join(', ')}`, context: { name } });
    const kept = before.get(name);
    return kept === undefined ? [] : [[name, kept]];
  });
  return new Map(good);
}

function getDirectoryFile(path: string): ReloadingFile<Directory> {
  return processWide('directory', () => openDirectoryFile(path));
}

/**
 * Returns the configured organizations and partners. Returns null without `DIRECTORY_FILE` and before the first
 * successful read. No organization may sign users in then.
 */
export async function getDirectory(): Promise<Directory | null> {
  const { DIRECTORY_FILE: path } = env();
  return path === undefined ? null : getDirectoryFile(path).read();
}

export async function getDirectoryOrEmpty(): Promise<Directory> {
  return (await getDirectory()) ?? { publicMailboxDomains: new Set(), enterprises: new Map(), partners: new Map() };
}

/**
 * Returns the enterprise of a work email, by its exact domain.
 * @throws ApiProblem `invalid-enterprise-sign-in-email` for a public mailbox, `invalid-enterprise-domain` for a domain
 *   without an entry, `invalid-sso-method` for an enterprise that does not use SAML (docs/product.md#screens)
 */
export async function getEnterprise(email: string): Promise<Enterprise> {
  const { publicMailboxDomains, enterprises } = await getDirectoryOrEmpty();
  const domain = getDomain(email);
  if (publicMailboxDomains.has(domain)) throw new ApiProblem('invalid-enterprise-sign-in-email');
  const enterprise = enterprises.get(domain);
  // Look at the entries first, because an enterprise may be the provider of these mailboxes.
  if (!enterprise && PUBLIC_MAILBOXES.includes(domain)) throw new ApiProblem('invalid-enterprise-sign-in-email');
  if (!enterprise) throw new ApiProblem('invalid-enterprise-domain');
  if (!enterprise.provider.startsWith('saml.')) throw new ApiProblem('invalid-sso-method');
  return enterprise;
}

/** Whether an organization has the domain of an email. */
export async function hasEnterprise(email: string): Promise<boolean> {
  return (await getDirectoryOrEmpty()).enterprises.has(getDomain(email));
}

/** Returns a partner by its id, or null if it is unknown or disabled. */
export async function getPartner(id: string): Promise<Partner | null> {
  const partner = (await getDirectoryOrEmpty()).partners.get(id);
  return partner?.enabled === true ? partner : null;
}

/** Returns the enabled partner that signs users in with this provider, or null. */
export async function getPartnerOfProvider(provider: string): Promise<{ id: string; name: string } | null> {
  const { partners } = await getDirectoryOrEmpty();
  const [id, partner] = [...partners].find(([, entry]) => entry.enabled && entry.provider === provider) ?? [];
  return id !== undefined && partner ? { id, name: partner.name } : null;
}

/**
 * Returns the domain of an email in lower case, as the directory spells it. Returns an empty string without an email.
 */
export function getDomain(email: string | null): string {
  return email === null
    ? ''
    : email
        .slice(email.lastIndexOf('@') + 1)
        .trim()
        .toLowerCase();
}
