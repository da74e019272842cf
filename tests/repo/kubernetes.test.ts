import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { DRAIN_TIMEOUT_MS } from '@/lib/server/http/behind-response';
import { parseEnv } from '@/lib/server/runtime/config/env';
import { VARIABLES, SECRET_FILES, SECRETS } from '@/lib/server/runtime/config/schema';
import { PRIVATE_KEY } from '@/tests/support/private-key';

const folder = 'deploy/kubernetes';
const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));

type Probe = { httpGet: { path: string; port: string } };
type Container = {
  ports: { name: string; containerPort: number }[];
  envFrom: { configMapRef: { name: string } }[];
  env: { name: string; value: string }[];
  startupProbe: Probe;
  livenessProbe: Probe;
  readinessProbe: Probe & { periodSeconds: number; failureThreshold: number; timeoutSeconds: number };
  resources: object;
  securityContext: object;
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean; subPath?: string }[];
};
type Volume = { name: string; secret?: { secretName: string }; configMap?: { name: string } };
type Pod = {
  terminationGracePeriodSeconds: number;
  automountServiceAccountToken: boolean;
  securityContext: object;
  containers: [Container];
  volumes: Volume[];
};
type Labels = Record<string, string>;
type Manifest = {
  kind: string;
  metadata: { name: string };
  data: Record<string, string>;
  stringData: Record<string, string>;
  resources: string[];
  spec: Record<string, unknown>;
};

const manifests = files.flatMap((name) =>
  parseAllDocuments(readFileSync(path.join(folder, name), 'utf8')).map((document) => {
    expect(document.errors, name).toEqual([]);
    return document.toJS() as Manifest;
  }),
);
const find = (kind: string, name = 'learner-identity'): Manifest => {
  const found = manifests.find(
    (each) => each.kind === kind && (kind === 'Kustomization' || each.metadata.name === name),
  );
  if (!found) throw new Error(`No ${kind} ${name}`);
  return found;
};
const deployment = find('Deployment').spec as {
  selector: { matchLabels: Labels };
  template: { metadata: { labels: Labels }; spec: Pod };
};
const pod = deployment.template.spec;
const [container] = pod.containers;
/** The name contains a hash of the contents, so that a rollback gets its earlier environment. */
const lines = readFileSync(path.join(folder, 'environment.env'), 'utf8').matchAll(/^(\w+)=(.*)$/gm);
const environment = Object.fromEntries([...lines].map(([, name = '', value = '']): [string, string] => [name, value]));
const secret = find('Secret').stringData;
const { REQUEST_TIMEOUT } = parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9' });
/** The longest shutdown of a process after its delay, in seconds (docs/operate/drain.md). */
const DRAIN_SECONDS = REQUEST_TIMEOUT + DRAIN_TIMEOUT_MS / 1000;

it('applies every manifest but the secret, whose values are samples', () => {
  const others = files.filter((name) => name !== 'kustomization.yaml' && !name.endsWith('.example.yaml'));
  expect(find('Kustomization').resources.toSorted()).toEqual(others.toSorted());
});

it('makes what a pod reads at its start by contents, so that `kubectl rollout undo` goes back to it', () => {
  const { configMapGenerator } = find('Kustomization') as unknown as { configMapGenerator: object[] };
  expect(configMapGenerator).toContainEqual({ name: 'learner-identity-environment', envs: ['environment.env'] });
  expect(manifests.some(({ metadata }) => metadata?.name === 'learner-identity-environment')).toBe(false);
});

it('sets variables that exist, to a valid configuration', () => {
  const names = Object.keys(environment);
  expect(names.filter((name) => ![...VARIABLES, ...SECRET_FILES].some((known) => known === name))).toEqual([]);
  const settings = Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRET_FILES.includes(name)));
  const secrets = {
    FIREBASE_PRIVATE_KEY: PRIVATE_KEY,
    TOKEN_ENCRYPTION_SECRET: Buffer.alloc(32, 7).toString('base64'),
    ADMIN_TOKEN: 'an-admin-token-of-some-length',
    SMTP_URL: 'smtps://user:password@mail.campus.example',
    REDIS_URL: 'rediss://redis:6379',
    DATABASE_URL: 'postgres://identity:password@postgres/identity?sslmode=verify-full',
    WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
  };
  expect(parseEnv({ ...settings, ...secrets })).toMatchObject({ NEXT_PUBLIC_MAIN_DOMAIN: 'campus.example' });
  expect(container.envFrom).toEqual([{ configMapRef: { name: 'learner-identity-environment' } }]);
});

