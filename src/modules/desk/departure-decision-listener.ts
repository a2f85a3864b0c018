import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock/clock.js';
import { Listens } from '../../platform/discovery/listeners.js';
import { DepartureListener } from '../operations/index.js';
import { TasksService } from './tasks/tasks.service.js';

/** Staff get a task as long as they have to decide whether a departure runs. */
@Injectable()
@Listens(DepartureListener, 90)
export class DepartureDecisionListener implements DepartureListener {
  constructor(
    private readonly tasks: TasksService,
    private readonly clock: Clock,
  ) {}

  async decided(departureId: string): Promise<void> {
    await this.tasks.close({ source: 'minimum_not_reached', dedupeKey: departureId });
  }

  async decisionDue(departureId: string): Promise<void> {
    await this.tasks.raise({
      ...{ source: 'minimum_not_reached', dedupeKey: departureId },
      title: 'Decide whether the departure runs: too few units are sold',
      dueOn: this.clock.today(),
      subject: { subjectType: 'departure', subjectId: departureId },
    });
  }
}
