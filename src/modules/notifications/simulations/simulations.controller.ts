import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RequireScope } from '../../../platform/auth/access.js';
import { Env } from '../../../platform/config/env.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ChangesNothing } from '../../../platform/idempotency/mutates.js';
import { SimulateReminders, SimulationEnvelope, toSimulation } from './simulation.dto.js';
import { Simulations } from './simulations.service.js';

@ApiTags('Notifications')
@Controller('/v1/admin/notifications/reminder-rules/:id/simulations')
export class SimulationsController {
  constructor(
    private readonly simulations: Simulations,
    private readonly env: Env,
  ) {}

  /** Says who would get what from a rule on a day, when, and why not; changes nothing */
  @Post()
  @HttpCode(200)
  @RequireScope('notifications:read')
  @ChangesNothing('it foretells what a rule would send, and sends and plans nothing')
  async simulate(@PathId('rrul') id: string, @Body() body: SimulateReminders): Promise<SimulationEnvelope> {
    const { orgTimeZone: timeZone, orgName: organization } = this.env;
    const simulation = await this.simulations.simulate(id, body);
    return { data: toSimulation(simulation, { date: body.date, timeZone, organization }) };
  }
}