it('reads every secret from a file of the mounted secret, and does not start with a sample', () => {
  const mount = container.volumeMounts.find(({ name }) => name === 'secrets');
  expect(pod.volumes.find(({ name }) => name === 'secrets')?.secret?.secretName).toBe('learner-identity');
  const paths = SECRETS.map((name) => environment[`${name}_FILE`] ?? '');
  expect(paths.map((file) => path.dirname(file))).toEqual(paths.map(() => mount?.mountPath));
  expect(paths.map((file) => path.basename(file)).toSorted()).toEqual(Object.keys(secret).toSorted());
  for (const name of SECRETS) {
    const sample = secret[path.basename(environment[`${name}_FILE`] ?? '')];
    expect(() => parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9', [name]: sample })).toThrow(`${name}: must`);
  }
});

it.each([
  ['webhook-secret', 'both WEBHOOK_ lines of environment.env'],
  ['oidc-pairwise-secret', 'OIDC_PAIRWISE_SECRET_FILE of environment.env'],
])('says what is removed with %s where it is not needed: its file would be missing', (name, lines) => {
  const text = readFileSync('deploy/kubernetes/secret.example.yaml', 'utf8');
  const [comment = ''] = new RegExp(`.*\\n {2}${name}: `).exec(text) ?? [];
  expect(comment).toContain(`remove it and ${lines}`);
});

it('mounts the configuration files as a whole folder, so that changes arrive', () => {
  const { mountPath = '', subPath } = container.volumeMounts.find(({ name }) => name === 'files') ?? {};
  const { data } = find('ConfigMap', 'learner-identity-files');
  expect(subPath).toBeUndefined();
  for (const variable of ['ORIGINS_FILE', 'DIRECTORY_FILE']) {
    const file = environment[variable] ?? '';
    expect(path.dirname(file)).toBe(mountPath);
    expect(() => JSON.parse(data[path.basename(file)] ?? '') as unknown).not.toThrow();
  }
});

it('probes routes that exist, on the port on which the image listens', () => {
  const { startupProbe, livenessProbe, readinessProbe, ports } = container;
  expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)).toEqual([
    { path: '/api/health/live', port: 'check' },
    { path: '/api/health/live', port: 'check' },
    { path: '/api/health/ready', port: 'http' },
  ]);
  for (const name of ['live', 'ready']) expect(existsSync(`pages/api/health/${name}.ts`)).toBe(true);
  const [, port] = /\bPORT=(\d+)/.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
  expect(ports).toEqual([
    { name: 'http', containerPort: Number(port) },
    { name: 'check', containerPort: Number(environment.CHECK_PORT) },
  ]);
  expect(container.env).toContainEqual({ name: 'HOSTNAME', value: '0.0.0.0' });
});

it('ends a process no earlier than its requests', () => {
  const delay = Number(environment.SHUTDOWN_DELAY);
  const { periodSeconds, failureThreshold, timeoutSeconds } = container.readinessProbe;
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(delay + DRAIN_SECONDS);
  // The balancer must remove the process before it refuses connections.
  expect(delay).toBeGreaterThan((periodSeconds + timeoutSeconds) * failureThreshold);
});

it('has no privileges, and cannot write to its own files', () => {
  expect(pod.automountServiceAccountToken).toBe(false);
  expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
  expect(container.securityContext).toEqual({
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    privileged: false,
    capabilities: { drop: ['ALL'] },
  });
  expect(container.resources).toMatchObject({ requests: { memory: '256Mi' }, limits: { memory: '512Mi' } });
  const writable = container.volumeMounts.filter(({ readOnly }) => readOnly !== true).map(({ mountPath }) => mountPath);
  expect(writable).toEqual(['/tmp']);
});

it('selects the pods of the deployment everywhere', () => {
  const { labels } = deployment.template.metadata;
  const budget = find('PodDisruptionBudget').spec as { selector: { matchLabels: Labels } };
  const policy = find('NetworkPolicy').spec as { podSelector: { matchLabels: Labels }; policyTypes: string[] };
  const service = find('Service').spec as { selector: Labels; ports: { name: string; targetPort: string }[] };
  const selectors = [deployment.selector, budget.selector, policy.podSelector].map(({ matchLabels }) => matchLabels);
  expect([...selectors, service.selector]).toEqual([labels, labels, labels, labels]);
  expect(service.ports).toEqual([
    { name: 'http', port: 80, targetPort: 'http' },
    { name: 'check', port: 3002, targetPort: 'check' },
  ]);
  expect(policy.policyTypes).toEqual(['Ingress', 'Egress']);
  // Prometheus finds a target for each port. With a second port, it would count the process twice.
  const scraped = `regex: ${labels['app.kubernetes.io/name'] ?? ''};${container.ports[0]?.name ?? ''}`;
  expect(readFileSync('docs/operate/monitoring.md', 'utf8')).toContain(scraped);
  expect(find('HorizontalPodAutoscaler').spec).toMatchObject({
    scaleTargetRef: { kind: 'Deployment', name: 'learner-identity' },
    minReplicas: 2,
  });
});

it('serves the host of the configuration through one trusted proxy', () => {
  const ingress = find('Ingress').spec as { tls: { hosts: string[] }[]; rules: { host: string }[] };
  const host = new URL(environment.NEXT_PUBLIC_APP_ORIGIN ?? '').host;
  expect([ingress.rules.map((rule) => rule.host), ingress.tls.flatMap(({ hosts }) => hosts)]).toEqual([[host], [host]]);
  expect(environment.TRUSTED_PROXY_HOPS).toBe('1');
});
