import type { OperationDocs } from './types';

export const operatorDocs: Record<string, OperationDocs> = {
  '/api/health/live': {
    id: 'readLiveness',
    summary: 'Whether the process answers at all: restart it when not',
    answer: 'live',
  },
  '/api/health/ready': {
    id: 'readReadiness',
    summary: 'Whether requests should come to this process: 503 while it is about to end',
    answer: 'ready',
    problems: ['shutting-down'],
  },
  '/api/metrics': {
    id: 'readMetrics',
    summary: 'What this process has counted, in the Prometheus text format',
    answer: 'text',
    proof: 'admin',
  },
  '/api/admin/get-sentry-json-file': {
    id: 'readErrorReporting',
    summary: 'How errors are reported, as the file `sentry.json`',
    answer: 'errorReporting',
    proof: 'admin',
  },
  '/api/csp-report': {
    id: 'reportViolations',
    summary: "Takes browsers' reports of violations of our pages' policies",
    answer: 'nothing',
    takes: ['application/csp-report', 'application/reports+json', 'application/json'],
    problems: ['bad-request', 'unsupported-media-type'],
  },
  '/api/monitoring': {
    id: 'forwardEnvelope',
    summary: 'The tunnel to the error service; pages reach it as `/monitoring`',
    answer: 'nothing',
    takes: ['application/x-sentry-envelope', 'text/plain'],
    problems: ['bad-request', 'unsupported-media-type', 'not-found', 'provider-unavailable'],
  },
};
