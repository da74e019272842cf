import { existsSync, readFileSync } from 'node:fs';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { DRAIN_TIMEOUT_MS } from '@/lib/server/http/behind-response';
import { getServerSettings, parseEnv } from '@/lib/server/runtime/config/env';
import { VARIABLES } from '@/lib/server/runtime/config/schema';
import { LIMITS } from '@/lib/server/storage/rate-limits/table';
import { SOURCES } from '../../scripts/lib/app.mjs';
import { readCommands, readDocument } from '../support/documents';

const dockerfile = readFileSync('Dockerfile', 'utf8');
const proxy = readFileSync('deploy/Caddyfile', 'utf8');
const { SHUTDOWN_DELAY, REQUEST_TIMEOUT } = parseEnv({ FIREBASE_AUTH_EMULATOR_HOST: 'localhost:9' });
/** The longest shutdown of a process, in seconds (docs/operate/drain.md). */
const LONGEST_DRAIN = SHUTDOWN_DELAY + REQUEST_TIMEOUT + DRAIN_TIMEOUT_MS / 1000;

type Service = {
  image: string;
  volumes?: string[];
  environment?: Record<string, string>;
  depends_on?: object;
  healthcheck?: object;
  build?: string;
  read_only?: boolean;
  cap_drop?: string[];
  cap_add?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
  networks?: string[];
  ports?: string[];
  logging?: { driver: string };
  deploy?: { resources: { limits: Record<string, unknown> } };
};
type Compose = {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
  networks?: Record<string, { internal?: boolean; enable_ipv6?: boolean } | null>;
};
type Container = Record<'image' | 'command' | 'envFrom' | 'volumeMounts' | 'securityContext', unknown>;
type Deployment = { spec: { template: { spec: { initContainers: Container[]; containers: Container[] } } } };
const compose = parse(readFileSync('compose.yaml', 'utf8'), { merge: true }) as Compose;

describe('Dockerfile', () => {
  const [building = '', running = ''] = dockerfile.split(/^(?=FROM )/m).slice(1);

  it('is valid', () => {
    expect(validate(dockerfile)).toEqual([]);
  });

  it('installs from the lock file, without scripts of dependencies', () => {
    expect(building).toMatch(/^RUN npm ci --ignore-scripts /m);
  });

  it('runs only the build output, as a user who owns none of it', () => {
    expect(running.match(/^COPY .*/gm)).toEqual(['COPY --from=build /source/.next/standalone ./']);
    expect(/^USER (.*)/m.exec(running)?.[1]).toBe('node');
    expect(running).toMatch(/^CMD \["node", "server.js"\]$/m);
  });

  it('checks health with the liveness call', () => {
    expect(/^HEALTHCHECK[^]*?(\/api\/[\w/]+)/m.exec(running)?.[1]).toBe('/api/health/live');
    expect(existsSync('pages/api/health/live.ts')).toBe(true);
  });

  it('pins its base image by digest, and says how it is renewed', () => {
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-bookworm-slim@sha256:[\da-f]{64}$/m);
    expect(dockerfile).toContain('docs/operate/renew-the-base-image.md');
  });

  it('contains no configuration but what it is built from: one image for every environment', () => {
    const contained = VARIABLES.filter((name) =>
      new RegExp(`^\\s*(?:ARG|ENV)\\b.*\\b${name}\\b`, 'm').test(dockerfile),
    );
    expect(contained).toEqual(['NEXT_PUBLIC_RELEASE']);
  });
});

describe('.dockerignore', () => {
  const lines = readFileSync('.dockerignore', 'utf8').split('\n');

  it('includes what the build reads, and no local settings', () => {
    expect(lines.filter((line) => line !== '' && !line.startsWith('#'))[0]).toBe('*');
    expect(SOURCES.filter((name) => !lines.includes(`!${name}`))).toEqual([]);
    expect(lines.indexOf('**/.env*')).toBeGreaterThan(lines.findLastIndex((line) => line.startsWith('!')));
  });

  it('excludes the samples of organizations and branding', () => {
    expect(lines.indexOf('config/*.local.json')).toBeGreaterThan(lines.indexOf('!config'));
    expect(readFileSync('next.config.js', 'utf8')).not.toContain('./config/');
  });

  it('excludes tests, which need excluded files', () => {
    expect(lines).toEqual(expect.arrayContaining(['**/*.test.ts', '**/*.test.tsx']));
  });

  it('lists only existing files', () => {
    const named = lines.flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    expect(named.filter((name) => !existsSync(name))).toEqual([]);
  });
});

