// What is so at one moment of a recording, and where the next moment of some kind is. A moment is the number of the
// step that has just been executed.
import {ATOMIC, Bytes, GLOBAL, LOCAL, READ, SHARED, WRITE, bits, has, lanes} from './recording.js';

const MOST_PARTS = 64; // of one variable that are shown

// What a type consists of: [{path, offset, type}], elements and members in the order of memory.
export function leaves(type, path = '', offset = 0) {
  const [count, ...inner] = type.extents;
  const size = inner.reduce((a, b) => a * b, 1) * type.bytes;
  if (type.extents.length)
    return Array.from({length: Math.min(count, MOST_PARTS)}, (_, i) =>
      leaves({...type, extents: inner}, `${path}[${i}]`, offset + i * size)).flat();
  if (type.members)
    return type.members.flatMap((each) => leaves(each.type, each.name ? `${path}.${each.name}` : path, offset + each.offset));
  return [{path, offset, type}];
}

const UNRECORDED = 'on the stack of a call that is not inlined, which is not recorded, or removed by the compiler';

// Whether nothing had written an element when the block began.
function isUnwritten(array, index) {
  if (array.space === SHARED) return true;
  const at = index * array.element;
  return (array.unwritten ?? []).some(([begin, end]) => at >= begin && at < end);
}

// Whether an element holds nothing but the byte that unwritten memory holds: no other block has written it since.
function holdsOnly(byte, [low, high], bytes) {
  const fill = (byte * 0x01010101) >>> 0;
  return low === fill >>> (32 - 8 * Math.min(4, bytes)) && (bytes <= 4 || high === fill);
}

export const RUNNABLE = 0, AT_BARRIER = 1, AT_COLLECTIVE = 2;

// Index of the last element that is at most `value`, -1 without one.
export function lastAtMost(list, value, of = (each) => each) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(list[middle]) <= value) low = middle + 1; else high = middle;
  }
  return low - 1;
}

export class Moments {
  constructor(recording) {
    this.recording = recording;
    this.lineCache = new Map();
  }

  get last() { return this.recording.length - 1; }

  // The last step of a warp at this moment, -1 before its first.
  stepOf(warp, moment) {
    const steps = this.recording.stepsOf[warp];
    const at = lastAtMost(steps, moment);
    return at < 0 ? -1 : steps[at];
  }

  nextStepOf(warp, moment) {
    const steps = this.recording.stepsOf[warp];
    const at = lastAtMost(steps, moment) + 1;
    return at < steps.length ? steps[at] : -1;
  }

  // The thread's own last step at this moment, -1 before its first: lanes of a warp that has diverged stand apart.
  ownStep(thread, moment) {
    const {recording} = this;
    const steps = recording.stepsOf[thread >> 5];
    for (let at = lastAtMost(steps, moment); at >= 0; at--)
      if (has(recording.mask[steps[at]], thread & 31)) return steps[at];
    return -1;
  }

  // Where the thread goes on after its own step: behind a branch that is not the next instruction.
  goesOnAt(thread, step) {
    const {recording} = this;
    const steps = recording.stepsOf[thread >> 5];
    const here = recording.instruction[step];
    for (let at = lastAtMost(steps, step) + 1; at < steps.length; at++) {
      if (!has(recording.mask[steps[at]], thread & 31)) continue;
      const next = recording.instruction[steps[at]];
      const isCall = recording.instructions.get(next)?.function !== recording.instructions.get(here)?.function;
      return isCall ? here + 1 : next;
    }
    return here + 1;
  }

  info(step) { return this.recording.instructions.get(this.recording.instruction[step]); }

  // Line of the main file, also where an inlined function of another file runs.
  line(step) {
    if (step < 0) return 0;
    const number = this.recording.instruction[step];
    if (!this.lineCache.has(number)) this.lineCache.set(number, this.lineOf(number));
    return this.lineCache.get(number);
  }

  lineOf(instruction) {
    const info = this.recording.instructions.get(instruction);
    if (!info) return 0;
    const main = this.recording.head.source_file ?? 0;
    if (info.file === main) return info.line;
    const called = /:(\d+)$/.exec(info.inlined ?? '');
    return called ? Number(called[1]) : 0;
  }

