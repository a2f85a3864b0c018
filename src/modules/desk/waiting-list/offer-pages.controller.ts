import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiOperation } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { RateLimit } from '../../../platform/admission/rate-limits.js';
import { Public } from '../../../platform/auth/access.js';
import { invalidField } from '../../../platform/errors/app-error.js';
import { ApiGroup } from '../../../platform/http/api-group.js';
import { answerPage, AnswersPages, AnyToken, formFields } from '../../../platform/http/html-page.js';
import { PathText } from '../../../platform/http/path-id.js';
import { Refuses } from '../../../platform/http/route-errors.js';
import { LINK_TOKEN_LENGTH } from '../../../platform/keys/link-tokens.js';
import { DOCUMENT_LANGUAGES } from '../../organization/index.js';
import { pageLanguageOf } from './offer-page.js';
import { type OfferAnswer, OfferPagesService, OFFERS_PATH } from './offer-pages.service.js';

const DIGITS = /^[0-9]{1,16}$/;

/** An example token. Real ones contain a code, and only the recipient of a mail knows them. */
const TOKEN = {
  description: 'Token of the link. Copy it from a mail about an offer of the waiting list.',
  maxLength: LINK_TOKEN_LENGTH,
  example: 'Example'.padEnd(LINK_TOKEN_LENGTH, '0'),
};
const YES = { type: 'string', enum: ['yes'] };
const FORM = {
  type: 'object',
  description: 'The form of the page: either `accepted` or `declined`. Other fields are ignored.',
  additionalProperties: true,
  properties: {
    accepted: { ...YES, description: 'The customer takes the offer.', example: 'yes' },
    declined: { ...YES, description: 'The customer declines the offer.' },
    totalCents: {
      type: 'string',
      minLength: 1,
      maxLength: 16,
      description: 'Price in total that the page showed, in minor units; absent if it showed none.',
      example: '11800',
    },
  },
};

@ApiGroup('Storefront')
@Controller(OFFERS_PATH)
export class OfferPagesController {
  constructor(private readonly pages: OfferPagesService) {}

  /**
   * Show the page of an offer of the waiting list
   *
   * @remarks Mails about offers lead to this page. It names the departure, the places, the price and the end of the offer, and has
   * buttons to take and to decline it. It changes nothing by itself, because scanners open links. It is in the language of the
   * customer, or of the browser. An unknown token, or one of an earlier offer, gets a page with status 404, and an offer that has
   * ended one with 410.
   */
  @ApiOperation({ operationId: 'waitingOffers_get' })
  @Get(':token')
  @Public()
  @RateLimit('public-offer')
  @Refuses({ 410: ['offer_expired'] })
  @AnswersPages(404, 410)
  async show(
    @PathText('token', TOKEN, new AnyToken()) token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    return answerPage(response, await this.pages.open(token, languageOf(request)));
  }

  /**
   * Answer an offer of the waiting list
   *
   * @remarks The buttons of the page send this request. An accepted offer becomes a draft booking of the customer at the price that the
   * page showed, and a task tells staff to confirm it; a changed price gets the page with status 409. A declined one goes to the next
   * customer. Repeating the request shows the page and changes nothing. What cannot be booked automatically has a page with status
   * 409 and becomes a task of staff.
   */
  @ApiOperation({ operationId: 'waitingOffers_answer' })
  @Post(':token')
  @HttpCode(200)
  @Public()
  @RateLimit('public-offer')
  @Refuses({ 409: ['offer_price_changed'], 410: ['offer_expired'] })
  @AnswersPages(404, 409, 410)
  @ApiConsumes('application/x-www-form-urlencoded', 'application/json')
  @ApiBody({ required: true, schema: FORM })
  async answer(
    @PathText('token', TOKEN, new AnyToken()) token: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<string> {
    const readForm = () => answerIn(request.body, request.headers['content-type']);
    return answerPage(response, await this.pages.answer(token, readForm, languageOf(request)));
  }
}

function languageOf(request: Request) {
  return pageLanguageOf(request.acceptsLanguages(...DOCUMENT_LANGUAGES) || 'en');
}

/** Throws 400 unless the customer either takes or declines the offer, and for a price that is no number. */
function answerIn(body: unknown, type?: string): OfferAnswer {
  const field = formFields(body, type);
  const [isAccepted, isDeclined] = [field('accepted') === 'yes', field('declined') === 'yes'];
  if (isAccepted === isDeclined) {
    throw invalidField('accepted', 'Either accepted or declined must be yes', 'exactly_one');
  }
  if (isDeclined) return { answer: 'decline' };
  const total = field('totalCents');
  if (total !== '' && !DIGITS.test(total))
    throw invalidField('totalCents', 'totalCents must be a number', 'wrong_type');
  return { answer: 'accept', totalCents: total === '' ? null : Number(total) };
}
