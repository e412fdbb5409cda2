// A moment in words: for the line above the panels, for screen readers and for titles.
import {READ, bits, cost, elementName, elementType, has, shown, subscript, threadName} from './moments.js';

const VERBS = ['read', 'write', 'update'];

export class Story {
  constructor(moments) {
    this.moments = moments;
    this.recording = moments.recording;
    this.head = moments.recording.head;
  }

  thread(number) { return `thread ${threadName(this.head, number)}`; }

  element(array, index) {
    return array.space === 2 ? `its local memory` : elementName(array, index);
  }

  value(array, index, low, high) { return shown(elementType(array, index), low, high); }

  // Sentences about the step that has just been executed.
  tell(step, chosen) {
    const {recording, moments} = this;
    const warp = recording.warp[step], mask = recording.mask[step], text = moments.info(step)?.text ?? '';
    const head = `Warp ${warp}, line ${moments.line(step) || '?'}: `;
    const count = bits(mask);
    const who = count === 1 ? this.thread(32 * warp + 31 - Math.clz32(mask)) : `${count} threads`;
    const parts = [
      ...this.accesses(step), ...this.barrier(step, who, text), ...this.branch(step), ...this.sets(step, chosen),
    ];
    if (step === recording.faulty) parts.push(`${who} cannot go on: here the kernel fails`);
    if (/^(@\S+ )?(ret|exit)\b/.test(text)) parts.push(`${who} have finished`);
    return head + (parts.length ? parts.join('; ') : `${who} ${count === 1 ? 'computes' : 'compute'}`) + '.';
  }

  // "16 threads read B_tile[0][0] to B_tile[0][15]"
  accesses(step) {
    const groups = new Map();
    for (const each of this.moments.touched(step)) {
      if (each.array.space === 2) continue;
      const key = `${each.array.number}/${each.kind}`;
      if (!groups.has(key)) groups.set(key, {...each, all: new Set(), threads: new Set()});
      groups.get(key).all.add(each.index);
      groups.get(key).threads.add(each.thread);
    }
    return [...groups.values()].map(({array, kind, all, threads}) => {
      const who = threads.size === 1 ? this.thread([...threads][0]) : `${threads.size} threads`;
      const sorted = [...all].sort((a, b) => a - b);
      const what = sorted.length === 1 ? this.element(array, sorted[0])
        : `${sorted.length} elements of ${array.name}, ${subscript(array, sorted[0])} to ${subscript(array, sorted.at(-1))}`;
      return `${who} ${threads.size === 1 ? VERBS[kind] + 's' : VERBS[kind]} ${what}`;
    });
  }

  barrier(step, who, text) {
    if (!/\bbar(rier)?\./.test(text) && !this.recording.opens[step]) return [];
    if (this.recording.opens[step])
      return [`the barrier opens: phase ${this.moments.phase(step) + 1} begins for all warps`];
    if (/bar\.warp/.test(text)) return [`${who} of the warp meet`];
    const missing = this.missing(step);
    return [`${who} arrive at the barrier and wait` + (missing.length ? ` for ${this.warpNames(missing)}` : '')];
  }

  // Warps with threads that have neither arrived nor ended.
  missing(moment) {
    const out = [];
    for (let warp = 0; warp < this.recording.warps; warp++) {
      const lanes = this.moments.lanes(warp, moment);
      if (lanes.some((each) => !['barrier', 'exited', 'absent'].includes(each.state))) out.push(warp);
    }
    return out;
  }

  warpNames(list) {
    if (list.length === 1) return `warp ${list[0]}`;
    const even = list.every((each, i) => i === 0 || each === list[i - 1] + 1);
    return even && list.length > 2 ? `warps ${list[0]} to ${list.at(-1)}` : `warps ${list.join(', ')}`;
  }

  branch(step) {
    if (!this.moments.diverges(step)) return [];
    const {list} = this.moments.groups(this.recording.warp[step], step);
    const waiting = list.filter((each) => each.state === 0);
    return waiting.map((each) =>
      `the warp diverges: ${bits(each.mask)} threads wait to go on at line ${this.moments.lineOf(each.at)}`);
  }

  // "sets i = 3" of the chosen thread, where the step writes a variable's register.
  sets(step, chosen) {
    const warp = this.recording.warp[step];
    const thread = chosen >> 5 === warp && has(this.recording.mask[step], chosen & 31) ? chosen
      : 32 * warp + Math.log2(this.recording.mask[step] & -this.recording.mask[step] || 1);
    const changed = this.moments.variables(thread >>> 0, step).filter((each) => each.known && each.step === step);
    return changed.map((each) => `${this.thread(thread >>> 0)} has ${each.name} = ${shown(each.type, each.low, each.high)}`);
  }

  // What an access costs, in a sentence; nothing where there is nothing to say.
  cost(access) {
    const found = cost(access);
    if (access.space === 0)
      return `${found.lanes} lanes, ${access.bytes} bytes each: ${found.sectors} sectors of 32 bytes, ` +
        (found.sectors > found.ideal ? `${found.ideal} would do` : 'as few as possible');
    if (access.space === 1)
      return `${found.lanes} lanes: ` + (found.ways > found.ideal ? `a bank conflict, ${found.ways} passes instead of ${found.ideal}`
        : 'no bank conflict');
    return '';
  }

  verb(kind) { return kind === READ ? 'reads' : VERBS[kind] + 's'; }
}
