import { Controller, Get, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { AppModule } from '../../src/app.module.js';
import { connect } from '../../src/bootstrap/boot.js';
import { Public, RequireScope } from '../../src/platform/auth/access.js';
import { readEnv } from '../../src/platform/config/read-env.js';
import { createLog } from '../../src/platform/observability/log.js';

@Controller('v1/admin/undeclared')
class UndeclaredController {
  @Get()
  read(): string {
    return 'nobody said who may read this';
  }
}

@Controller('v1/admin/unrecorded')
class UnrecordedController {
  @Post()
  @RequireScope('finance:write')
  write(): string {
    return 'nobody said what this changes';
  }
}

@Controller('v1/public/declared')
class DeclaredController {
  @Get()
  @Public()
  read(): string {
    return 'for everybody';
  }
}

async function bootWith(controller: new () => object): Promise<void> {
  @Module({ controllers: [controller] })
  class ExtraModule {}
  const env = readEnv(process.env);
  const forRoot = AppModule.forRoot({ env, log: createLog('silent'), dataSource: await connect(env) });
  const module = { ...forRoot, imports: [...(forRoot.imports ?? []), ExtraModule] };
  const app = await NestFactory.create(module, { logger: false, abortOnError: false });
  try {
    await app.init();
  } finally {
    await app.close();
  }
}

describe('the start of a process', () => {
  it('the start fails if a route does not declare who may call it', async () => {
    await expect(bootWith(UndeclaredController)).rejects.toThrow('UndeclaredController.read must declare its access');
  });

  it('the start fails if a mutating staff route does not declare what it changes', async () => {
    await expect(bootWith(UnrecordedController)).rejects.toThrow('UnrecordedController.write must declare its change');
  });

  it('the start succeeds if every route declares both', async () => {
    await expect(bootWith(DeclaredController)).resolves.toBeUndefined();
  });
});

async function runMain(env: Record<string, string>): Promise<{ code: number; output: string }> {
  return run(['dist/src/main.js'], env);
}

async function run([file = '', ...words]: string[], env: Record<string, string>) {
  const child = spawn(process.execPath, [join(process.cwd(), file), ...words], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

describe('a process with an invalid configuration', () => {
  it('a process with an invalid configuration reports all faults at once with remedies, without a stack, and exits with 78', async () => {
    const { code, output } = await runMain({ PORT: 'abc', ORG_TIME_ZONE: 'Mars/Olympus' });

    expect(code).toBe(78);
    expect(output.split('\n').filter((line) => /^ {2}[A-Z_]+: .*; expected .*; for example/.test(line))).toHaveLength(
      3,
    );
    expect(output).toMatch(/PORT: .*\n.*DATABASE_URL: .*\n.*ORG_TIME_ZONE: /);
    expect(output).not.toMatch(/\n\s+at /);
  });

  it('a process reports in plain words what is wrong with the database', async () => {
    const { code, output } = await runMain({ DATABASE_URL: 'postgres://nobody:wrong@127.0.0.1:1/none' });

    expect([code, output]).toEqual([
      75,
      'The database is unavailable:\n  DATABASE_URL: no server accepts connections at this address; start it, or unset DATABASE_URL and use npm start\n',
    ]);
  });

  it.each(['127.0.0.1:1', 'not-yet-known.invalid'])(
    'a migration that is started before its database is at %s ends with another exit code, so that a job repeats it',
    async (host) => {
      const env = {
        DATABASE_URL: `postgres://service:secret@${host}/travel`,
        MIGRATION_DATABASE_URL: `postgres://owner:secret@${host}/travel`,
      };
      const { code, output } = await run(['scripts/built-platform.js', 'migrate'], env);

      expect([code, output]).toEqual([
        75,
        expect.stringMatching(/^The database is unavailable:\n {2}[A-Z_]+: (the host|no server)/),
      ]);
    },
  );

  it('a process reports that its port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };

    const { code, output } = await runMain({
      DATABASE_URL: process.env['DATABASE_URL'] ?? '',
      DATA_DIR: process.env['DATA_DIR'] ?? '',
      PORT: String(port),
      LOG_LEVEL: 'error',
    });
    other.close();

    expect(code).not.toBe(0);
    expect(output).toMatch(/PORT: the port is in use by another process; stop that process or choose another PORT/);
  });
});
