import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { ApiProblem } from '@/lib/shared/problem';
import { countPolicyViolation, log } from '@/lib/server/runtime';
import { readBytes } from './body';

/** Directives of our policies: a counter's name is never derived from client input. */
const DIRECTIVES = ['script-src', 'script-src-elem', 'script-src-attr', 'style-src', 'style-src-elem', 'style-src-attr', 'img-src', 'connect-src', 'font-src', 'frame-src', 'worker-src', 'manifest-src', 'form-action', 'base-uri', 'frame-ancestors', 'object-src', 'default-src'] as const; // prettier-ignore
const directive = z.enum(DIRECTIVES).catch('default-src');

/** Report formats of `report-uri` and `report-to` (CSP Level 3, section 5; Reporting API). */
const byUri = z.object({ 'csp-report': z.object({ 'effective-directive': directive, 'blocked-uri': z.string() }) });
const byApi = z.array(
  z.object({ type: z.string(), body: z.object({ effectiveDirective: directive, blockedURL: z.string() }).optional() }),
);

/** Keywords that browsers report in place of a URL (CSP Level 3, section 2.4), and schemes of URLs without a host. */
const KEYWORDS = [
  'inline',
  'eval',
  'wasm-eval',
  'self',
  'trusted-types-policy',
  'trusted-types-sink',
  'data',
  'blob',
  'filesystem',
  'about',
  'chrome-extension',
  'moz-extension',
  'safari-web-extension',
];
/** Including a port (RFC 1035, section 2.3.4). */
const MAX_HOST_LENGTH = 259;
/** Maximum number of reports per call that are counted and logged. */
const MAX_REPORTS = 20;

const MEDIA_TYPES = ['application/csp-report', 'application/reports+json', 'application/json'];

/**
 * Counts and logs violations of our pages' policies: the directive and the host, never a URL.
 * @throws ApiProblem `unsupported-media-type`, `bad-request`, `body-too-large`
 */
export async function handleCspReport(req: IncomingMessage): Promise<void> {
  const type = req.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!MEDIA_TYPES.includes(type)) throw new ApiProblem('unsupported-media-type');
  for (const { directive: name, blocked } of getViolations(parse(await readBytes(req))).slice(0, MAX_REPORTS)) {
    countPolicyViolation(name);
    log().warn({ directive: name, blocked: getReportedHost(blocked) }, 'policy violated');
  }
}

function getViolations(body: unknown): { directive: string; blocked: string }[] {
  const uri = byUri.safeParse(body).data?.['csp-report'];
  if (uri) return [{ directive: uri['effective-directive'], blocked: uri['blocked-uri'] }];
  const reports = byApi.safeParse(body).data;
  if (!reports) throw new ApiProblem('bad-request');
  return reports.flatMap(({ type, body: report }) =>
    type === 'csp-violation' && report ? [{ directive: report.effectiveDirective, blocked: report.blockedURL }] : [],
  );
}

/** The blocked host or a keyword: any other text is client input and is not logged. */
export function getReportedHost(blocked: string): string {
  if (KEYWORDS.includes(blocked)) return blocked;
  if (!URL.canParse(blocked)) return 'other';
  const { host, protocol } = new URL(blocked);
  const scheme = protocol.slice(0, -1);
  if (KEYWORDS.includes(scheme)) return scheme;
  return host === '' || host.length > MAX_HOST_LENGTH ? 'other' : host;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ApiProblem('bad-request', { detail: 'The body is not JSON' });
  }
}
