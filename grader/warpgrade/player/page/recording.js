// Reads a recording and indexes it: who accessed which element and wrote which register when. Each question about a
// moment is answered by a binary search; nothing is replayed. docs/player.md describes the bytes.

export const READ = 0, WRITE = 1, ATOMIC = 2;
export const GLOBAL = 0, SHARED = 1, LOCAL = 2;
const HAS_REGISTERS = 1, HAS_ACCESSES = 2, HAS_GROUPS = 4, HAS_OTHERS = 8, FAULT = 16;
const STEPS = 1, EACH = 2, OWN_MASK = 4;
const WORD = 4; // bytes of an element where nothing says what it is
const MOST_BYTES = 256; // of a lane's access

// Takes numbers from the front of some bytes.
export class Bytes {
  constructor(bytes, at = 0) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
    this.low = this.high = 0; // what value() has read
  }
  byte() { return this.bytes[this.at++]; }
  word() { this.at += 4; return this.view.getUint32(this.at - 4, true); }
  number() {
    let value = 0, factor = 1;
    for (;;) {
      const byte = this.bytes[this.at++];
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
  }
  // Reads the two halves of a value of up to 8 bytes.
  value(width) {
    this.low = this.part(Math.min(4, width));
    this.high = this.part(width - Math.min(4, width));
  }
  part(width) {
    if (width === 4) return this.word();
    let value = 0;
    for (let i = 0; i < width; i++) value |= this.bytes[this.at++] << (8 * i);
    return value >>> 0;
  }
}

export const bits = (mask) => {
  let count = 0;
  for (let left = mask >>> 0; left; left = (left & (left - 1)) >>> 0) count++;
  return count;
};
export const has = (mask, lane) => (mask >>> lane & 1) === 1;

// Values of lanes: calls each(lane, low, high), if there is one, in the lanes' order. Returns the mask.
export function lanes(from, mask, width, each) {
  const pattern = from.byte();
  if (pattern & OWN_MASK) mask = from.word();
  const kind = pattern & 3;
  if (!each) {
    from.at += width * (kind === EACH ? bits(mask) : kind === STEPS ? 2 : 1);
    return mask;
  }
  if (kind === EACH) {
    for (let left = mask; left; left &= left - 1) {
      from.value(width);
      each(31 - Math.clz32(left & -left), from.low, from.high);
    }
    return mask;
  }
  from.value(width);
  let {low, high} = from;
  if (kind === STEPS) from.value(width);
  const stepLow = kind === STEPS ? from.low : 0, stepHigh = kind === STEPS ? from.high : 0;
  const clipLow = width >= 4 ? 0xffffffff : 2 ** (8 * width) - 1;
  for (let left = mask; left; left &= left - 1) {
    each(31 - Math.clz32(left & -left), low, high);
    const sum = low + stepLow;
    high = (high + stepHigh + (width > 4 && sum > 0xffffffff ? 1 : 0)) >>> 0;
    low = (sum & clipLow) >>> 0;
  }
  return mask;
}

// A list of numbers that grows, as an array of the type.
class Column {
  constructor(type) { this.list = new type(1024); this.length = 0; }
  push(value) {
    if (this.length === this.list.length) {
      const more = new this.list.constructor(2 * this.length);
      more.set(this.list);
      this.list = more;
    }
    this.list[this.length++] = value;
  }
  done() { return this.list.slice(0, this.length); }
}

export class Recording {
  constructor(head, bytes) {
    this.head = head;
    this.bytes = bytes;
    this.warps = Math.ceil(head.block[0] * head.block[1] * head.block[2] / 32);
    this.arrays = makeArrays(head);
    this.registerWidth = head.registers.map(([, , type]) => widthOf(type));
    this.indexInstructions();
    this.readSteps();
    this.indexCells();
  }

  indexInstructions() {
    this.instructions = new Map(); // number → {line, file, inlined, text, function}
    this.head.functions.forEach((f, number) => {
      this.head.instructions[number].forEach(([line, file, inlined, text], i) => {
        this.instructions.set(f.first + i, {line, file, inlined, text, function: number});
      });
    });
  }

