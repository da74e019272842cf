import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { ApiProblem } from '@/lib/api/problem';
import { countPolicyViolation } from './counters';
import { readBytes } from './http/body';
import { log } from './log';

/** Directives our policies have: a counter's name is never made of what a visitor sent. */
const DIRECTIVES = ['script-src', 'script-src-elem', 'script-src-attr', 'style-src', 'style-src-elem', 'style-src-attr', 'img-src', 'connect-src', 'font-src', 'frame-src', 'worker-src', 'manifest-src', 'form-action', 'base-uri', 'frame-ancestors', 'object-src', 'default-src'] as const; // prettier-ignore
const directive = z.enum(DIRECTIVES).catch('default-src');

/** As browsers send it by `report-uri`, and by `report-to` (CSP Level 3, section 5; Reporting API). */
const byUri = z.object({ 'csp-report': z.object({ 'effective-directive': directive, 'blocked-uri': z.string() }) });
const byApi = z.array(
  z.object({ type: z.string(), body: z.object({ effectiveDirective: directive, blockedURL: z.string() }).optional() }),
);

const MEDIA_TYPES = ['application/csp-report', 'application/reports+json', 'application/json'];

/**
 * Counts and logs violations of our pages' policies: the directive and the host, never an address.
 * @throws ApiProblem `unsupported-media-type`, `bad-request`, `body-too-large`
 */
export async function takePolicyReport(req: IncomingMessage): Promise<void> {
  const type = req.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (!MEDIA_TYPES.includes(type)) throw new ApiProblem('unsupported-media-type');
  for (const { directive: name, blocked } of violationsIn(parse(await readBytes(req)))) {
    countPolicyViolation(name);
    log().warn({ directive: name, blocked: hostOf(blocked) }, 'policy violated');
  }
}

function violationsIn(body: unknown): { directive: string; blocked: string }[] {
  const uri = byUri.safeParse(body).data?.['csp-report'];
  if (uri) return [{ directive: uri['effective-directive'], blocked: uri['blocked-uri'] }];
  const reports = byApi.safeParse(body).data;
  if (!reports) throw new ApiProblem('bad-request');
  return reports.flatMap(({ type, body: report }) =>
    type === 'csp-violation' && report ? [{ directive: report.effectiveDirective, blocked: report.blockedURL }] : [],
  );
}

function hostOf(blocked: string): string {
  return URL.canParse(blocked) ? new URL(blocked).host : blocked.replaceAll(/[^a-z-]/g, '').slice(0, 20);
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ApiProblem('bad-request', { detail: 'The body is not JSON' });
  }
}
