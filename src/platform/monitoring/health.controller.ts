import { Controller, Get, HttpCode, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../auth/access.js';
import { ReadReplica } from '../database/read-replica.js';
import { Watchdog } from '../database/watchdog.js';
import { FileStore } from '../files/file-store.js';
import { Readiness } from '../observability/readiness.js';
import { Traffic } from '../admission/traffic.js';

/** For load balancers and orchestrators, not for API clients. */
@ApiExcludeController()
@Controller('health')
export class HealthController {
  constructor(
    private readonly watchdog: Watchdog,
    private readonly traffic: Traffic,
    private readonly readiness: Readiness,
    private readonly replica: ReadReplica,
    private readonly files: FileStore,
  ) {}

  /** The process responds. Its dependencies are not checked. */
  @Get('live')
  @Public()
  live(): { status: string } {
    return { status: 'ok' };
  }

  /**
   * Returns 200 if every part of the process works, otherwise 503 with the state of each part. Without the replica the primary
   * is read, and without the file store most requests work, so the process is ready, and its status is `degraded`.
   */
  @Get('ready')
  @Public()
  @HttpCode(200)
  ready(@Res({ passthrough: true }) response: Response): object {
    // The watchdog has a separate connection, so this responds at once even if all other connections are in use or hang.
    const database = this.watchdog.state;
    const { draining } = this.traffic;
    const parts = { database, ...this.readiness.state() };
    const ready = Object.values(parts).every(({ ok }) => ok) && !draining;
    response.status(ready ? 200 : 503);
    if (!ready) return { status: draining ? 'draining' : 'unavailable', parts };
    const { pool, reason: fault } = this.replica;
    const replica = pool && { ok: fault === null, reason: fault };
    const reason = this.files.failure();
    const files = reason === null ? null : { ok: false, reason };
    const isDegraded = replica?.ok === false || files !== null;
    return {
      status: isDegraded ? 'degraded' : 'ok',
      parts: { ...parts, ...(replica && { replica }), ...(files && { files }) },
    };
  }
}
