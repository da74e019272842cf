import { z } from 'zod';
import { promiseTimeout } from '@/lib/shared/promise-timeout';
import { SOCIAL_PROVIDERS, isSocialProvider } from '@/lib/shared/sign-in-methods';
import { listConfiguredIdentities, env } from '@/lib/server/runtime';
import { getDirectory } from '@/lib/server/policy';
import { getIdentityAdmin, fetchAppCheckService, fetchProjectResource, getAdminToken } from '@/lib/server/identity';
import { describeError } from '../describe-error';
import * as settings from './project-settings';
import { works, fails, notConfigured, unchecked, type Finding } from './types';

/** Shorter than the retries of Google's library. */
const TIMEOUT_MS = 10_000;

const CREDENTIALS = 'Firebase credentials';
const PERMISSION =
  'Give the service account the permission firebaseauth.configs.get. The roles Firebase Authentication Admin and Viewer have it';
/** For each kind of provider, the resource that lists its providers. It is also the field of the response. */
const PROVIDER_LISTS = ['defaultSupportedIdpConfigs', 'oauthIdpConfigs', 'inboundSamlConfigs'] as const;
const listSchema = z.record(z.string(), z.unknown());
const providersSchema = z.array(z.object({ name: z.string(), enabled: z.boolean().default(false) })).default([]);
/** Names of findings if the settings could not be read. */
const SETTINGS = [
  'email enumeration protection',
  'authorized domains',
  'sign-in methods of the project',
  'sign-in providers',
  'blocking functions',
  'deletion by clients',
  "the provider's own multi-factor authentication",
  "the provider's request log",
];

/** Checks the credentials and settings of the Firebase project. */
export async function checkFirebase(): Promise<Finding[]> {
  if (env().SESSION_BACKEND === 'upstream') {
    const detail = `SESSION_BACKEND is upstream: sessions and accounts are at ${env().UPSTREAM_IDENTITY_URL ?? ''}`;
    return [notConfigured(CREDENTIALS, detail, 'Run the doctor there')];
  }
  const credentials = await checkCredentials();
  if (credentials.state !== 'works') {
    const detail = 'the credentials do not work';
    return [credentials, ...[...SETTINGS, 'App Check'].map((what): Finding => unchecked(what, detail))];
  }
  const [ofProject, appCheck] = await Promise.all([checkProject(), checkAppCheck()]);
  const findings = [...ofProject, appCheck];
  return [credentials, ...(isEmulated() ? findings.map(asEmulated) : findings)];
}

/** Gets an access token and looks up an account, which is the permission that the app always needs. */
async function checkCredentials(): Promise<Finding> {
  const project = env().NEXT_PUBLIC_FIREBASE_PROJECT_ID;
  try {
    const accounts = getAdminToken().then(() => getIdentityAdmin().listUsers(1));
    await promiseTimeout(accounts, TIMEOUT_MS);
    const where = isEmulated() ? `the emulator's project ${project}` : `project ${project}`;
    return works(CREDENTIALS, `accounts of ${where} can be read`);
  } catch (error) {
    const action = isEmulated()
      ? 'Check FIREBASE_AUTH_EMULATOR_HOST, and that the emulator runs there'
      : 'Check FIREBASE_CREDENTIALS, FIREBASE_CLIENT_EMAIL, FIREBASE_PRIVATE_KEY, the project id, the role Firebase Authentication Admin, and that this machine may connect';
    return fails(CREDENTIALS, describeError(error), action);
  }
}

const isEmulated = () => env().FIREBASE_AUTH_EMULATOR_HOST !== undefined;

async function checkProject(): Promise<Finding[]> {
  const configured = await listConfiguredProviders();
  const [project, enabled] = await Promise.all([read('config'), listEnabledProviders()]);
  const providers =
    'problem' in enabled
      ? unread('sign-in providers', enabled.problem)
      : settings.checkProviders({ enabled: enabled.ids, configured });
  if ('problem' in project)
    return SETTINGS.map((what) => (what === 'sign-in providers' ? providers : unread(what, project.problem)));
  const parsed = settings.settingsSchema.safeParse(project.body);
  if (!parsed.success) return SETTINGS.map((what) => unread(what, 'the response has an unknown form'));
  const { hostname } = new URL(env().NEXT_PUBLIC_APP_ORIGIN);
  return [
    settings.checkEnumerationProtection(parsed.data),
    settings.checkAuthorizedDomains(parsed.data, hostname),
    settings.checkSignInMethods(parsed.data),
    providers,
    settings.checkBlockingFunctions(parsed.data, configured),
    settings.checkUserDeletion(parsed.data),
    settings.checkProviderFactors(parsed.data),
    settings.checkRequestLog(parsed.data),
  ];
}

/** Checks App Check, which has its own API. The emulator has none. */
async function checkAppCheck(): Promise<Finding> {
  const action =
    'Give the service account the permission firebaseappcheck.services.get. The role Firebase App Check Viewer has it';
  const unread = (detail: string): Finding => unchecked('App Check', detail, action);
  if (isEmulated()) return { ...unread('the emulator has none'), action: null };
  try {
    const response = await fetchAppCheckService();
    const body: unknown = await response.json();
    if (response.ok) return settings.checkAppCheck(settings.appCheckSchema.parse(body));
    return unread(`could not be read: App Check answered ${String(response.status)}`);
  } catch (error) {
    return unread(`could not be read: ${describeError(error)}`);
  }
}

/** Weakens a finding that asks for something, because a missing feature of the emulator means nothing for a project. */
function asEmulated(finding: Finding): Finding {
  if (finding.state === 'works' || finding.action === null) return finding;
  const action = 'Nothing for a trial. With a Firebase project, run the doctor again';
  return { ...finding, state: 'could not be checked', detail: `the emulator: ${finding.detail}`, action };
}

function unread(what: string, problem: string): Finding {
  return unchecked(what, `could not be read: ${problem}`, PERMISSION);
}

type Read = { body: unknown } | { problem: string };

async function read(resource: string): Promise<Read> {
  try {
    const response = await fetchProjectResource(resource);
    if (response.ok) return { body: await response.json() };
    await response.body?.cancel();
    return { problem: `the identity provider answered ${String(response.status)} for ${resource}` };
  } catch (error) {
    return { problem: describeError(error) };
  }
}

async function listEnabledProviders(): Promise<{ ids: string[] } | { problem: string }> {
  const ids: string[] = [];
  for (const name of PROVIDER_LISTS) {
    const list = await read(`${name}?pageSize=100`);
    if ('problem' in list) return list;
    const providers = providersSchema.safeParse(listSchema.safeParse(list.body).data?.[name]);
    if (!providers.success) return { problem: 'the response has an unknown form' };
    ids.push(...providers.data.filter(({ enabled }) => enabled).map((one) => one.name.split('/').at(-1) ?? ''));
  }
  return { ids };
}

/** Lists the providers that our configuration files name, by the identity provider's ids. */
async function listConfiguredProviders(): Promise<string[]> {
  const identities = await listConfiguredIdentities();
  const social = identities.filter(isSocialProvider).map((id) => SOCIAL_PROVIDERS[id].firebaseId);
  const directory = await getDirectory();
  const partners = [...(directory?.partners.values() ?? [])].filter(({ enabled }) => enabled);
  const organizations = [...(directory?.enterprises.values() ?? []), ...partners].map(({ provider }) => provider);
  return [...new Set([...social, ...organizations])].sort();
}
