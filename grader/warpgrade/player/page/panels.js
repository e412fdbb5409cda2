// The panels that are lists and tables: source, lanes, variables, what an access costs, findings.
import {GLOBAL, SHARED} from './recording.js';
import {bits, cost, has, shown, threadName} from './moments.js';

export function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children);
  return node;
}

// A table with these headings of its columns.
export const table = (headings, body) =>
  make('table', {}, make('thead', {}, make('tr', {}, ...headings.map((each) => make('th', {scope: 'col'}, each)))), body);

export const setText = (node, text) => { if (node.textContent !== text) node.textContent = text; };

// Lines of the source, each with the warps that stand there.
export class SourcePanel {
  constructor(root, player) {
    this.player = player;
    this.rows = (player.head.source ?? '').split('\n').map((text, i) => {
      const marks = make('span', {class: 'marks'});
      const row = make('li', {value: i + 1}, make('span', {class: 'number'}, String(i + 1)), marks, make('code', {}, text || ' '));
      row.marks = marks;
      return row;
    });
    this.list = make('ol', {class: 'source'}, ...this.rows);
    root.append(this.list);
    for (const line of player.findingLines()) this.rows[line - 1]?.classList.add('found');
  }
  update(moment) {
    const {moments, recording} = this.player;
    const at = new Map();
    for (let warp = 0; warp < recording.warps; warp++) {
      const line = moments.standing(warp, moment);
      if (line) at.set(line, [...(at.get(line) ?? []), warp]);
    }
    const now = moments.line(moment);
    this.rows.forEach((row, i) => {
      const warps = at.get(i + 1) ?? [];
      const text = warps.length === recording.warps && warps.length > 1 ? 'all' : ranges(warps);
      setText(row.marks, text);
      if (row.now !== (i + 1 === now)) row.classList.toggle('now', row.now = i + 1 === now);
    });
    const row = this.rows[now - 1];
    if (!row) return;
    const top = row.offsetTop;
    if (top < this.list.scrollTop + 20 || top > this.list.scrollTop + this.list.clientHeight - 50)
      this.list.scrollTop = top - this.list.clientHeight / 2;
  }
}

// "0–3, 6"
export function ranges(list) {
  const out = [];
  for (let i = 0; i < list.length;) {
    let end = i;
    while (end + 1 < list.length && list[end + 1] === list[end] + 1) end++;
    out.push(end > i + 1 ? `${list[i]}–${list[end]}` : list.slice(i, end + 1).join(', '));
    i = end + 1;
  }
  return out.join(', ');
}

export const STATES = {
  runs: 'executes this step', ready: 'can run; another warp has its turn', off: 'masked off: its condition is false',
  waits: 'waits for the other branch of its warp', barrier: 'waits at the barrier', meets: 'waits for other lanes of its warp',
  exited: 'has finished', absent: 'no thread',
};

// 32 squares for each warp.
export class LanesPanel {
  constructor(root, player) {
    this.player = player;
    this.rows = Array.from({length: player.recording.warps}, (_, warp) => {
      const cells = Array.from({length: 32}, (_, lane) =>
        make('button', {type: 'button', tabindex: -1, 'data-thread': 32 * warp + lane, 'aria-hidden': 'true'}));
      const said = make('span', {class: 'said'});
      const strip = make('div', {class: 'strip'}, ...cells);
      const row = make('div', {class: 'warp'}, make('b', {}, `warp ${warp}`), strip, said);
      return {row, cells, said};
    });
    root.append(...this.rows.map((each) => each.row), legend());
    root.addEventListener('click', (event) => {
      const thread = event.target.dataset?.thread;
      if (thread !== undefined) player.choose(Number(thread));
    });
  }
  update(moment) {
    const {moments, recording, thread} = this.player;
    this.rows.forEach(({cells, said, row}, warp) => {
      const lanes = moments.lanes(warp, moment);
      lanes.forEach((each, lane) => {
        const number = 32 * warp + lane, name = each.state + (number === thread ? ' chosen' : '');
        if (cells[lane].className === name) return;
        cells[lane].className = name;
        cells[lane].title = each.state === 'absent' ? '' : `thread ${threadName(recording.head, number)} ${STATES[each.state]}`;
      });
      setText(said, this.sentence(lanes, warp, moment));
      row.classList.toggle('now', recording.warp[moment] === warp);
    });
  }
  sentence(lanes, warp, moment) {
    const {moments, story} = this.player;
    const count = (state) => lanes.filter((each) => each.state === state).length;
    const line = (state) => moments.lineOf(lanes.find((each) => each.state === state)?.at) || '?';
    const parts = [];
    if (count('runs')) parts.push(`${count('runs')} run, line ${line('runs')}`);
    if (count('off')) parts.push(`${count('off')} masked off`);
    if (count('waits')) parts.push(`${count('waits')} wait for the other branch, then line ${line('waits')}`);
    if (count('meets')) parts.push(`${count('meets')} wait for lanes of this warp`);
    if (count('barrier')) {
      const places = new Map();
      for (const each of lanes.filter((lane) => lane.state === 'barrier')) places.set(each.at, (places.get(each.at) ?? 0) + 1);
      const missing = story.missing(moment);
      parts.push([...places].map(([at, number]) => `${number} at the barrier of line ${moments.lineOf(at)}`).join(', ') +
        (missing.length ? `, waiting for ${story.warpNames(missing)}` : ''));
    }
    if (count('ready')) parts.push(moments.stepOf(warp, moment) < 0 ? 'has not started' : `ready to go on at line ${line('ready')}`);
    if (count('exited')) parts.push(`${count('exited')} finished`);
    return parts.join(' · ');
  }
}

