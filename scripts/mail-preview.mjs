// Writes a preview of every email in three brands: `npm run mail:preview`
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './lib/paths.mjs';
import { sampleEmails, sampleSettings } from './lib/sample-emails.mjs';
import { loadSource } from './lib/source-loader.mjs';

const dir = path.join(root, '.mail-preview');
const { composeEmail } = loadSource('/lib/server/notifications/email/index.ts');
rmSync(dir, { recursive: true, force: true });
mkdirSync(dir);

const links = [];
for (const [brand, setting] of Object.entries(sampleSettings)) {
  for (const email of sampleEmails) {
    const name = `${email.kind}-${brand}`;
    const { subject, html, text } = composeEmail(email, setting);
    writeFileSync(path.join(dir, `${name}.html`), html);
    writeFileSync(path.join(dir, `${name}.txt`), text);
    links.push(`<li><a href="${name}.html">${name}</a> (<a href="${name}.txt">text</a>): ${escapeHtml(subject)}</li>`);
  }
}
writeFileSync(
  path.join(dir, 'index.html'),
  `<!doctype html><meta charset="utf-8"><title>Emails</title><ul>${links.join('')}</ul>`,
);
console.log(`${links.length} emails: ${path.join(dir, 'index.html')}`);

/** @param {string} text */
function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
