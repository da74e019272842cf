import type { BrowserContext } from '@playwright/test';

/** Records every violation of a page's Content-Security-Policy, in frames and new windows as well. */
export async function watchPolicy(context: BrowserContext, found: string[]): Promise<void> {
  await context.exposeBinding('policyViolated', (_source, what: string) => found.push(what));
  await context.addInitScript(() => {
    const report = (globalThis as unknown as { policyViolated: (what: string) => void }).policyViolated;
    document.addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sourceFile, lineNumber }) =>
      report(`CSP: ${effectiveDirective} blocked ${blockedURI} at ${location.href} (${sourceFile}:${lineNumber})`),
    );
  });
}
