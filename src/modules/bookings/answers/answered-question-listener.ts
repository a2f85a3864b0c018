import { Injectable } from '@nestjs/common';
import { Listens } from '../../../platform/discovery/listeners.js';
import { conflict } from '../../../platform/errors/app-error.js';
import { ProductListener } from '../../products/index.js';
import { AnswersRepository } from './answers.repository.js';

/** Stored answers are neither encrypted nor opened later, and are not tied to a consent later. */
@Injectable()
@Listens(ProductListener, 40)
export class AnsweredQuestionListener implements ProductListener {
  constructor(private readonly repository: AnswersRepository) {}

  async protectionChanged(questionId: string): Promise<void> {
    if (!(await this.repository.isAnswered(questionId))) return;
    throw conflict('question_in_use', 'Bookings have answers to the question');
  }
}
