/** Tests whether the traveler `one` lacks the member that answers the question. */
const LACKS_FIELD = `case question.field
    when 'firstName' then one.first_name is null
    when 'lastName' then one.last_name is null
    when 'birthDate' then one.birth_date is null
    when 'gender' then one.gender is null
    when 'nationality' then one.nationality is null
    when 'language' then one.language is null
    when 'phone' then one.phone is null
    when 'email' then one.email is null
    when 'emergencyContact' then one.emergency_contact is null
    when 'document' then one.document is null
    else false end`;

/** The most units of an item that are asked one by one. */
export const MAX_ASKED_UNITS = 1_000;

/**
 * The required questions that are due on the day `today` and have no answer: of the products of active items `i` with a departure that
 * satisfy `condition`, for the booking, each traveler with a seat, or each unit. A question with `showIf` is asked only if the
 * earlier one has that answer.
 */
export const openQuestions = ({ today, condition }: { today: string; condition: string }): string => `
  select question.id as question_id, question.field, asked.traveler_id, asked.item_id, asked.unit_number
  from booking_items i
  join departures departure on departure.id = i.departure_id
  join product_questions question on question.product_id = departure.product_id and question.required and question.active
    and (question.due_days_before is null or departure.start_date - question.due_days_before <= ${today}::date)
  cross join lateral (
    select null::text as traveler_id, null::text as item_id, null::int as unit_number where question.scope = 'booking'
    union all
    select seat.traveler_id, null, null from booking_item_travelers seat
    where question.scope = 'traveler' and seat.item_id = i.id
    union all
    select null, i.id, place.number from generate_series(1, least(i.quantity, ${MAX_ASKED_UNITS})) as place (number)
    where question.scope = 'unit' and i.unit_id is not null
  ) as asked
  where i.status <> 'cancelled' and i.extra_id is null and ${condition}
    and case when question.field is null then not exists (
        select from booking_answers answer
        where answer.booking_id = i.booking_id and answer.question_id = question.id
          and answer.traveler_id is not distinct from asked.traveler_id
          and answer.item_id is not distinct from asked.item_id
          and answer.unit_number is not distinct from asked.unit_number)
      else exists (select from booking_travelers one where one.id = asked.traveler_id and ${LACKS_FIELD}) end
    and (question.show_if is null or exists (
      select from booking_answers earlier
      where earlier.booking_id = i.booking_id and earlier.question_id = question.show_if ->> 'questionId'
        and question.show_if ->> 'equals' = any(earlier.values)
        and (earlier.traveler_id is null or earlier.traveler_id = asked.traveler_id)
        and (earlier.item_id is null
          or earlier.item_id = asked.item_id and earlier.unit_number is not distinct from asked.unit_number)))`;