function legend() {
  const shownStates = ['runs', 'ready', 'off', 'waits', 'barrier', 'exited'];
  return make('p', {class: 'legend'}, ...shownStates.map((state) =>
    make('span', {}, make('i', {class: `swatch ${state}`}), ` ${STATES[state]}`)));
}

// Variables of the chosen thread, as a table.
export class VariablesPanel {
  constructor(root, player) {
    this.player = player;
    this.body = make('tbody');
    this.title = root.querySelector('h2');
    root.append(table(['variable', 'value', 'set at'], this.body), this.none = make('p', {class: 'note'}));
  }
  update(moment) {
    const {moments, recording, thread} = this.player;
    setText(this.title, `Variables of thread ${threadName(recording.head, thread)}`);
    const all = moments.variables(thread, moment);
    setText(this.none, recording.head.variables.length ? (all.length ? '' : 'This thread has not started.')
      : 'This build has no names of variables: compile with -G.');
    this.body.replaceChildren(...all.map((each) => {
      const fresh = each.known && each.step === moment;
      const value = each.why || shown(each.type, each.low, each.high);
      const set = !each.known || each.step < 0 ? '' : `line ${moments.line(each.step)}`;
      return make('tr', {class: fresh ? 'fresh' : each.known ? '' : 'unknown'},
        make('th', {scope: 'row'}, make('code', {}, each.name), make('small', {}, ' ' + each.type.name)), make('td', {}, value),
        make('td', {}, each.known && each.step >= 0 ? this.player.link(set, each.step) : ''));
    }));
  }
}

// Type of a variable that a register of a PTX type could hold: u32, f64, pred, b64.
function heldBy(type, width) {
  const kind = {f: 'float', s: 'int', p: 'bool'}[type[0]] ?? 'uint';
  return {kind, bytes: width || 1};
}

// Registers of the chosen thread in the function where its warp stands, below the PTX instruction of its warp.
export class RegistersPanel {
  constructor(root, player) {
    this.player = player;
    this.root = root;
    this.body = make('tbody');
    root.append(this.text = make('code', {class: 'ptx'}), table(['register', 'value', 'set at'], this.body));
    root.addEventListener('toggle', () => this.update(player.moment));
  }
  update(moment) {
    if (!this.root.open) return;
    const {moments, recording, thread} = this.player;
    const at = moments.info(moments.stepOf(thread >> 5, moment));
    setText(this.text, at?.text ?? '');
    const all = recording.head.registers.map(([owner, name, type], number) => ({owner, name, type, number}))
      .filter(({owner}) => owner === recording.head.functions[at?.function]?.number)
      .map((each) => ({...each, found: moments.register(each.number, thread, moment)})).filter(({found}) => found);
    this.body.replaceChildren(...all.map(({name, type, number, found}) => make('tr', {class: found.step === moment ? 'fresh' : ''},
      make('th', {scope: 'row'}, make('code', {}, name), make('small', {}, ` ${type}`)),
      make('td', {}, shown(heldBy(type, recording.registerWidth[number]), found.low, found.high)),
      make('td', {}, found.step < 0 ? '' : this.player.link(`line ${moments.line(found.step)}`, found.step)))));
  }
}

// Sectors and banks of this step's accesses.
export class CostPanel {
  constructor(root, player) {
    this.player = player;
    this.root = make('div');
    root.append(this.root);
  }
  update(moment) {
    const {recording, story} = this.player;
    const all = (recording.accesses.get(moment) ?? []).filter((each) => each.space === GLOBAL || each.space === SHARED);
    const text = (moments) => make('code', {class: 'ptx'}, moments.info(moment)?.text ?? '');
    this.root.replaceChildren(text(this.player.moments), ...(all.length ? [] : [make('p', {class: 'note'}, 'This step touches no array.')]),
      ...all.flatMap((access) => [make('p', {}, story.cost(access) + '.'), access.space === SHARED ? banks(access) : sectors(access)]));
  }
}

