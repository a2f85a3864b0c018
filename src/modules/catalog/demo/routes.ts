import { type Place, places } from './places.js';

/** The way of a cruise; one that goes round ends where it begins. */
export interface Route {
  readonly from: Place;
  readonly to: Place;
  /** Null at sea. */
  readonly river: string | null;
  readonly nights: readonly number[];
}

/** from | to | river, or nothing at sea | nights */
const ROUTES = `
Vienna|Budapest|Danube|5 7
Budapest|Vienna|Danube|5 7
Cologne|Cologne|Rhine|5 7
Porto|Porto|Douro|7
Bordeaux|Bordeaux|Garonne|5 7
Avignon|Avignon|Rhône|5 7
Paris|Paris|Seine|7
Prague|Prague|Vltava|4 5
Venice|Venice|Po|4 5
Luxor|Luxor|Nile|4 7
Athens|Oia||4 7
Oia|Chania||4 5
Athens|Istanbul||7
Istanbul|Fethiye||7
Split|Dubrovnik||5 7
Dubrovnik|Venice||7
Nice|Barcelona||5 7
Barcelona|Palma||4 5
Taormina|Athens||7
Lisbon|Lagos||5
Lisbon|Funchal||7
Funchal|Puerto de la Cruz||5 7
Cape Town|Cape Town||7
`;

export const routes: readonly Route[] = ROUTES.trim()
  .split('\n')
  .map((line) => {
    const [from = '', to = '', river = '', nights = ''] = line.split('|');
    return {
      from: placeOf(from),
      to: placeOf(to),
      river: river === '' ? null : river,
      nights: nights.split(' ').map(Number),
    };
  });

function placeOf(city: string): Place {
  const place = places.find((one) => one.city === city);
  if (!place) throw new Error(`No place is called ${city}`);
  return place;
}