  readSteps() {
    const from = new Bytes(this.bytes);
    const n = this.head.steps;
    this.length = n;
    this.warp = new Uint16Array(n);
    this.instruction = new Uint32Array(n);
    this.mask = new Uint32Array(n);
    this.opens = new Uint8Array(n); // a barrier has opened
    this.faulty = -1;
    this.stepsOf = Array.from({length: this.warps}, () => new Column(Uint32Array));
    this.groups = Array.from({length: this.warps}, () => []);
    this.registers = Array.from({length: this.warps}, () => new Map());
    this.log = {step: new Column(Uint32Array), thread: new Column(Uint16Array), kind: new Column(Uint8Array),
                cell: new Column(Uint32Array), low: new Column(Uint32Array), high: new Column(Uint32Array)};
    this.logOf = new Uint32Array(n + 1);
    this.accesses = new Map(); // step → [{kind, space, bytes, mask, address}]
    this.cellOf = []; // of each cell its array and index
    this.first = []; // of each cell what was there before its first access, null: not known
    this.before = new Bytes(new Uint8Array(32 * MOST_BYTES)); // of an access, lane by lane
    this.after = new Bytes(new Uint8Array(32 * MOST_BYTES));
    this.readState(from);
    for (let step = 0; step < n; step++) this.readStep(from, step);
    this.logOf[n] = this.log.step.length;
    this.stepsOf = this.stepsOf.map((column) => column.done());
    for (const key of Object.keys(this.log)) this.log[key] = this.log[key].done();
  }

  readState(from) {
    for (let warp = 0; warp < this.warps; warp++) {
      this.readGroups(from, warp, -1);
      this.readRegisters(from, warp, -1, 0);
    }
    for (let length = from.number(); length; length = from.number()) {
      const at = from.number(), begin = from.at;
      for (let i = 0, end = 0; i < length; i = end) {
        const array = this.arrayAt(SHARED, at + i, 0); // an element at a time
        end = Math.min(length, array ? i + array.element - (at + i - array.base) % array.element : i + 1);
        this.note(-1, 0, WRITE, SHARED, at + i, from, begin + i, end - i, null);
      }
      from.at = begin + length;
    }
  }

  readStep(from, step) {
    const parts = from.byte();
    const warp = this.warp[step] = from.number();
    this.instruction[step] = from.number();
    const mask = this.mask[step] = from.word();
    this.stepsOf[warp].push(step);
    this.logOf[step] = this.log.step.length;
    if (parts & HAS_REGISTERS) this.readRegisters(from, warp, step, mask);
    if (parts & HAS_ACCESSES) this.readAccesses(from, warp, step, mask);
    if (parts & HAS_GROUPS) this.readGroups(from, warp, step);
    if (parts & HAS_OTHERS) {
      this.opens[step] = 1;
      for (let left = from.number(); left; left--) this.readGroups(from, from.number(), step);
    }
    if (parts & FAULT) this.faulty = step;
  }

  readRegisters(from, warp, step, mask) {
    for (let left = from.number(); left; left--) {
      const number = from.number();
      const at = from.at;
      const changed = lanes(from, mask, this.registerWidth[number] || 1);
      let history = this.registers[warp].get(number);
      if (!history) this.registers[warp].set(number, history = []);
      history.push({step, at, mask, changed});
    }
  }

  readAccesses(from, warp, step, mask) {
    const all = [];
    for (let left = from.number(); left; left--) {
      const head = from.byte(), bytes = from.byte();
      const access = {kind: head & 3, space: head >> 2, bytes, mask: 0, address: new Float64Array(32)};
      access.mask = lanes(from, mask, 8, (lane, low, high) => { access.address[lane] = low + high * 2 ** 32; });
      this.readMemory(from, access, this.before);
      if (access.kind !== READ) this.readMemory(from, access, this.after);
      const values = access.kind === READ ? this.before : this.after;
      for (let lane = 0; lane < 32; lane++)
        if (has(access.mask, lane))
          this.note(step, 32 * warp + lane, access.kind, access.space, access.address[lane], values, lane * bytes, bytes, this.before);
      all.push(access);
    }
    this.accesses.set(step, all);
  }

  readMemory(from, access, to) {
    for (let at = 0; at < access.bytes; at += 8) {
      const width = Math.min(8, access.bytes - at);
      lanes(from, access.mask, width, (lane, low, high) => {
        const begin = lane * access.bytes + at;
        if (width === 4) { to.view.setUint32(begin, low, true); return; }
        for (let i = 0; i < width; i++) to.bytes[begin + i] = i < 4 ? low >>> (8 * i) : high >>> (8 * (i - 4));
      });
    }
  }

