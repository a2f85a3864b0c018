import { Injectable } from '@nestjs/common';
import { Clock } from '../../../platform/clock/clock.js';
import { Database } from '../../../platform/database/database.js';
import type { Rows } from '../../../platform/database/rows.js';
import { conflict, notFound } from '../../../platform/errors/app-error.js';
import { mapConstraint } from '../../../platform/errors/database-errors.js';
import type { QuestionScope, QuestionType } from '../../products/index.js';
import { openQuestions } from '../bookings/open-questions.sql.js';
import type { AnswerView } from './answer.dto.js';
import { type AnswerTarget, BookingAnswer } from './answer.entity.js';

mapConstraint('booking_answers_question', () => conflict('question_in_use', 'Bookings have answers to the question'));

const MISSING = `
  select distinct open.question_id as "questionId", open.traveler_id as "travelerId", open.item_id as "itemId",
    open.unit_number as "unitNumber"
  from (${openQuestions({ today: '$2', condition: 'i.booking_id = $1' })}) as open
  where open.field is null
  order by open.question_id, open.traveler_id, open.item_id, open.unit_number limit 10000`;

interface AskedColumns {
  label: string;
  scope: QuestionScope;
  type: QuestionType;
}

/** Reads and writes the answers of bookings. */
@Injectable()
export class AnswersRepository {
  readonly answers: Rows<BookingAnswer>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.answers = database.rows(BookingAnswer);
  }

  /** Throws 404 also for an answer of another booking. */
  async get(bookingId: string, id: string): Promise<BookingAnswer> {
    const answer = await this.answers.findBy({ id, bookingId });
    if (!answer) throw notFound();
    return answer;
  }

  /** All answers of the booking, of which there are at most 1,000. */
  async allOf(bookingId: string): Promise<BookingAnswer[]> {
    return this.answers.listBy({ bookingId }, ['questionId', 'id']);
  }

  /** Like `allOf`, with the questions as they were asked, in the order of the questions. */
  async viewsOf(bookingId: string): Promise<AnswerView[]> {
    const found = await this.database.read<BookingAnswer, AskedColumns>(BookingAnswer, {
      text: `select ${this.answers.columns('answer')}, asked.content ->> 'label' as label, asked.content ->> 'scope' as scope,
          asked.content ->> 'type' as type
        from booking_answers answer
        join product_question_versions asked
          on asked.question_id = answer.question_id and asked.version = answer.question_version
        left join booking_travelers traveler on traveler.id = answer.traveler_id
        where answer.booking_id = $1
        order by (asked.content ->> 'position')::int, answer.question_id, traveler.position, answer.item_id,
          answer.unit_number, answer.id`,
      values: [bookingId],
    });
    return found.map(({ entity: answer, raw: { label, scope, type } }) => ({ answer, label, scope, type }));
  }

  async missingOf(bookingId: string): Promise<AnswerTarget[]> {
    return this.database.query<AnswerTarget>(MISSING, [bookingId, this.clock.today()]);
  }

  async isAnswered(questionId: string): Promise<boolean> {
    const found = await this.database.query('select from booking_answers where question_id = $1 limit 1', [questionId]);
    return found.length > 0;
  }

  async delete(ids: readonly string[]): Promise<void> {
    await this.database.execute('delete from booking_answers where id = any($1)', [ids]);
  }

  /** Deletes the answers about health that rest on the consent of the customer. */
  async deleteHealthData(customerId: string): Promise<void> {
    await this.database.execute(
      `delete from booking_answers answer using product_questions question
       where question.id = answer.question_id and question.health_data
         and (
           answer.traveler_id in (
             select id from booking_travelers where customer_id = $1 and health_data_consent is null)
           or answer.traveler_id is null
             and answer.booking_id in (select id from bookings where customer_id = $1))`,
      [customerId],
    );
  }

  /** Deletes the answers of at most `limit` bookings `days` after their last service. Returns the number of answers. */
  async deletePast(days: number, limit: number): Promise<number> {
    const { count } = await this.database.execute(
      `delete from booking_answers where booking_id in (
         select booking.id from bookings booking
         where coalesce(
             greatest(booking.return_date, booking.end_date), booking.departure_date,
             case when booking.status in ('completed', 'cancelled') then booking.updated_at::date end
           ) < $1::date - $2::int
           and exists (select from booking_answers kept where kept.booking_id = booking.id)
         order by booking.id limit $3)`,
      [this.clock.today(), days, limit],
    );
    return count;
  }
}
