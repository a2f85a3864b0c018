import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { Env } from '../../../platform/config/env.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ChangesNothing } from '../../../platform/idempotency/mutates.js';
import { LimitOperation } from '../../../platform/admission/request-shares.js';
import { SimulateReminders, SimulationEnvelope, toSimulation } from './simulation.dto.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { SimulationsService } from './simulations.service.js';

@ApiGroup('Notifications')
@Controller('/v1/admin/notifications/reminder-rules/:id/simulations')
export class SimulationsController {
  constructor(
    private readonly simulations: SimulationsService,
    private readonly env: Env,
  ) {}

  /**
   * Simulate a reminder rule for a day
   *
   * @remarks Returns the messages that the rule would send on a day, with recipient, time and text, and the reasons for
   * messages that it would not send. Nothing is planned, sent or changed. The rule may be disabled; its reminders then have the
   * reason `rule_disabled`. Continue with `afterTargetId` until `nextAfterTargetId` is null.
   */
  @ApiOperation({ operationId: 'reminderRules_simulate' })
  @Post()
  @HttpCode(200)
  @RequireScope('notifications:read')
  @ChangesNothing('it computes what a rule would send, and sends and plans nothing')
  @LimitOperation({ name: 'reminder-simulation', maxConcurrent: 2 })
  async simulate(@PathId('rrul') id: string, @Body() body: SimulateReminders): Promise<SimulationEnvelope> {
    const simulation = await this.simulations.simulate(id, body);
    return { data: toSimulation(simulation, { date: body.date, timeZone: this.env.orgTimeZone }) };
  }
}
