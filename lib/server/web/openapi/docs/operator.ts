import type { OperationDocs } from '../response-schemas';

export const operatorDocs: Record<string, OperationDocs> = {
  '/api/health/live': {
    id: 'readLiveness',
    summary: 'Liveness: restart the process if it does not respond',
    response: 'live',
  },
  '/api/health/ready': {
    id: 'readReadiness',
    summary: 'Readiness: 503 while the process shuts down',
    response: 'ready',
    problems: ['shutting-down'],
  },
  '/api/metrics': {
    id: 'readMetrics',
    summary: 'Metrics of this process, in the Prometheus text format',
    response: 'text',
    proof: 'admin',
  },
  '/api/security-txt': {
    id: 'readSecurityContact',
    summary: "The operator's contact for vulnerability reports (RFC 9116); read it as `/.well-known/security.txt`",
    response: 'text',
    problems: ['not-found'],
  },
  '/api/related-origins': {
    id: 'readRelatedOrigins',
    summary:
      'Origins outside of the RP ID that use its passkeys (WebAuthn Level 3, section 5.11); read it as `/.well-known/webauthn`',
    response: 'relatedOrigins',
    problems: ['not-found'],
  },
  '/api/passkeys': {
    id: 'readPasskeyEndpoints',
    summary:
      'Where a learner adds and manages passkeys, for password managers (W3C, Passkey Endpoints); read it as `/.well-known/passkey-endpoints`',
    response: 'passkeyEndpoints',
    problems: ['not-found'],
  },
  '/api/apple-app-site-association': {
    id: 'readAppleAppSiteAssociation',
    summary: 'Apple apps that share credentials with this site; read it as `/.well-known/apple-app-site-association`',
    response: 'appleAppSiteAssociation',
    problems: ['not-found'],
  },
  '/api/asset-links': {
    id: 'readAssetLinks',
    summary:
      'Android apps that share credentials with this site (Digital Asset Links); read it as `/.well-known/assetlinks.json`',
    response: 'assetLinks',
    problems: ['not-found'],
  },
  '/api/admin/get-sentry-json-file': {
    id: 'readErrorReporting',
    summary: 'The error reporting settings, as the file `sentry.json`',
    response: 'errorReporting',
    proof: 'admin',
  },
  '/api/csp-report': {
    id: 'reportViolations',
    summary: 'Receives CSP violation reports of browsers',
    response: 'nothing',
    takes: ['application/csp-report', 'application/reports+json', 'application/json'],
    problems: ['bad-request', 'unsupported-media-type'],
  },
  '/api/monitoring': {
    id: 'forwardEnvelope',
    summary: 'The tunnel to the error service; pages reach it as `/monitoring`',
    response: 'nothing',
    takes: ['application/x-sentry-envelope', 'text/plain'],
    problems: ['bad-request', 'unsupported-media-type', 'not-found', 'provider-unavailable'],
  },
};
