import { Controller, Get, HttpCode, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../auth/access.js';
import { Database } from '../database/database.js';

/** For load balancers and orchestrators, not for API clients. */
@ApiExcludeController()
@Controller('health')
export class HealthController {
  private draining = false;

  constructor(private readonly database: Database) {}

  beforeApplicationShutdown(): void {
    this.draining = true;
  }

  /** The process answers; says nothing of what it depends on. */
  @Get('live')
  @Public()
  live(): { status: string } {
    return { status: 'ok' };
  }

  /** The process can do its work: 200, or 503 naming the part that cannot. */
  @Get('ready')
  @Public()
  @HttpCode(200)
  async ready(@Res({ passthrough: true }) response: Response): Promise<object> {
    const database = await this.probe();
    const ready = database.ok && !this.draining;
    response.status(ready ? 200 : 503);
    return { status: ready ? 'ok' : this.draining ? 'draining' : 'unavailable', parts: { database } };
  }

  private async probe(): Promise<{ ok: boolean; milliseconds: number }> {
    const started = performance.now();
    const ok = await this.database.query('select').then(
      () => true,
      () => false,
    );
    return { ok, milliseconds: Math.round(performance.now() - started) };
  }
}