function banks(access) {
  const {banks: words, ideal} = cost(access);
  return make('div', {class: 'banks', role: 'img', 'aria-label': `words in each bank: ${words.join(' ')}`},
    ...words.map((count, bank) => make('span', {title: `bank ${bank}: ${count} words`, class: count > ideal ? 'conflict' : count ? 'used' : ''},
      count > 1 ? String(count) : '')));
}

function sectors(access) {
  const touched = new Map();
  for (let lane = 0; lane < 32; lane++) {
    if (!has(access.mask, lane)) continue;
    const sector = Math.floor(access.address[lane] / 32);
    touched.set(sector, (touched.get(sector) ?? 0) + 1);
  }
  return make('div', {class: 'banks sectors', role: 'img', 'aria-label': `lanes in each sector: ${[...touched.values()].join(' ')}`},
    ...[...touched.entries()].sort((a, b) => a[0] - b[0]).map(([sector, lanes]) =>
      make('span', {title: `sector ${sector}: ${lanes} lanes`, class: 'used'}, String(lanes))));
}

// Each finding: what happened, both sides with a link to their moments, and what orders nothing between them.
export class FindingsPanel {
  constructor(root, player) {
    const all = player.head.findings ?? [];
    root.hidden = all.length === 0;
    this.cards = all.map((each, i) => this.card(each, i, player));
    root.append(...this.cards);
    this.all = all;
    this.player = player;
  }
  card(finding, number, player) {
    const {element} = finding;
    const array = element && player.recording.arrays.find((each) => each.name === element.array);
    const name = array ? player.story.element(array, element.index) : finding.outside ?? '';
    const sides = [side(finding, finding.step, player, name), finding.other ? side({...finding.other, between: finding.between_blocks}, finding.other_step, player, name) : null]
      .filter(Boolean).sort((a, b) => a.step - b.step).map((each) => each.node);
    for (const [key, words] of [['writer', 'should have written it'], ['left', 'went another way']])
      if (finding[key]) sides.push(side({...finding[key], said: words}, finding[key].step, player, '').node);
    return make('article', {class: 'finding', id: `finding-${number + 1}`},
      make('h3', {}, `${number + 1}. ${finding.title ?? finding.kind}`, make('small', {}, ' ' + (finding.code ?? ''))),
      make('p', {}, finding.message), make('ol', {class: 'sides'}, ...sides), edge(finding, player), make('p', {class: 'help'}, finding.help ?? ''));
  }
  update(moment) {
    this.all.forEach((finding, i) => {
      this.cards[i].classList.toggle('here', finding.step === moment || finding.other_step === moment);
    });
  }
}

function side(place, step, player, name) {
  const found = step !== null && step !== undefined && step >= 0;
  const isPassed = found && place.access === 'barrier' && !/\bbar(rier)?\./.test(player.moments.info(step)?.text ?? '');
  const what = isPassed ? 'goes on without the barrier' : {read: 'reads', write: 'writes', atomic: 'updates', barrier: 'waits at the barrier'}[place.access] ?? 'is here';
  const does = place.said ?? what;
  const element = name && place.access !== 'barrier' ? ` ${name}` : '';
  const words = `thread ${threadName(player.head, player.threadAt(place.thread))} ${does}${element}, line ${place.line}`;
  const where = place.between ? ` in block (${place.block.join(',')}), which is not recorded here` : ' not in this block’s recording';
  return {step: found ? step : Infinity, node: make('li', {}, found ? player.link(words, step, place) : words,
    make('small', {}, found ? ` step ${step + 1}` : where))};
}

function edge(finding, player) {
  const {step, other_step: other} = finding;
  if (finding.check !== 'race') return '';
  if (finding.between_blocks)
    return make('p', {class: 'edge'}, 'Nothing makes one of these two blocks wait for the other, as a barrier joins threads of one block only. ' +
      'On a GPU either access may come first.');
  if (step < 0 || !(other >= 0)) return '';
  const [first, second] = [Math.min(step, other), Math.max(step, other)];
  const between = player.moments.phase(second - 1) - player.moments.phase(first);
  return make('p', {class: 'edge'}, between > 0
    ? 'A barrier opens between these two here; on a GPU, other accesses of these lines meet without one.'
    : 'No barrier opens between these two: nothing makes the second wait for the first. On a GPU either may come first.');
}