describe('compose.yaml', () => {
  const apps = Object.entries(compose.services).filter(([name]) => name.startsWith('app-'));

  it('mounts the files of the documented settings', () => {
    const documented = /^ORIGINS_FILE=(\/.*)\/[^/]+$/m.exec(readDocument('deploy/configure.md'))?.[1] ?? '';
    expect(documented).not.toBe('');
    for (const name of ['app-1', 'app-2'])
      expect(compose.services[name]?.volumes).toEqual([`\${CONFIG_FOLDER:-./config}:${documented}:ro`]);
  });

  it('runs two processes with shared state behind one proxy', () => {
    expect(apps).toHaveLength(2);
    for (const [, { environment = {} }] of apps) {
      expect(environment).toEqual({
        REDIS_URL: 'redis://redis:6379',
        DATABASE_URL: 'postgres://identity:${DATABASE_PASSWORD:-identity}@postgres/identity',
        TRUSTED_PROXY_HOPS: '1',
        CHECK_PORT: '3002',
      });
      expect(Object.keys(environment).filter((name) => !VARIABLES.some((known) => known === name))).toEqual([]);
    }
  });

  it('depends on defined services, and pins every image', () => {
    const names = Object.keys(compose.services);
    for (const { depends_on = {}, image } of Object.values(compose.services)) {
      expect(Object.keys(depends_on).filter((name) => !names.includes(name))).toEqual([]);
      expect(image).toMatch(/:(?!latest$)[^:]+$/);
    }
  });

  it('gives no service privileges, writable files or the whole machine', () => {
    for (const [name, service] of Object.entries(compose.services)) {
      expect(service.read_only, name).toBe(true);
      // Docker's default, `json-file` without a size limit, fills the disk.
      expect(service.logging, name).toEqual({ driver: '${LOG_DRIVER:-local}' });
      expect(service.cap_drop, name).toEqual(['ALL']);
      expect(service.cap_add ?? [], name).toEqual(name === 'proxy' ? ['NET_BIND_SERVICE'] : []);
      expect(service.security_opt, name).toEqual(['no-new-privileges:true']);
      expect(Object.keys(service.deploy?.resources.limits ?? {}).toSorted(), name).toEqual(['cpus', 'memory', 'pids']);
      // The app's image has its own health check.
      expect(service.healthcheck ?? service.build, name).toBeDefined();
    }
  });

  it('lets the apps alone reach Redis, and the proxy alone be reached', () => {
    const { proxy: entry, redis } = compose.services;
    expect(redis?.networks).toEqual(['state']);
    expect(compose.networks?.state).toEqual({ internal: true });
    expect(entry?.networks).toEqual(['edge']);
    // Without this, all IPv6 visitors come from the address of Docker's gateway.
    expect(compose.networks?.edge).toEqual({ enable_ipv6: true });
    for (const [, { networks }] of apps) expect(networks).toEqual(['edge', 'state']);
    const published = Object.entries(compose.services).filter(([, { ports }]) => ports !== undefined);
    expect(published.map(([name]) => name)).toEqual(['proxy']);
  });

  it('migrates the database before a process starts, as the unit and Kubernetes do', () => {
    const { migrate } = compose.services;
    expect(migrate).toMatchObject({ command: ['node', 'cli', 'migrate'], restart: 'no', networks: ['edge', 'state'] });
    for (const [, { depends_on }] of apps)
      expect(depends_on).toMatchObject({ migrate: { condition: 'service_completed_successfully' } });
    const unit = readFileSync('deploy/learner-identity.service', 'utf8');
    expect(unit).toMatch(/^ExecStartPre=\/usr\/bin\/node cli migrate$/m);
    // The default would interrupt the index of a large table, which begins again at each start.
    expect(unit).toMatch(/^TimeoutStartSec=infinity$/m);
    const { spec } = parse(readFileSync('deploy/kubernetes/deployment.yaml', 'utf8')) as Deployment;
    const [app] = spec.template.spec.containers;
    const [init] = spec.template.spec.initContainers;
    expect(init).toMatchObject({ image: app?.image, command: ['node', 'cli', 'migrate'], envFrom: app?.envFrom });
    expect(init?.volumeMounts).toEqual(app?.volumeMounts);
    expect(init?.securityContext).toEqual(app?.securityContext);
  });

  it('gives a process time for the requests in progress, and what runs behind them', () => {
    for (const [, { stop_grace_period = '' }] of apps)
      expect(parseInt(stop_grace_period)).toBeGreaterThan(LONGEST_DRAIN);
  });

  it('is replaced also when only a file of a secret has changed', () => {
    const [replace] = /^replace\(\) .*$/m.exec(readDocument('operate/README.md')) ?? [];
    expect(replace).toContain('docker compose up -d --no-build --no-deps --force-recreate --wait $app');
  });

  it('sends requests to every ready process', () => {
    for (const [name] of apps) expect(proxy).toContain(`${name}:3000`);
    expect(/health_uri (\S+)/.exec(proxy)?.[1]).toBe('/api/health/ready');
    expect(existsSync('pages/api/health/ready.ts')).toBe(true);
  });
});