  phase(moment) {
    this.openings ??= Array.from(this.recording.opens.keys()).filter((step) => this.recording.opens[step]);
    return lastAtMost(this.openings, moment) + 1;
  }

  groups(warp, moment) {
    const history = this.recording.groups[warp];
    return history[Math.max(0, lastAtMost(history, moment, (each) => each.step))];
  }

  // Of each lane: {state, line, at}. States: absent, exited, barrier, meets, waits (diverged), off, runs, ready.
  lanes(warp, moment) {
    const {recording} = this;
    const {alive, list} = this.groups(warp, moment);
    const step = this.stepOf(warp, moment);
    const running = step === moment;
    const threads = recording.head.block[0] * recording.head.block[1] * recording.head.block[2];
    return Array.from({length: 32}, (_, lane) => {
      if (32 * warp + lane >= threads) return {state: 'absent'};
      if (running && has(recording.mask[step], lane)) {
        const group = list.find((each) => has(each.mask, lane) && each.state === AT_BARRIER);
        return group ? {state: 'barrier', at: group.at, barrier: group.barrier} : {state: 'runs', at: recording.instruction[step]};
      }
      if (!has(alive, lane)) return {state: 'exited'};
      const group = list.find((each) => has(each.mask, lane));
      if (!group) return {state: running ? 'off' : 'ready', at: step < 0 ? -1 : recording.instruction[step]};
      if (group.state === AT_BARRIER) return {state: 'barrier', at: group.at, barrier: group.barrier};
      if (group.state === AT_COLLECTIVE) return {state: 'meets', at: group.at};
      return {state: list.length > 1 || running ? 'waits' : 'ready', at: group.at};
    });
  }

  // Two halves of a register's value in one lane, null before it has one.
  register(number, thread, moment) {
    const {recording} = this;
    const warp = thread >> 5, lane = thread & 31;
    const history = recording.registers[warp].get(number);
    if (!history) return null;
    for (let i = lastAtMost(history, moment, (each) => each.step); i >= 0; i--) {
      const {at, mask, changed, step} = history[i];
      if (!has(changed, lane)) continue;
      let found = null;
      lanes(new Bytes(recording.bytes, at), mask, recording.registerWidth[number] || 1, (each, low, high) => {
        if (each === lane) found = {low, high, step};
      });
      return found;
    }
    return null;
  }

  // An element at a moment: {low, high, known, touched, writer: {thread, step} | null}; not known: unwritten, if nothing
  // has written it, or else something that this block has not accessed.
  element(array, index, moment) {
    const {recording} = this;
    const cell = array.cells?.get(index), unwritten = isUnwritten(array, index);
    if (cell === undefined) return {known: false, touched: false, unwritten, writer: null};
    const {startOf, entries, log, first} = recording;
    const writer = this.lastWrite(cell, moment);
    if (writer >= 0) {
      const step = log.step[writer] === 0xffffffff ? -1 : log.step[writer];
      return {known: true, touched: true, low: log.low[writer], high: log.high[writer],
              writer: {thread: log.thread[writer], step}};
    }
    const start = first[cell];
    const touched = log.step[entries[startOf[cell]]] <= moment;
    if (unwritten && start && holdsOnly(recording.head.unwritten_byte, start, array.element)) return {known: false, touched, unwritten, writer: null};
    if (start && array.space !== SHARED) return {known: true, touched, low: start[0], high: start[1], writer: null};
    return {known: false, touched, unwritten: array.space === SHARED, writer: null};
  }

  lastWrite(cell, moment) {
    const {startOf, entries, log} = this.recording;
    let at = this.lastEntry(cell, moment);
    while (at >= startOf[cell] && log.kind[entries[at]] === READ) at--;
    return at >= startOf[cell] ? entries[at] : -1;
  }

  // Position in `entries` of the cell's last access at this moment; below startOf[cell] without one.
  lastEntry(cell, moment) {
    const {startOf, entries, log} = this.recording;
    let low = startOf[cell], high = startOf[cell + 1];
    while (low < high) {
      const middle = (low + high) >> 1, step = log.step[entries[middle]];
      if (step === 0xffffffff || step <= moment) low = middle + 1; else high = middle;
    }
    return low - 1;
  }

