import { type Kind, KINDS } from './demo-places.js';

export interface Theme {
  /** Used in a name: "Crete beach week". */
  readonly title: string;
  readonly tags: readonly string[];
  readonly category: string;
  readonly kinds: readonly Kind[];
  readonly days: readonly number[];
  readonly perDayCents: number;
  /** `{city}`, `{region}`, `{sight}`, `{other}` and `{food}` are replaced by the values of the place. */
  readonly short: readonly string[];
  readonly long: readonly string[];
}

/** title | tags | category | kinds | days | cents a day | short sentences; | long sentences; */
const THEMES = `
beach week|beach, swimming, sun|Beach holidays|coast island|7 10 14|9900|Sun, sea and unhurried days by the water in {region};A lazy week on the sand near {city}|Your hotel lies a few steps from a quiet bay, and the sea is warm enough to swim until late October.;Mornings belong to the beach, afternoons to {sight} or to a boat out to {other}.;In the evening the taverns along the shore serve {food}.;Sunbeds, parasols and the transfer from the airport are included.
family holiday|family, kids, pool|Family holidays|coast island mountain|7 10|8900|Space, pools and things to do for every age in {region};An easy holiday with children around {city}|The apartments have separate bedrooms and a kitchenette, and the children's club opens every day but Sunday.;Shallow water, a playground and short excursions to {sight} keep smaller guests happy.;Parents share {food} while somebody else watches the little ones.;Bicycles with child seats can be borrowed free of charge.
hiking tour|hiking, walking, nature|Walking holidays|mountain wild island|5 7 8|11900|On foot from hut to village through {region};Guided walks above {city} with a small group|Each day we walk four to six hours on waymarked trails, with our luggage carried ahead.;The high points are {sight} and {other}, both reached before the crowds arrive.;A local mountain guide knows every viewpoint and where to find {food}.;Sturdy boots and a light rucksack are all that you need.
cycling tour|cycling, e-bike, active|Cycling holidays|river wine mountain coast|5 7|10900|By bike along quiet roads through {region};Seven relaxed stages by bicycle around {city}|The route follows traffic-free paths, mostly flat, with forty to sixty kilometres a day.;E-bikes are available, and a van brings the bags to the next small hotel.;Stop for a picnic near {sight}, ride on to {other}, and end the day with {food}.;Maps, helmets and a telephone line for punctures are part of the price.
city break|city, culture, weekend|City breaks|city|2 3 4|14900|A long weekend in the heart of {city};Three nights and the best of {city} on foot|A central hotel, a welcome walk with somebody who lives here, and a pass for public transport.;Skip the queue at {sight}, then wander through {other} at your own pace.;We have tables reserved where {food} is still cooked as it should be.;Stay another night if you like: Sundays in {city} are the best days.
food and wine journey|wine, food, gourmet|Food and wine|wine city|4 5 7|17900|Cellars, markets and long lunches in {region};Taste your way around {city} with a sommelier|We meet growers who seldom open their doors, and taste from the barrel.;A cooking class in a farmhouse ends with {food} at a long table.;Between two tastings there is time for {sight} and a slow walk to {other}.;Groups are never larger than twelve, and nobody has to drive.
art and history tour|culture, history, museums|Cultural tours|city river|5 6 8|15900|Museums, monuments and the stories behind them in {city};With an art historian through {region}|Our guide has taught here for twenty years and makes stones speak.;A private evening opening at {sight} is followed by a day at {other}.;Lectures are short, coffee breaks are long, and dinner means {food}.;Headsets, entrance fees and a reading list are included.
diving week|diving, snorkelling, underwater|Diving|coast island|7|13900|Two dives a day in the clear water of {region};Learn to dive or go deeper off {city}|The dive centre is run by marine biologists, with small boats and new equipment.;Beginners take the open water course; certified divers explore reefs, caves and a wreck.;On the day without tanks there is {sight}, and {food} on the quay.;Snorkellers are welcome on every trip.
ski week|ski, snow, winter sports|Winter holidays|snow|7|16900|Seven days on the slopes above {city};Powder, sunny terraces and a warm lodge in {region}|The lift is two minutes from the door and the pass covers the whole valley.;Ski school for beginners, off-piste guiding for the rest, a sledge run for everybody.;When legs are tired, {sight} and the sauna wait, and then {food}.;Rental skis can be chosen in advance and stand in your boot room on arrival.
northern winter adventure|winter, northern lights, husky|Winter adventures|arctic|4 5|23900|Huskies, snowshoes and a chance of the aurora in {region};Arctic days and starry nights around {city}|We drive our own dog teams through silent forest and sleep one night in a cabin.;Evenings are kept free to look for the northern lights, far from any street lamp.;Visits to {sight} and {other} round off the stay, with {food} by the fire.;Thermal suits and boots are provided.
wildlife expedition|wildlife, safari, nature|Wildlife|wild|7 9 12|26900|Early mornings with trackers and long lenses in {region};Animals in the wild, seen with people who protect them|Open vehicles, a window seat for everybody, and no more than six guests for each guide.;We set off before sunrise, when the animals drink, and return for a late breakfast.;{sight} is the heart of the journey; {other} shows another landscape altogether.;A part of the price goes to the rangers, and camp dinners mean {food}.
yoga retreat|yoga, wellness, relaxation|Wellness|coast island mountain wild|5 7|12900|Breathe out: yoga twice a day in {region};A quiet retreat above {city} for body and mind|Morning flow on a wooden deck, gentle stretching at sunset, silence in between if you want it.;Massages, herbal steam baths and light vegetarian meals do the rest.;One afternoon we walk to {sight}; another is for {food} and doing nothing.;All levels are welcome and mats are provided.
honeymoon escape|romantic, couples, luxury|Romantic getaways|island coast wine|5 7 10|29900|A suite with a view and nobody else around in {region};For two: candlelight, a private terrace and {city} at your feet|A small hotel with nine suites, breakfast whenever you wake up, and a plunge pool of your own.;A skipper takes you to {sight} for a swim, with {food} on board.;On the last evening dinner is served beneath the stars near {other}.;Flowers and a bottle of something cold are waiting on arrival.
rail journey|train, scenic, slow travel|Rail journeys|mountain city river|6 8|18900|Great railways and grand hotels across {region};Watch {region} go by from a window seat|First class seats, reserved on the scenic side, and porters for the luggage.;We change trains in {city} for two nights, with time for {sight}.;The panoramic line to {other} is the day that everybody remembers.;Dining cars serve {food}, and nobody has to hurry.
photography workshop|photography, small group, creative|Creative holidays|wild city island|5 6|19900|Light, patience and good company in {region};Improve your photographs around {city} with a professional|We are out for the blue hour and back for breakfast, with reviews every afternoon.;{sight} in the first light and {other} after rain are favourite subjects.;Bring any camera: the workshop is about seeing, not about equipment.;The group has eight places, and dinners of {food} last long.
sailing course|sailing, active, sea|Sailing|coast island|7|14900|Learn the ropes on a forty-foot yacht off {city};A week under sail along the shores of {region}|No experience is needed: after three days you will tack, reef and steer by the wind.;We anchor in coves that no road reaches, near {sight}, and swim before breakfast.;Ashore there is {food} and a walk to {other}.;The skipper signs your logbook at the end.
volunteering stay|volunteering, nature, community|Responsible travel|wild island|10 14|7900|Lend a hand where it helps in {region};Two weeks with a conservation project near {city}|Mornings are for planting, counting and repairing paths with the local team.;Afternoons are free for {sight}, language lessons or a hammock.;You live with families who share {food} and many stories.;Our partners publish what becomes of every contribution.
`;

export const themes: readonly Theme[] = THEMES.trim()
  .split('\n')
  .map((line) => {
    const [title = '', tags = '', category = '', kinds = '', days = '', cents = '', short = '', long = ''] =
      line.split('|');
    return {
      title,
      tags: tags.split(', '),
      category,
      kinds: KINDS.filter((kind) => kinds.split(' ').includes(kind)),
      days: days.split(' ').map(Number),
      perDayCents: Number(cents),
      short: short.split(';'),
      long: long.split(/;(?=[A-Z{])/),
    };
  });
