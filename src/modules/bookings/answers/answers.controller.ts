import { Body, Controller, Get, Header, HttpCode, Post, Put } from '@nestjs/common';
import { RequireScope } from '../../../platform/auth/access.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { ChangeTarget, type Target } from '../../../platform/http/if-match.js';
import { PathId } from '../../../platform/http/path-id.js';
import { ComputedNow, tagged } from '../../../platform/http/response-headers.js';
import { BodyExample, Refuses } from '../../../platform/http/route-errors.js';
import { Mutates } from '../../../platform/idempotency/mutates.js';
import { demoId } from '../../../platform/ids/id.js';
import {
  BookingAnswersEnvelope,
  ReplaceAnswers,
  RevealAnswer,
  RevealedAnswerEnvelope,
  toBookingAnswers,
} from './answer.dto.js';
import { AnswersService } from './answers.service.js';

@ApiGroup('Bookings')
@Controller('/v1/admin/bookings/:bookingId/answers')
export class AnswersController {
  constructor(private readonly answers: AnswersService) {}

  /**
   * Get the answers of a booking
   *
   * @remarks Returns the answers to the questions of its products, each with the question as it was asked, and the required questions
   * that are due and have no answer. A question that the traveler answers with a member of its own is not among them. Sensitive
   * answers are not included.
   */
  @Get()
  @RequireScope('bookings:read')
  @ComputedNow()
  async get(@PathId('book', 'bookingId') bookingId: string): Promise<BookingAnswersEnvelope> {
    const answers = await this.answers.get(bookingId);
    return tagged(answers, { data: toBookingAnswers(answers) });
  }

  /**
   * Replace the answers of a booking
   *
   * @remarks Makes the list the answers of the booking, in one transaction. An answer without `values` stays as it is. Each answer
   * records the version of its question; one with the same values keeps it. Answers to sensitive questions are encrypted with the
   * vault `travelers`; those about health need the consent of the traveler, or of the customer for the whole booking. `If-Match`
   * takes the version of the booking, which rises. Rejected for a cancelled booking.
   */
  @Put()
  @RequireScope('bookings:write')
  @Mutates('bookings.answer.replace', { irreversible: 'The ledger keeps no answers: replace them again' })
  @BodyExample({
    answers: [
      { questionId: demoId('pqst', 4), values: ['Vienna'] },
      { questionId: demoId('pqst', 5), travelerId: demoId('trav', 1) },
    ],
  })
  @Refuses({
    404: ['not_found'],
    409: ['booking_closed', 'question_inactive', 'vault_missing', 'vault_archived', 'no_usable_key'],
    422: ['consent_required'],
  })
  async replace(
    @ChangeTarget({ bookingId: ['book', 1] }) target: Target<'bookingId'>,
    @Body() { answers }: ReplaceAnswers,
  ): Promise<BookingAnswersEnvelope> {
    const replaced = await this.answers.replace(target, answers);
    return tagged(replaced, { data: toBookingAnswers(replaced) });
  }

  /**
   * Reveal a sealed answer
   *
   * @remarks Returns the answer in plain text. The purpose is recorded in the action ledger. The response is neither cached nor
   * stored. An answer that is not sealed is revealed as well.
   */
  @Post(':answerId/reveal')
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @RequireScope('customers:sensitive')
  @Mutates('customers.answer.reveal', {
    irreversible: 'Nothing was changed: the entry records who saw the answer',
    secrets: ['data.values'],
  })
  @BodyExample({ purpose: 'Menu for the group' })
  @Refuses({ 409: ['sealed_value_unreadable', 'vault_missing', 'vault_archived'] })
  async reveal(
    @PathId('book', 'bookingId') bookingId: string,
    @PathId('pans', 'answerId') answerId: string,
    @Body() { purpose }: RevealAnswer,
  ): Promise<RevealedAnswerEnvelope> {
    return { data: { values: await this.answers.reveal(bookingId, answerId, purpose) } };
  }
}
