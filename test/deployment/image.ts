import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { newFolder, PROJECT } from '../launcher/folders.js';
import { imageEnvironment, type Instruction, instructions, isInContext, readCopy } from './dockerfile.js';

/** The id of the user nobody, for tests that run as root. */
const UNPRIVILEGED = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
const NPM_CACHE = '.npm/_cacache';
const NPM_CACHE_PARTS = ['content-v2', 'index-v5'];
/** Also installs all packages for the build, which takes an additional minute and 1,200 MB. */
const INSTALLS_ALL = process.env['TEST_IMAGE_INSTALL'] === 'true';

export interface Ended {
  code: number | null;
  output: string;
}

/**
 * Builds the image without a container runtime. Each stage is an empty folder: COPY copies only files that .dockerignore
 * includes, and an unprivileged user with a separate home executes the RUN instructions. It skips instructions of root, which
 * create folders of the user and delete package managers, because they would change this machine. Unless `TEST_IMAGE_INSTALL`
 * is true, npm only verifies the lock file of the build stage, and the build uses the packages of the project, which the same
 * command installed.
 */
export class Image {
  readonly folder = newFolder({ open: true });
  /** The folder /app of the service, which it cannot write to. */
  readonly tree = join(this.folder, 'service/app');
  /** The only folder that the service can write to. */
  readonly data = join(this.folder, 'data');
  private readonly home = join(this.folder, 'home');
  private readonly programs = join(this.folder, 'programs');

  /** Returns the first stage that failed, or the last one. */
  async build(): Promise<Ended> {
    mkdirSync(join(this.home, NPM_CACHE), { recursive: true });
    // Another npm may change the cache meanwhile; missing packages are downloaded.
    for (const part of NPM_CACHE_PARTS) {
      await run(['cp', '-r', join(homedir(), NPM_CACHE, part), join(this.home, NPM_CACHE, part)]);
    }
    await run(['chown', '-R', owner(), this.home]);

    const ended = await Promise.all(['build', 'packages'].map((stage) => this.buildStage(stage)));
    const failed = ended.find(({ code }) => code !== 0);
    if (failed) return failed;
    const built = await this.buildStage('service');
    // As in the image, root owns the folder and every user may read it.
    if (UNPRIVILEGED.uid !== undefined) await run(['chown', '-R', '0:0', this.tree]);
    await run(['chmod', '-R', 'a+rX,a-w', this.tree]);
    mkdirSync(this.data);
    chmodSync(this.data, 0o777);
    // The image has no npm, and the service starts no other program.
    mkdirSync(this.programs);
    symlinkSync(process.execPath, join(this.programs, 'node'));
    return built;
  }

  /** Starts a program of the image as its user, with the variables of the image and `env` only. */
  start([program = '', ...words]: readonly string[], env: Record<string, string>) {
    const child = spawn(program === 'node' ? process.execPath : program, words, {
      ...UNPRIVILEGED,
      cwd: this.tree,
      env: {
        PATH: this.programs,
        // The root of a container is read-only.
        TMPDIR: this.tree,
        ...imageEnvironment(),
        DATA_DIR: this.data,
        HOST: '127.0.0.1',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
    const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, output }));
    return { child, output: () => output, end: () => ended };
  }

  async remove(): Promise<void> {
    await run(['chmod', '-R', 'u+w', this.tree]);
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async buildStage(stage: string): Promise<Ended> {
    const root = join(this.folder, stage);
    let [folder, isRoot, output] = [root, true, ''];
    for (const instruction of instructions().filter((each) => each.stage === stage)) {
      const { name, text } = instruction;
      if (name === 'USER') isRoot = false;
      if (name === 'WORKDIR') folder = join(root, text);
      if (name === 'WORKDIR' || name === 'FROM') this.createFolder(folder);
      if (name === 'COPY') await this.copy(instruction, folder);
      if (name !== 'RUN' || isRoot) continue;
      const isVerified = text.startsWith('npm ci ') && stage === 'build' && !INSTALLS_ALL;
      const env = {
        PATH: process.env['PATH'],
        HOME: this.home,
        npm_config_prefer_offline: 'true',
        ...(isVerified && { npm_config_dry_run: 'true' }),
      };
      const ended = await run(['sh', '-c', text], { ...UNPRIVILEGED, cwd: folder, env });
      output += ended.output;
      if (ended.code !== 0) return { code: ended.code, output };
      if (isVerified) await this.linkPackages(join(folder, 'node_modules'));
    }
    return { code: 0, output };
  }

  /** Uses hard links, because the unprivileged user may not be able to reach the project; copies files on another disk. */
  private async linkPackages(target: string): Promise<void> {
    const source = join(PROJECT, 'node_modules');
    const linked = await run(['cp', '-al', source, target]);
    if (linked.code !== 0) await run(['cp', '-a', source, target]);
  }

  private createFolder(path: string): void {
    mkdirSync(path, { recursive: true });
    const { uid, gid } = UNPRIVILEGED;
    if (uid !== undefined) chownSync(path, uid, gid);
  }

  private async copy(instruction: Instruction, folder: string): Promise<void> {
    const { from, sources, target } = readCopy(instruction);
    for (const source of sources) {
      const path = join(folder, target.endsWith('/') ? join(target, basename(source)) : target);
      // The files are moved, because earlier stages are not used again.
      if (from !== null) renameSync(join(this.folder, from, source), path);
      else cpSync(join(PROJECT, source), path, { recursive: true, filter: (file) => isInContext(file) });
      await run(['chown', '-R', owner(), path]);
    }
  }
}

function owner(): string {
  const { uid = process.getuid?.() ?? 0, gid = process.getgid?.() ?? 0 } = UNPRIVILEGED;
  return `${uid}:${gid}`;
}

async function run([program = '', ...words]: readonly string[], options: object = {}): Promise<Ended> {
  const child = spawn(program, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text: Buffer) => (output += text.toString()));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