  readGroups(from, warp, step) {
    const alive = from.word();
    const list = [];
    for (let left = from.number(); left; left--) {
      const state = from.number();
      list.push({state: state & 3, barrier: state >> 2, mask: from.word(), at: from.number()});
    }
    this.groups[warp].push({step, alive, list});
  }

  // The array that an address lies in; local memory is one array for each thread.
  arrayAt(space, address, thread) {
    if (space === LOCAL) return this.localArray(thread);
    const isThere = (array) => array.space === space && address >= array.base && address < array.base + array.bytes;
    if (!this.lastArray || !isThere(this.lastArray)) this.lastArray = this.arrays.find(isThere) ?? null;
    return this.lastArray;
  }

  localArray(thread) {
    this.local ??= new Map();
    let array = this.local.get(thread);
    if (!array) {
      array = {name: 'local memory', space: LOCAL, base: 0, bytes: 2 ** 24, element: 1, kind: 'uint', extents: [],
               number: this.arrays.length + this.local.size, thread};
      this.local.set(thread, array);
    }
    return array;
  }

  // One lane's access, element by element. `values` has `bytes` of it from `begin` on, and `before` what was there.
  note(step, thread, kind, space, address, values, begin, bytes, before) {
    const array = this.arrayAt(space, address, thread);
    if (!array) return;
    const size = array.element, log = this.log;
    for (let at = 0; at < bytes;) {
      const index = Math.floor((address - array.base + at) / size);
      const inside = (address - array.base + at) % size;
      const width = Math.min(size - inside, bytes - at);
      const cell = this.cell(array, index);
      if (this.first[cell] === undefined) this.first[cell] = before ? number(before, begin + at, width) : null;
      values.at = begin + at;
      values.value(width);
      log.step.push(step < 0 ? 0xffffffff : step);
      log.thread.push(thread);
      log.kind.push(kind);
      log.cell.push(cell);
      log.low.push(values.low);
      log.high.push(values.high);
      at += width;
    }
  }

  cell(array, index) {
    array.cells ??= new Map();
    let cell = array.cells.get(index);
    if (cell === undefined) {
      cell = this.cellOf.length;
      array.cells.set(index, cell);
      this.cellOf.push({array, index});
    }
    return cell;
  }

  // For each cell, its log entries in order.
  indexCells() {
    const count = this.cellOf.length, cell = this.log.cell;
    this.startOf = new Uint32Array(count + 1);
    for (const each of cell) this.startOf[each + 1]++;
    for (let i = 0; i < count; i++) this.startOf[i + 1] += this.startOf[i];
    const next = this.startOf.slice(0, count);
    this.entries = new Uint32Array(cell.length);
    for (let i = 0; i < cell.length; i++) this.entries[next[cell[i]]++] = i;
  }
}

function number(from, at, width) {
  from.at = at;
  from.value(width);
  return [from.low, from.high];
}

export function widthOf(type) {
  if (type === 'pred') return 0;
  return {8: 2, 16: 2, 32: 4, 64: 8}[Number(type.slice(1).replace(/\D.*/, ''))] ?? 4;
}

// Shared and global arrays. `play` gives each its elements and its shape (player/memory.py).
function makeArrays(head) {
  const shared = head.shared.map((row) => {
    const bytes = row.bytes || head.shared_bytes - row.offset;
    return {...row, space: SHARED, base: row.offset, bytes};
  });
  const global = head.arrays.map((row) => ({...row, space: GLOBAL, base: Number(row.address)}));
  return [...shared, ...global].map((row, number) => {
    const element = row.element ?? WORD;
    return {kind: 'float', first: 0, also: [], ...row, number, element, extents: row.shape ?? [Math.floor(row.bytes / element)]};
  });
}

// Unpacks what the page holds: base64 of gzip of the bytes.
export async function unpack(text) {
  const letters = atob(text), packed = new Uint8Array(letters.length);
  for (let i = 0; i < packed.length; i++) packed[i] = letters.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// A file: one line of JSON, then the bytes.
export function split(bytes) {
  const end = bytes.indexOf(10);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  return new Recording(head, bytes.subarray(end + 1));
}
