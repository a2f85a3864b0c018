import { dataOf, PageQuery, pageOf, patchOf } from '../../../platform/http/dto.js';
import { Clearable, Id, Ignored, OneOf, Optional, Text, Version } from '../../../platform/http/fields.js';
import { AnyOf, SortBy } from '../../../platform/http/query-fields.js';
import { respond } from '../../../platform/http/respond.js';
import { Instant, IsoDate } from '../../../platform/http/trade-fields.js';
import { MAX_SUBJECT_ID, SUBJECT_TYPES, type SubjectType } from '../subjects/subjects.js';
import { type Task, TASK_SOURCES, TASK_STATUSES, type TaskSource, type TaskStatus } from './task.entity.js';

const MAX_TITLE = 255;

class TaskFields {
  /**
   * What is to be done.
   * @example "Call back about the seats"
   */
  @Text({ max: MAX_TITLE })
  title: string;

  /**
   * Day by which it is to be done; null if there is none.
   * @example "2027-05-10"
   */
  @Clearable()
  @IsoDate()
  dueOn?: string | null;

  /**
   * Active user who is to do it (prefix `user`); null for no one in particular.
   * @example "user_01k0dem000e000000000000001"
   */
  @Clearable()
  @Id('user')
  assigneeId?: string | null;
}

/** A new task. */
export class CreateTask extends TaskFields {
  @Ignored()
  id?: undefined;

  /**
   * Kind of the record that the task is about; requires `subjectId`.
   * @example "booking"
   */
  @Optional()
  @OneOf(SUBJECT_TYPES)
  subjectType?: SubjectType;

  /**
   * Record that the task is about; requires `subjectType`.
   * @example "book_01k0dem000e000000000000001"
   */
  @Optional()
  @Text({ max: MAX_SUBJECT_ID })
  subjectId?: string;
}

class ChangeableTask extends TaskFields {
  /** `done` and `dismissed` close the task; `open` opens it again. */
  @OneOf(TASK_STATUSES)
  status: TaskStatus;
}

/** The fields of a task to change. A task stays on its record. */
export class UpdateTask extends patchOf(ChangeableTask) {}

export class ListTasks extends PageQuery {
  /** Only tasks of this user. */
  @Optional()
  @Id('user')
  assigneeId?: string;

  /** Only tasks about records of these kinds. */
  @Optional()
  @AnyOf(SUBJECT_TYPES)
  subjectType?: SubjectType[];

  /** Only tasks about this record. */
  @Optional()
  @Text({ max: MAX_SUBJECT_ID })
  subjectId?: string;

  /** Only tasks in one of these statuses. */
  @Optional()
  @AnyOf(TASK_STATUSES)
  status?: TaskStatus[];

  /** Only tasks that are due on this day or later. */
  @Optional()
  @IsoDate()
  dueFrom?: string;

  /** Only tasks that are due on this day or earlier. */
  @Optional()
  @IsoDate()
  dueTo?: string;

  /** Only tasks from one of these sources. */
  @Optional()
  @AnyOf(TASK_SOURCES)
  source?: TaskSource[];

  /** Sort field, `-createdAt` by default; a leading `-` means descending order. Tasks without a day come last. */
  @Optional()
  @SortBy(['createdAt', 'updatedAt', 'dueOn'])
  sort?: string;
}

/** Something that staff have to do. */
export class TaskResponse {
  @Id('task')
  id: string;

  /** What is to be done. */
  @Text({ max: MAX_TITLE })
  title: string;

  /** Day by which it is to be done; null if there is none. */
  @IsoDate()
  dueOn: string | null;

  /** User who is to do it (prefix `user`); null for no one in particular. */
  @Id('user')
  assigneeId: string | null;

  /** Name of that user; null for no one in particular. */
  @Text({ max: 255 })
  assigneeName: string | null;

  /** Kind of the record that the task is about; null without one. */
  @OneOf(SUBJECT_TYPES)
  subjectType: SubjectType | null;

  /** Record that the task is about; null without one. */
  @Text({ max: MAX_SUBJECT_ID })
  subjectId: string | null;

  /** Name of the record; null without one, and if it was deleted. */
  @Text({ max: 1_000 })
  subjectTitle: string | null;

  /** `done` and `dismissed` tasks are closed. */
  @OneOf(TASK_STATUSES)
  status: TaskStatus;

  /**
   * `staff`, or the cause for which the service raised the task: `minimum_not_reached`, the decision whether a departure runs is due,
   * `departure_called_off`, staff decide about a booking that was kept, or `recipient_suppressed`, a mail was not sent because its
   * address is suppressed. The task is done when the cause ends.
   */
  @OneOf(TASK_SOURCES)
  source: TaskSource;

  /** User who created the task (prefix `user`), or `system`. */
  @Text({ max: 100 })
  createdBy: string;

  /** When the task was closed; null while it is open. */
  @Instant()
  closedAt: string | null;

  @Version()
  version: number;

  @Instant()
  createdAt: string;

  @Instant()
  updatedAt: string;
}

/** A task with the names of its record and its assignee. */
export interface TaskView {
  task: Task;
  subjectTitle: string | null;
  assigneeName: string | null;
}

export function toTask({ task, subjectTitle, assigneeName }: TaskView): TaskResponse {
  return respond(TaskResponse, task, { subjectTitle, assigneeName });
}

export class TaskEnvelope extends dataOf(TaskResponse) {}
export class TaskPage extends pageOf(TaskResponse) {}
