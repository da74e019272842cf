import { readFileSync } from 'node:fs';

/**
 * @typedef {{ provider: string, enabled: boolean, emailDomains: readonly string[] | undefined }} Partner
 * @typedef {{ enterprises: ReadonlyMap<string, string>, partners: readonly Partner[] }} Directory
 *   `enterprises`: SAML or OIDC provider by email domain
 */

const DOMAIN = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/;
const PROVIDER = /^(saml|oidc)\.[\w-]+$/;
const PARTNER_PROVIDER = /^oidc\.[\w-]+$/;
const PARTNER_ID = /^[\w-]{1,64}$/;

/**
 * Parses the app's DIRECTORY_FILE. Stricter than the app (lib/server/policy/directory.ts): one invalid entry makes the
 * file invalid, because no previous version of the entry is available here.
 * @param {string} text
 * @returns {Directory}
 * @throws Error that names the invalid entry
 */
export function parseDirectory(text) {
  const { publicMailboxDomains = [], enterprises = {}, partners = {} } = asRecord(JSON.parse(text), 'the file');
  assert(Array.isArray(publicMailboxDomains) && publicMailboxDomains.every(isString), 'publicMailboxDomains');
  return {
    enterprises: new Map(Object.entries(asRecord(enterprises, 'enterprises')).map(parseEnterprise)),
    partners: Object.entries(asRecord(partners, 'partners')).map(parsePartner),
  };
}

/**
 * Reads the file once per process.
 * @param {URL} file
 * @returns {Directory | null} null when it is missing or invalid: no organization or partner can sign users in then
 */
export function readDirectory(file) {
  try {
    return parseDirectory(readFileSync(file, 'utf8'));
  } catch (error) {
    console.error('No directory: all sign-ins with organizations and partners are refused', error);
    return null;
  }
}

/**
 * @param {[string, unknown]} entry
 * @returns {[string, string]}
 */
function parseEnterprise([domain, value]) {
  const { name, provider } = asRecord(value, domain);
  assert(DOMAIN.test(domain) && isName(name) && isString(provider) && PROVIDER.test(provider), domain);
  return [domain, provider];
}

/**
 * @param {[string, unknown]} entry
 * @returns {Partner}
 */
function parsePartner([id, value]) {
  const { name, provider, enabled = true, emailDomains } = asRecord(value, id);
  assert(PARTNER_ID.test(id) && isName(name) && isString(provider) && PARTNER_PROVIDER.test(provider), id);
  assert(typeof enabled === 'boolean' && (emailDomains === undefined || isDomainList(emailDomains)), id);
  return { provider, enabled, emailDomains };
}

/** @type {(value: unknown) => value is string} */
const isString = (value) => typeof value === 'string';
/** @param {unknown} value */
const isName = (value) => isString(value) && value.length >= 1 && value.length <= 60;
/** @param {unknown} value @returns {value is string[]} */
const isDomainList = (value) =>
  Array.isArray(value) && value.every((domain) => isString(domain) && DOMAIN.test(domain));

/**
 * @param {unknown} value
 * @param {string} label
 * @returns {Record<string, unknown>}
 */
function asRecord(value, label) {
  assert(typeof value === 'object' && value !== null && !Array.isArray(value), label);
  return /** @type {Record<string, unknown>} */ (value);
}

/**
 * @param {boolean} holds
 * @param {string} label
 * @returns {asserts holds}
 */
function assert(holds, label) {
  if (!holds) throw new Error(`Wrong entry in the directory: ${label}`);
}