  // This step's accesses to elements: {array, index, kind, thread}.
  touched(step) {
    const {recording} = this;
    const out = [];
    for (let i = recording.logOf[step]; i < recording.logOf[step + 1]; i++) {
      const {array, index} = recording.cellOf[recording.log.cell[i]];
      out.push({array, index, kind: recording.log.kind[i], thread: recording.log.thread[i]});
    }
    return out;
  }

  // Variables in scope where a thread stands: {name, type, value | null, why}.
  variables(thread, moment) {
    const {recording} = this;
    const step = this.ownStep(thread, moment);
    if (step < 0) return [];
    const at = recording.instruction[step], next = this.goesOnAt(thread, step);
    const inner = new Map();
    for (const variable of recording.head.variables) {
      if (variable.function < 0 || at < variable.first || at >= variable.end) continue;
      const known = inner.get(variable.name);
      if (!known || variable.end - variable.first <= known.end - known.first) inner.set(variable.name, variable);
    }
    return [...inner.values()].filter((each) => !each.places.some((place) => place[2] === 'shared'))
      .flatMap((variable) => this.parts(variable, thread, moment, next >= variable.first && next < variable.end ? next : at));
  }

  // A variable; of an array or a struct in the thread's local memory each element and member.
  parts(variable, thread, moment, at) {
    const [, , where, offset] = variable.places.find(([first, end]) => at >= first && at < end) ?? [];
    const all = where === 'local' ? leaves(variable.type) : [];
    if (all.length < 2) return [this.variable(variable, thread, moment, at)];
    const whole = {name: variable.name, type: variable.type, known: false, step: -1, why: `${all.length} values on the stack`};
    return [whole, ...all.slice(0, MOST_PARTS).map(({path, offset: inside, type}) => {
      const found = this.local(thread, offset + inside, type.bytes, moment);
      const part = {name: variable.name + path, type, known: false, step: -1, why: 'not set yet'};
      return found ? {...part, ...found, known: true, why: ''} : part;
    })];
  }

  variable(variable, thread, moment, at) {
    const out = {name: variable.name, type: variable.type, parameter: variable.parameter, low: 0, high: 0, known: false, step: -1,
                 why: ''};
    if (!variable.places.length) return {...out, why: this.isOfKernel(variable) ? 'the compiler removed it' : UNRECORDED};
    const place = variable.places.find(([first, end]) => at >= first && at < end) ?? this.lastPlace(variable, at);
    if (!place) return {...out, why: 'has no value here'};
    if (variable.type.extents.length) return {...out, why: 'array', place};
    if (place[2] === 'parameter') return this.parameter(out, place[3]);
    const found = place[2] === 'register' ? this.register(place[3], thread, moment)
      : place[2] === 'local' ? this.local(thread, place[3], variable.type.bytes, moment) : null;
    if (!found) return {...out, why: 'not set yet'};
    return {...out, ...found, known: true, why: out.type.kind === 'pointer' ? this.pointsTo(found.low, found.high) : ''};
  }

  // Of a call that is not inlined, registers are recorded, but what lies in its own part of the stack is not.
  isOfKernel(variable) {
    const {functions, kernel} = this.recording.head;
    const own = functions.find(({first, instructions}) => variable.first >= first && variable.first < first + instructions);
    return !own || own.name === kernel;
  }

  parameter(out, number) {
    const {value} = this.recording.head.parameters[number];
    if (value === null) return {...out, why: 'a struct'};
    const digits = value.slice(2).padStart(16, '0');
    const {kind} = out.type;
    const [low, high] = [parseInt(digits.slice(8), 16), parseInt(digits.slice(0, 8), 16)];
    return {...out, known: true, low, high, why: kind === 'pointer' ? this.pointsTo(low, high) : ''};
  }