describe('docs/deploy/README.md', () => {
  const lines = readCommands(readDocument('deploy/configure.md'))
    .flatMap((text) => text.split('\n'))
    .filter((line) => /^\w+=/.test(line));

  it.each(lines)("has no comment and no quotes in a value, which Docker's --env-file would keep: %s", (line) => {
    expect(line).not.toMatch(/\s#|="/);
  });

  it('says what Compose does with `$` in a value, and starts what the doctor asks before the first start', () => {
    expect(readDocument('deploy/configure.md')).toMatch(/`\$` in an address is `%24`/);
    expect(readDocument('deploy/command-line.md')).toContain(
      'before the first start: `docker compose run --rm app-1 node cli doctor`',
    );
  });

  it('shows the minimum of a production configuration', () => {
    const names = lines.map((line) => line.split('=', 1)[0] ?? '');
    expect(names).toEqual(expect.arrayContaining(['ADMIN_TOKEN', 'DATABASE_URL', 'TOKEN_ENCRYPTION_SECRET']));
  });

  it('has every variable of compose.yaml in `.env`: one of the command line would be lost at the next start', () => {
    const names = lines.map((line) => line.split('=', 1)[0] ?? '');
    const read = [...readFileSync('compose.yaml', 'utf8').matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);
    expect(read.length).toBeGreaterThan(4);
    expect(read.filter((name) => !names.includes(name))).toEqual([]);
  });
});

type Ingress = {
  metadata: { annotations: Record<string, string> };
  spec: { rules: { http: { paths: { path: string }[] } }[] };
};

function readIngresses() {
  const documents = parseAllDocuments(readFileSync('deploy/kubernetes/ingress.yaml', 'utf8'));
  return documents.map((document) => {
    const { metadata, spec } = document.toJS() as Ingress;
    const paths = spec.rules.flatMap(({ http }) => http.paths.map(({ path }) => path));
    return { annotations: metadata.annotations, paths };
  });
}

describe('proxies in deploy/', () => {
  it('limit the requests of a client at every path of the ingress, and ask one other process for a script', () => {
    const annotation = (name: string, annotations: Record<string, string>) =>
      annotations[`nginx.ingress.kubernetes.io/${name}`];
    const ingresses = readIngresses();
    expect(ingresses.flatMap(({ paths }) => paths).toSorted()).toEqual([
      ...['/', '/_next/static', '/api/check-auth-status', '/api/oidc'],
    ]);
    for (const { annotations } of ingresses) {
      expect(Number(annotation('limit-rps', annotations))).toBeGreaterThan(0);
      // Otherwise the controller would pass an upgrade on.
      expect(annotation('connection-proxy-header', annotations)).toBe('keep-alive');
    }
    const [files] = ingresses.filter(({ paths }) => paths.includes('/_next/static'));
    expect(annotation('proxy-next-upstream', files?.annotations ?? {})).toContain('http_404');
    expect(annotation('proxy-next-upstream-tries', files?.annotations ?? {})).toBe('2');
    const controller = parse(readFileSync('deploy/kubernetes/ingress-nginx.example.yaml', 'utf8')) as {
      data: Record<string, string>;
    };
    expect(controller.data).toMatchObject({ 'error-log-level': 'crit', 'limit-req-status-code': '429' });
  });

  it('close an idle connection to a process before that does: a POST that has just been sent on it would be lost', () => {
    const controller = readFileSync('deploy/kubernetes/ingress-nginx.example.yaml', 'utf8');
    const seconds = [
      ...readFileSync('deploy/nginx.conf', 'utf8').matchAll(/^ {4}keepalive_timeout (\d+)s;/gm),
      ...proxy.matchAll(/^\t\tkeepalive (\d+)s$/gm),
      ...controller.matchAll(/^ {2}upstream-keepalive-timeout: '(\d+)'$/gm),
    ].map(([, words]) => Number(words));
    expect(seconds).toHaveLength(4);
    for (const each of seconds) expect(each * 1000).toBeLessThan(getServerSettings({}).KEEP_ALIVE_TIMEOUT);
  });
});

describe('deploy/nginx.conf', () => {
  const text = readFileSync('deploy/nginx.conf', 'utf8').replaceAll(/#.*$/gm, '');
  const directives = [...text.matchAll(/([^;{}]+)[;{}]/g)].map(([, words = '']) =>
    words.trim().replaceAll(/\s+/g, ' '),
  );

  it('counts an IPv4 address, however it is written, and a network of IPv6 as one client', () => {
    const [, block = ''] = text.split('map $remote_addr $learner_identity_client {');
    const rules = [...(block.split(/^\}/m)[0] ?? '').matchAll(/"~(\S+)" (\S+);/g)].map(([, pattern = '', key]) => ({
      pattern: RegExp(pattern),
      key,
    }));
    const getKey = (address: string) => {
      const rule = rules.find(({ pattern }) => pattern.test(address));
      return rule?.key === '$network' ? rule.pattern.exec(address)?.groups?.network : address;
    };
    expect(rules).toHaveLength(2);
    expect(['203.0.113.1', '::ffff:203.0.113.1', '64:ff9b::cb00:7101', '64:ff9b::c633:6464'].map(getKey)).toEqual([
      '203.0.113.1',
      '::ffff:203.0.113.1',
      '64:ff9b::cb00:7101',
      '64:ff9b::c633:6464',
    ]);
    expect(['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::5', '2001:db8::7'].map(getKey)).toEqual([
      '2001:db8:1:2:',
      '2001:db8:1:2:',
      '2001:db8::',
    ]);
  });

  it('refuses no client that the app itself would answer', () => {
    const rate = Number(/zone=learner_identity_calls:\w+ rate=(\d+)r\/s/.exec(text)?.[1]);
    const burst = Number(/limit_req zone=learner_identity_calls burst=(\d+) nodelay/.exec(text)?.[1]);
    const ofBrowsers = Object.entries(LIMITS).filter(([name]) => !name.startsWith('oidc'));
    expect(rate).toBeGreaterThanOrEqual(ofBrowsers.reduce((sum, [, { points, seconds }]) => sum + points / seconds, 0));
    expect(burst).toBeGreaterThanOrEqual(rate * 60);
  });

  it('limits the requests of a client in every location that passes them on, and in no zone that is not there', () => {
    const blocks = [...text.matchAll(/location (\S.*) \{([^{}]*)\}/g)].filter(([, , body = '']) =>
      body.includes('proxy_pass'),
    );
    expect(blocks.length).toBeGreaterThan(6);
    // A zone whose key is empty for most visitors does not count.
    const general = [...text.matchAll(/limit_req_zone \$learner_identity_client zone=(\w+):/g)].map(([, zone]) => zone);
    const unlimited = blocks.filter(
      ([, , body = '']) => !general.some((zone) => body.includes(`limit_req zone=${zone} burst=`)),
    );
    expect(unlimited.map(([, path]) => path)).toEqual([]);
    const zones = [...text.matchAll(/limit_(?:req|conn)_zone \S+ zone=(\w+):/g)].map(([, zone]) => zone);
    const used = [...text.matchAll(/limit_(?:req zone=|conn )(\w+)/g)].flatMap(([, zone]) =>
      zone === undefined ? [] : [zone],
    );
    expect(used.filter((zone) => !zones.includes(zone))).toEqual([]);
    expect(zones.filter((zone) => !used.includes(zone ?? ''))).toEqual([]);
  });

  it('listens by IPv6 wherever it does by IPv4', () => {
    const listens = directives.filter((words) => words.startsWith('listen '));
    const six = listens.filter((words) => words.includes('[::]:')).map((words) => words.replace('[::]:', ''));
    expect(six).toEqual(['listen 80 default_server', 'listen 443 ssl default_server', 'listen 80', 'listen 443 ssl']);
    expect(listens.filter((words) => !words.includes('[::]:'))).toEqual(six);
  });
});

describe('deploy/learner-identity.service', () => {
  const text = readFileSync('deploy/learner-identity.service', 'utf8');
  const settings = Object.fromEntries(
    [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );

  it('gives a process time for the requests in progress, and what runs behind them', () => {
    expect(Number(settings.TimeoutStopSec)).toBeGreaterThan(LONGEST_DRAIN);
    expect(settings.KillSignal).toBe('SIGTERM');
  });

  it('has the doctor run with the rights of the app: root reads every file', () => {
    const [command = ''] = /systemd-run [^`]*/.exec(readDocument('deploy/command-line.md')) ?? [];
    const given = [...command.matchAll(/\s-p\s+(\w+)=(\S+)/g)].map(([, name = '', value]) => [name, value]);
    const { DynamicUser, SupplementaryGroups, EnvironmentFile, WorkingDirectory } = settings;
    expect(Object.fromEntries(given)).toEqual({ DynamicUser, SupplementaryGroups, EnvironmentFile, WorkingDirectory });
  });

  it('contains no configuration but where to listen, which no line of the file overrides', () => {
    // In systemd, a variable of `EnvironmentFile` overrides a variable of `Environment`.
    expect(settings).not.toHaveProperty('Environment');
    expect(settings.EnvironmentFile).toMatch(/^\/etc\//);
  });
});
