import { Inject, Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { Env } from '../config/env.js';
import { Database } from '../database/database.js';
import { Watchdog } from '../database/watchdog.js';
import { unavailable } from '../errors/app-error.js';
import { errorBody } from '../errors/error-bodies.js';
import { errorHeaders } from '../errors/error-headers.js';
import { errorShapeOf } from '../context/surface.js';
import { LOG } from '../observability/log.js';
import { type Exchange, Traffic } from './traffic.js';

/** Interval of the check: one timer for all requests instead of one for each. */
const EVERY_MS = 250;

/** Responds with 503 to requests that take too long, and cancels their statements in the database. */
@Injectable()
export class Deadlines implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly traffic: Traffic,
    private readonly database: Database,
    private readonly watchdog: Watchdog,
    private readonly env: Env,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => {
      for (const exchange of this.traffic.overdue(this.env.requestDeadlineMs)) this.end(exchange);
    }, EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    if (this.timer) clearInterval(this.timer);
  }

  private end({ context, request, response }: Exchange): void {
    const refusal = unavailable('The request took too long');
    this.log.warn({ requestId: context.requestId }, 'a request was aborted at its deadline');
    response.status(refusal.status).set(errorHeaders(refusal));
    response.json(errorBody(errorShapeOf(request.path), refusal, context.requestId));
    this.watchdog.cancel(this.database.abandon(context));
  }
}
