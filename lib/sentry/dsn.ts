/** The parts of a DSN, hosted or self-hosted: `https://key[:secret]@host[:port][/path]/project`. */
export type Dsn = { publicKey: string; origin: string; path: string; project: string };

/** @returns null for what is no DSN */
export function parseDsn(text: unknown): Dsn | null {
  if (typeof text !== 'string' || !URL.canParse(text)) return null;
  const { protocol, host, pathname, username, search, hash } = new URL(text);
  const [project, ...path] = pathname.split('/').filter(Boolean).reverse();
  if (!/^https?:$/.test(protocol) || !username || !project || search || hash) return null;
  return { publicKey: username, origin: `${protocol}//${host}`, path: path.reverse().map((part) => `/${part}`).join(''), project }; // prettier-ignore
}

/** A DSN as anybody may see it: old ones hold a secret key. @returns null for what is no DSN */
export function publicDsn(text: string): string | null {
  const dsn = parseDsn(text);
  return dsn && `${dsn.origin.replace('//', `//${dsn.publicKey}@`)}${dsn.path}/${dsn.project}`;
}

/** Whether both name the same project of the same service. */
export function isSameProject(one: Dsn, other: Dsn): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Where a project takes its envelopes. */
export function envelopeAddress({ publicKey, origin, path, project }: Dsn): URL {
  const address = new URL(`${origin}${path}/api/${project}/envelope/`);
  address.search = new URLSearchParams({ sentry_key: publicKey, sentry_version: '7' }).toString();
  return address;
}
