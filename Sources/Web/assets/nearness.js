// How far it is to where offers are fetched, as far as the phone knows where it is.
import {all, lasting} from './ask.js';
import {distanceTo} from './whereabouts.js';

let places = new Map();

/** Finds out where the stores are that one works for; it helps, and is no condition. */
export const learnPlaces = () => lasting('partners', () => all('/v1/partners'))
  .then((stores) => { places = new Map(stores.map(({id, location}) => [id, location])); }, () => {});

/** In words, or empty. */
export const far = ({status, store, pickup}) => (status === 'pending' ? distanceTo(pickup?.address ? pickup.location : places.get(store.id)) : '');