  // "points to in[3]"; empty where no array is.
  pointsTo(low, high) {
    const address = low + high * 2 ** 32;
    const array = this.recording.arrays.find(({space, base, bytes}) => space === GLOBAL && address >= base && address < base + bytes);
    if (!array) return '';
    const index = Math.floor((address - array.base) / array.element), name = elementName(array, index);
    const column = array.columns?.[0].name; // a pointer to a struct
    return `points to ${column && index % array.columns.length === 0 ? name.replaceAll(column, '') : name}`;
  }

  // Where a warp stands: the line of this step, or the one at which its lanes go on or wait.
  standing(warp, moment) {
    const {recording} = this;
    if (recording.warp[moment] === warp) return this.line(moment);
    const {list} = this.groups(warp, moment);
    const step = this.stepOf(warp, moment);
    return (list.length ? this.lineOf(list[0].at) : 0) || (step < 0 ? 0 : this.line(step));
  }

  // Where the variable was before: its value is the one that it had there.
  lastPlace(variable, at) {
    const before = variable.places.filter(([, end]) => end <= at);
    return before.length ? before.reduce((a, b) => (b[1] > a[1] ? b : a)) : null;
  }

  local(thread, offset, bytes, moment) {
    const array = this.recording.local?.get(thread);
    if (!array) return null;
    let low = 0, high = 0, step = -1;
    for (let i = 0; i < Math.min(bytes, 8); i++) {
      const byte = this.element(array, offset + i, moment);
      if (!byte.known || !byte.writer) return null;
      step = Math.max(step, byte.writer.step);
      if (i < 4) low |= byte.low << (8 * i); else high |= byte.low << (8 * (i - 4));
    }
    return {low: low >>> 0, high: high >>> 0, step};
  }

  // --- moving: each returns a moment, or -1 where there is none ---

  find(from, direction, holds) {
    for (let step = from + direction; step >= 0 && step <= this.last; step += direction)
      if (holds(step)) return step;
    return -1;
  }

  instructionOf(warp, from, direction) {
    return this.find(from, direction, (step) => this.recording.warp[step] === warp);
  }

  // The last step of the next line: its line is complete. Backwards: the last step of the line before.
  nextLine(from, direction) {
    const {recording} = this;
    const key = (step) => 65536 * recording.warp[step] + this.line(step);
    if (direction < 0) {
      let step = from;
      while (step > 0 && key(step - 1) === key(step)) step--;
      return step > 0 ? step - 1 : -1;
    }
    if (from >= this.last) return -1;
    let step = from + 1;
    while (step < this.last && key(step + 1) === key(step)) step++;
    return step;
  }

  nextPhase(from, direction) { return this.find(from, direction, (step) => this.recording.opens[step] === 1); }

  nextDivergence(from, direction) {
    return this.find(from, direction, (step) => this.diverges(step));
  }

  diverges(step) {
    const warp = this.recording.warp[step];
    const history = this.recording.groups[warp];
    const at = lastAtMost(history, step, (each) => each.step);
    if (at < 1 || history[at].step !== step) return false;
    const waiting = (each) => each.list.filter((group) => group.state === RUNNABLE).length;
    return waiting(history[at]) > 0 && waiting(history[at]) > waiting(history[at - 1]);
  }

  // The next access to an element that `holds`, by its log entry.
  nextAccess(array, index, from, direction, holds) {
    const cell = array.cells?.get(index);
    if (cell === undefined) return -1;
    const {startOf, entries, log} = this.recording;
    let at = this.lastEntry(cell, direction > 0 ? from : from - 1) + (direction > 0 ? 1 : 0);
    for (; at >= startOf[cell] && at < startOf[cell + 1]; at += direction)
      if (log.step[entries[at]] !== 0xffffffff && holds(entries[at])) return log.step[entries[at]];
    return -1;
  }

  nextWrite(array, index, from, direction) {
    return this.nextAccess(array, index, from, direction, (entry) => this.recording.log.kind[entry] !== READ);
  }

  nextOther(array, index, thread, from, direction) {
    return this.nextAccess(array, index, from, direction, (entry) => this.recording.log.thread[entry] !== thread);
  }

  nextFinding(from, direction) {
    const moments = (this.recording.head.findings ?? []).flatMap((each) => [each.step, each.other_step])
      .filter((step) => step !== undefined && step !== null && step >= 0);
    const wanted = moments.filter((step) => (direction > 0 ? step > from : step < from));
    return wanted.length ? (direction > 0 ? Math.min(...wanted) : Math.max(...wanted)) : -1;
  }
}

