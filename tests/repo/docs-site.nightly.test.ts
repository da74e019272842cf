import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Returns whether a page of the site has a text. A failure would otherwise print the whole page. */
const hasText = (page: string, text: string) =>
  readFileSync(`scripts/docs-site/dist/${page}.html`, 'utf8').includes(text);

// A dead link fails the build.
test('the documents become a site, with the calls of the API', { timeout: 600_000 }, async () => {
  await promisify(execFile)('npm', ['run', 'docs:site'], { timeout: 600_000 });
  for (const [page, text] of [
    ['index', 'Quick start'],
    ['deploy/compose', 'Deploy with Compose'],
    ['operate/learners/no-email', 'href="/operate/no-email-arrives'],
    ['api/session', 'POST /api/create-user-session'],
    ['source/Dockerfile', '<code>Dockerfile</code>'],
  ] as const)
    expect(hasText(page, text), `${page}: ${text}`).toBe(true);
});
