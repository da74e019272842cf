/**
 * The framework knows a single locale, because URLs have no language (docs/product.md#routes).
 * lib/shared/i18n/languages.ts lists the languages, and lib/shared/i18n/namespaces.ts the namespaces of each page.
 */
const path = require('node:path');

/** @type {import('next-i18next/pages').UserConfig} */
module.exports = {
  i18n: { locales: ['en'], defaultLocale: 'en' },
  localePath: path.resolve(process.cwd(), 'locales'),
  // In development, messages are reloaded for every page.
  reloadOnPrerender: process.env.NODE_ENV === 'development',
  defaultNS: 'common',
  interpolation: { escapeValue: false },
};
