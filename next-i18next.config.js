/**
 * English is the only locale and the default one (specification, section 2).
 * Which page loads which namespaces is decided in lib/i18n/namespaces.ts.
 */
const path = require('node:path');

/** @type {import('next-i18next/pages').UserConfig} */
module.exports = {
  i18n: { locales: ['en'], defaultLocale: 'en' },
  localePath: path.resolve(process.cwd(), 'locales'),
  defaultNS: 'common',
  interpolation: { escapeValue: false },
};