// Sectors and bank conflicts of one access of a warp.
export function cost(access) {
  const active = [];
  for (let lane = 0; lane < 32; lane++) if (has(access.mask, lane)) active.push(access.address[lane]);
  if (access.space === 0) {
    const sectors = new Set();
    for (const at of active)
      for (let byte = at; byte < at + access.bytes; byte += 32 - (byte % 32)) sectors.add(Math.floor(byte / 32));
    const distinct = new Set(active).size;
    return {sectors: sectors.size, ideal: Math.max(1, Math.ceil(distinct * access.bytes / 32)), lanes: active.length};
  }
  const words = Array.from({length: 32}, () => new Set());
  for (const at of active)
    for (let word = Math.floor(at / 4); word * 4 < at + access.bytes; word++) words[word % 32].add(word);
  const ways = Math.max(...words.map((set) => set.size));
  return {ways, banks: words.map((set) => set.size), ideal: Math.max(1, Math.ceil(access.bytes * new Set(active).size / 128)), lanes: active.length};
}

// A value by its type, as a reader writes it.
export function shown(type, low, high) {
  const view = new DataView(new ArrayBuffer(8));
  view.setUint32(0, low, true);
  view.setUint32(4, high, true);
  const {kind, bytes} = type;
  if (kind === 'float') return real(bytes === 8 ? view.getFloat64(0, true) : bytes === 2 ? half(low) : view.getFloat32(0, true));
  if (kind === 'bool') return low & 255 ? 'true' : 'false';
  if (kind === 'pointer') return '0x' + (high ? high.toString(16) + low.toString(16).padStart(8, '0') : low.toString(16));
  if (bytes === 8) return (kind === 'uint' ? view.getBigUint64(0, true) : view.getBigInt64(0, true)).toString();
  if (bytes === 1) return String(kind === 'uint' ? view.getUint8(0) : view.getInt8(0));
  if (bytes === 2) return String(kind === 'uint' ? view.getUint16(0, true) : view.getInt16(0, true));
  return String(kind === 'uint' ? low : low | 0);
}

function half(raw) {
  const sign = raw & 0x8000 ? -1 : 1, exponent = raw >> 10 & 31, fraction = raw & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function real(value) {
  if (!Number.isFinite(value)) return String(value);
  const short = Number(value.toPrecision(6));
  return Math.abs(short) >= 1e6 || (short !== 0 && Math.abs(short) < 1e-4) ? short.toExponential(3) : String(short);
}

// [3][4] of an element's number, or [3].x; `first`: of the elements, where a pointer does not point to the begin.
export function subscript(array, index, first = array.first) {
  const extents = [...array.extents];
  let out = '';
  if (array.columns) {
    const count = extents.pop();
    out = array.columns[index % count].name;
    index = Math.floor(index / count);
  }
  for (const extent of extents.slice(1).reverse()) {
    out = `[${index % extent}]${out}`;
    index = Math.floor(index / extent);
  }
  return extents.length ? `[${index + first}]${out}` : out;
}

// in[67] (out[3]): as each parameter that points into the array calls the element.
export function elementName(array, index) {
  const row = Math.floor(index / array.extents.slice(1).reduce((a, b) => a * b, 1));
  const also = array.also.filter(({first}) => row + first >= 0);
  return array.name + subscript(array, index) + also.map(({name, first}) => ` (${name}${subscript(array, index, first)})`).join('');
}

// The type of an element, as shown() takes it.
export const elementType = (array, index) =>
  ({kind: array.columns ? array.columns[index % array.columns.length].kind : array.kind, bytes: array.element});

export function threadName(head, thread) {
  const [x, y, z] = head.block;
  const at = [thread % x, Math.floor(thread / x) % y, Math.floor(thread / (x * y))];
  return `(${(z > 1 ? at : y > 1 ? at.slice(0, 2) : at.slice(0, 1)).join(',')})`;
}

export {ATOMIC, LOCAL, READ, WRITE, bits, has};
