import { X509Certificate, createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Env, Variables } from './schema';

// Files that libraries read when they first need them. An unusable file would look like an outage there, while the
// process is ready. So the start reads them all. Our own files are checked in `readSecretFiles` and lib/server/launch.

type FileOf = { setting: string; path: string };
/** Its message never contains the file's contents, which may be a key. */
class FileFault extends Error {}

/**
 * Reads the files that valid variables name for a library.
 * @param variables variables that are not part of the configuration
 * @returns one line per unusable file
 */
export function findFileProblems(env: Partial<Env>, variables: Variables): string[] {
  return [
    ...checkDatabaseFiles(env.DATABASE_URL),
    ...checkGoogleCredentials(env, variables.GOOGLE_APPLICATION_CREDENTIALS),
    ...checkAuthorities(variables.NODE_EXTRA_CA_CERTS),
  ];
}

/** @returns the problem, if the file cannot be read or its content is wrong */
function check({ setting, path }: FileOf, judge: (text: string) => void): string[] {
  try {
    judge(readFileSync(path, 'utf8'));
    return [];
  } catch (error) {
    const { code = 'unknown' } = error as { code?: string };
    return [`${setting} ${error instanceof FileFault ? error.message : `cannot be read (${code})`}`];
  }
}

/** Matches at the start of a line, as OpenSSL does. */
const CERTIFICATE = /^-----BEGIN CERTIFICATE-----[\s\S]*?^-----END CERTIFICATE-----/gm;

function readCertificates(text: string): X509Certificate[] {
  const certificates = (text.match(CERTIFICATE) ?? []).map((pem, at) => {
    try {
      return new X509Certificate(pem);
    } catch {
      throw new FileFault(`has a certificate that cannot be read, number ${String(at + 1)}`);
    }
  });
  if (certificates.length === 0) throw new FileFault('has no certificate in PEM');
  return certificates;
}

function readKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new FileFault('has no private key in PEM that can be read without a password');
  }
}

/** Checks the certificate files of the database. The driver reads them at each connection. */
function checkDatabaseFiles(url: string | undefined): string[] {
  if (url === undefined) return [];
  const query = new URL(url).searchParams;
  const [authority, certificate, key] = ['sslrootcert', 'sslcert', 'sslkey'].map((name): FileOf | undefined => {
    // The driver uses the last value.
    const path = query.getAll(name).at(-1);
    return path ? { path, setting: `DATABASE_URL: ${name} ${path}` } : undefined;
  });
  const own: { key?: KeyObject } = {};
  const problems = [
    ...(authority ? check(authority, readCertificates) : []),
    ...(key ? check(key, (text) => (own.key = readKey(text))) : []),
    ...(certificate
      ? check(certificate, (text) => {
          const [first] = readCertificates(text);
          if (own.key && !first?.checkPrivateKey(own.key)) throw new FileFault('is not the certificate of sslkey');
        })
      : []),
  ];
  const isHalf = (key === undefined) !== (certificate === undefined);
  return isHalf ? [...problems, 'DATABASE_URL: sslcert and sslkey are needed together'] : problems;
}

const text = z.string().min(1);
/**
 * Members that Google's library needs for each kind of file (AIP-4110). Without a known `type`, it treats the file as a
 * service account.
 */
const CREDENTIALS: Record<string, z.ZodType> = {
  authorized_user: z.object({ client_id: text, client_secret: text, refresh_token: text }),
  external_account: z.object({ audience: text, subject_token_type: text, credential_source: z.looseObject({}) }),
  external_account_authorized_user: z.object({ client_id: text, client_secret: text, refresh_token: text }),
  impersonated_service_account: z.object({
    service_account_impersonation_url: text,
    source_credentials: z.looseObject({}),
  }),
};
const serviceAccount = z.object({ client_email: text, private_key: text });
const federation = z.object({ credential_source: z.object({ file: text }) });

function checkGoogleCredentials(env: Partial<Env>, path: string | undefined): string[] {
  const { FIREBASE_CREDENTIALS: credentials, SESSION_BACKEND: backend, FIREBASE_AUTH_EMULATOR_HOST: emulator } = env;
  if (!path || credentials !== 'application-default' || backend !== 'firebase' || emulator !== undefined) return [];
  const setting = `GOOGLE_APPLICATION_CREDENTIALS: ${path}`;
  const found: { source?: string } = {};
  const problems = check({ setting, path }, (content) => {
    const json = parseObject(content);
    const schema = CREDENTIALS[String(json.type)] ?? serviceAccount;
    const { error } = schema.safeParse(json);
    if (error) throw new FileFault(`lacks ${error.issues.map((issue) => issue.path.join('.')).join(', ')}`);
    if (schema === serviceAccount) readKey(String(json.private_key));
    found.source = federation.safeParse(json).data?.credential_source.file;
  });
  if (found.source === undefined) return problems;
  return check({ setting: `${setting}: credential_source.file ${found.source}`, path: found.source }, (token) => {
    if (token.trim() === '') throw new FileFault('is empty');
  });
}

function parseObject(content: string): Record<string, unknown> {
  try {
    return z.looseObject({}).parse(JSON.parse(content));
  } catch {
    throw new FileFault('is not the JSON file of a credential');
  }
}

/**
 * Checks the file of extra authorities. Node.js ignores an unreadable file, and then refuses our own authority's
 * certificates.
 */
function checkAuthorities(path: string | undefined): string[] {
  return path ? check({ setting: `NODE_EXTRA_CA_CERTS: ${path}`, path }, readCertificates) : [];
}
