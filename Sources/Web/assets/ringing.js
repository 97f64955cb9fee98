// A page that calls, once what does so is loaded: that is soon, since it must hear of the first touch.
import {loaded} from './later.js';

const sound = loaded('sound').catch(() => ({ringFor() {}}));

export const ringFor = (event) => sound.then((made) => made.ringFor(event));
