import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/clock/clock.js';
import { Listens } from '../../platform/discovery/listeners.js';
import { type SuppressedMail, SuppressionListener } from '../notifications/index.js';
import type { Subject } from './subjects/subjects.js';
import { TasksService } from './tasks/tasks.service.js';

/** Staff get a task for each booking or customer that a mail does not reach, as long as the address is suppressed. */
@Injectable()
@Listens(SuppressionListener, 10)
export class SuppressedMailListener implements SuppressionListener {
  constructor(
    private readonly tasks: TasksService,
    private readonly clock: Clock,
  ) {}

  async mailSuppressed(mail: SuppressedMail): Promise<void> {
    const subject = subjectOf(mail);
    await this.tasks.raise({
      ...{ source: 'recipient_suppressed', dedupeKey: `${mail.suppressionId}:${subject?.subjectId ?? ''}` },
      title: 'Reach the customer in another way: mails to the address are not sent',
      dueOn: this.clock.today(),
      subject,
    });
  }

  async lifted(suppressionId: string): Promise<void> {
    await this.tasks.closeAll({ source: 'recipient_suppressed', prefix: `${suppressionId}:` });
  }
}

function subjectOf({ bookingId, customerId }: SuppressedMail): Subject | null {
  if (bookingId !== null) return { subjectType: 'booking', subjectId: bookingId };
  return customerId === null ? null : { subjectType: 'customer', subjectId: customerId };
}
