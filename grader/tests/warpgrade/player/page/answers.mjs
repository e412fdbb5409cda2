// Answers questions about a recording with the page's own modules: answers.mjs RECORDING QUESTIONS.json
import {readFileSync} from 'node:fs';
import {split} from '../../../../warpgrade/player/page/recording.js';
import {Moments, elementName} from '../../../../warpgrade/player/page/moments.js';
import {Story} from '../../../../warpgrade/player/page/story.js';

const recording = split(new Uint8Array(readFileSync(process.argv[2])));
const moments = new Moments(recording);
const questions = JSON.parse(readFileSync(process.argv[3], 'utf8'));

function answer({moment, register, thread, array, index, warp, why, called, tell, look}) {
  if (look) {
    const {known, unwritten} = moments.element(recording.arrays.find((each) => each.name === array), index, moment);
    return known ? 'known' : unwritten ? 'unwritten' : 'not accessed';
  }
  if (tell !== undefined) return new Story(moments).tell(tell, 0);
  if (called) return elementName(recording.arrays.find((each) => each.name === array), index);
  if (why) return moments.variables(thread, moment).filter((each) => !each.known).map((each) => [each.name, each.why]);
  if (moment !== undefined && thread !== undefined && register === undefined && array === undefined)
    return moments.variables(thread, moment).filter((each) => each.known).map(({name, low}) => [name, low]);
  if (warp !== undefined) return moments.lanes(warp, moment).map((each) => each.state);
  if (array === undefined) {
    const found = moments.register(register, thread, moment);
    return found && found.low + found.high * 2 ** 32;
  }
  const element = moments.element(recording.arrays.find((each) => each.name === array), index, moment);
  return element.writer ? element.low : null;
}

process.stdout.write(JSON.stringify(questions.map(answer)));
