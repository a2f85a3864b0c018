import { Injectable } from '@nestjs/common';
import { Env } from '../../../platform/config/env.js';
import type { SendingWindow } from './sending-window.js';

/** When this organization reminds nobody, as configured. */
@Injectable()
export class SendingHours implements SendingWindow {
  readonly timeZone: string;
  readonly quietHours: string | null;
  readonly blackoutDays: readonly string[];

  constructor(env: Env) {
    this.timeZone = env.orgTimeZone;
    this.quietHours = env.quietHours;
    this.blackoutDays = env.blackoutDays;
  }
}
